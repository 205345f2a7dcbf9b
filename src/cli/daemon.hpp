// Shared by the subcommands that connect to a daemon as a program.
#pragma once

#include <chrono>
#include <string>

#include "allot/client.hpp"
#include "base/result.hpp"

namespace allot::cli {

class Command;

// The daemon of this host, or one on another host with certificates. An empty member: the default of the
// client library.
struct DaemonFlags {
    std::string socket;
    std::string at;
    std::string authority;
    std::string certificate;
    std::string key;
    std::string server_name;
};
void add_daemon_flags(Command& command, DaemonFlags& flags);

// How to reach the daemon; `allot status` shows `what`.
Result<client::Options> daemon_at(const DaemonFlags& flags, std::string what);
// True if the daemon is on another host: it cannot watch our processes, and the network may fail.
bool is_elsewhere(const client::Options& options);

// The time that a daemon has to answer an operator. It asks the other hosts in turn, and reports what it
// knows if they do not answer.
constexpr std::chrono::seconds answer_within{5};

// Prints the reason in one line and returns the exit code.
int report(const client::Failure& failure, const client::Options& options);

}  // namespace allot::cli
