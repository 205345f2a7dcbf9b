// allot status: shows holders and waiters, and which program waits for which.

#include "client/status.hpp"

#include <boost/json/serialize.hpp>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/daemon.hpp"
#include "cli/flags.hpp"
#include "cli/status_text.hpp"
#include "cli/terminal.hpp"
#include "session/status_json.hpp"

namespace allot::cli {

namespace {

struct StatusFlags {
    bool watch = false;
    std::string interval = "1s";
    bool json = false;
    DaemonFlags daemon;
};

std::string rendered(const session::Status& status, bool json) {
    return json ? boost::json::serialize(session::status_json(status)) + "\n"
                : status_text(status, columns_of(STDOUT_FILENO));
}

void show(const std::string& text) {
    fmt::print("{}", text);
    std::fflush(stdout);
}

int show_once(const client::Options& options, bool json) {
    try {
        show(rendered(client::ask_status(options, answer_within), json));
        return exit_ok;
    } catch (const client::Failure& failure) {
        return report(failure, options);
    }
}

// On a terminal each status replaces the one before; elsewhere they follow each other, each with the time. A
// daemon that disappears may come back; only a failure at the first attempt ends the command.
int keep_showing(const client::Options& options, bool json, double interval_seconds) {
    const bool terminal = ::isatty(STDOUT_FILENO) != 0;
    for (bool first = true;; first = false) {
        std::string heading;
        if (!json && terminal) heading = "\x1b[H\x1b[2J";
        if (!json && !terminal)
            heading = fmt::format("{}--- {:%F %T}\n", first ? "" : "\n", fmt::localtime(std::time(nullptr)));
        try {
            show(heading + rendered(client::ask_status(options, answer_within), json));
        } catch (const client::Failure& failure) {
            if (!json && !first) show(heading);
            const int code = report(failure, options);
            if (first) return code;
        }
        std::this_thread::sleep_for(std::chrono::duration<double>(interval_seconds));
    }
}

int run_status(const StatusFlags& flags) {
    const auto interval = parse_seconds("interval", flags.interval);
    if (!interval) return wrong_usage(interval.error());
    const auto options = daemon_at(flags.daemon, "allot status");
    if (!options) return wrong_usage(options.error());
    return flags.watch ? keep_showing(*options, flags.json, *interval) : show_once(*options, flags.json);
}

}  // namespace

void add_status(CommandLine& line) {
    auto flags = std::make_shared<StatusFlags>();
    Command& command = line.command("status", "Show holders and waiters, and which program waits for which");
    command.footer(
        "Examples:\n"
        "  allot status --watch\n"
        "  allot status --json | jq '.resources[] | select(.waiters != [])'\n"
        "  allot status --at build7:7481 --ca ca.pem --cert ci.pem --key ci.key\n"
        "Exit code: 0 shown; 2 wrong usage; 119 refused; 123 the daemon is unreachable.");
    const Argument watch = command.flag("--watch", flags->watch, "Repeat until interrupted");
    command.option("--interval", flags->interval, "Interval of --watch; default 1s")
        .shown_as("TIME")
        .needs(watch);
    command.flag("--json", flags->json, "For programs; with --watch one line each time");
    add_daemon_flags(command, flags->daemon);
    command.action([flags] { return run_status(*flags); });
}

}  // namespace allot::cli
