// A monotonic clock that runs while the machine is suspended. std::chrono::steady_clock stops meanwhile: a
// host that wakes up would believe that no time has passed and that its leases are still valid.
#pragma once

#include <chrono>
#include <ctime>

namespace allot {

struct BootClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<BootClock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept {
        timespec time{};
        ::clock_gettime(CLOCK_BOOTTIME, &time);
        return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
    }
};

}  // namespace allot
