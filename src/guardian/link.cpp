#include "guardian/link.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/no_signals.hpp"

namespace allot::guardian {

namespace {

// A guardian that ends just now still has the lock, so the one that we start first may give up.
constexpr std::chrono::milliseconds start_interval{2000};
constexpr std::chrono::milliseconds connect_interval{5};
// A guardian that leaves that many packets unread counts as gone.
constexpr std::size_t unsent_most = 4096;

void wait_until_readable(const Descriptor& socket, BootClock::time_point until) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - BootClock::now()).count();
    pollfd readable{.fd = socket.get(), .events = POLLIN, .revents = 0};
    ::poll(&readable, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
}

// `none` if nothing has come in time.
Packet next_packet(const Descriptor& socket, BootClock::time_point until) {
    while (true) {
        Packet packet = receive_packet(socket);
        if (packet.state != Packet::State::none || BootClock::now() >= until) return packet;
        wait_until_readable(socket, until);
    }
}

Error no_answer(const Descriptor& socket) {
    return Error{
        fmt::format("the guardian (process {}) does not answer; if it is stopped, continue or kill it",
                    peer_of(socket).process)};
}

Error nonsense(const Descriptor& socket) {
    return Error{fmt::format("process {} listens as the guardian, but does not speak like one",
                             peer_of(socket).process)};
}

Error other_edition(const Descriptor& socket, const Opening& theirs) {
    return Error{
        fmt::format("the guardian (process {}) speaks edition {}, this program {} to {}; its {} leases must "
                    "end first",
                    peer_of(socket).process, theirs.newest, first_edition, newest_edition, theirs.number)};
}

std::optional<Charge> charge_from(Keep&& keep, std::vector<Descriptor>&& passed) {
    if (passed.size() != (keep.has_command ? 2U : 1U)) return std::nullopt;
    Charge charge{.id = keep.id,
                  .record = std::move(keep.record),
                  .owner = std::move(passed[0]),
                  .stoppable = keep.stoppable,
                  .stoppable_owner = keep.stoppable_owner};
    if (keep.has_command) charge.command = std::move(passed[1]);
    return charge;
}

[[noreturn]] void become_guardian(const std::string& folder, const std::string& grace) {
    ::execl("/proc/self/exe", "allot", "guardian", "--folder", folder.c_str(), "--grace", grace.c_str(),
            nullptr);
    ::_exit(127);
}

}  // namespace

