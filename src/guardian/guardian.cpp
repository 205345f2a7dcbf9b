#include "guardian/guardian.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <linux/capability.h>
#include <map>
#include <memory>
#include <optional>
#include <poll.h>
#include <set>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <vector>

#include "base/boot_clock.hpp"
#include "base/log.hpp"
#include "base/processes.hpp"
#include "base/stray_signals.hpp"
#include "guardian/frames.hpp"
#include "guardian/packets.hpp"
#include "guardian/page.hpp"
#include "guardian/stopping.hpp"

namespace allot::guardian {

namespace {

using TimePoint = BootClock::time_point;

constexpr std::chrono::milliseconds round_time{20};
constexpr std::chrono::milliseconds lock_patience{500};
constexpr std::size_t strangers_most = 8;
constexpr int last_packets_most = 4096;  // more than the buffer of a socket holds
// Charges leave that many descriptors to the guardian itself and to the processes that it stops.
constexpr rlim_t descriptor_reserve = 256;

// A guardian that waits for a reader of its log stops nobody, so a line is dropped if it cannot be written
// now.
void say(LogLevel level, const std::string& line) {
    pollfd writable{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    if (::poll(&writable, 1, 0) == 1) log(level, line);
}

std::string name_of(const ChargeId& id) {
    return fmt::format("session {}, ticket {}", id.session, id.ticket);
}

std::optional<ControlGroup> group_of(const Descriptor& command) {
    const auto number = process_number(command);
    return number && *number != 0 ? ControlGroup::find(*number) : std::nullopt;
}

// --- Independence of the daemon and its terminal

void use_descriptor_as(int wanted, const char* path, int flags) {
    Descriptor opened(::open(path, flags | O_CLOEXEC | O_NOCTTY));
    if (opened.get() == wanted)
        opened.release();
    else if (opened)
        ::dup2(opened.get(), wanted);
}

// A description of its own: the daemon's stays blocking. This fails for a socket, which stays as it is.
void own_standard_error() {
    use_descriptor_as(STDERR_FILENO, "/proc/self/fd/2", O_WRONLY | O_APPEND | O_NONBLOCK);
}

void leave_daemon() {
    ::setsid();
    (void)!::chdir("/");
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    use_descriptor_as(STDIN_FILENO, "/dev/null", O_RDONLY);
    use_descriptor_as(STDOUT_FILENO, "/dev/null", O_WRONLY);
    own_standard_error();
    ::prctl(PR_SET_NAME, "allot-guardian");
}

// Under a limit the kernel would deny the guardian memory that it needs later.
bool may_lock_all_memory() {
    rlimit limit{};
    ::getrlimit(RLIMIT_MEMLOCK, &limit);
    __user_cap_header_struct process{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
    ::syscall(SYS_capget, &process, sets.data());
    const bool exempt = (sets[0].effective >> CAP_IPC_LOCK & 1U) != 0;
    return exempt || limit.rlim_cur == RLIM_INFINITY;
}

// Only root may do most of this; the guardian works without.
void resist_starvation() {
    rlimit descriptors{};
    ::getrlimit(RLIMIT_NOFILE, &descriptors);
    descriptors.rlim_cur = descriptors.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &descriptors);
    if (may_lock_all_memory()) ::mlockall(MCL_CURRENT | MCL_FUTURE);
    ::setpriority(PRIO_PROCESS, 0, -20);
    std::ofstream("/proc/self/oom_score_adj") << -1000;
}

sigset_t ending_signals() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGQUIT, SIGHUP}) ::sigaddset(&set, signal);
    return set;
}

// --- The process

enum class Phase { running, asked, killing };

struct Kept {
    Charge charge;
    Phase phase = Phase::running;
    Stopping stopping;
    bool warned = false;             // that somebody may not be signalled
    std::optional<TimePoint> until;  // its own deadline, if that is not the one of all

