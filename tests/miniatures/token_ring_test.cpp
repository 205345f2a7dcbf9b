#include "miniatures/token_ring.hpp"

#include <gtest/gtest.h>

#include "miniatures/support.hpp"
#include "world/instance_of.hpp"

namespace allot::miniatures {
namespace {

TEST(TokenRing, Survives_the_loss_of_a_message) {
    expect_holds(judge("token-ring", {{"sites", "2"}, {"requests", "any"}, {"lose", "1"}, {"backlog", "2"}}),
                 1952);
    expect_holds(judge("token-ring", {{"sites", "3"}, {"requests", "any"}, {"lose", "1"}, {"backlog", "2"}}),
                 19776);
}

TEST(TokenRing, Two_numbers_are_enough_where_it_starts_in_order) {
    expect_holds(
        judge("token-ring",
              {{"modulus", "2"}, {"requests", "any"}, {"lose", "1"}, {"duplicate", "1"}, {"backlog", "2"}}),
        14912);
}

TEST(TokenRing, A_root_that_takes_copies_for_the_token_makes_a_second_one) {
    const Parameters broken{
        {"sites", "2"}, {"requests", "any"}, {"backlog", "2"}, {"without", "discard-copies"}};
    expect_violated("token-ring", broken, "in-order");
    expect_only_violated("token-ring", broken, "exclusion");
}

TEST(TokenRing, Converges_from_anywhere_on_every_schedule) {
    const auto two =
        make("token-ring", {{"sites", "2"}, {"modulus", "6"}, {"requests", "any"}, {"backlog", "2"}});
    expect_holds(judge_from_anywhere(*two, 50, 2), 6387);
    const auto three =
        make("token-ring", {{"sites", "3"}, {"modulus", "6"}, {"requests", "any"}, {"backlog", "2"}});
    expect_holds(judge_from_anywhere(*three, 50, 1), 95616);
}

TEST(TokenRing, With_too_few_numbers_stale_tokens_chase_each_other_for_ever) {
    const auto machine =
        make("token-ring", {{"sites", "2"}, {"modulus", "2"}, {"requests", "any"}, {"backlog", "2"}});
    expect_violated(*machine, judge_from_anywhere(*machine, 50, 2), "convergence");
}

TEST(TokenRing, Taking_copies_for_the_token_leaves_the_legitimate_worlds) {
    const auto machine = make(
        "token-ring", {{"sites", "2"}, {"requests", "any"}, {"backlog", "2"}, {"without", "discard-copies"}});
    expect_violated(*machine, judge_from_anywhere(*machine, 50, 1), "closure");
}

TEST(TokenRing, An_arbitrary_world_stays_within_its_domains) {
    const auto machine = make("token-ring", {{"sites", "3"}, {"modulus", "2"}});
    bool any_message = false;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const walk::World world = machine->arbitrary(seed, 1);
        EXPECT_EQ(world, machine->arbitrary(seed, 1)) << "seed " << seed << " gives two worlds";
        EXPECT_LE(world.flight.size(), 3u);
        any_message = any_message || !world.flight.empty();
        for (const auto id : world.sites) EXPECT_NE(machine->local(id).phase, Phase::leaving);
    }
    EXPECT_TRUE(any_message);
}

}  // namespace
}  // namespace allot::miniatures
