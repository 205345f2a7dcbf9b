// Arbitrary starts and faults of memory in the middle of a run.
#include <gtest/gtest.h>
#include <sstream>

#include "miniatures/entries.hpp"
#include "play/player.hpp"
#include "sim/simulation.hpp"
#include "support/protocols.hpp"

namespace {

using namespace allot;
using namespace allot::sim;

Result<std::unique_ptr<Simulation>> make(std::string_view name, const Parameters& parameters,
                                         Parameters flags) {
    const auto plan = take_plan(flags);
    if (!plan) return Error{plan.error()};
    return sim::make_simulation(test_support::protocol(name), parameters, *plan);
}

const Parameters five_sites{{"sites", "5"}, {"modulus", "64"}};

TEST(Corruption, An_arbitrary_start_leads_to_a_legitimate_world) {
    const auto ring =
        make("token-ring", five_sites, {{"start", "arbitrary"}, {"noise", "2"}, {"time", "1s"}});
    ASSERT_TRUE(ring);
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const Figures figures = (*ring)->run(seed);
        EXPECT_TRUE(figures.violations.empty()) << seed << ": " << figures.violations.front().detail;
        EXPECT_EQ(figures.recovery.corruptions, 1u);
        EXPECT_EQ(figures.recovery.ms.moments.count(), 1u);
        EXPECT_GT(figures.grants, 10u);
    }
}

TEST(Corruption, Every_fault_of_memory_is_counted_and_survived) {
    const auto ring = make("token-ring", five_sites,
                           {{"corrupt-at", "1s,2s,3s"}, {"noise", "3"}, {"time", "4s"}, {"verify", "1"}});
    ASSERT_TRUE(ring);
    const Figures figures = (*ring)->run(1);
    EXPECT_TRUE(figures.violations.empty());
    EXPECT_EQ(figures.recovery.corruptions, 3u);
    EXPECT_EQ(figures.recovery.ms.moments.count(), 3u);
    EXPECT_GT(figures.recovery.messages.max, 0);
    EXPECT_EQ(figures.unserved, 0u);
}

// The second fault comes before any message has arrived.
TEST(Corruption, A_fault_before_the_world_has_recovered_leaves_one_recovery_for_both) {
    const auto ring =
        make("token-ring", five_sites,
             {{"corrupt-at", "500ms,500.1ms"}, {"noise", "3"}, {"latency", "2ms"}, {"time", "2s"}});
    ASSERT_TRUE(ring);
    const Figures figures = (*ring)->run(1);
    EXPECT_TRUE(figures.violations.empty());
    EXPECT_EQ(figures.recovery.corruptions, 2u);
    EXPECT_EQ(figures.recovery.ms.moments.count(), 1u);
}

TEST(Corruption, Who_is_not_legitimate_at_the_end_is_told_of) {
    // No message arrives before the end.
    const auto ring = make("token-ring", five_sites,
                           {{"start", "arbitrary"}, {"noise", "3"}, {"latency", "2ms"}, {"time", "1ms"}});
    ASSERT_TRUE(ring);
    const Figures figures = (*ring)->run(1);
    ASSERT_EQ(figures.violations.size(), 1u);
    EXPECT_EQ(figures.violations[0].property, "convergence");
    EXPECT_EQ(figures.recovery.ms.moments.count(), 0u);
}

TEST(Corruption, Its_log_is_a_scenario) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const auto ring =
            make("token-ring", five_sites,
                 {{"start", "arbitrary"}, {"corrupt-at", "50ms"}, {"noise", "2"}, {"time", "100ms"}});
        ASSERT_TRUE(ring);
        std::ostringstream log;
        (*ring)->run(seed, {.log = &log});
        EXPECT_NE(log.str().find("state 0 {"), std::string::npos);
        const auto outcome = play::Player(miniatures::entries()).play("log", log.str());
        EXPECT_TRUE(outcome.ok()) << outcome.message << "\n" << log.str();
    }
}

TEST(Corruption, Bad_flags_are_refused_with_a_reason) {
    const auto refusal = [](const auto& made) { return made ? std::string("made") : made.error(); };
    EXPECT_EQ(refusal(make("two-locks", {}, {{"start", "arbitrary"}})),
              "--start arbitrary: two-locks does not say which worlds are legitimate");
    EXPECT_EQ(refusal(make("token-ring", {}, {{"corrupt-at", "20s"}})),
              "--corrupt-at 20s: write times before --time 10s");
    EXPECT_EQ(refusal(make("token-ring", {}, {{"corrupt-at", "soon"}})),
              "--corrupt-at soon: write times, as in 1s or 1s,3s");
    EXPECT_EQ(refusal(make("token-ring", {}, {{"start", "arbitrary"}, {"noise", "1001"}})),
              "--noise 1001: write a whole number from 0 to 1000");
}

}  // namespace
