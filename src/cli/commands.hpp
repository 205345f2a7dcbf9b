// The subcommands of `allot`, one file each, and what they share: exit codes and one-line errors.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace allot::world {
struct Entry;
}

namespace allot::walk {
class Machine;
}

namespace allot::check {
struct Options;
struct Result;
}  // namespace allot::check

namespace allot::sim {
struct Summary;
}  // namespace allot::sim

namespace allot::play {
struct Outcome;
}  // namespace allot::play

namespace allot::cli {

class CommandLine;

enum ExitCode {
    exit_ok = 0,       // success; the property holds
    exit_no = 1,       // the answer is no: violated, or not as expected
    exit_usage = 2,    // wrong usage; one line says what to write
    exit_bounded = 3,  // a limit was reached before the answer was known

    // Codes of the subcommands that talk to a daemon. Programs rarely exit with these, so `allot run` can
    // pass on the command's own code.
    exit_refused = 119,      // not for this user, not now, or too many
    exit_busy = 120,         // not granted at once
    exit_timed_out = 121,    // not granted in time
    exit_lost = 122,         // granted, and then lost: the command was stopped
    exit_unreachable = 123,  // no daemon answers
    exit_failed = 125,  // allot itself failed. This code and the next are those of env, nohup and timeout
    exit_not_executable = 126,  // the command exists but cannot be executed
    exit_not_found = 127,       // there is no such command
};

// Each function adds its subcommand.
void add_cert(CommandLine& line);
void add_cluster(CommandLine& line);
void add_errata(CommandLine& line);
void add_feasible(CommandLine& line);
void add_figures(CommandLine& line);
void add_guardian(CommandLine& line);
void add_log(CommandLine& line);
void add_new(CommandLine& line);
void add_node(CommandLine& line);
void add_protocols(CommandLine& line);
// `program`: the words after --, which allot does not read.
void add_release(CommandLine& line);
void add_run(CommandLine& line, std::vector<std::string> program);
void add_status(CommandLine& line);
void add_swarm(CommandLine& line);
void add_up(CommandLine& line, std::vector<std::string> program);
void add_view(CommandLine& line);

// A scenario. `-` is standard input.
Result<std::string> read_file(const std::string& path);
using ReadFile = std::function<Result<std::string>(const std::string& path)>;

// With a `report`, these commands pass their results to it and print only errors.
using CheckReport = std::function<void(walk::Machine&, const check::Options&, const check::Result&)>;
using PlayReport = std::function<void(const std::string& file, const play::Outcome&)>;
using SimReport = std::function<void(const sim::Summary&)>;
void add_check(CommandLine& line, CheckReport report = {});
void add_play(CommandLine& line, PlayReport report = {}, ReadFile read = read_file);
void add_sim(CommandLine& line, SimReport report = {});

// The name of this program, as it was called: allot, or that of a protocol outside of allot.
std::string program_name();
// The examples of a command for --help. Each begins with a protocol; those of protocols that this program
// lacks are left out, and one is made up if none remains.
std::string examples(const std::string& command, const std::vector<std::string>& words);

// A message without its middle if it repeats very long input.
std::string abridged(const std::string& message);
// Prints `allot: message`, abridged, on standard error, in one line. It works when output fails: fmt::print
// would throw.
void print_error(const std::string& message);
// The same; the result is exit_usage.
int wrong_usage(const std::string& message);
// The same; the result is exit_no.
int failed(const std::string& message);
// Prints the caveat of a run before it begins, if there is one.
void say_caveat(const std::optional<std::string>& caveat);

// The protocol of that name, or an error that lists all names.
Result<const world::Entry*> find_protocol(const std::string& name);

// The first thing that a command of the laboratory does: Ctrl-C and SIGTERM, and the time limit if one is
// given, make a stop due (base/stop.hpp). The error says what is wrong with the limit.
std::optional<std::string> start_limit(const std::string& limit);

// `4G`, `512M`; `60s`, `2m`, `500ms`.
Result<std::size_t> parse_bytes(std::string_view name, std::string_view text);
Result<double> parse_seconds(std::string_view name, std::string_view text);

}  // namespace allot::cli
