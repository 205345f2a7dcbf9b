// The configuration as a member (host/member.hpp) needs it: times in ticks, and limits that this process can
// keep.
#pragma once

#include <chrono>

#include "daemon/config.hpp"
#include "host/member.hpp"

namespace allot::daemon {

// The host counts time in ticks. Hold-offs end with a tick of each host's own clock, and the first host that
// reports to a view is frozen until the last one does: so a tick is short.
constexpr std::chrono::milliseconds tick{20};

// Raises the number of files that this process may open: the limit on programs follows from it.
host::Member::Config member_config(const Config& config);

}  // namespace allot::daemon
