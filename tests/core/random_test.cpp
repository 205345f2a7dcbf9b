#include "core/random.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>

namespace allot {
namespace {

// Computed by an independent implementation of SplitMix64 and xoshiro256** that agrees with the published
// test vectors of both (6457827717110365317 for seed 1234567; 11520, 0, 1509978240 for state 1, 2, 3, 4).
TEST(RandomTest, The_numbers_of_a_seed_are_the_same_everywhere) {
    Random random(42);
    EXPECT_EQ(random(0), 0x15780b2e0c2ec716u);
    EXPECT_EQ(random(0), 0x6104d9866d113a7eu);
    EXPECT_EQ(random(0), 0xae17533239e499a1u);
    EXPECT_EQ(random(0), 0xecb8ad4703b360a1u);
}

TEST(RandomTest, A_copy_goes_on_alike_and_another_seed_does_not) {
    Random random(1);
    Random copy = random;
    Random other(2);
    const std::uint64_t first = random(0);
    EXPECT_EQ(first, copy(0));
    EXPECT_NE(first, other(0));
    EXPECT_EQ(random, copy);
}

TEST(RandomTest, Numbers_stay_below_their_bound_and_are_spread_evenly) {
    Random random(7);
    std::array<int, 6> counts{};
    constexpr int draws = 60'000;
    for (int i = 0; i < draws; ++i) {
        const std::uint64_t number = random(counts.size());
        ASSERT_LT(number, counts.size());
        ++counts[number];
    }
    // Five standard deviations of a binomial with n = 60000 and p = 1/6 are 456.
    for (const int count : counts) EXPECT_NEAR(count, draws / 6.0, 456);
}

// A bound of 3/4 of the range would show a plain remainder as twice as many small numbers.
TEST(RandomTest, A_huge_bound_is_not_biased) {
    Random random(8);
    const std::uint64_t bound = std::uint64_t{3} << 62;
    int low = 0;
    constexpr int draws = 30'000;
    for (int i = 0; i < draws; ++i) {
        const std::uint64_t number = random(bound);
        ASSERT_LT(number, bound);
        low += number < bound / 3 ? 1 : 0;
    }
    // Five standard deviations of a binomial with n = 30000 and p = 1/3 are 408.
    EXPECT_NEAR(low, draws / 3.0, 408);
}

TEST(RandomTest, A_bound_of_one_leaves_only_zero) {
    Random random(9);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(random(1), 0u);
}

TEST(RandomTest, A_coin_is_fair) {
    Random random(10);
    int heads = 0;
    for (int i = 0; i < 10'000; ++i) heads += random.coin() ? 1 : 0;
    EXPECT_NEAR(heads, 5'000, 250);
}

}  // namespace
}  // namespace allot
