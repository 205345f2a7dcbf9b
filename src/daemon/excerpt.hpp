// A status that fits into a frame, however many programs and resources there are: what is left out is
// counted.
#pragma once

#include <cstddef>

#include "session/status.hpp"

namespace allot::daemon {

// At most so many bytes when it is said. Those who are listed last go first, then resources that nobody uses.
session::Status excerpt(session::Status status, std::size_t most_bytes);

}  // namespace allot::daemon