Result<bool> start_guardian(const std::string& folder, std::chrono::milliseconds grace) {
    const std::string grace_text = std::to_string(grace.count());
    const NoSignals meanwhile;  // it answers them when it is ready
    const pid_t between = ::fork();
    if (between < 0) return Error{fmt::format("cannot start the guardian: {}", std::strerror(errno))};
    if (between == 0) {
        // An orphan, so that the daemon need not wait for its end.
        const pid_t guardian = ::fork();
        if (guardian == 0) become_guardian(folder, grace_text);
        ::_exit(guardian < 0 ? 1 : 0);
    }
    int status = 0;
    while (::waitpid(between, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) return Error{"cannot start the guardian: there are too many processes"};
    return true;
}

Result<std::unique_ptr<Link>> Link::open(const std::string& folder, std::chrono::milliseconds grace,
                                         const Starter& starter, std::chrono::milliseconds patience) {
    const auto until = BootClock::now() + patience;
    auto start_at = BootClock::now();
    std::error_code failure;
    const std::string place = std::filesystem::absolute(folder, failure).string();
    while (BootClock::now() < until) {
        auto socket = connect_in(place);
        if (!socket) return Error{socket.error()};
        if (*socket) {
            auto link = greet(std::move(*socket), grace, until);
            if (!link || *link) return link;
        }
        if (BootClock::now() >= start_at) {
            if (const auto started = starter(place, grace); !started) return Error{started.error()};
            start_at = BootClock::now() + start_interval;
        }
        std::this_thread::sleep_for(connect_interval);
    }
    return Error{
        fmt::format("{}: no guardian listens after {} ms: it has failed, as a line of `allot guardian` above "
                    "then says, or this machine is too busy to start it in time; then start this again",
                    socket_path(place), patience.count())};
}

// A null pointer if the guardian ends just now.
Result<std::unique_ptr<Link>> Link::greet(Descriptor socket, std::chrono::milliseconds grace,
                                          BootClock::time_point until) {
    const auto user = peer_of(socket).user;
    if (user != ::geteuid() && user != 0)
        return Error{
            fmt::format("the guardian (process {}) belongs to another user", peer_of(socket).process)};
    const Hello hello{.grace_ms = static_cast<std::uint32_t>(grace.count())};
    // A guardian that has rested has no log of its own any more.
    const int log = STDERR_FILENO;
    const std::span<const int> passed(&log, ::fcntl(log, F_GETFD) < 0 ? 0 : 1);
    if (send_packet(socket, to_bytes<ToGuardian>(hello, greeting_edition), passed) != Sending::done)
        return std::unique_ptr<Link>();
    Packet packet = next_packet(socket, until);
    if (packet.state == Packet::State::none) return no_answer(socket);
    if (packet.state == Packet::State::ended) return std::unique_ptr<Link>();
    const auto opening = opening_of(packet.bytes);
    if (packet.state == Packet::State::broken || !opening) return nonsense(socket);
    // One that does not understand this daemon does not pass its page.
    const bool refused = packet.passed.empty() || !can_greet(opening->newest);
    if (refused && opening->number == 0) return std::unique_ptr<Link>();
    if (refused) return other_edition(socket, *opening);
    if (packet.passed.size() != 1) return nonsense(socket);
    auto page = SharedPage::map(std::move(packet.passed.front()));
    if (!page) return Error{page.error()};
    std::unique_ptr<Link> link(
        new Link(std::move(socket), std::move(*page), spoken_by_both(opening->newest)));
    const auto complete = link->take_over(until);
    if (!complete) return Error{complete.error()};
    return *complete ? std::move(link) : nullptr;
}

// False if the guardian ends meanwhile.
Result<bool> Link::take_over(BootClock::time_point until) {
    while (true) {
        Packet packet = next_packet(socket_, until);
        if (packet.state == Packet::State::none) return no_answer(socket_);
        if (packet.state == Packet::State::ended) return false;
        auto message = from_bytes<ToDaemon>(packet.bytes, edition_);
        if (packet.state == Packet::State::broken || !message) return nonsense(socket_);
        if (packet.lost_descriptors)
            return Error{"too many descriptors are open; raise the limit (ulimit -n)"};
        if (std::holds_alternative<Complete>(*message)) return true;
        auto* const keep = std::get_if<Keep>(&*message);
        auto charge =
            keep == nullptr ? std::nullopt : charge_from(std::move(*keep), std::move(packet.passed));
        if (!charge) return nonsense(socket_);
        taken_over_.push_back(std::move(*charge));
    }
}

// The packet comes after all earlier ones, so the guardian knows which charges are meant.
void Link::set_deadline(BootClock::time_point deadline, std::uint64_t keeper) {
    const auto before = page_.deadline();
    const bool was_set = before.time_since_epoch().count() != 0;
    if (was_set && BootClock::now() >= before) send(Expire{}, {});
    page_.set(deadline, keeper);
    if (deadline < before) send(Look{}, {});
}

Result<bool> Link::keep(const Charge& charge) {
    if (charge.record.size() > record_bytes_most)
        return Error{fmt::format("the record of a lease has {} bytes; the guardian takes at most {}",
                                 charge.record.size(), record_bytes_most)};
    if (!charge.owner) return Error{"a lease without a process cannot be guarded"};
    std::vector<int> passed{charge.owner.get()};
    if (charge.command) passed.push_back(charge.command.get());
    return send(keep_of(charge), std::move(passed));
}

void Link::drop(const ChargeId& id) {
    send(Drop{id}, {});
}

void Link::stop(const ChargeId& id) {
    send(Stop{id, static_cast<std::uint64_t>(deadline().time_since_epoch().count())}, {});
}

bool Link::send(const ToGuardian& message, std::vector<int> passed) {
    flush();
    if (gone_) return false;
    std::string bytes = to_bytes(message, edition_);
    if (unsent_.empty()) {
        const Sending sending = send_packet(socket_, bytes, passed);
        if (sending == Sending::done) return true;
        if (sending == Sending::failed) lose(std::strerror(errno));
    }
    Unsent later{std::move(bytes), {}};
    for (const int one : passed) {
        later.passed.emplace_back(::fcntl(one, F_DUPFD_CLOEXEC, 0));
        if (!later.passed.back()) lose("no descriptors are left for packets that it has not read");
    }
    if (unsent_.size() >= unsent_most) lose("it does not read");
    if (!gone_) unsent_.push_back(std::move(later));
    return false;
}

void Link::flush() {
    while (!gone_ && !unsent_.empty()) {
        const Unsent& next = unsent_.front();
        std::vector<int> passed;
        for (const Descriptor& one : next.passed) passed.push_back(one.get());
        const Sending sending = send_packet(socket_, next.bytes, passed);
        if (sending == Sending::later) return;
        if (sending == Sending::failed) return lose(std::strerror(errno));
        unsent_.pop_front();
    }
}

void Link::lose(const std::string& why) {
    gone_ = true;
    why_gone_ = fmt::format("the guardian (process {}) is gone: {}", process(), why);
    unsent_.clear();
    ::shutdown(socket_.get(), SHUT_RDWR);  // which makes descriptor() readable
}

// Packets that the guardian sent before its end still count, so look for them even if it is gone.
News Link::read() {
    News news;
    while (true) {
        const Packet packet = receive_packet(socket_);
        if (packet.state == Packet::State::none) break;
        const auto message = from_bytes<ToDaemon>(packet.bytes, edition_);
        if (packet.state == Packet::State::ended) {
            lose("it has closed the connection");
        } else if (packet.state == Packet::State::whole && message) {
            if (const auto* const ended = std::get_if<Ended>(&*message)) news.told.emplace_back(*ended);
            if (const auto* const stopped = std::get_if<Stopped>(&*message)) news.told.emplace_back(*stopped);
            if (const auto* const refused = std::get_if<Refused>(&*message)) news.told.emplace_back(*refused);
            if (const auto* const kept = std::get_if<Confirmed>(&*message)) news.kept.push_back(kept->id);
            continue;
        } else {
            lose("its packet cannot be read");
        }
        break;
    }
    news.gone = gone_;
    news.why = why_gone_;
    return news;
}

}  // namespace allot::guardian
