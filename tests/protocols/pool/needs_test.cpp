// Sites of a pool that ask for amounts of their own: how they are written, and where they count.
#include "protocols/pool/needs.hpp"

#include <gtest/gtest.h>

#include "core/draw.hpp"
#include "play/player.hpp"
#include "protocols/pool/tree_pool.hpp"
#include "registry/registry.hpp"
#include "sim/simulation.hpp"

namespace {

using namespace allot;
using pool::Needs;
using Amounts = Needs::Amounts;

TEST(PoolNeeds, Are_the_same_for_all_sites_or_listed_site_by_site) {
    const auto same = Needs::parse("needs", "3/1/3");
    ASSERT_TRUE(same);
    EXPECT_EQ(same->of(0), (Amounts{1, 3}));
    EXPECT_EQ(same->of(7), (Amounts{1, 3}));
    EXPECT_EQ(same->text(), "3/1/3");

    const auto listed = Needs::parse("needs", "1/2;0;4");
    ASSERT_TRUE(listed);
    EXPECT_EQ(listed->size(), 3u);
    EXPECT_EQ(listed->of(0), (Amounts{1, 2}));
    EXPECT_FALSE(listed->asks(1));
    EXPECT_EQ(listed->of(2), (Amounts{4}));
    EXPECT_EQ(listed->largest(), 4u);

    EXPECT_TRUE(Needs::parse("needs", "any")->any());
    EXPECT_TRUE(Needs{}.asks(5));
}

TEST(PoolNeeds, Written_wrong_are_refused_with_an_example) {
    for (const char* wrong : {"", "x", "1;", "0/1", "1,2", "-1", "1//2"}) {
        const auto needs = Needs::parse("needs", wrong);
        ASSERT_FALSE(needs) << wrong;
        EXPECT_EQ(needs.error(),
                  "--needs " + std::string(wrong) +
                      ": write any, or units as in 1/3 (0: it never asks), for each site after ;");
    }
}

TreePool::Config pool_of(std::uint32_t sites, std::uint32_t most, const char* needs) {
    TreePool::Config config;
    config.sites = sites;
    config.units = config.max_request = most;
    config.needs = *Needs::parse("needs", needs);
    return config;
}

TEST(PoolNeeds, Fit_the_sites_and_the_largest_request) {
    EXPECT_EQ(TreePool::config_error(pool_of(3, 2, "1;2;0")), std::nullopt);
    EXPECT_EQ(TreePool::config_error(pool_of(3, 2, "2")), std::nullopt);
    EXPECT_EQ(TreePool::config_error(pool_of(4, 2, "1;2;0")),
              "--needs 1;2;0: these are the needs of 3 sites, with --sites 4");
    EXPECT_EQ(TreePool::config_error(pool_of(2, 2, "1;3")),
              "--needs 1;3: a request takes up to --max-request 2; write --max-request 3");
    TreePool::Config twice = pool_of(2, 2, "1;2");
    twice.min_request = 2;
    EXPECT_EQ(TreePool::config_error(twice), "--needs 1;2: leave --min-request out");
}

play::Outcome play(const std::string& scenario) {
    return play::Player(registry::protocols()).play("scenario", scenario);
}

TEST(PoolNeeds, Bind_the_sites_of_a_scenario) {
    const std::string header = "protocol tree-pool sites=3 units=3 max-request=3 needs=2;3;0\n";
    EXPECT_TRUE(play(header + "request 0 2\nrequest 1 3\nexpect waiting 1\n").ok());
    EXPECT_NE(play(header + "request 1 2\n").message.find("site 1 may ask for 3 units"), std::string::npos);
    EXPECT_NE(play(header + "request 2 1\n").message.find("site 2 never asks"), std::string::npos);
}

TEST(PoolNeeds, Are_what_a_simulation_draws) {
    const Parameters four{{"sites", "4"}, {"units", "3"}, {"max-request", "3"}, {"needs", "1/3;0;3;2"}};
    const auto simulation = sim::make_simulation(*registry::protocol("tree-pool"), four, {});
    ASSERT_TRUE(simulation) << simulation.error();
    const world::Instance& instance = (*simulation)->instance();
    Random random(1);
    std::set<std::uint32_t> drawn;
    for (int i = 0; i < 50; ++i) drawn.insert(instance.draw_demand(0, random).units);
    EXPECT_EQ(drawn, (std::set<std::uint32_t>{1, 3}));
    EXPECT_EQ(instance.draw_demand(3, random).units, 2u);

    std::ostringstream log;
    const sim::Figures figures = (*simulation)->run(1, {.log = &log});
    EXPECT_TRUE(figures.violations.empty());
    EXPECT_EQ(figures.unserved, 0u);
    EXPECT_EQ(log.str().find("\nrequest 1 "), std::string::npos);
    for (const char* request : {"\nrequest 0 3 ", "\nrequest 2 3 ", "\nrequest 3 2 "})
        EXPECT_NE(log.str().find(request), std::string::npos) << request;
    EXPECT_TRUE(play(log.str()).ok());
}

TEST(PoolNeeds, Bound_the_other_parameters_of_random_runs) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Random random(seed);
        Draw draw({{"needs", "1;5;0;2"}}, random);
        TreePool::sample(draw);
        EXPECT_EQ(draw.drawn().at("sites"), "4");
        EXPECT_GE(std::stoul(draw.drawn().at("max-request")), 5u);
        EXPECT_FALSE(draw.knows("min-request"));
    }
}

}  // namespace
