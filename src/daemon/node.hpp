// The daemon of one host: brings the parts together, and stops in order.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "daemon/config.hpp"

namespace allot::daemon {

// Runs until SIGTERM or SIGINT: then all that is known is saved, and a later run goes on from there. The
// answer is an exit code, or why it could not start.
Result<int> run_node(const Config& config, bool fresh);

}  // namespace allot::daemon
