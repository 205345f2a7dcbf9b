// The clock of the member: ticks since it started, counted by the clock of the machine that goes on while the
// machine sleeps.
#pragma once

#include <cstdint>
#include <utility>

#include "base/boot_clock.hpp"
#include "daemon/member_config.hpp"

namespace allot::daemon {

class TickClock {
public:
    void start() { began_ = BootClock::now(); }
    // Ticks that have passed since the last call.
    std::uint64_t take() {
        const auto now = static_cast<std::uint64_t>((BootClock::now() - began_) / tick);
        return now - std::exchange(taken_, now);
    }
    // The end of so many ticks after those that were taken.
    BootClock::time_point after(host::Ticks ticks) const {
        return began_ + static_cast<std::int64_t>(taken_ + ticks) * tick;
    }

private:
    BootClock::time_point began_ = BootClock::now();
    std::uint64_t taken_ = 0;
};

}  // namespace allot::daemon
