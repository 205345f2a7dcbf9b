// The processor time of this thread: other load does not count.
#pragma once

#include <chrono>
#include <cstddef>
#include <ctime>

namespace allot::bench {

struct CpuClock {
    using duration = std::chrono::nanoseconds;
    static duration now() {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    }
};

template <class F>
CpuClock::duration cpu_time(F&& f) {
    const auto began = CpuClock::now();
    f();
    return CpuClock::now() - began;
}

inline double microseconds_each(CpuClock::duration time, std::size_t count) {
    return std::chrono::duration<double, std::micro>(time).count() / static_cast<double>(count);
}

}  // namespace allot::bench
