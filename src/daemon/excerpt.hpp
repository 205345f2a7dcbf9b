// Cuts a status so that it fits into a frame, however many programs and resources there are; it counts what
// it leaves out.
#pragma once

#include <cstddef>

#include "session/status.hpp"

namespace allot::daemon {

// At most this many encoded bytes. Drops the last programs of each list first, then resources that nobody
// uses.
session::Status excerpt(session::Status status, std::size_t most_bytes);

}  // namespace allot::daemon
