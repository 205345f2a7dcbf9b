// allot run: runs a command while it holds locks and permits.

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>

#include "allot/client.hpp"
#include "base/descriptor.hpp"
#include "cli/child.hpp"
#include "cli/commands.hpp"
#include "cli/daemon.hpp"
#include "cli/environment.hpp"
#include "cli/flags.hpp"
#include "cli/waiting.hpp"
#include "client/socket.hpp"
#include "core/parameters.hpp"

namespace allot::cli {

namespace {

using client::Demand;
using client::Lease;
using client::Session;
using std::chrono::microseconds;
using std::chrono::milliseconds;

struct RunFlags {
    std::vector<std::string> locks;
    std::vector<std::string> permits;
    std::string timeout;
    bool no_wait = false;
    std::string patience = "20ms";
    std::string grace;
    std::string resume_within = "10s";
    DaemonFlags daemon;
    std::vector<std::string> command;
    std::vector<std::string> stray;  // words in place of flags
};

struct Settings {
    Demand demand;
    std::optional<microseconds> patience;  // empty: no limit
    std::optional<microseconds> grace;
    milliseconds resume_within{};
};

Result<microseconds> parse_time(const char* flag, const std::string& text) {
    const auto seconds = parse_seconds(flag, text);
    if (!seconds) return Error{seconds.error()};
    return microseconds(std::max<std::int64_t>(1, std::llround(*seconds * 1e6)));
}

// --- The demand.

std::optional<std::string> add_permit(const std::string& text, Demand& demand) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) {
        demand.permit(text);
        return std::nullopt;
    }
    const auto units = parse_number("permit", text.substr(equals + 1), 1, 1'000'000);
    if (!units) return fmt::format("--permit {}: write NAME or NAME=UNITS, with 1 to 1000000 units", text);
    demand.permit(text.substr(0, equals), static_cast<std::uint32_t>(*units));
    return std::nullopt;
}

Result<Demand> demand_of(const RunFlags& flags) {
    Demand demand;
    for (const std::string& list : flags.locks)
        for (std::string& name : split_list(list)) demand.lock(std::move(name));
    for (const std::string& list : flags.permits)
        for (const std::string& permit : split_list(list))
            if (const auto objection = add_permit(permit, demand)) return Error{*objection};
    if (flags.locks.empty() && flags.permits.empty())
        return Error{"run: no resource is named; write --lock NAME or --permit NAME=UNITS"};
    if (const auto objection = demand.objection()) return Error{*objection};
    return demand;
}

Result<Settings> settings_of(const RunFlags& flags) {
    if (!flags.stray.empty())
        return Error{fmt::format("{}: write -- before the command, as in `allot run --lock db -- {}`",
                                 flags.stray.front(), fmt::join(flags.stray, " "))};
    if (flags.command.empty())
        return Error{"run: no command; write it after --, as in `allot run --lock db -- make deploy`"};
    auto demand = demand_of(flags);
    if (!demand) return Error{demand.error()};
    Settings settings{.demand = std::move(*demand)};
    if (flags.no_wait || !flags.timeout.empty()) {
        const auto patience =
            flags.no_wait ? parse_time("patience", flags.patience) : parse_time("timeout", flags.timeout);
        if (!patience) return Error{patience.error()};
        settings.patience = *patience;
    }
    if (!flags.grace.empty()) {
        const auto grace = parse_time("grace", flags.grace);
        if (!grace) return Error{grace.error()};
        settings.grace = *grace;
    }
    const auto resume_within = parse_time("resume-within", flags.resume_within);
    if (!resume_within) return Error{resume_within.error()};
    settings.resume_within = std::chrono::ceil<milliseconds>(*resume_within);
    return settings;
}

// Others may get what is held when the lease ends. A host renews it with two thirds of it left: the rest is
// for stopping.
Result<microseconds> grace_of(const Settings& settings, const Session& session) {
    const microseconds stop_within = session.stop_within();
    const microseconds most = stop_within / 3;
    if (!settings.grace) return std::min<microseconds>(milliseconds(2000), most);
    if (*settings.grace <= most) return *settings.grace;
    return Error{
        fmt::format("--grace {}ms: a program has {}ms to stop using a lost lease here; write at most {}ms",
                    settings.grace->count() / 1000, stop_within.count() / 1000, most.count() / 1000)};
}

// --- While the command runs.

// A descriptor that becomes readable when the lease is lost.
class LossAlarm {
public:
    explicit LossAlarm(Lease& lease)
        : alarm_(std::make_shared<Descriptor>(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))) {
        if (!*alarm_) throw client::Failure(client::Code::unavailable, "no descriptor to watch the lease");
        // The session's thread may still call it while this object is destroyed.
        lease.on_lost([alarm = alarm_](const std::string&) { ::eventfd_write(alarm->get(), 1); });
    }
    int descriptor() const { return alarm_->get(); }

