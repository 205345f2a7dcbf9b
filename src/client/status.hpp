// Asks a daemon for holders and waiters, and gives it orders.
#pragma once

#include "allot/client.hpp"
#include "session/frames.hpp"
#include "session/status.hpp"

namespace allot::client {

// Throws Failure: unreachable.
session::Status ask_status(const Options& options, Deadline deadline);
session::OrderAnswer give_order(const Options& options, const session::Order& order, Deadline deadline);

}  // namespace allot::client
