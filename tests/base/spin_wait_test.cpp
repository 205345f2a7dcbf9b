#include "base/spin_wait.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;

// Time passes only while other threads run.
struct TestMachine {
    static std::chrono::steady_clock::time_point now() { return time; }
    static void yield() { time += others_take; }

    static inline std::chrono::steady_clock::time_point time;
    static inline std::chrono::microseconds others_take = 1us;
};
using SpinWait = allot::BasicSpinWait<TestMachine>;

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

// How many of so many answers that come while others run are seen, each of which runs for so long.
int answers_after_others(SpinWait& spin_wait, int answers, std::chrono::microseconds take) {
    TestMachine::others_take = take;
    int seen = 0;
    for (int i = 0; i < answers; ++i) seen += spin_wait.after_others([] { return true; });
    TestMachine::others_take = 1us;
    return seen;
}

constexpr int all_skipped = static_cast<int>(SpinWait::most_skipped);
constexpr int first_sleep = static_cast<int>(SpinWait::least_sleep);

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
    EXPECT_EQ(looks_in_vain(spin_wait, 3 * (1 + all_skipped)), 3);
}

TEST(SpinWait, IsTakenUpAgainAfterOneQuickAnswer) {
    SpinWait spin_wait;
    looks_in_vain(spin_wait, 1 + 2 + 4);
    for (bool seen = false; !seen;) {
        int asked = 0;
        seen = spin_wait.until([&] { return ++asked == 2; });
    }
    EXPECT_EQ(looks_in_vain(spin_wait, 1 + 2), 2);
}

TEST(SpinWait, IsNotTakenUpAgainForWhatWasThereBefore) {
    SpinWait spin_wait;
    looks_in_vain(spin_wait, 1 + 2 + 4);
    bool seen = false;
    while (!seen) seen = spin_wait.until([] { return true; });
    EXPECT_EQ(looks_in_vain(spin_wait, 1 + 15), 1);
}

TEST(SpinWait, SeesWhatComesWhileOthersRun) {
    SpinWait spin_wait;
    EXPECT_EQ(answers_after_others(spin_wait, 10'000, 1us), 10'000);
    EXPECT_FALSE(spin_wait.after_others([] { return false; }));
}

TEST(SpinWait, SleepsIfOthersKeepTheCore) {
    SpinWait spin_wait;
    EXPECT_EQ(answers_after_others(spin_wait, 1 + first_sleep + 1, SpinWait::shortest_slice), 2);
    answers_after_others(spin_wait, 10'000, SpinWait::shortest_slice);
    EXPECT_EQ(answers_after_others(spin_wait, 3 * (1 + all_skipped), SpinWait::shortest_slice), 3);
}

TEST(SpinWait, DoesNotPollIfOthersKeepTheCore) {
    SpinWait spin_wait;
    EXPECT_EQ(answers_after_others(spin_wait, 1, SpinWait::shortest_slice), 1);
    EXPECT_EQ(looks_in_vain(spin_wait, first_sleep), 0);
    EXPECT_EQ(looks_in_vain(spin_wait, 1), 1);
}

TEST(SpinWait, SleepsNoLongerIfLongYieldsAreRare) {
    SpinWait spin_wait;
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(answers_after_others(spin_wait, 1, SpinWait::shortest_slice), 1);
        EXPECT_EQ(answers_after_others(spin_wait, first_sleep + 100, 1us), 100);
    }
}
