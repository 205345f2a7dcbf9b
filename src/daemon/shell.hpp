// The daemon around a Host: sockets, files, processes and clocks. The Host decides; the shell tells it what
// happens, and carries out what it says.
#pragma once

#include "base/result.hpp"
#include "daemon/config.hpp"

namespace allot::daemon {

// Runs the daemon until a signal stops it. Returns its exit code, or why it cannot start.
Result<int> run_shell(const Config& file);

}  // namespace allot::daemon
