// What the subcommands share that talk to a daemon as programs do.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "allot/client.hpp"
#include "core/result.hpp"

namespace allot::cli {

void add_socket_flag(CLI::App& command, std::string& target);

// How to reach the daemon of this host; `what` is shown by `allot status`. An empty path: the usual places.
Result<client::Options> daemon_at(const std::string& path, std::string what);

// Prints why, in one line, and gives the exit code.
int report(const client::Failure& failure);

}  // namespace allot::cli
