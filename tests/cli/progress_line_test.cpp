#include "cli/progress_line.hpp"

#include <gtest/gtest.h>
#include <sstream>

namespace allot::cli {
namespace {

using namespace std::chrono_literals;
using Clock = ProgressLine::Clock;

std::string seconds_text(double seconds) {
    return std::to_string(static_cast<int>(seconds)) + " s";
}

TEST(ProgressLine, Elsewhere_than_on_a_terminal_it_is_a_plain_line_a_minute) {
    std::ostringstream out;
    const Clock::time_point began{};
    {
        ProgressLine line(out, 0, began);
        for (const auto after : {0s, 59s, 60s, 61s, 119s, 130s, 200s}) line.tell(seconds_text, began + after);
    }
    EXPECT_EQ(out.str(), "60 s\n130 s\n200 s\n");
}

TEST(ProgressLine, On_a_terminal_it_is_overwritten_and_cleared_at_the_end) {
    std::ostringstream out;
    const Clock::time_point began{};
    {
        ProgressLine line(out, 80, began);
        for (const auto after : {0ms, 100ms, 1000ms, 1100ms}) line.tell(seconds_text, began + after);
    }
    EXPECT_EQ(out.str(), "\r\x1b[K0 s\r\x1b[K1 s\r\x1b[K");
}

TEST(ProgressLine, It_stays_within_a_narrow_terminal) {
    std::ostringstream out;
    const Clock::time_point began{};
    ProgressLine line(out, 10, began);
    line.tell([](double) { return progress_bar(1); }, began);
    EXPECT_EQ(out.str(), "\r\x1b[K[########");
}

TEST(ProgressLine, A_short_command_writes_nothing) {
    std::ostringstream out;
    const Clock::time_point began{};
    { ProgressLine line(out, 0, began); }
    { ProgressLine line(out, 80, began); }
    EXPECT_EQ(out.str(), "");
}

TEST(ProgressLine, A_bar_fills_with_the_share) {
    EXPECT_EQ(progress_bar(0), "[" + std::string(40, ' ') + "]");
    EXPECT_EQ(progress_bar(0.5), "[" + std::string(20, '#') + std::string(20, ' ') + "]");
    EXPECT_EQ(progress_bar(1), "[" + std::string(40, '#') + "]");
}

}  // namespace
}  // namespace allot::cli
