// Asks a daemon for holders and waiters.
#pragma once

#include "allot/client.hpp"
#include "session/status.hpp"

namespace allot::client {

// Throws Failure: unreachable.
session::Status ask_status(const Options& options, Deadline deadline);

}  // namespace allot::client
