#include "base/did_you_mean.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace allot {
namespace {

const std::vector<std::string> commands{"check", "sim", "swarm", "play"};

TEST(Did_you_mean, Names_the_closest_word) {
    EXPECT_EQ(did_you_mean("swram", commands), " (did you mean \"swarm\"?)");
    EXPECT_EQ(did_you_mean("chekc", commands), " (did you mean \"check\"?)");
    EXPECT_EQ(did_you_mean("plays", commands), " (did you mean \"play\"?)");
    EXPECT_EQ(did_you_mean("simm", commands), " (did you mean \"sim\"?)");
}

TEST(Did_you_mean, Ignores_case) {
    EXPECT_EQ(did_you_mean("SWARM", commands), " (did you mean \"swarm\"?)");
    EXPECT_EQ(did_you_mean("Chekc", commands), " (did you mean \"check\"?)");
}

TEST(Did_you_mean, Is_silent_if_no_word_is_close) {
    EXPECT_EQ(did_you_mean("errata", commands), "");
    EXPECT_EQ(did_you_mean("", commands), "");
    EXPECT_EQ(did_you_mean("x", commands), "");
    EXPECT_EQ(did_you_mean(std::string(1'000'000, 'x'), commands), "");
    EXPECT_EQ(did_you_mean("swram", {}), "");
}

// A word of one letter is as far from any other as from nothing.
TEST(Did_you_mean, Offers_no_word_that_shares_no_letter) {
    EXPECT_EQ(did_you_mean("9", std::vector<std::string>{"1", "2"}), "");
}

}  // namespace
}  // namespace allot
