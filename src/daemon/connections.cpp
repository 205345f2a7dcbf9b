#include "daemon/connections.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <utility>

#include "base/descriptor_room.hpp"
#include "base/frame.hpp"
#include "base/log.hpp"
#include "core/bytes.hpp"
#include "daemon/unheard.hpp"
#include "net/local_user.hpp"
#include "session/speak.hpp"

namespace allot::daemon {

namespace {

// A program that does not read its answers must not fill our memory with them: it is not heard, and at last
// it has to go.
constexpr std::size_t much_unsent = std::size_t{1} << 20;
constexpr std::size_t most_unsent = std::size_t{4} << 20;
// Beyond this, no more is read of a program until it has been heard.
constexpr std::size_t much_unheard = std::size_t{64} << 10;
// Time limit and maximum number of connections without a hello; the oldest is dropped. So a slow or malicious
// program keeps nobody out.
constexpr std::chrono::seconds hello_patience{5};
constexpr std::size_t most_strangers = 1024;
// Connections that are let in although there is no room, to be told so.
constexpr std::size_t least_strangers = 4;

}  // namespace

class Connections::Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(Connections& all, net::StreamPtr stream)
        : all_(all),
          stream_(std::move(stream)),
          reader_(session::frame_limit),
          patience_(all.loop_),
          of_user_(all.under_way_of(stream_->identity())) {}
    ~Connection() { forget_bytes(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void start() {
        patience_.set(hello_patience, [self = weak_from_this()] {
            if (const auto connection = self.lock())
                connection->break_off(fmt::format("no hello within {} seconds", hello_patience.count()));
        });
        net::Stream::Events events;
        events.read = [self = shared_from_this()](std::string_view bytes) { self->read(bytes); };
        events.closed = [self = shared_from_this()](const std::string&) { self->closed(); };
        events.drained = [self = shared_from_this()] { self->count_bytes(); };
        events.passed = [self = shared_from_this()](int descriptor) {
            Descriptor one(descriptor);
            if (self->passed_) return self->break_off("it passes descriptors without a message about them");
            self->passed_ = std::move(one);
        };
        stream_->start(std::move(events));
    }

    // Never ends the session at once: others may be told something by the caller.
    void say(const session::DaemonMessage& message) {
        if (over_) return;
        write(message);
        const auto why = stream_->unsent() > most_unsent
                             ? std::optional<std::string>("it does not read its answers")
                             : count_bytes();
        if (why) boost::asio::post(all_.loop_, [self = shared_from_this(), why] { self->break_off(*why); });
    }

    // A message that waited.
    void hear_next() {
        if (unheard_.empty()) return;
        Unheard::Message next = unheard_.take();
        heard_ = true;
        at_hand_ = std::move(next.passed);
        hear(next.content);
        at_hand_.reset();
        count_bytes();
        if (closed_ && unheard_.empty() && !over_) all_.gone(shared_from_this());
    }
    bool has_unheard() const { return !unheard_.empty(); }

    void break_off(const std::string& why) {
        if (over_) return;
        // A connection without a hello is logged only once: there may be many.
        if (session)
            log_warning(fmt::format("session of {} ({}) closed: {}",
                                    host::identity_of(all_.permissions_.caller(identity())),
                                    identity().address, why));
        else
            all_.logged_.refusal(identity(), why);
        over_ = true;
        write(session::Farewell{why});
        close();
        all_.gone(shared_from_this());
    }

    void close() {
        over_ = true;
        patience_.cancel();
        stream_->close();
        unheard_.clear();
        forget_bytes();
    }

    // All connections may be gone by the time the last pointer to this one goes.
    void forget_bytes() {
        if (counted_ > 0) count_bytes(0);
    }

    void let_in(SessionId as) {
        session = as;
        patience_.cancel();
        if (!identity().process) expect_signs();
    }

    // The descriptor that came with the message at hand.
    Descriptor take_passed() { return std::exchange(at_hand_ ? *at_hand_ : passed_, Descriptor{}); }

    const net::Identity& identity() const { return stream_->identity(); }

    std::optional<SessionId> session;  // after hello

private:
    void write(session::DaemonMessage message) {
        if (auto* const welcome = std::get_if<session::Welcome>(&message)) welcome->edition = edition_;
        frame_.clear();
        std::visit(
            [&](const auto& one) { session::put_message<session::DaemonMessage>(one, edition_, frame_); },
            message);
        stream_->write(frame_);
    }

    // A program on another host that holds or waits must give signs of life.
    void expect_signs() {
        patience_.set(all_.config_.agreed.lease, [self = weak_from_this()] {
            if (const auto connection = self.lock()) connection->look_for_signs();
        });
    }

    void look_for_signs() {
        if (over_ || !session) return;
        if (!std::exchange(heard_, false) && all_.events_.has_requests(*session))
            return break_off(
                fmt::format("the program was silent for {} ms", all_.config_.agreed.lease.count()));
        expect_signs();
    }

    void read(std::string_view bytes) {
        heard_ = true;
        const auto self = shared_from_this();  // an answer may drop us
        const bool good = reader_.feed(bytes, [&](std::string_view content) {
            take(content);
            return !over_;
        });
        if (!good && !over_)
            return break_off(fmt::format("a frame is larger than {} bytes", session::frame_limit));
        if (const auto why = count_bytes()) break_off(*why);
    }

    // The program is heard with all that it said before it went.
    void closed() {
        closed_ = true;
        if (unheard_.empty()) all_.gone(shared_from_this());
    }

    void take(std::string_view content) {
        if (!session) return hear_hello(content);
        if (unheard_.empty() && all_.events_.is_free()) return hear(content);
        const auto message = passed_ ? from_bytes<session::ClientMessage>(content, edition_) : std::nullopt;
        const bool follows = message && std::holds_alternative<session::Follow>(*message);
        unheard_.add(content, follows ? take_passed() : Descriptor{});
        all_.events_.waits(*session);
    }

    void hear_hello(std::string_view content) {
        // After its edition, a hello of another edition may be anything.
        const auto newest = session::edition_in(content);
        if (newest && !can_greet(*newest))
            return break_off(
                fmt::format("the program speaks edition {} of the session protocol, this daemon {} to {}; "
                            "install the same allot for both",
                            *newest, first_edition, newest_edition));
        if (newest) edition_ = spoken_by_both(*newest);
        const auto message =
            from_bytes<session::ClientMessage>(content, newest ? greeting_edition : edition_);
        if (!message) return break_off("a frame is no message of the session protocol");
        const auto* hello = std::get_if<session::Hello>(&*message);
        if (hello == nullptr) return break_off("the first message is not a hello");
        all_.hello(shared_from_this(), *hello);
    }

    void hear(std::string_view content) {
        const auto message = from_bytes<session::ClientMessage>(content, edition_);
        if (!message) return break_off("a frame is no message of the session protocol");
        all_.hear(*this, *message);
    }

    // Counts what is under way, and reads on if that is not much. Returns why the connection must end, if it
    // must.
    std::optional<std::string> count_bytes() {
        if (over_) return std::nullopt;
        const std::size_t unsent = stream_->unsent();
        count_bytes(unheard_.bytes() + reader_.partial_bytes() + unsent);
        const std::size_t part = held_back_ ? 2 : 1;         // it is not held back again at once
        const bool waits = !unheard_.empty() || unsent > 0;  // so this is looked at again
        const bool is_much = unheard_.bytes() > much_unheard / part || unheard_.has_descriptor() ||
                             unsent > much_unsent / part || (waits && all_.too_much_under_way(2 * *of_user_));
        if (is_much != held_back_) stream_->pause(held_back_ = is_much);
        return all_.too_much_under_way(*of_user_);
    }
    void count_bytes(std::size_t now) {
        all_.under_way_ += now - counted_;
        *of_user_ += now - counted_;
        counted_ = now;
    }

    Connections& all_;
    net::StreamPtr stream_;
    FrameReader reader_;
    net::Timer patience_;  // until hello, or until a sign of life
    Descriptor passed_;
    Unheard unheard_;
    std::optional<Descriptor> at_hand_;  // with a message that waited, while it is heard
    Bytes of_user_;                      // all that is under way
    std::size_t counted_ = 0;
    bool held_back_ = false;
    bool closed_ = false;  // by the program
    std::string frame_;
    Edition edition_ = first_edition;  // of all messages after the hello
    bool heard_ = false;
    bool over_ = false;
};

Connections::Connections(boost::asio::io_context& loop, const Config& config, Events events)
    : loop_(loop), config_(config), permissions_(config), events_(std::move(events)) {}

Connections::~Connections() {
    close_all();
}

void Connections::accept(net::StreamPtr stream) {
    const std::size_t room = DescriptorRoom::of_this_process().sessions();
    const std::size_t most =
        std::clamp(room - std::min(room, connected_.size()), least_strangers, most_strangers);
    while (strangers_.size() >= most) {
        const auto oldest = strangers_.front();
        oldest->break_off("too many connections have not said hello");
        std::erase(strangers_, oldest);
    }
    const auto connection = std::make_shared<Connection>(*this, std::move(stream));
    strangers_.push_back(connection);
    connection->start();
}

void Connections::hello(const std::shared_ptr<Connection>& connection, const session::Hello& hello) {
    const net::Identity& who = connection->identity();
    // Otherwise this address would let in everybody whom the mode of the socket keeps out.
    if (!config_.tls && !who.process && !net::objection_to_user(who).empty())
        return connection->break_off(
            "without TLS only programs of root and of the daemon's user may connect to this address; use the "
            "daemon's socket");
    if (config_.tls && !who.process && who.program.empty())
        return connection->break_off(
            fmt::format("its certificate is for {}; write one that `allot cert --program NAME` made",
                        who.certified_as()));
    if (const auto why = events_.hello(permissions_.caller(who), hello,
                                       [&](SessionId session) { let_in(connection, session); }))
        connection->break_off(*why);
}

void Connections::let_in(const std::shared_ptr<Connection>& connection, SessionId session) {
    std::erase(strangers_, connection);
    // The program may reconnect before the daemon notices the end of its connection.
    if (const auto before = connected_.find(session); before != connected_.end()) {
        before->second->session.reset();
        before->second->close();
    }
    connected_[session] = connection;
    connection->let_in(session);
}

void Connections::hear(Connection& connection, const session::ClientMessage& message) {
    if (const auto* follow = std::get_if<session::Follow>(&message)) {
        const auto why = events_.follow(*connection.session, connection.identity(), follow->ticket,
                                        connection.take_passed());
        return why ? connection.break_off(*why) : void();
    }
    if (std::holds_alternative<session::Hello>(message)) return connection.break_off("a second hello");
    events_.said(*connection.session, message);
}

void Connections::say(SessionId session, const session::DaemonMessage& message) {
    if (const auto place = connected_.find(session); place != connected_.end()) place->second->say(message);
}

void Connections::hear_next(SessionId session) {
    const auto place = connected_.find(session);
    if (place == connected_.end()) return;
    const auto connection = place->second;  // an answer may drop it
    connection->hear_next();
}

bool Connections::has_unheard(SessionId session) const {
    const auto place = connected_.find(session);
    return place != connected_.end() && place->second->has_unheard();
}

// A program on this machine counts for its user, another one for its certificate.
Connections::Bytes Connections::under_way_of(const net::Identity& who) {
    const std::string user = who.process ? std::to_string(who.process->uid) : "cert:" + who.program;
    if (const auto known = under_way_of_.find(user); known != under_way_of_.end())
        if (Bytes bytes = known->second.lock()) return bytes;
    std::erase_if(under_way_of_, [](const auto& one) { return one.second.expired(); });
    Bytes bytes = std::make_shared<std::size_t>(0);
    under_way_of_[user] = bytes;
    return bytes;
}

std::optional<std::string> Connections::too_much_under_way(std::size_t of_user) const {
    const std::uint64_t most = config_.limits.most_under_way();
    const auto why = [](const char* whose, std::uint64_t bytes) {
        return fmt::format(
            "{} have more than {} bytes of messages under way, which is the limit (a quarter of "
            "limits.memory_megabytes); read the answers, and send less at once",
            whose, bytes);
    };
    if (of_user > host::share_of_one(most)) return why("the programs of its user", host::share_of_one(most));
    // A user with little keeps its connections when others have too much.
    if (under_way_ > most && of_user > most / 16) return why("all programs", most);
    return std::nullopt;
}

void Connections::gone(const std::shared_ptr<Connection>& connection) {
    std::erase(strangers_, connection);
    connection->forget_bytes();
    if (!connection->session) return;
    const SessionId session = *std::exchange(connection->session, std::nullopt);
    connected_.erase(session);
    events_.disconnected(session);
}

void Connections::drop(SessionId session) {
    const auto connection = connected_.extract(session);
    if (!connection) return;
    connection.mapped()->session.reset();
    connection.mapped()->close();
}

void Connections::close_revoked(const net::TlsPtr& tls) {
    std::vector<std::shared_ptr<Connection>> revoked;
    const auto look = [&](const std::shared_ptr<Connection>& one) {
        if (net::is_revoked(tls, one->identity())) revoked.push_back(one);
    };
    for (const auto& [id, connection] : connected_) look(connection);
    for (const auto& connection : strangers_) look(connection);
    for (const auto& connection : revoked) connection->break_off("its certificate is revoked");
}

std::map<SessionId, host::Caller> Connections::callers() {
    permissions_.warn_of_unknown_users();
    std::map<SessionId, host::Caller> all;
    for (const auto& [session, connection] : connected_)
        all.emplace(session, permissions_.caller(connection->identity()));
    return all;
}

void Connections::close_all() {
    for (const auto& [id, connection] : connected_) {
        connection->session.reset();
        connection->close();
    }
    for (const auto& connection : strangers_) connection->close();
    connected_.clear();
    strangers_.clear();
}

}  // namespace allot::daemon
