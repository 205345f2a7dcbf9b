// The numbers of daemons: none is given twice, and none is believed that cannot have been given.
#include "daemon/incarnations.hpp"

#include <gtest/gtest.h>

namespace allot::daemon {
namespace {

constexpr std::uint32_t last = ~std::uint32_t{0};

TEST(Incarnations, The_next_daemon_comes_after_the_remembered_and_the_certified_one) {
    const std::uint32_t now = daemon_of_this_minute();
    const std::uint32_t later = (now + 1000) << bits_of_lives;
    EXPECT_GE(daemon_of(*next_incarnation({}, 0)), now);
    EXPECT_EQ(*next_incarnation({.incarnation = later + 3}, 0), later + (1U << bits_of_lives));
    EXPECT_EQ(*next_incarnation({}, last_life_of(later)), later + (1U << bits_of_lives));
}

TEST(Incarnations, There_is_none_after_the_last_one) {
    EXPECT_FALSE(next_incarnation({.incarnation = last}, 0));
    EXPECT_FALSE(next_incarnation({}, last));
    EXPECT_TRUE(next_incarnation({}, last - (1U << bits_of_lives)));
}

TEST(Incarnations, A_host_is_not_far_ahead_of_the_clock) {
    const std::uint32_t now = daemon_of_this_minute();
    EXPECT_TRUE(can_have_been(now, 0));
    EXPECT_TRUE(can_have_been(now + 1000, 0));
    EXPECT_TRUE(can_have_been(10 * now + 1, 10 * now));
    // 117558528 with one bit of its text flipped.
    EXPECT_FALSE(can_have_been(daemon_of(917'558'528), daemon_of(117'558'528)));
    EXPECT_FALSE(can_have_been(daemon_of(last), now));
}

}  // namespace
}  // namespace allot::daemon
