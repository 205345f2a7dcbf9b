#include "daemon/roll.hpp"

#include <gtest/gtest.h>

namespace allot::daemon {
namespace {

using Prospect = Roll::Prospect;

struct RollTest : testing::Test {
    RollTest() {
        config.host = "a";
        config.hosts = {{"a", ""}, {"b", ""}, {"c", ""}};
    }
    Config config;
    Roll roll{config};
};

TEST_F(RollTest, One_who_takes_part_is_enough) {
    roll.heard(0, {});
    roll.heard(1, {2});
    roll.heard(2, {});
    EXPECT_EQ(roll.prospect(2), Prospect::good);
    EXPECT_EQ(roll.obstacle(2), "");
    EXPECT_EQ(roll.prospect(1), Prospect::hopeless) << "of another semaphore";
}

TEST_F(RollTest, Who_is_absent_may_take_part) {
    roll.heard(0, {});
    roll.heard(1, {1});
    roll.heard(2, {});
    roll.forget(1);
    EXPECT_EQ(roll.prospect(1), Prospect::needs_absent);
    EXPECT_NE(roll.obstacle(1).find("if b cannot come back"), std::string::npos) << roll.obstacle(1);
    roll.heard(1, {});
    EXPECT_EQ(roll.prospect(1), Prospect::hopeless);
    EXPECT_NE(roll.obstacle(1).find("--fresh"), std::string::npos) << roll.obstacle(1);
}

TEST_F(RollTest, A_host_that_is_alone_needs_nobody) {
    config.hosts.resize(1);
    roll.heard(0, {});
    EXPECT_EQ(roll.prospect(1), Prospect::good);
}

}  // namespace
}  // namespace allot::daemon
