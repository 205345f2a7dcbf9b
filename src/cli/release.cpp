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
        if (host.state != "up" && host.state != "joining") names.push_back(harmless(host.name));
    return names;
}

std::string described(const session::Party& holder) {
    if (holder.gone)
        return fmt::format("{}, whose {},", holder.user, holder.away ? "host is away" : "program is gone");
    return fmt::format("{} ({}, process {} of host {})", holder.command, holder.user, holder.pid,
                       holder.host);
}

bool is_same(const session::Party& one, const session::Party& other) {
    return one.host == other.host && one.pid == other.pid && one.fence == other.fence;
}

// The one whom an order ends: the holder of a lock, or a program that left units behind. Otherwise all who
// hold units of a semaphore.
std::vector<session::Party> holders_in(const session::Status& status, const std::string& name) {
    if (const auto holder = holder_in(status, name)) return {*holder};
    for (const session::ResourceStatus& resource : status.resources)
        if (resource.name == name) return resource.holders;
    return {};
}

// The first of them that still holds it.
std::optional<session::Party> still_holds(const client::Options& options, const std::string& name,
                                          const std::vector<session::Party>& holders) {
    const auto now = client::ask_status(options, answer_within);
    for (const session::ResourceStatus& resource : now.resources)
        for (const session::Party& one : resource.holders)
            if (resource.name == name &&
                std::ranges::any_of(holders, [&](const auto& other) { return is_same(one, other); }))
                return one;
    return std::nullopt;
}

int say_nobody(const session::Status& status, const std::string& name) {
    const auto silent = silent_hosts(status);
    print_error(
        fmt::format("{}: nobody holds this lock, or units of a semaphore with this name{}", name,
                    silent.empty() ? "" : fmt::format("; no answer from {}", fmt::join(silent, " and "))));
    return exit_no;
}

int release(const client::Options& options, const std::string& lock, std::chrono::duration<double> patience) {
    const session::Status status = client::ask_status(options, answer_within);
    const auto holders = holders_in(status, lock);
    if (holders.empty()) return say_nobody(status, lock);
    const bool is_one = holder_in(status, lock).has_value();
    const session::OrderAnswer answer = client::give_order(
        options, {.verb = "release", .words = {lock, std::to_string(is_one ? holders[0].fence : 0)}},
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
    const auto until = client::Clock::now() + patience;
    while (const auto holder = still_holds(options, lock, holders)) {
        if (client::Clock::now() >= until) {
            const bool was_told = std::ranges::find(untold, holder->host) == untold.end();
            print_error(fmt::format("{}: {} {} told to stop, and still holds it", lock, described(*holder),
                                    was_told ? "was" : "was not"));
            return exit_timed_out;
        }
        std::this_thread::sleep_for(look_again_after);
    }
    for (const session::Party& holder : holders)
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
