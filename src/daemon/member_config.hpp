// The configuration as a member (host/member.hpp) needs it: times in ticks, and limits that this process can
// keep.
#pragma once

#include <chrono>

#include "daemon/config.hpp"
#include "host/member.hpp"

namespace allot::daemon {

// The host counts time in ticks.
constexpr std::chrono::milliseconds tick{100};

// Raises the number of files that this process may open: the limit on programs follows from it.
host::Member::Config member_config(const Config& config);

}  // namespace allot::daemon
