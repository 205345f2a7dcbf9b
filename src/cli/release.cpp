// allot release: gives back what a program left behind, for its owner; ends the holder of a lock, for
// operators.

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>

#include "base/harmless.hpp"
#include "cli/commands.hpp"
#include "cli/daemon.hpp"
#include "cli/flags.hpp"
#include "client/status.hpp"
#include "core/parameters.hpp"

namespace allot::cli {

namespace {

constexpr std::chrono::milliseconds look_again_after{50};

struct ReleaseFlags {
    std::string lock;
    bool force = false;
    std::string timeout = "30s";
    DaemonFlags daemon;
};

// The holder of a lock; of a semaphore, one whose program is gone.
std::optional<session::Party> holder_in(const session::Status& status, const std::string& name,
                                        const std::string& owner = "") {
    for (const session::ResourceStatus& resource : status.resources)
        for (const session::Party& holder : resource.holders)
            if (resource.name == name && (resource.kind == "lock" || holder.gone) &&
                (owner.empty() || holder.user == owner))
                return holder;
    return std::nullopt;
}

std::optional<session::Party> holder_of(const client::Options& options, const std::string& name,
                                        const std::string& owner = "") {
    return holder_in(client::ask_status(options, answer_within), name, owner);
}

// Nobody knows what programs of these hosts hold.
std::vector<std::string> silent_hosts(const session::Status& status) {
    std::vector<std::string> names;
    for (const session::HostStatus& host : status.hosts)
        if (host.state != "up" && host.state != "joining" && host.state != "voteless")
            names.push_back(harmless(host.name));
    return names;
}

std::string described(const session::Party& holder) {
    if (holder.user.empty() && !holder.gone)
        return fmt::format("a program of host {}, which is not shown to you,", holder.host);
    if (holder.gone)
        return fmt::format("{}, whose {},", holder.user.empty() ? "somebody" : holder.user,
                           holder.away ? "host is away" : "program is gone");
    return fmt::format("{} ({}, process {} of host {})", holder.command, holder.user, holder.pid,
                       holder.host);
}

// In floating-point seconds, which no time of a foreign host overflows.
using Moment = std::chrono::time_point<client::Clock, std::chrono::duration<double>>;

// The status, and when it was asked for and known: the daemons made their reports in between.
struct Look {
    session::Status status;
    Moment asked;
    Moment answered;
};

Look look(const client::Options& options) {
    Look look{.asked = client::Clock::now()};
    look.status = client::ask_status(options, answer_within);
    look.answered = client::Clock::now();
    return look;
}

std::chrono::duration<double> age_of(const session::Party& holder) {
    return std::chrono::duration<double, std::milli>(holder.since_ms);
}

// A holder, and the latest moment at which it can have been granted.
struct Target {
    session::Party party;
    Moment granted_by;
};

bool is_same(const session::Party& one, const session::Party& other) {
    return one.host == other.host && one.pid == other.pid && one.fence == other.fence;
}

// A program that takes units of a semaphore again may get the same fence; then only the time of the grant
// tells the two grants apart. The daemon and this program count it by different clocks, hence the tolerance.
bool is_later_grant(const Target& target, const session::Party& now, Moment asked) {
    constexpr std::chrono::milliseconds tolerance{100};
    return !now.gone && asked - age_of(now) > target.granted_by + tolerance;
}

// The one whom an order ends: the holder of a lock, or a program that left units behind. Otherwise all who
// hold units of a semaphore; a lock of the same name has no holder then.
std::vector<Target> targets_in(const Look& look, const std::string& name) {
    std::vector<session::Party> holders;
    if (const auto holder = holder_in(look.status, name))
        holders.push_back(*holder);
    else
        for (const session::ResourceStatus& resource : look.status.resources)
            if (resource.name == name)
                holders.insert(holders.end(), resource.holders.begin(), resource.holders.end());
    std::vector<Target> targets;
    for (const session::Party& holder : holders) targets.push_back({holder, look.answered - age_of(holder)});
    return targets;
}

enum class Standing { released, unknown, holds };

// A host that does not answer reports no holders. The register itself knows of programs that are gone, and a
// larger fence of a lock proves that the earlier holder has lost it.
Standing standing_of(const Target& target, const std::string& name, const Look& look) {
    bool has_successor = false;
    for (const session::ResourceStatus& resource : look.status.resources) {
        if (resource.name != name) continue;
        for (const session::Party& one : resource.holders) {
            const bool is_lock = resource.kind == "lock";
            if (is_same(target.party, one) && (is_lock || !is_later_grant(target, one, look.asked)))
                return Standing::holds;
            has_successor = has_successor || (is_lock && one.fence > target.party.fence);
        }
    }
    if (target.party.gone || has_successor) return Standing::released;
    const auto silent = silent_hosts(look.status);
    const bool is_silent = std::ranges::find(silent, harmless(target.party.host)) != silent.end();
    return is_silent ? Standing::unknown : Standing::released;
}

// Waits until all have let go. Returns those that had not in the end, each with its standing.
std::vector<std::pair<Target, Standing>> await(const client::Options& options, const std::string& name,
                                               const std::vector<Target>& targets, Moment until) {
    while (true) {
        const Look now = look(options);
        std::vector<std::pair<Target, Standing>> left;
        for (const Target& target : targets)
            if (const Standing standing = standing_of(target, name, now); standing != Standing::released)
                left.emplace_back(target, standing);
        if (left.empty() || client::Clock::now() >= until) return left;
        std::this_thread::sleep_for(look_again_after);
    }
}

int say_nobody(const session::Status& status, const std::string& name) {
    const auto silent = silent_hosts(status);
    print_error(
        fmt::format("{}: nobody holds this lock, or units of a semaphore with this name{}", name,
                    silent.empty() ? "" : fmt::format("; no answer from {}", fmt::join(silent, " and "))));
    return exit_no;
}

int say_left(const std::string& name, const std::vector<std::pair<Target, Standing>>& left,
             const std::vector<std::string>& untold) {
    for (const auto& [target, standing] : left) {
        const session::Party& holder = target.party;
        const char* told = std::ranges::find(untold, holder.host) == untold.end() ? "was" : "was not";
        const std::string end =
            standing == Standing::holds
                ? "still holds it"
                : fmt::format("its host {} does not answer, so it may still hold it", harmless(holder.host));
        print_error(fmt::format("{}: {} {} told to stop, and {}", name, described(holder), told, end));
    }
    return exit_timed_out;
}

int release(const client::Options& options, const std::string& lock, std::chrono::duration<double> patience) {
    const Look before = look(options);
    const auto targets = targets_in(before, lock);
    if (targets.empty()) return say_nobody(before.status, lock);
    const bool is_one = holder_in(before.status, lock).has_value();
    const session::OrderAnswer answer = client::give_order(
        options, {.verb = "release", .words = {lock, std::to_string(is_one ? targets[0].party.fence : 0)}},
        answer_within);
    if (!answer.done) {
        print_error(answer.text);
        return exit_refused;
    }
    // A daemon answers with the names of the hosts that it could not tell.
    const std::vector<std::string> untold =
        answer.text.empty() ? std::vector<std::string>() : split_list(answer.text);
    if (!untold.empty())
        print_error(fmt::format("{}: these hosts cannot be reached, and were not told: {}", lock,
                                harmless(answer.text)));
    if (const auto left = await(options, lock, targets, client::Clock::now() + patience); !left.empty())
        return say_left(lock, left, untold);
    for (const auto& [holder, granted_by] : targets)
        fmt::print("{}: released; {} held it with fence {}\n", lock, described(holder), holder.fence);
    return exit_ok;
}

int give_back(const client::Options& options, const std::string& resource,
              std::chrono::duration<double> patience) {
    const session::OrderAnswer answer =
        client::give_order(options, {.verb = "return", .words = {resource}}, answer_within);
    if (!answer.done) {
        print_error(answer.text +
                    "; a program that runs gives it back by itself, or write --force to end it first");
        return exit_no;
    }
    const std::string& owner = answer.text;
    const auto until = client::Clock::now() + patience;
    while (holder_of(options, resource, owner)) {
        if (client::Clock::now() >= until) {
            print_error(fmt::format("{}: the register still keeps it for {}", resource, owner));
            return exit_timed_out;
        }
        std::this_thread::sleep_for(look_again_after);
    }
    fmt::print("{}: given back by {}\n", resource, owner);
    return exit_ok;
}

int run_release(const ReleaseFlags& flags) {
    const auto patience = parse_seconds("timeout", flags.timeout);
    if (!patience) return wrong_usage(patience.error());
    const auto options = daemon_at(flags.daemon, "allot release");
    if (!options) return wrong_usage(options.error());
    try {
        const std::chrono::duration<double> within(*patience);
        return flags.force ? release(*options, flags.lock, within) : give_back(*options, flags.lock, within);
    } catch (const client::Failure& failure) {
        return report(failure, *options);
    }
}

}  // namespace

void add_release(CommandLine& line) {
    auto flags = std::make_shared<ReleaseFlags>();
    Command& command =
        line.command("release", "Give back what a program left behind, or end the holder of a lock");
    command.footer(
        "Examples:\n"
        "  allot release rack7\n"
        "  allot release --force db\n"
        "In the mode sticky a resource stays with its owner when the program has ended. The same user gives "
        "back on the same host what was left there under that name; an operator writes --force, on any "
        "host.\n"
        "With --force the holder of a lock is told to stop, on whichever host it runs. A command of "
        "`allot run` gets SIGTERM and then SIGKILL; a program that nobody can stop has the time of a lease. "
        "The next waiter gets the lock then, not before. Of a semaphore, --force frees units whose program "
        "is gone; if there are none, it ends all programs that hold units. Only root and the user of the "
        "daemon may do that. "
        "The audit log says who did.\n"
        "Exit code: 0 released; 1 there is nothing to release; 2 wrong usage; 119 refused; 121 it is still "
        "held after --timeout; 123 the daemon is unreachable.");
    command.option("name", flags->lock, "the lock or semaphore").required();
    command.flag("--force", flags->force, "End the holder first");
    command.option("--timeout", flags->timeout, "Time to wait until it is released; default 30s")
        .shown_as("TIME");
    add_daemon_flags(command, flags->daemon);
    command.action([flags] { return run_release(*flags); });
}

}  // namespace allot::cli
