// What the subcommands share that talk to a daemon as programs do.
#pragma once

#include <string>

#include "allot/client.hpp"
#include "base/result.hpp"

namespace allot::cli {

class Command;

// Which daemon: that of this host, or one elsewhere with certificates. What is empty: as the library has it.
struct DaemonFlags {
    std::string socket;
    std::string at;
    std::string authority;
    std::string certificate;
    std::string key;
    std::string server_name;
};
void add_daemon_flags(Command& command, DaemonFlags& flags);

// How to reach it; `what` is shown by `allot status`.
Result<client::Options> daemon_at(const DaemonFlags& flags, std::string what);
// Whether it is not the daemon of this host: processes mean nothing to it, and the network may break.
bool is_elsewhere(const client::Options& options);

// Prints why, in one line, and gives the exit code.
int report(const client::Failure& failure, const client::Options& options);

}  // namespace allot::cli
