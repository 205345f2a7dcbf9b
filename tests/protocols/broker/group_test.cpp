// What the protocols of the broker share: which demands there are, how they are drawn, and what is refused.
#include "protocols/broker/group.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace {

using namespace allot;
using namespace allot::broker;

constexpr Manner pairs{2, true};
constexpr Manner sets{100, false};

Group group(std::uint32_t resources, std::uint32_t clients, std::string_view wants = "all") {
    Group made;
    made.resources = resources;
    made.clients = clients;
    const auto parsed = Wants::parse("wants", wants);
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error());
    if (parsed) made.wants = *parsed;
    return made;
}

std::vector<std::string> texts(const std::vector<Demand>& demands) {
    std::vector<std::string> list;
    for (const Demand& demand : demands) {
        auto& text = list.emplace_back();
        for (const ResourceId one : demand.resources) text += (text.empty() ? "" : ",") + one.name();
    }
    return list;
}

using Texts = std::vector<std::string>;

TEST(BrokerGroup, Where_order_matters_both_orders_are_asked_for) {
    EXPECT_EQ(texts(demands(group(2, 1), pairs, 2)), (Texts{"r0", "r0,r1", "r1", "r1,r0"}));
    EXPECT_EQ(texts(demands(group(2, 1), sets, 2)), (Texts{"r0", "r0,r1", "r1"}));
    EXPECT_EQ(demands(group(3, 1), pairs, 3).size(), 3u + 3 * 2);
    EXPECT_EQ(demands(group(3, 1), sets, 3).size(), 7u);
}

TEST(BrokerGroup, Sizes_are_bounded_on_both_sides) {
    Group two = group(3, 1);
    two.min_request = 2;
    EXPECT_EQ(demands(two, pairs, 3).size(), 6u);
    two.max_request = 2;
    EXPECT_EQ(texts(demands(two, sets, 3)), (Texts{"r0,r1", "r0,r2", "r1,r2"}));
}

TEST(BrokerGroup, A_client_has_a_place_on_the_ring) {
    EXPECT_EQ(texts(demands(group(3, 3, "cycle"), pairs, 5)), (Texts{"r2,r0"}));
    EXPECT_EQ(texts(demands(group(3, 3, "ring"), pairs, 4)), (Texts{"r1,r2", "r2,r1"}));
}

TEST(BrokerGroup, Clients_have_demands_of_their_own) {
    const Group two = group(2, 2, "r0,r1/r1;r1,r0");
    EXPECT_EQ(texts(demands(two, pairs, 2)), (Texts{"r0,r1", "r1"}));
    EXPECT_EQ(texts(demands(two, pairs, 3)), (Texts{"r1,r0"}));
    EXPECT_EQ(texts(demands(group(2, 2, "r1"), pairs, 3)), (Texts{"r1"}));
    EXPECT_TRUE(demands(two, pairs, 0).empty());  // a resource
}

// 16 + 16 * 15 ordered pairs are 256.
TEST(BrokerGroup, What_is_too_much_to_list_is_asked_for_along_the_ring_and_told) {
    EXPECT_EQ(texts(demands(group(1000, 1), pairs, 1000)), (Texts{"r0,r1", "r1,r0"}));
    EXPECT_EQ(texts(demands(group(20, 1), sets, 20)), (Texts{"r0,r1", "r1,r0"}));
    for (const std::uint32_t many : {17u, 1000u}) EXPECT_TRUE(unlisted(group(many, 1), pairs)) << many;
    EXPECT_TRUE(unlisted(group(9, 1), sets));
    EXPECT_EQ(demands(group(16, 1), pairs, 16).size(), 256u);
    EXPECT_EQ(unlisted(group(16, 1), pairs), std::nullopt);
    EXPECT_EQ(unlisted(group(8, 1), sets), std::nullopt);
    EXPECT_EQ(unlisted(group(1000, 1, "ring"), sets), std::nullopt);
}

