// The subcommands of `allot`, one file each, and what they share: exit codes and one-line errors.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <set>
#include <string>

#include "base/result.hpp"
#include "world/entry.hpp"

namespace allot::cli {

enum ExitCode {
    exit_ok = 0,       // it holds, it worked
    exit_no = 1,       // the answer is no: violated, not as expected
    exit_usage = 2,    // wrong usage; one line says what to write
    exit_bounded = 3,  // a limit was reached before the answer was known

    // Of those that talk to a daemon. Programs hardly ever exit with these, so `allot run` can pass on their
    // own.
    exit_refused = 119,         // not for this user, not now, or too many
    exit_busy = 120,            // not granted at once
    exit_timed_out = 121,       // not granted in time
    exit_lost = 122,            // granted, and then lost: the command was stopped
    exit_unreachable = 123,     // no daemon answers
    exit_failed = 125,          // allot itself failed. This one and the next as for env, nohup and timeout
    exit_not_executable = 126,  // the command is there, but cannot be run
    exit_not_found = 127,       // there is no such command
};

// Each adds its subcommand to the application and sets `action` to what it does when it is chosen.
using Action = std::function<int()>;
void add_cert(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_errata(CLI::App& app, Action& action);
void add_feasible(CLI::App& app, Action& action);
void add_figures(CLI::App& app, Action& action);
void add_node(CLI::App& app, Action& action);
void add_play(CLI::App& app, Action& action);
void add_protocols(CLI::App& app, Action& action);
// `program`: what stands after --, and is not for allot to read.
void add_run(CLI::App& app, Action& action, std::vector<std::string> program);
void add_sim(CLI::App& app, Action& action);
void add_status(CLI::App& app, Action& action);
void add_swarm(CLI::App& app, Action& action);
void add_up(CLI::App& app, Action& action, std::vector<std::string> program);

// Prints `allot: message` and gives exit_usage.
int wrong_usage(const std::string& message);
// Prints what is not known of a run before it begins, if there is anything.
void say_caveat(const std::optional<std::string>& caveat);

// The protocol of that name, or an error that lists those there are.
Result<const world::Entry*> find_protocol(const std::string& name);

// Adds a flag for every parameter of every protocol and of the surroundings; what was given is collected.
void add_parameter_flags(CLI::App& app, Parameters& given);
// The same for every parameter of every protocol only, without those that are known already.
void add_protocol_flags(CLI::App& app, Parameters& given, std::set<std::string> known);
// One such flag; given several times, its values are joined by commas.
void add_parameter_flag(CLI::App& app, Parameters& given, const std::string& name, const std::string& meaning,
                        const std::string& group);
// The same for a parameter that has an explanation for all its protocols.
void add_explained_flag(CLI::App& app, Parameters& given, const std::string& name);

// `4G`, `512M`; `60s`, `2m`, `500ms`.
Result<std::size_t> parse_bytes(std::string_view name, std::string_view text);
Result<double> parse_seconds(std::string_view name, std::string_view text);

Result<std::string> read_file(const std::string& path);

}  // namespace allot::cli