    bool ended() const {
        return process_ended(charge.owner) && (!charge.command || process_ended(charge.command));
    }
};

// A connection. It belongs to the daemon after its Hello.
struct Connection {
    Descriptor socket;
    Peer peer;
    Edition edition = newest_edition;  // of all packets after the first ones
    bool welcomed = false;
    std::optional<ChargeId> told;    // all charges up to this one were sent
    bool complete = false;           // all charges were sent
    std::deque<std::string> unsent;  // after them
};

class Guardian {
public:
    Guardian(std::chrono::milliseconds grace, std::chrono::milliseconds idle) : grace_(grace), idle_(idle) {}

    Result<bool> open(const std::string& folder);
    bool owns(const std::string& folder) const;
    void run();

private:
    bool watch(const Descriptor& one, std::uint32_t events);
    void unwatch(const Descriptor& one);

    void answer(int ready);
    void answer_signals();
    void accept_stranger();
    void hear_stranger(int socket);
    void greet(std::unique_ptr<Connection> stranger, std::uint32_t grace_ms);
    void refuse_edition(Connection& stranger, Edition newest);
    bool hear_daemon();
    bool obey(Packet packet);
    void stop(const Stop& lost);
    void expire();
    void lose_daemon();
    void rest();
    void log_to(const std::vector<Descriptor>& passed);
    bool may_testify() const;
    void testify();

    void take(Keep&& keep, Packet&& packet);
    void keep(Charge&& charge);
    void drop(const ChargeId& id);
    void notice_end(int process);
    void tell(const ToDaemon& message);
    void flush();
    bool send_charges();

    void attend_deadline();
    std::optional<ToDaemon> attend(Kept& kept, TimePoint now, TimePoint deadline);
    void ask(Kept& kept);
    void kill(Kept& kept);
    void finish(const ChargeId& id, const ToDaemon& message);
    std::set<pid_t> spared() const;
    std::optional<TimePoint> wake_time() const;
    void set_timer();
    TimePoint idle_until() const;
    bool may_end() const;

    std::chrono::nanoseconds grace_;
    std::chrono::nanoseconds idle_;
    Descriptor lock_;
    Descriptor epoll_;
    Descriptor listener_;
    Descriptor signals_;
    Descriptor timer_;
    std::optional<SharedPage> page_;
    std::map<int, std::unique_ptr<Connection>> strangers_;
    std::unique_ptr<Connection> daemon_;
    std::map<ChargeId, Kept> charges_;
    std::map<int, ChargeId> processes_;  // the charge of each pidfd that is watched
    bool stopping_ = false;              // at least one charge may be in another phase than running
    TimePoint next_round_{};
    TimePoint idle_since_ = BootClock::now();
    bool asked_to_end_ = false;
    bool told_of_groups_ = false;         // that a command has none
    bool rests_ = false;                  // it has nothing to say, and no standard error
    std::optional<Testament> testament_;  // of a daemon whose end is not certified yet
    Descriptor testator_;                 // pidfd of the last daemon
};

// The folder may have been removed and made again, with another guardian.
bool Guardian::owns(const std::string& folder) const {
    struct stat mine {
    }, there{};
    return ::fstat(lock_.get(), &mine) == 0 && ::stat((folder + "/guardian.lock").c_str(), &there) == 0 &&
           mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

// A guardian that was killed keeps its lock for a moment.
bool takes_lock(const Descriptor& file) {
    const TimePoint until = BootClock::now() + lock_patience;
    while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (BootClock::now() >= until) return false;
        ::usleep(5000);
    }
    return true;
}

