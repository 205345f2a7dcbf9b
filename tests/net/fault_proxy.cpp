#include "net/fault_proxy.hpp"

#include <charconv>
#include <deque>
#include <fmt/format.h>

#include "net/timer.hpp"

namespace allot::net {

namespace {

// More is not read ahead of what can be passed on: whoever writes must wait then, as in a real network.
constexpr std::size_t ahead_limit = std::size_t{1} << 20;

}  // namespace

// One connection through the proxy: two ends, and what is under way to each.
class FaultProxy::Relay : public std::enable_shared_from_this<Relay> {
public:
    Relay(FaultProxy& proxy, StreamPtr client) : proxy_(proxy), timer_(proxy.loop_) {
        ends_[client_end].stream = std::move(client);
    }

    void start() {
        listen_to(client_end);
        attempt_ = connect_tcp(proxy_.loop_, proxy_.target_, nullptr, "",
                               [this](Result<StreamPtr> result) { reach(std::move(result)); });
    }

    bool has_ended() const { return ended_; }
    bool is_held() const { return held_; }
    void hold(bool held) {
        held_ = held;
        pass_on();
    }

    void end() {
        ended_ = true;
        timer_.cancel();
        attempt_.reset();
        for (End& end : ends_)
            if (end.stream) end.stream->close();
    }

private:
    static constexpr std::size_t client_end = 0;
    static constexpr std::size_t server_end = 1;

    struct Parcel {
        Timer::Clock::time_point due;
        std::string bytes;
        bool last = false;  // the other end has closed
    };
    struct End {
        StreamPtr stream;            // none: not connected yet
        std::deque<Parcel> towards;  // what is to be written to it
        std::size_t waiting = 0;     // bytes of that
    };

    void reach(Result<StreamPtr> result) {
        const auto alive = shared_from_this();
        if (!result) {
            end();
            return proxy_.forget_ended();
        }
        ends_[server_end].stream = std::move(*result);
        listen_to(server_end);
        pass_on();
    }

    void listen_to(std::size_t from) {
        const auto weak = weak_from_this();
        ends_[from].stream->start({.read =
                                       [weak, from](std::string_view bytes) {
                                           if (const auto self = weak.lock()) self->take(from, bytes);
                                       },
                                   .closed =
                                       [weak, from](const std::string&) {
                                           if (const auto self = weak.lock()) self->take_end(from);
                                       },
                                   .drained =
                                       [weak] {
                                           if (const auto self = weak.lock()) self->pass_on();
                                       }});
    }

    void take(std::size_t from, std::string_view bytes) {
        End& other = ends_[1 - from];
        other.towards.push_back({.due = Timer::Clock::now() + proxy_.delay_, .bytes = std::string(bytes)});
        other.waiting += bytes.size();
        if (other.waiting > ahead_limit) ends_[from].stream->pause(true);
        pass_on();
    }

    void take_end(std::size_t from) {
        ends_[1 - from].towards.push_back({.due = Timer::Clock::now() + proxy_.delay_, .last = true});
        pass_on();
    }

    void pass_on() {
        if (held_ || proxy_.blackhole_) return;
        for (const std::size_t to : {client_end, server_end})
            while (!ended_ && is_due(to)) deliver(to);
        if (ended_) return proxy_.forget_ended();
        wait_for_next();
    }

    bool is_due(std::size_t to) const {
        const End& end = ends_[to];
        return end.stream && !end.towards.empty() && end.towards.front().due <= Timer::Clock::now() &&
               end.stream->unsent() < ahead_limit;
    }

    void deliver(std::size_t to) {
        End& end = ends_[to];
        const Parcel parcel = std::move(end.towards.front());
        end.towards.pop_front();
        if (parcel.last) return this->end();
        end.waiting -= parcel.bytes.size();
        end.stream->write(parcel.bytes);
        proxy_.passed_ += parcel.bytes.size();
        if (end.waiting <= ahead_limit && ends_[1 - to].stream) ends_[1 - to].stream->pause(false);
        if (to == client_end) proxy_.release_older_than(*this);
    }

