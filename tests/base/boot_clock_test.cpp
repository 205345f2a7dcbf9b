#include "base/boot_clock.hpp"

#include <gtest/gtest.h>

#include "client/allot/client.hpp"

namespace allot {
namespace {

static_assert(std::chrono::is_clock_v<BootClock>);
static_assert(std::chrono::is_clock_v<client::Clock>);

TEST(BootClockTest, Never_lags_behind_a_clock_that_stands_still_in_suspend) {
    const auto steady = std::chrono::steady_clock::now().time_since_epoch();
    const auto boot = BootClock::now().time_since_epoch();
    EXPECT_GE(boot, steady);
    EXPECT_GE(client::Clock::now().time_since_epoch(), boot);
}

}  // namespace
}  // namespace allot