private:
    std::shared_ptr<Descriptor> alarm_;
};

// The command need not stop when the lease of its host ends.
bool goes_on(const Lease& lease) {
    return lease.ending() == client::Ending::nothing || lease.ending() == client::Ending::kept;
}

// True while there is time left to stop the command before others may get its resources.
bool may_go_on(const Lease& lease, microseconds grace) {
    if (goes_on(lease)) return lease.lost_because().empty();
    return lease.valid() && Clock::now() + grace < lease.valid_until();
}

void wait_for_news(const Session& session, const LossAlarm& loss, const Child& child) {
    const auto wait = std::clamp(std::chrono::floor<milliseconds>(session.stop_within() / 16),
                                 milliseconds(1), milliseconds(250));
    client::wait_for(child.descriptor(), POLLIN, Clock::now() + wait, loss.descriptor());
}

// The guardian of the host stops commands whose lease is not renewed, and may be quicker than this process. A
// lease that is renewed has more than half of its time left.
bool was_stopped_in_time(const Session& session, const Lease& lease, int code) {
    if (goes_on(lease)) return false;
    const bool by_signal = code == 128 + SIGTERM || code == 128 + SIGKILL;
    return by_signal && Clock::now() + session.stop_within() / 2 > lease.valid_until();
}

int report_loss(const Lease& lease, const client::Options& options, const std::vector<std::string>& command) {
    std::string why = lease.lost_because();
    if (why.empty()) why = why_not_renewed(options, milliseconds(2000));
    print_error(fmt::format("lost: {}; {} was stopped", why, command.front()));
    return exit_lost;
}

// The exit code of the command; nothing if the lease was lost and the command stopped.
std::optional<int> watch(const Session& session, Lease& lease, const LossAlarm& loss, Child& child,
                         microseconds grace) {
    while (true) {
        child.answer_signals();
        const std::optional<int> code = child.exit_code();
        const bool stopped = code && was_stopped_in_time(session, lease, *code);
        if (code && may_go_on(lease, {}) && !stopped) return *code;
        if (stopped || !may_go_on(lease, grace)) {
            const auto now = Clock::now();
            const auto others = lease.valid_until();
            child.stop(others > now ? std::min(now + grace, others) : now + grace);
            return std::nullopt;
        }
        wait_for_news(session, loss, child);
    }
}

// A lease that is lost before the command has started was never used: that is a refusal.
template <class Action>
auto before_start(Action action) {
    try {
        return action();
    } catch (const client::Failure& failure) {
        if (failure.code() != client::Code::lost) throw;
        throw client::Failure(client::Code::unavailable, failure.what());
    }
}

// A command that failed has not finished its work: what is sticky stays with its owner.
int end_lease(Lease& lease, int code) {
    if (code == 0 || lease.ending() != client::Ending::kept || !lease.lost_because().empty()) return code;
    std::vector<std::string> names;
    for (const client::Held& one : lease.held()) names.push_back(one.name);
    fmt::print(
        stderr,
        "allot: the command ended with {}: {} stays with its owner; `allot release {}` gives it back\n", code,
        fmt::join(names, ", "), names.front());
    lease.leave();
    return code;
}

int hold_and_run(const Session& session, Lease& lease, const client::Options& options, microseconds grace,
                 const std::vector<std::string>& command) {
    const LossAlarm loss(lease);
    const bool elsewhere = is_elsewhere(options);
    // A daemon on another host sees only the end of the connection and then lets others in: the command must
    // end then.
    auto child =
        Child::start(command, environment_of(lease.held()), elsewhere ? Fate::shared : Fate::its_own);
    if (!child) {
        print_error(fmt::format("{} cannot be started: {}", command.front(), child.error()));
        return exit_failed;
    }
    // The daemon knows of the child before the child does anything.
    if (!elsewhere) before_start([&] { lease.follow(child->pid()); });
    child->go();
    const std::optional<int> code = watch(session, lease, loss, *child, grace);
    return end_lease(lease, code ? *code : report_loss(lease, options, command));
}

// --- The command line.

// Silence until the deadline does not prove that there is no daemon, as it may be slow: report a timeout.
int explain_failure(const client::Failure& failure, const RunFlags& flags, const client::Options& options,
                    const Settings& settings, client::Deadline deadline) {
    const bool time_is_up = failure.code() == client::Code::timed_out ||
                            (failure.code() == client::Code::unreachable && Clock::now() >= deadline.at());
    if (!time_is_up) return report(failure, options);
    // --no-wait does not wait for a reason either.
    const std::string why =
        failure.code() == client::Code::unreachable
            ? "the daemon does not answer"
            : why_waiting(options, settings.demand, flags.no_wait ? milliseconds(100) : milliseconds(2000))
                  .text;
    print_error(fmt::format("{}: not granted within {}{}{}", flags.no_wait ? "busy" : "timed out",
                            flags.no_wait ? flags.patience : flags.timeout, why.empty() ? "" : "; ", why));
    return flags.no_wait ? exit_busy : exit_timed_out;
}

