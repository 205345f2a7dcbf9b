#include "base/duration.hpp"

#include <gtest/gtest.h>

namespace allot {
namespace {

using namespace std::chrono_literals;

TEST(Duration, Is_a_number_and_a_unit) {
    EXPECT_EQ(parse_duration("250ms"), 250ms);
    EXPECT_EQ(parse_duration("0.6ms"), 600us);
    EXPECT_EQ(parse_duration("2m"), 2min);
    EXPECT_EQ(parse_duration("1.5h"), 90min);
    EXPECT_EQ(parse_duration("7ns"), 7ns);
    EXPECT_EQ(parse_duration("0"), 0ns);
}

TEST(Duration, Is_nothing_else) {
    for (const char* text : {"", "5", "ms", "-1s", "1 s", "1s ", "nans", "infs", "1d", "1e30s", "100000h"})
        EXPECT_FALSE(parse_duration(text)) << text;
}

}  // namespace
}  // namespace allot
