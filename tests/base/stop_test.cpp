#include "base/stop.hpp"

#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

namespace allot {
namespace {

class StopTest : public testing::Test {
protected:
    ~StopTest() override { stop::within(std::nullopt); }
    static void wait_for_the_limit() {
        while (!stop::due()) {
        }
    }
};

TEST_F(StopTest, Without_a_limit_no_stop_is_due) {
    EXPECT_FALSE(stop::due());
    EXPECT_EQ(stop::reason(), "");
    EXPECT_NO_THROW(stop::poll());
}

TEST_F(StopTest, A_limit_makes_a_stop_due_and_says_how_long_it_was) {
    stop::within(0.01);
    wait_for_the_limit();
    EXPECT_EQ(stop::reason(), "the time limit of 0.01 s was reached");
    EXPECT_THROW(stop::poll(), stop::Due);
}

TEST_F(StopTest, Another_limit_replaces_the_one_before) {
    stop::within(0.001);
    wait_for_the_limit();
    stop::within(3600);
    EXPECT_FALSE(stop::due());
    stop::within(std::nullopt);
    EXPECT_FALSE(stop::due());
}

// Interruptions last as long as the process, so each test has one of its own.
using StopDeathTest = StopTest;

TEST_F(StopDeathTest, A_signal_makes_a_stop_due_and_one_more_than_a_second_later_ends_the_process) {
    const auto twice = [] {
        stop::on_signals();
        std::raise(SIGINT);
        if (!stop::due() || stop::reason() != "interrupted") std::exit(0);
        stop::reporting();
        ::pause();  // until the alarm, a second later
        std::raise(SIGTERM);
    };
    EXPECT_EXIT(twice(), testing::KilledBySignal(SIGTERM), "");
}

// GNU timeout signals the process and then its group.
TEST_F(StopDeathTest, Two_signals_at_once_count_as_one) {
    const auto at_once = [] {
        stop::on_signals();
        for (const int signal : {SIGTERM, SIGTERM, SIGINT}) std::raise(signal);
        std::exit(stop::due() ? 0 : 1);
    };
    EXPECT_EXIT(at_once(), testing::ExitedWithCode(0), "");
}

TEST_F(StopDeathTest, The_process_ends_if_no_report_begins_within_a_second) {
    const auto busy = [] {
        stop::within(0.01);
        while (true) ::pause();
    };
    EXPECT_EXIT(busy(), testing::ExitedWithCode(stop::overrun_code),
                "bounded: the time limit of 0.01 s was reached in the middle of a long step");
}

TEST_F(StopDeathTest, A_report_takes_its_time) {
    const auto report = [] {
        stop::within(0.01);
        stop::reporting();
        for (int alarms = 0; alarms < 2; ++alarms) ::pause();
        std::exit(0);
    };
    EXPECT_EXIT(report(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace allot
