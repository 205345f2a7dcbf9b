// Which demands there are, and which are refused.
#include "protocols/multilock/resources.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace {

using namespace allot;

TEST(Demands, Are_all_sets_where_resources_are_few) {
    EXPECT_EQ(multilock::demands({3, 3}, 0).size(), 7u);
    EXPECT_EQ(multilock::demands({4, 4}, 0).size(), 15u);
    EXPECT_EQ(multilock::demands({4, 2}, 0).size(), 10u);
    EXPECT_EQ(multilock::demands({80, 4}, 0).size(), 80u);
}

TEST(Demands, Are_named_the_other_way_round_by_odd_sites) {
    EXPECT_EQ(multilock::demands({2, 2}, 0).back().resources, (std::vector<ResourceId>{"r0", "r1"}));
    EXPECT_EQ(multilock::demands({2, 2}, 1).back().resources, (std::vector<ResourceId>{"r1", "r0"}));
}

// Multilock.md, section 8.1: every size up to phi, and of that size every set, is equally likely.
TEST(DrawnDemands, Have_every_size_and_every_set_equally_often) {
    Random random(1);
    std::map<std::size_t, int> sizes;
    std::map<std::set<ResourceId>, int> pairs;
    for (int draw = 0; draw < 30000; ++draw) {
        const Demand demand = multilock::draw_demand({5, 3}, random);
        const std::set<ResourceId> names(demand.resources.begin(), demand.resources.end());
        ASSERT_EQ(names.size(), demand.resources.size());
        ++sizes[names.size()];
        if (names.size() == 2) ++pairs[names];
    }
    ASSERT_EQ(sizes.size(), 3u);
    for (const auto& [size, times] : sizes) EXPECT_NEAR(times, 10000, 400);
    ASSERT_EQ(pairs.size(), 10u);
    for (const auto& [names, times] : pairs) EXPECT_NEAR(times, 1000, 130);
}

TEST(Demands, Name_at_least_one_resource_and_each_once) {
    EXPECT_TRUE(multilock::demand_error({1, {}}));
    EXPECT_TRUE(multilock::demand_error({1, {"db", "gpu", "db"}}));
    EXPECT_FALSE(multilock::demand_error({1, {"gpu", "db"}}));
}

TEST(Demands, Are_not_for_more_than_there_is) {
    EXPECT_TRUE(multilock::resources_error(0, 0));
    EXPECT_TRUE(multilock::resources_error(2, 3));
    EXPECT_FALSE(multilock::resources_error(2, 0));
    EXPECT_FALSE(multilock::resources_error(2, 2));
}

}  // namespace
