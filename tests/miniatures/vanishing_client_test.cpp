#include "miniatures/vanishing_client.hpp"

#include <gtest/gtest.h>

#include "miniatures/support.hpp"
#include "world/instance_of.hpp"

namespace allot::miniatures {
namespace {

TEST(VanishingClient, Any_number_of_requests_is_finitely_many_worlds) {
    expect_holds(judge("vanishing-client", {{"requests", "any"}, {"cancel", "on"}}), 157);
}

TEST(VanishingClient, A_resource_outlives_its_clients) {
    const Parameters crash{{"requests", "any"}, {"crashes", "1"}, {"cancel", "on"}};
    expect_holds(judge("vanishing-client", crash), 576);
    const Parameters leave{{"requests", "any"}, {"crashes", "1"}, {"leaves", "1"}, {"cancel", "on"}};
    expect_holds(judge("vanishing-client", leave), 859);
}

TEST(VanishingClient, Clients_choose_between_resources) {
    const Parameters two_of_each{{"sites", "4"}, {"requests", "any"}, {"crashes", "1"}, {"cancel", "on"}};
    expect_holds(judge("vanishing-client", two_of_each), 29821);
}

TEST(VanishingClient, A_stale_grant_must_not_be_taken_for_a_new_one) {
    const Parameters broken{{"requests", "any"}, {"cancel", "on"}, {"without", "match-ids"}};
    expect_violated("vanishing-client", broken, "holder-known");
    expect_only_violated("vanishing-client", broken, "exclusion");
}

TEST(VanishingClient, A_late_request_makes_a_ghost_hold_the_resource_for_ever) {
    const Parameters broken{{"requests", "any"}, {"crashes", "1"}, {"without", "listen-again"}};
    expect_violated("vanishing-client", broken, "deadlock");
    expect_only_violated("vanishing-client", broken, "starvation");
}

TEST(VanishingClient, Serving_who_came_last_lets_others_starve) {
    const Parameters three{{"sites", "4"}, {"clients", "3"}, {"requests", "any"}};
    expect_holds(judge("vanishing-client", three), 220);
    Parameters broken = three;
    broken["without"] = "first-come";
    expect_violated("vanishing-client", broken, "starvation");
}

TEST(VanishingClient, Taking_prompt_messages_at_once_changes_no_verdict) {
    Parameters full{{"requests", "any"}, {"crashes", "1"}, {"cancel", "on"}, {"full", "on"}};
    expect_holds(judge("vanishing-client", full), 576);
    full["without"] = "match-ids";
    expect_only_violated("vanishing-client", full, "exclusion");
    full["without"] = "listen-again";
    expect_violated("vanishing-client", full, "deadlock");
}

check::Result judge_bounded(VanishingClient::Config config, bool normalise) {
    auto instance = std::make_unique<world::InstanceOf<VanishingClient>>(config);
    Parameters around{{"requests", "2"}, {"crashes", "1"}, {"cancel", "on"}};
    around["normalise"] = normalise ? "on" : "off";
    auto setup = world::take_setup(around, *instance);
    EXPECT_TRUE(setup) << setup.error();
    walk::Machine machine(std::move(instance), std::move(*setup));
    return check::check(machine, {});
}

TEST(VanishingClient, Its_normal_form_changes_no_verdict) {
    expect_holds(judge_bounded({}, true), 1044);
    expect_holds(judge_bounded({}, false), 12235);

    VanishingClient::Config stale_grants;
    stale_grants.repairs.match_ids = false;
    VanishingClient::Config ghosts;
    ghosts.repairs.listen_again = false;
    for (const auto& broken : {stale_grants, ghosts}) {
        const auto normal = judge_bounded(broken, true);
        const auto exact = judge_bounded(broken, false);
        ASSERT_EQ(normal.verdict, check::Verdict::violated);
        ASSERT_EQ(exact.verdict, check::Verdict::violated);
        EXPECT_EQ(normal.violations.front().property, exact.violations.front().property);
        EXPECT_EQ(normal.violations.front().steps.size(), exact.violations.front().steps.size());
    }
}

}  // namespace
}  // namespace allot::miniatures
