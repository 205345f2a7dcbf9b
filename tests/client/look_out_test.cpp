#include "client/look_out.hpp"

#include <gtest/gtest.h>

using allot::client::LookOut;

namespace {

// How many of so many answers that never come at once are looked out for.
int looks_in_vain(LookOut& look_out, int answers) {
    int looks = 0;
    for (int i = 0; i < answers; ++i) {
        bool looked = false;
        look_out.sees([&] {
            looked = true;
            return false;
        });
        if (looked) ++looks;
    }
    return looks;
}

}  // namespace

TEST(LookOut, SeesWhatComesMeanwhile) {
    LookOut look_out;
    int asked = 0;
    EXPECT_TRUE(look_out.sees([&] { return ++asked == 2; }));
    EXPECT_EQ(asked, 2);
    EXPECT_FALSE(look_out.sees([] { return false; }));
}

TEST(LookOut, InVainGetsEverRarerButNeverEnds) {
    LookOut look_out;
    EXPECT_EQ(looks_in_vain(look_out, 1 + 2 + 4 + 8), 4);
    looks_in_vain(look_out, 10'000);
    EXPECT_EQ(looks_in_vain(look_out, 3 * (1 + static_cast<int>(LookOut::rarest))), 3);
}

TEST(LookOut, IsTakenUpAgainAfterOneQuickAnswer) {
    LookOut look_out;
    looks_in_vain(look_out, 1 + 2 + 4);
    bool seen = false;
    while (!seen) seen = look_out.sees([] { return true; });
    EXPECT_EQ(looks_in_vain(look_out, 1), 1);
}