    void wait_for_next() {
        auto next = Timer::Clock::time_point::max();
        for (const End& end : ends_)
            if (end.stream && !end.towards.empty()) next = std::min(next, end.towards.front().due);
        const auto now = Timer::Clock::now();
        if (next == Timer::Clock::time_point::max() || next <= now) return;
        timer_.set(next - now, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->pass_on();
        });
    }

    FaultProxy& proxy_;
    End ends_[2];
    std::unique_ptr<Attempt> attempt_;
    Timer timer_;
    bool held_ = false;
    bool ended_ = false;
};

FaultProxy::FaultProxy(boost::asio::io_context& loop, std::string target)
    : loop_(loop), target_(std::move(target)) {}

FaultProxy::~FaultProxy() {
    cut();
}

Result<std::unique_ptr<FaultProxy>> FaultProxy::make(boost::asio::io_context& loop, const std::string& listen,
                                                     const std::string& target) {
    std::unique_ptr<FaultProxy> proxy(new FaultProxy(loop, target));
    auto listener = listen_tcp(loop, listen, nullptr,
                               [raw = proxy.get()](StreamPtr stream) { raw->accept(std::move(stream)); });
    if (!listener) return Error{listener.error()};
    proxy->listener_ = std::move(*listener);
    return proxy;
}

std::uint16_t FaultProxy::port() const {
    return listener_->port();
}

std::string FaultProxy::address() const {
    return fmt::format("127.0.0.1:{}", port());
}

void FaultProxy::accept(StreamPtr stream) {
    if (refusing_) return stream->close();
    ++made_;
    relays_.push_back(std::make_shared<Relay>(*this, std::move(stream)));
    const auto relay = relays_.back();
    if (std::exchange(hold_next_, false)) relay->hold(true);
    relay->start();
}

void FaultProxy::forget_ended() {
    std::erase_if(relays_, [](const auto& relay) { return relay->has_ended(); });
}

void FaultProxy::release_older_than(const Relay& newer) {
    const auto relays = relays_;
    for (const auto& relay : relays) {
        if (relay.get() == &newer) return;
        if (relay->is_held()) relay->hold(false);
    }
}

void FaultProxy::delay(std::chrono::milliseconds by) {
    delay_ = by;
}

void FaultProxy::cut() {
    const auto relays = std::exchange(relays_, {});
    for (const auto& relay : relays) relay->end();
}

void FaultProxy::refuse() {
    refusing_ = true;
}

void FaultProxy::blackhole() {
    blackhole_ = true;
}

void FaultProxy::reorder() {
    if (relays_.empty()) {
        hold_next_ = true;
    } else {
        relays_.back()->hold(true);
    }
}

void FaultProxy::heal() {
    delay_ = std::chrono::milliseconds(0);
    refusing_ = false;
    blackhole_ = false;
    hold_next_ = false;
    const auto relays = relays_;
    for (const auto& relay : relays) relay->hold(false);
}

std::size_t FaultProxy::connections() const {
    return relays_.size();
}

std::uint64_t FaultProxy::bytes_passed() const {
    return passed_;
}

std::uint64_t FaultProxy::connections_made() const {
    return made_;
}

Result<std::string> FaultProxy::command(const std::string& line) {
    const std::string_view text(line);
    if (text.starts_with("delay ")) {
        unsigned by = 0;
        const auto [end, failure] = std::from_chars(text.data() + 6, text.data() + text.size(), by);
        if (failure != std::errc{} || end != text.data() + text.size())
            return Error{line + ": write delay and a number of milliseconds"};
        delay(std::chrono::milliseconds(by));
    } else if (text == "cut") {
        cut();
    } else if (text == "refuse") {
        refuse();
    } else if (text == "blackhole") {
        blackhole();
    } else if (text == "reorder") {
        reorder();
    } else if (text == "heal") {
        heal();
    } else if (text != "status") {
        return Error{line + ": write delay MS, cut, refuse, blackhole, reorder, heal or status"};
    }
    return fmt::format("ok connections={} made={} bytes={}", connections(), made_, passed_);
}

}  // namespace allot::net