TEST(BrokerGroup, Drawn_demands_fit) {
    Random random(1);
    for (const Popularity popularity : {Popularity::even, Popularity::zipf}) {
        Group few = group(5, 3);
        few.popularity = popularity;
        std::vector<std::size_t> of_size(4);
        for (int i = 0; i < 300; ++i) {
            few.max_request = 3;
            const Demand demand = draw_demand(few, sets, 6, random);
            EXPECT_FALSE(demand_error(few, sets, demand));
            ++of_size.at(demand.resources.size());
        }
        EXPECT_EQ(of_size[0], 0u);
        for (std::size_t size = 1; size <= 3; ++size) EXPECT_GT(of_size[size], 60u) << size;
    }
}

// The same numbers draw the same resources, however they are found: here, by a scan over all that are left.
std::vector<SiteId> scanned(const Group& many, std::uint64_t size, Random& random) {
    std::vector<SiteId> taken;
    const auto weight = [&](SiteId resource) -> std::uint64_t {
        if (std::ranges::find(taken, resource) != taken.end()) return 0;
        return 1'000'000'000 / (many.popularity == Popularity::zipf ? resource + 1 : 1);
    };
    while (taken.size() < size) {
        std::uint64_t total = 0;
        for (SiteId resource = 0; resource < many.resources; ++resource) total += weight(resource);
        std::uint64_t drawn = random(total);
        SiteId resource = 0;
        for (; drawn >= weight(resource); ++resource) drawn -= weight(resource);
        taken.push_back(resource);
    }
    return taken;
}

TEST(BrokerGroup, Resources_are_drawn_one_by_one_out_of_those_that_are_left) {
    for (const Popularity popularity : {Popularity::even, Popularity::zipf})
        for (const std::uint32_t resources : {1u, 2u, 7u, 8u, 33u}) {
            Group many = group(resources, 1);
            many.popularity = popularity;
            Random random(resources);
            Random same(resources);
            for (int i = 0; i < 50; ++i) {
                const Demand demand = draw_demand(many, sets, resources, random);
                const std::uint64_t size = 1 + same(resources);
                EXPECT_EQ(*resources_of(many, sets, demand), scanned(many, size, same)) << resources;
            }
        }
}

// Of 16 resources with shares in proportion to 1/1 to 1/16, the first has 1/3.38 of all.
TEST(BrokerGroup, Popular_resources_are_drawn_more_often) {
    Group many = group(16, 1);
    many.max_request = 1;
    many.popularity = Popularity::zipf;
    Random random(7);
    std::map<ResourceId, int> drawn;
    for (int i = 0; i < 10'000; ++i) ++drawn[draw_demand(many, pairs, 16, random).resources.front()];
    EXPECT_NEAR(drawn["r0"], 10'000 / 3.3807, 150);
    EXPECT_NEAR(drawn["r1"], 10'000 / 3.3807 / 2, 110);
    EXPECT_NEAR(drawn["r15"], 10'000 / 3.3807 / 16, 45);
}

TEST(BrokerGroup, Listed_demands_are_drawn_from_the_list) {
    Random random(1);
    const Group two = group(3, 2, "r0,r1/r2;r1");
    std::set<std::string> drawn;
    for (int i = 0; i < 50; ++i) drawn.insert(texts({draw_demand(two, pairs, 3, random)}).front());
    EXPECT_EQ(drawn, (std::set<std::string>{"r0,r1", "r2"}));
}

struct Refusal {
    std::vector<ResourceId> resources;
    const char* why;
};

TEST(BrokerGroup, Demands_that_nobody_can_grant_are_refused_with_the_reason) {
    for (const Refusal& refusal :
         {Refusal{{"r0", "r0"}, "name each resource once"}, Refusal{{}, "name at least one resource"},
          Refusal{{"r0", "r1", "r2"}, "this protocol takes at most 2 resources at once"},
          Refusal{{"r3"}, "there is no resource r3; write some of r0 to r2"},
          Refusal{{"printer"}, "there is no resource printer; resources are called r0, r1 and so on"}})
        EXPECT_EQ(demand_error(group(3, 1), pairs, Demand{1, refusal.resources}), refusal.why);
    EXPECT_EQ(demand_error(group(3, 1), pairs, Demand{1, {"r2", "r0"}}), std::nullopt);
    EXPECT_EQ(demand_error(group(3, 1), sets, Demand{1, {"r2", "r0", "r1"}}), std::nullopt);
}

}  // namespace
