#include "base/spin_wait.hpp"

#include <gtest/gtest.h>

using allot::SpinWait;

namespace {

// How many of so many answers that never come at once are looked out for.
int looks_in_vain(SpinWait& spin_wait, int answers) {
    int looks = 0;
    for (int i = 0; i < answers; ++i) {
        bool looked = false;
        spin_wait.until([&] {
            looked = true;
            return false;
        });
        if (looked) ++looks;
    }
    return looks;
}

}  // namespace

TEST(SpinWait, SeesWhatComesMeanwhile) {
    SpinWait spin_wait;
    int asked = 0;
    EXPECT_TRUE(spin_wait.until([&] { return ++asked == 2; }));
    EXPECT_EQ(asked, 2);
    EXPECT_FALSE(spin_wait.until([] { return false; }));
}

TEST(SpinWait, InVainGetsEverRarerButNeverEnds) {
    SpinWait spin_wait;
    EXPECT_EQ(looks_in_vain(spin_wait, 1 + 2 + 4 + 8), 4);
    looks_in_vain(spin_wait, 10'000);
    EXPECT_EQ(looks_in_vain(spin_wait, 3 * (1 + static_cast<int>(SpinWait::most_skipped))), 3);
}

TEST(SpinWait, IsTakenUpAgainAfterOneQuickAnswer) {
    SpinWait spin_wait;
    looks_in_vain(spin_wait, 1 + 2 + 4);
    bool seen = false;
    while (!seen) seen = spin_wait.until([] { return true; });
    EXPECT_EQ(looks_in_vain(spin_wait, 1), 1);
}
