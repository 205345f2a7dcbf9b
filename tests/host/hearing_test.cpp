// Hosts that do not all hear each other: who is removed, and that the others go on.
#include "host/hearing.hpp"

#include <algorithm>

#include "hosts.hpp"

namespace allot::host {
namespace {

TEST_F(Hosts, A_dead_member_is_removed_when_the_others_miss_it) {
    start(3);
    ASSERT_EQ(members(), (std::set<SiteId>{0, 1, 2}));
    dead = {2};
    pass(config.silence + 2);
    EXPECT_EQ(members(), (std::set<SiteId>{0, 1}));
    pass(config.hold_off);
    EXPECT_TRUE(works(0) && works(1));
}

// Their own loops stood still, so that they may have missed the signs of the third.
TEST_F(Hosts, Hosts_that_were_late_accuse_nobody_before_another_silence_has_passed) {
    start(3);
    dead = {2};
    pass(config.silence - 1);
    for (const SiteId late : {0, 1})
        act(late, [](Host& host, const Host::Self& at, Effects& fx) { host.tick(at, fx, true); });
    pass(config.silence - 1);
    EXPECT_EQ(members(), (std::set<SiteId>{0, 1, 2}));
    pass(3);
    EXPECT_EQ(members(), (std::set<SiteId>{0, 1}));
}

TEST_F(Hosts, Two_dead_members_are_removed_together) {
    start(5);
    dead = {1, 4};
    pass(config.silence + 2);
    EXPECT_EQ(members(), (std::set<SiteId>{0, 2, 3}));
}

TEST_F(Hosts, One_that_alone_misses_another_removes_nobody) {
    start(3);
    const std::uint32_t before = value.view;
    cut(0, 1);
    pass(2 * config.silence);
    EXPECT_EQ(value.view, before);
}

// Of two that do not hear each other one must go: no view with both would ever be complete.
TEST_F(Hosts, Of_two_that_lost_each_other_the_third_removes_one_and_the_rest_goes_on) {
    start(3);
    cut(0, 1);
    pass(5 * config.silence);
    EXPECT_EQ(members(), (std::set<SiteId>{0, 2}));
    pass(config.hold_off);
    ASSERT_TRUE(works(0) && works(2));
    EXPECT_TRUE(is_granted(0, "a"));
    EXPECT_TRUE(is_granted(2, "b"));
    const std::uint32_t view = value.view;
    pass(20 * config.silence);
    EXPECT_EQ(value.view, view) << "the one that was removed comes back only with links to all";
    heal();
    pass(config.silence + config.renew_every);
    EXPECT_EQ(members(), (std::set<SiteId>{0, 1, 2}));
    EXPECT_TRUE(works(0) && works(1) && works(2));
    EXPECT_TRUE(is_granted(1, "c"));
}

TEST_F(Hosts, The_one_with_more_broken_links_goes) {
    start(5);
    cut(0, 1);
    cut(0, 2);
    pass(5 * config.silence);
    EXPECT_EQ(members(), (std::set<SiteId>{1, 2, 3, 4}));
}

TEST_F(Hosts, Without_the_rules_views_follow_each_other_as_long_as_the_cut_lasts) {
    start(3);
    config.rules.confirm_deaths = false;
    config.rules.enter_with_links = false;
    const std::uint32_t before = value.view;
    cut(0, 1);
    pass(20 * config.silence);
    EXPECT_GT(value.view, before + 15);
}

TEST_F(Hosts, All_start_again_though_one_is_gone_for_good) {
    start(3);
    dead = {2};
    for (const SiteId one : {0u, 1u}) replace(one);
    for (const SiteId one : {0u, 1u}) call(one);
    pass(config.silence + config.hold_off + 2 * config.renew_every);
    EXPECT_EQ(members(), (std::set<SiteId>{0, 1}));
}

TEST_F(Hosts, A_member_that_never_reports_is_removed) {
    start(3);
    mute = 1;
    hosts[0].expel(2);
    pass(3 * config.hold_off);
    EXPECT_FALSE(std::ranges::count(value.members, Peer{1, 1000})) << "it is there, at most, as a new one";
}

}  // namespace
}  // namespace allot::host