// The lock decides between guardians that start at the same time, and makes a socket file without one stale.
Result<bool> Guardian::open(const std::string& folder) {
    lock_ = Descriptor(::open((folder + "/guardian.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock_) return Error{fmt::format("{}/guardian.lock: {}", folder, std::strerror(errno))};
    if (!takes_lock(lock_)) return Error{fmt::format("{}: a guardian runs with this folder already", folder)};
    auto page = SharedPage::create();
    if (!page) return Error{page.error()};
    page_.emplace(std::move(*page));
    auto listener = listen_in(folder);
    if (!listener) return Error{listener.error()};
    listener_ = std::move(*listener);
    const sigset_t watched = ending_signals();
    signals_ = Descriptor(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    timer_ = Descriptor(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
    epoll_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
    if (!watch(listener_, EPOLLIN) || !watch(signals_, EPOLLIN) || !watch(timer_, EPOLLIN))
        return Error{fmt::format("the guardian cannot wait for events: {}", std::strerror(errno))};
    return true;
}

bool Guardian::watch(const Descriptor& one, std::uint32_t events) {
    epoll_event event{.events = events, .data = {.fd = one.get()}};
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, one.get(), &event) == 0 ||
           (errno == EEXIST && ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, one.get(), &event) == 0);
}

// Closing is not enough: other processes have the same pidfd, and the kernel would go on to report it.
void Guardian::unwatch(const Descriptor& one) {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, one.get(), nullptr);
}

// One event at a time: an event never finds that an earlier one has closed its descriptor, and no flood of
// packets delays the deadline.
void Guardian::run() {
    while (true) {
        attend_deadline();
        testify();
        if (may_end()) return;
        if (testator_ && !daemon_ && charges_.empty() && !testament_) rest();
        set_timer();
        epoll_event event{};
        if (::epoll_wait(epoll_.get(), &event, 1, -1) == 1) answer(event.data.fd);
    }
}

void Guardian::answer(int ready) {
    std::uint64_t expirations = 0;
    if (ready == timer_.get())
        (void)!::read(timer_.get(), &expirations, sizeof expirations);
    else if (ready == signals_.get())
        answer_signals();
    else if (ready == listener_.get())
        accept_stranger();
    else if (daemon_ && ready == daemon_->socket.get())
        hear_daemon();
    else if (strangers_.contains(ready))
        hear_stranger(ready);
    else
        notice_end(ready);
}

void Guardian::answer_signals() {
    signalfd_siginfo signal{};
    while (::read(signals_.get(), &signal, sizeof signal) > 0) asked_to_end_ = true;
}

// Until the deadline programs may run of which only the memory tells the next daemon.
TimePoint Guardian::idle_until() const {
    return std::max(idle_since_ + idle_, page_->deadline());
}

// A daemon that has connected but not yet been heard will start another guardian.
bool Guardian::may_end() const {
    if (!charges_.empty() || daemon_) return false;
    return asked_to_end_ || BootClock::now() >= idle_until();
}

// --- Connections

void Guardian::accept_stranger() {
    auto stranger = std::make_unique<Connection>();
    stranger->socket = Descriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!stranger->socket) return;
    stranger->peer = peer_of(stranger->socket);
    if (stranger->peer.user != ::geteuid() && stranger->peer.user != 0) {
        say(LogLevel::warning,
            fmt::format("refuses process {} of user {}", stranger->peer.process, stranger->peer.user));
        return;
    }
    if (strangers_.size() >= strangers_most) strangers_.erase(strangers_.begin());
    if (watch(stranger->socket, EPOLLIN)) strangers_.emplace(stranger->socket.get(), std::move(stranger));
}

void Guardian::hear_stranger(int socket) {
    Connection& stranger = *strangers_.at(socket);
    const Packet packet = receive_packet(stranger.socket);
    if (packet.state == Packet::State::none) return;
    const auto opening = opening_of(packet.bytes);
    const bool understands = opening && can_greet(opening->newest);
    const auto message = understands ? from_bytes<ToGuardian>(packet.bytes, greeting_edition) : std::nullopt;
    const Hello* const hello = message ? std::get_if<Hello>(&*message) : nullptr;
    if (packet.state == Packet::State::whole && hello != nullptr) {
        auto owned = std::move(strangers_.at(socket));
        owned->edition = spoken_by_both(hello->newest);
        strangers_.erase(socket);
        log_to(packet.passed);
        greet(std::move(owned), hello->grace_ms);
        return;
    }
    if (packet.state == Packet::State::whole && opening && !understands)
        refuse_edition(stranger, opening->newest);
    else if (packet.state != Packet::State::ended)
        say(LogLevel::warning,
            fmt::format("closes the connection of process {}: it sent no Hello of a daemon",
                        stranger.peer.process));
    strangers_.erase(socket);
}

void Guardian::refuse_edition(Connection& stranger, Edition newest) {
    const Welcome mine{.charges = static_cast<std::uint32_t>(charges_.size())};
    send_packet(stranger.socket, to_bytes<ToDaemon>(mine, greeting_edition), {});
    say(LogLevel::warning,
        fmt::format("a daemon of edition {} came, this guardian knows {} to {} and has {} charges", newest,
                    first_edition, newest_edition, charges_.size()));
    // Without charges nobody needs this guardian, and one that the daemon understands can begin.
    if (charges_.empty()) asked_to_end_ = true;
}

// The folder of a daemon is locked, so an earlier daemon is dead or about to die; its last packets still
// count.
void Guardian::greet(std::unique_ptr<Connection> stranger, std::uint32_t grace_ms) {
    for (int i = 0; daemon_ && i < last_packets_most && hear_daemon(); ++i) {
    }
    if (daemon_) lose_daemon();
    daemon_ = std::move(stranger);
    testament_.reset();
    // Now, while it waits for the welcome: after its end the number may be another's.
    testator_ = open_process(daemon_->peer.process);
    grace_ = std::chrono::milliseconds(grace_ms);
    asked_to_end_ = false;
    tell(Complete{});
}

// Its standard error keeps the log of the daemon open: a pipe must not wait for a guardian that only waits.
void Guardian::rest() {
    if (std::exchange(rests_, true)) return;
    use_descriptor_as(STDERR_FILENO, "/dev/null", O_WRONLY);
}

void Guardian::log_to(const std::vector<Descriptor>& passed) {
    if (passed.size() != 1 || !std::exchange(rests_, false)) return;
    ::dup2(passed.front().get(), STDERR_FILENO);
    own_standard_error();
}

void Guardian::lose_daemon() {
    daemon_.reset();
    idle_since_ = BootClock::now();
}

// The end of the connection is not enough: a daemon whose packet cannot be read is cut off, and lives.
bool Guardian::may_testify() const {
    return !daemon_ && testament_ && testator_ && charges_.empty();
}

// Programs of which only notes tell have stopped at the deadline.
void Guardian::testify() {
    if (!may_testify() || !process_ended(testator_)) return;
    const bool others_run = page_->strangers() + page_->notes() > 0;
    if (others_run && BootClock::now() < page_->deadline()) return;
    const auto written = durable::write_certificate(testament_->file, testament_->certificate);
    if (!written) say(LogLevel::error, written.error());
    testament_.reset();
}

// False if nothing came.
bool Guardian::hear_daemon() {
    flush();
    Packet packet = receive_packet(daemon_->socket);
    const Packet::State state = packet.state;
    if (state == Packet::State::none) return false;
    if (state == Packet::State::whole && obey(std::move(packet))) return true;
    if (state != Packet::State::ended)
        say(LogLevel::warning, fmt::format("closes the connection of daemon {}: its packet cannot be read",
                                           daemon_->peer.process));
    lose_daemon();
    return true;
}

// False if the packet makes no sense.
bool Guardian::obey(Packet packet) {
    auto message = from_bytes<ToGuardian>(packet.bytes, daemon_->edition);
    if (!message || std::holds_alternative<Hello>(*message)) return false;
    if (auto* const wanted = std::get_if<Keep>(&*message)) take(std::move(*wanted), std::move(packet));
    if (const auto* const unwanted = std::get_if<Drop>(&*message)) drop(unwanted->id);
    if (const auto* const lost = std::get_if<Stop>(&*message)) stop(*lost);
    if (std::holds_alternative<Expire>(*message)) expire();
    if (auto* const testament = std::get_if<Testament>(&*message)) testament_ = std::move(*testament);
    // After a Look there is nothing to do but what follows every event.
    return true;
}

void Guardian::stop(const Stop& lost) {
    const auto found = charges_.find(lost.id);
    if (found == charges_.end()) return;
    const TimePoint until{std::chrono::nanoseconds(lost.until_ns)};
    std::optional<TimePoint>& known = found->second.until;
    known = known ? std::min(*known, until) : until;
    stopping_ = true;
}

void Guardian::expire() {
    for (auto& [id, kept] : charges_)
        if (kept.charge.stoppable) kept.phase = Phase::killing;
    stopping_ = true;
}

void Guardian::tell(const ToDaemon& message) {
    if (!daemon_) return;
    daemon_->unsent.push_back(to_bytes(message, daemon_->edition));
    flush();
}

void Guardian::flush() {
    if (!daemon_) return;
    Connection& to = *daemon_;
    Sending sending = Sending::done;
    if (!to.welcomed) {
        const int page = page_->memory().get();
        const Welcome welcome{.charges = static_cast<std::uint32_t>(charges_.size())};
        sending = send_packet(to.socket, to_bytes<ToDaemon>(welcome, greeting_edition), std::span(&page, 1));
        to.welcomed = sending == Sending::done;
    }
    if (to.welcomed && !to.complete) to.complete = send_charges();
    while (to.complete && sending == Sending::done && !to.unsent.empty()) {
        sending = send_packet(to.socket, to.unsent.front(), {});
        if (sending == Sending::done) to.unsent.pop_front();
    }
    // If the daemon is gone, reading says so.
    const bool blocked = !to.complete || !to.unsent.empty();
    watch(to.socket, blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

// They are sent from where they are, one by one, so that a daemon that reads slowly costs no memory. True if
// all were sent.
bool Guardian::send_charges() {
    auto next = daemon_->told ? charges_.upper_bound(*daemon_->told) : charges_.begin();
    for (; next != charges_.end(); ++next) {
        const Charge& charge = next->second.charge;
        std::vector<int> passed{charge.owner.get()};
        if (charge.command) passed.push_back(charge.command.get());
        const auto bytes = to_bytes<ToDaemon>(keep_of(charge), daemon_->edition);
        if (send_packet(daemon_->socket, bytes, passed) != Sending::done) return false;
        daemon_->told = next->first;
    }
    return true;
}

// --- Charges

// Empty if the guardian can keep it.
std::string objection_to(const Keep& keep, const Packet& packet) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const auto beyond = [&](const Descriptor& one) {
        return static_cast<rlim_t>(one.get()) + descriptor_reserve > limit.rlim_cur;
    };
    if (packet.lost_descriptors || std::ranges::any_of(packet.passed, beyond))
        return fmt::format("the guardian has too many descriptors; its limit is {}", limit.rlim_cur);
    if (packet.passed.size() != (keep.has_command ? 2U : 1U)) return "its pidfds are missing";
    if (keep.record.size() > record_bytes_most) return "its record is too long";
    const auto is_process = [](const Descriptor& one) { return process_number(one).has_value(); };
    return std::ranges::all_of(packet.passed, is_process) ? "" : "its descriptors are no pidfds";
}

void Guardian::take(Keep&& keep, Packet&& packet) {
    if (auto why = objection_to(keep, packet); !why.empty()) {
        say(LogLevel::error, fmt::format("cannot keep {}: {}", name_of(keep.id), why));
        tell(Refused{keep.id, std::move(why)});
        return;
    }
    Charge charge{.id = keep.id,
                  .record = std::move(keep.record),
                  .owner = std::move(packet.passed[0]),
                  .stoppable = keep.stoppable,
                  .stoppable_owner = keep.stoppable_owner};
    if (keep.has_command) charge.command = std::move(packet.passed[1]);
    if (charge.command) charge.group = group_of(charge.command);
    if (charge.command && !charge.group && !std::exchange(told_of_groups_, true))
        say(LogLevel::info,
            "a command has no control group of its own: if its `allot run` is killed, processes whose "
            "parents "
            "have ended as well are not found when the lease ends");
    this->keep(std::move(charge));
}

// A charge that is kept again stays in its phase, because its deadline may have passed.
void Guardian::keep(Charge&& charge) {
    const ChargeId id = charge.id;
    const auto before = charges_.find(id);
    Kept kept;
    if (before != charges_.end()) {
        if (charge.stoppable) kept.phase = before->second.phase;
        if (charge.stoppable) kept.stopping = std::move(before->second.stopping);
        kept.until = before->second.until;
        if (!charge.group) charge.group = before->second.charge.group;  // the command has ended
        drop(id);
    }
    kept.charge = std::move(charge);
    bool watched = true;
    for (const Descriptor* one : {&kept.charge.owner, &kept.charge.command}) {
        if (!*one) continue;
        watched = watched && watch(*one, EPOLLIN);
        processes_[one->get()] = id;
    }
    charges_.emplace(id, std::move(kept));
    if (watched) return tell(Confirmed{id});
    drop(id);
    tell(Refused{id, "the kernel watches no more processes for the guardian"});
}

void Guardian::drop(const ChargeId& id) {
    const auto found = charges_.find(id);
    if (found == charges_.end()) return;
    for (const Descriptor* one : {&found->second.charge.owner, &found->second.charge.command}) {
        if (!*one) continue;
        unwatch(*one);
        processes_.erase(one->get());
    }
    if (found->second.charge.group) found->second.charge.group->remove();
    charges_.erase(found);
    if (charges_.empty()) idle_since_ = BootClock::now();
}

// A charge that is being stopped is over when its descendants are gone as well, which the next round sees.
void Guardian::notice_end(int process) {
    const auto found = processes_.find(process);
    if (found == processes_.end()) return;
    const ChargeId id = found->second;
    processes_.erase(found);
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, process, nullptr);
    const Kept& kept = charges_.at(id);
    if (kept.phase == Phase::running && kept.ended()) finish(id, Ended{id});
}

void Guardian::finish(const ChargeId& id, const ToDaemon& message) {
    drop(id);
    tell(message);
}

// --- The deadline

// The guardian may be a descendant of an owner, and so may the daemon, which hangs now but may recover.
std::set<pid_t> Guardian::spared() const {
    std::set<pid_t> all{::getpid()};
    if (daemon_) all.insert(daemon_->peer.process);
    return all;
}

void Guardian::attend_deadline() {
    const TimePoint now = BootClock::now();
    const TimePoint deadline = page_->deadline();
    if (stopping_ ? now < next_round_ : now < deadline - grace_) return;
    std::vector<std::pair<ChargeId, ToDaemon>> finished;
    for (auto& [id, kept] : charges_)
        if (auto message = attend(kept, now, deadline)) finished.emplace_back(id, *message);
    for (const auto& [id, message] : finished) finish(id, message);
    stopping_ = std::ranges::any_of(
        charges_, [](const auto& one) { return one.second.phase != Phase::running || one.second.until; });
    next_round_ = BootClock::now() + round_time;
    if (now < deadline) next_round_ = std::min(next_round_, deadline);
}

// The message to the daemon if the charge is over.
std::optional<ToDaemon> Guardian::attend(Kept& kept, TimePoint now, TimePoint deadline) {
    if (!kept.charge.stoppable && !kept.until) return std::nullopt;
    const ChargeId id = kept.charge.id;
    if (kept.until) deadline = kept.charge.stoppable ? std::min(deadline, *kept.until) : *kept.until;
    if (kept.phase == Phase::killing || now >= deadline) {
        kill(kept);
        return kept.stopping.nobody_left() ? std::optional<ToDaemon>(Stopped{id}) : std::nullopt;
    }
    if (now >= deadline - grace_) {
        ask(kept);
        const bool over = kept.ended() && kept.stopping.nobody_left();
        return over ? std::optional<ToDaemon>(Ended{id}) : std::nullopt;
    }
    if (kept.phase == Phase::running) return std::nullopt;
    say(LogLevel::info, fmt::format("the deadline has moved: {} may go on", name_of(id)));
    kept.phase = Phase::running;
    kept.stopping = Stopping();
    return kept.ended() ? std::optional<ToDaemon>(Ended{id}) : std::nullopt;
}

// Only once: a process that cleans up after SIGTERM may start others for that. But the guardian goes on to
// look for them, because the parents end now, and their orphans may leave the tree.
void Guardian::ask(Kept& kept) {
    kept.stopping.look(kept.charge, spared());
    if (kept.phase == Phase::asked) return;
    kept.phase = Phase::asked;
    kept.stopping.signal(SIGTERM);
    kept.stopping.signal(SIGCONT);  // those that are stopped hear it only now
    say(LogLevel::warning, fmt::format("the lease of {} ends soon: SIGTERM to {} processes",
                                       name_of(kept.charge.id), kept.stopping.count()));
}

void Guardian::kill(Kept& kept) {
    kept.stopping.look(kept.charge, spared());
    if (kept.phase != Phase::killing)
        say(LogLevel::warning, fmt::format("the lease of {} has ended: SIGKILL to {} processes",
                                           name_of(kept.charge.id), kept.stopping.count()));
    kept.phase = Phase::killing;
    const pid_t forbidden = kept.stopping.signal(SIGKILL);
    if (forbidden == 0 || kept.warned) return;
    kept.warned = true;
    say(LogLevel::error,
        fmt::format("{}: process {} belongs to another user, so this guardian cannot stop it",
                    name_of(kept.charge.id), forbidden));
}

std::optional<TimePoint> Guardian::wake_time() const {
    if (stopping_) return next_round_;
    const auto is_stoppable = [](const auto& one) { return one.second.charge.stoppable; };
    if (std::ranges::any_of(charges_, is_stoppable)) return page_->deadline() - grace_;
    // A process ends a moment after its connections.
    if (may_testify() && !process_ended(testator_)) return BootClock::now() + round_time;
    if (may_testify()) return page_->deadline();
    if (charges_.empty() && !daemon_) return idle_until();
    return std::nullopt;
}

void Guardian::set_timer() {
    itimerspec setting{};
    if (const auto at = wake_time()) {
        // Zero would switch the timer off.
        const auto since_boot = std::max(at->time_since_epoch(), std::chrono::nanoseconds(1));
        setting.it_value.tv_sec = since_boot / std::chrono::seconds(1);
        setting.it_value.tv_nsec = (since_boot % std::chrono::seconds(1)).count();
    }
    ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
}

}  // namespace

Result<int> run_guardian(const std::string& folder, const GuardianOptions& options) {
    std::error_code failure;
    const std::string place = std::filesystem::absolute(folder, failure).string();
    ignore_stray_signals();
    const sigset_t ending = ending_signals();
    ::sigprocmask(SIG_SETMASK, &ending, nullptr);
    leave_daemon();
    set_log_name("guardian");
    Guardian guardian(options.grace, options.idle);
    const auto opened = guardian.open(place);
    if (!opened) return Error{opened.error()};
    resist_starvation();
    guardian.run();
    if (guardian.owns(place)) ::unlink(socket_path(place).c_str());
    return 0;
}

}  // namespace allot::guardian
