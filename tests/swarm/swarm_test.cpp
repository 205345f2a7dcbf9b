// Random runs of protocols that are right, and of the miniatures with one repair off: what each campaign
// finds, that it does not depend on threads, and that what it prints replays and cannot be made shorter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/stop.hpp"
#include "miniatures/entries.hpp"
#include "play/player.hpp"
#include "support/protocols.hpp"
#include "swarm/campaign.hpp"
#include "swarm/patience.hpp"
#include "swarm/shrink.hpp"
#include "world/entry_of.hpp"

namespace allot::swarm {
namespace {

using test_support::protocol;

Campaign run(const world::Entry& entry, const Parameters& fixed, std::uint64_t runs, unsigned threads = 2) {
    Options options;
    options.fixed = fixed;
    options.runs = runs;
    options.threads = threads;
    auto campaign = swarm(entry, options);
    EXPECT_TRUE(campaign) << (campaign ? "" : campaign.error());
    return campaign ? std::move(*campaign) : Campaign{};
}

void expect_clean(const world::Entry& entry, const Parameters& fixed, std::uint64_t runs) {
    const Campaign campaign = run(entry, fixed, runs);
    EXPECT_EQ(campaign.runs, runs);
    if (campaign.violation)
        ADD_FAILURE() << campaign.violation->finding.detail << "\n" << campaign.violation->scenario;
}

void expect_replays(const Violation& violation) {
    const auto outcome = play::Player(miniatures::entries()).play("shrunk", violation.scenario);
    EXPECT_TRUE(outcome.ok()) << outcome.message << "\n" << violation.scenario;
}

struct Broken {
    std::string protocol;
    std::string repair;
    Parameters fixed;
    std::string property;  // what is judged; empty: everything
};

void PrintTo(const Broken& broken, std::ostream* out) {
    *out << broken.protocol << " without " << broken.repair;
}

class SwarmFinds : public testing::TestWithParam<Broken> {};

TEST_P(SwarmFinds, What_a_missing_repair_does) {
    const Broken& broken = GetParam();
    Parameters fixed = broken.fixed;
    fixed["without"] = broken.repair;
    if (!broken.property.empty()) fixed["property"] = broken.property;
    const Campaign campaign = run(protocol(broken.protocol), fixed, 20'000);
    ASSERT_TRUE(campaign.violation);
    if (!broken.property.empty()) {
        EXPECT_EQ(campaign.violation->finding.property, broken.property);
    }
    expect_replays(*campaign.violation);
    EXPECT_LE(campaign.violation->steps, 40u) << campaign.violation->scenario;
}

INSTANTIATE_TEST_SUITE_P(
    Miniatures, SwarmFinds,
    testing::Values(Broken{"token-ring", "discard-copies", {}, ""},
                    Broken{"token-ring", "discard-copies", {}, "exclusion"},
                    Broken{"vanishing-client", "match-ids", {}, ""},
                    Broken{"vanishing-client", "match-ids", {}, "exclusion"},
                    Broken{"vanishing-client", "listen-again", {}, "deadlock"},
                    Broken{"one-in", "one-order", {}, "deadlock"},
                    Broken{"one-in", "free-when-in", {}, "one-in"},
                    Broken{"two-locks", "return-late-lock", {}, "lock-kept"},
                    Broken{"two-locks", "return-late-lock", {}, "deadlock"},
                    Broken{"two-locks", "number-every-loan", {}, "fences-grow"},
                    Broken{"phoenix", "check-addressee", {}, "exclusion"},
                    Broken{"phoenix", "check-addressee", {}, "holder-known"},
                    Broken{"phoenix", "trust-first", {}, "deadlock"},
                    Broken{"landlord", "wait-longer", {{"skew", "1"}}, "exclusion"},
                    Broken{"landlord", "note-first", {{"crashes", "1"}, {"restarts", "1"}}, "exclusion"}));

TEST(Swarm, A_thousand_runs_of_raymond_are_clean) {
    expect_clean(protocol("raymond"), {}, 1000);
}

TEST(Swarm, The_miniatures_survive_what_they_say_they_do) {
    for (const world::Entry& entry : miniatures::entries()) {
        SCOPED_TRACE(entry.name);
        expect_clean(entry, {}, 500);
    }
}

TEST(Swarm, As_many_crashes_as_permits_stop_raymond) {
    const Campaign campaign = run(protocol("raymond"), {{"permits", "2"}, {"crashes", "2"}}, 1000);
    ASSERT_TRUE(campaign.violation);
    EXPECT_EQ(campaign.violation->finding.property, "deadlock");
    EXPECT_THAT(campaign.violation->scenario, testing::HasSubstr("expect stuck "));
    EXPECT_LE(campaign.violation->steps, campaign.violation->steps_before_shrinking);
}

TEST(Swarm, The_result_does_not_depend_on_the_number_of_threads) {
    const Parameters broken{{"without", "trust-first"}, {"property", "deadlock"}};
    const Campaign one = run(protocol("phoenix"), broken, 20'000, 1);
    const Campaign two = run(protocol("phoenix"), broken, 20'000, 2);
    ASSERT_TRUE(one.violation && two.violation);
    EXPECT_EQ(one.violation->scenario, two.violation->scenario);
    EXPECT_EQ(one.violation->run, two.violation->run);
    EXPECT_EQ(one.runs, two.runs);
    EXPECT_EQ(one.steps, two.steps);
    EXPECT_EQ(one.faults.crashes, two.faults.crashes);
    EXPECT_EQ(one.drawn, two.drawn);
}

TEST(Swarm, A_run_can_be_repeated_alone) {
    Options options;
    options.fixed = {{"without", "check-addressee"}};
    const auto campaign = swarm(protocol("phoenix"), options);
    ASSERT_TRUE(campaign && campaign->violation);
    options.only = campaign->violation->run;
    const auto again = swarm(protocol("phoenix"), options);
    ASSERT_TRUE(again && again->violation);
    EXPECT_EQ(again->runs, 1u);
    EXPECT_EQ(again->violation->scenario, campaign->violation->scenario);
}

TEST(Swarm, A_single_run_that_holds_is_a_scenario_that_replays) {
    for (const world::Entry& entry : miniatures::entries())
        for (std::uint64_t number = 0; number < 20; ++number) {
            Options options;
            options.only = number;
            const auto campaign = swarm(entry, options);
            ASSERT_TRUE(campaign && !campaign->violation);
            const auto outcome = play::Player(miniatures::entries()).play("run", campaign->scenario);
            EXPECT_TRUE(outcome.ok()) << outcome.message << "\n" << campaign->scenario;
        }
}

TEST(Swarm, No_step_of_a_shrunk_run_can_be_left_out) {
    const Parameters fixed{{"without", "match-ids"}, {"property", "exclusion"}};
    const Campaign campaign = run(protocol("vanishing-client"), fixed, 20'000);
    ASSERT_TRUE(campaign.violation);
    const auto failing = take_run(protocol("vanishing-client"), fixed, campaign.violation->seed);
    ASSERT_TRUE(failing && failing->finding);
    const Shrunk shrunk = shrink(*failing);
    ASSERT_LT(shrunk.moves.size(), failing->moves.size());
    const auto fails = [&](const std::vector<walk::Move>& moves) {
        return retake(*failing->machine, failing->start, moves, shrunk.finding).has_value();
    };
    EXPECT_TRUE(fails(shrunk.moves));
    for (std::size_t i = 0; i < shrunk.moves.size(); ++i) {
        std::vector<walk::Move> rest = shrunk.moves;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_FALSE(fails(rest)) << "step " << i << " is not needed:\n" << campaign.violation->scenario;
    }
}

TEST(Swarm, A_probe_that_no_run_reached_is_reported) {
    const Campaign campaign = run(world::entry_of<swarm_test::Patience>(), {}, 50);
    EXPECT_FALSE(campaign.violation);
    ASSERT_EQ(campaign.probes.size(), 2u);
    EXPECT_EQ(campaign.probes[0].first, "granted-by-the-clock");
    EXPECT_GT(campaign.probes[0].second, 0u);
    EXPECT_LE(campaign.probes[0].second, campaign.runs);
    EXPECT_EQ(campaign.probes[1].second, 0u);
}

TEST(Swarm, Who_waits_while_fair_steps_go_on_is_unserved_and_who_waits_in_silence_is_stuck) {
    const std::vector entries{world::entry_of<swarm_test::Patience>()};
    const Campaign ticking = run(entries[0], {{"grants", "off"}}, 50);
    ASSERT_TRUE(ticking.violation);
    EXPECT_EQ(ticking.violation->finding.property, "unserved");
    EXPECT_EQ(ticking.violation->steps, 1u) << ticking.violation->scenario;
    EXPECT_THAT(ticking.violation->scenario, testing::HasSubstr("expect waiting "));
    EXPECT_TRUE(play::Player(entries).play("unserved", ticking.violation->scenario).ok());

    const Campaign silent = run(entries[0], {{"silent", "on"}}, 50);
    ASSERT_TRUE(silent.violation);
    EXPECT_EQ(silent.violation->finding.property, "deadlock");
    EXPECT_EQ(silent.violation->steps, 1u) << silent.violation->scenario;
    EXPECT_TRUE(play::Player(entries).play("stuck", silent.violation->scenario).ok());

    const Parameters only_sound{{"silent", "on"}, {"property", "sound"}};
    EXPECT_FALSE(run(entries[0], only_sound, 50).violation);
}

TEST(Swarm, A_configuration_that_is_refused_is_drawn_again_unless_nothing_fits) {
    const auto entry = world::entry_of<swarm_test::Patience>();  // refuses most of the sites that are drawn
    const Campaign campaign = run(entry, {}, 50);
    EXPECT_EQ(campaign.drawn.at("sites"), (std::set<std::string>{"2", "3"}));

    Options options;
    options.fixed = {{"sites", "4"}};
    const auto refused = swarm(entry, options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), "--sites 4: write at most 3");
}

TEST(Swarm, Each_run_reaches_the_extent_that_was_asked_for) {
    const Extent least{.grants = 20, .faults = 3, .ticks = 10};
    for (const char* name :
         {"views-counters", "views-permits", "views-devices", "hosts-counters", "register"}) {
        Options options;
        options.runs = 20;
        options.least = least;
        const bool has_clock = std::string_view(name) == "hosts-counters";
        if (!has_clock) options.least.ticks = 0;
        const auto campaign = swarm(protocol(name), options);
        ASSERT_TRUE(campaign) << campaign.error();
        EXPECT_TRUE(campaign->least.covers(options.least)) << name;
        EXPECT_EQ(campaign->stopped_by, "") << name;
    }
}

TEST(Swarm, A_campaign_with_runs_that_are_too_short_says_so) {
    Options options;
    options.fixed = {{"requests", "1"}, {"sites", "2"}};
    options.runs = 3;
    options.least = {.grants = 20};
    const auto campaign = swarm(protocol("raymond"), options);
    ASSERT_TRUE(campaign);
    EXPECT_EQ(campaign->stopped_by,
              "3 of the runs ended with less than 20 grants; the first of them is "
              "allot swarm raymond --requests 1 --sites 2 --grants 20 --seed 1 --run 0");
    EXPECT_LE(campaign->least.grants, 2u);
}

TEST(Swarm, Runs_that_cannot_have_so_many_faults_are_refused) {
    Options options;
    options.fixed = {{"crashes", "0"}};
    options.least = {.faults = 3};
    const auto refused = swarm(protocol("raymond"), options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(),
              "--faults 3: the runs that are drawn cannot have so many; allow more, as in --crashes 3");
}

TEST(Swarm, A_campaign_that_runs_out_of_time_says_so) {
    Options options;
    options.runs = 1'000'000'000;
    stop::within(0.05);
    const auto campaign = swarm(protocol("raymond"), options);
    stop::within(std::nullopt);
    ASSERT_TRUE(campaign);
    EXPECT_EQ(campaign->stopped_by, "the time limit of 0.05 s was reached");
    EXPECT_LT(campaign->runs, options.runs);
}

}  // namespace
}  // namespace allot::swarm