// The daemon may be restarting: retries for the whole connect_timeout.
Session connect(client::Options options) {
    constexpr milliseconds pause{50};
    const auto until = Clock::now() + options.connect_timeout;
    while (true) {
        try {
            return Session::connect(options);
        } catch (const client::Failure& failure) {
            const auto left = std::chrono::floor<milliseconds>(until - Clock::now()) - pause;
            if (failure.code() != client::Code::unreachable || left <= milliseconds::zero()) throw;
            options.connect_timeout = left;
        }
        std::this_thread::sleep_for(pause);
    }
}

int run_command(const RunFlags& flags) {
    const auto settings = settings_of(flags);
    if (!settings) return wrong_usage(settings.error());
    const client::Deadline deadline =
        settings->patience ? client::Deadline(*settings->patience) : client::Deadline();
    auto options = daemon_at(flags.daemon, command_text(flags.command));
    if (!options) return wrong_usage(options.error());
    options->resume_within = settings->resume_within;
    options->stoppable = !is_elsewhere(*options);
    if (settings->patience)
        options->connect_timeout =
            std::min(options->connect_timeout, std::chrono::ceil<milliseconds>(*settings->patience));
    std::optional<WaitingNotice> notice;  // outlives the command: see settle()
    try {
        Session session = connect(*options);
        const auto grace = grace_of(*settings, session);
        if (!grace) return wrong_usage(grace.error());
        if (!flags.no_wait) notice.emplace(*options, settings->demand);
        Lease lease = before_start([&] { return session.acquire(settings->demand, deadline); });
        if (notice) notice->settle();
        return hold_and_run(session, lease, *options, *grace, flags.command);
    } catch (const client::Failure& failure) {
        if (notice) notice->settle();
        return explain_failure(failure, flags, *options, *settings, deadline);
    }
}

}  // namespace

void add_run(CommandLine& line, std::vector<std::string> program) {
    auto flags = std::make_shared<RunFlags>();
    flags->command = std::move(program);
    Command& command =
        line.command("run", "Run a command while holding locks and permits: allot run ... -- COMMAND");
    command.footer(
        "Examples:\n"
        "  allot run --lock db,gpu0 -- ./migrate\n"
        "  allot run --permit builds=2 --timeout 30s -- make\n"
        "  allot run --at build7:7481,build8:7481 --ca ca.pem --cert ci.pem --key ci.key --lock db -- make\n"
        "The command finds the fence of resource NAME in $ALLOT_FENCE_NAME (each character of the name that "
        "is no letter or digit becomes _), the fence of a single resource in $ALLOT_FENCE, and all in "
        "$ALLOT_HELD, as in db=17,gpu0=4. The lease lasts as long as the command, even if `allot run` is "
        "killed; with --at, the command is killed then. If the lease is lost, `allot run` stops the command "
        "and its descendants.\n"
        "Exit code: that of the command, or 128+N if signal N ended it; 2 wrong usage; 119 refused; 120 "
        "busy (--no-wait); 121 timed out; 122 lost; 123 the daemon is unreachable; 125 allot itself failed; "
        "126 the command cannot be executed; 127 there is no such command.");
    const auto add_names = [&](const char* name, std::vector<std::string>& target, const char* meaning) {
        command.option(name, target, meaning).one_at_a_time().shown_as("NAMES");
    };
    add_names("--lock", flags->locks, "Locks, taken together: a,b; may be repeated");
    add_names("--permit", flags->permits, "Permits of semaphores: builds=2,net; may be repeated");
    const Argument timeout =
        command.option("--timeout", flags->timeout, "Fail if not granted within this time, as in 30s")
            .shown_as("TIME");
    const Argument no_wait = command.flag("--no-wait", flags->no_wait, "Fail unless granted at once")
                                 .excludes(timeout)
                                 .shown_as(" ");  // hides the exclusion in --help
    command
        .option("--patience", flags->patience, "The time that counts as at once for --no-wait; default 20ms")
        .shown_as("TIME")
        .needs(no_wait);
    command
        .option("--grace", flags->grace,
                "Time from SIGTERM to SIGKILL if the lease is lost; at most a third of the cluster's "
                "lease; default 2s, or that third if it is shorter")
        .shown_as("TIME");
    command
        .option("--resume-within", flags->resume_within,
                "Time to wait for a daemon that is restarted or silent; default 10s")
        .shown_as("TIME");
    add_daemon_flags(command, flags->daemon);
    command.strays(flags->stray);
    command.action([flags] { return run_command(*flags); });
}

}  // namespace allot::cli
