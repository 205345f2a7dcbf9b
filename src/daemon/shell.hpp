// The daemon around a Host: sockets, files, processes and clocks. The Host decides; the shell tells it what
// happens, and carries out what it says.
#pragma once

#include <functional>

#include "base/result.hpp"
#include "daemon/config.hpp"

namespace allot::daemon {

// Runs the daemon until a signal stops it. Returns its exit code, or why it cannot start. At SIGHUP it calls
// `read_again` for the file as it is then.
Result<int> run_shell(Config file, const std::function<Result<Config>()>& read_again);

}  // namespace allot::daemon
