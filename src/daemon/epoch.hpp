// Milliseconds since the epoch: for what must mean the same after a restart, or on another host.
#pragma once

#include <chrono>
#include <cstdint>

namespace allot::daemon {

inline std::uint64_t epoch_ms() {
    using namespace std::chrono;
    return static_cast<std::uint64_t>(
        duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count());
}

}  // namespace allot::daemon
