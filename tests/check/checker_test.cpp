// The checker itself: threads, stores, limits, and what it says of them.
#include "check/checker.hpp"

#include <gtest/gtest.h>

#include "base/stop.hpp"
#include "registry/registry.hpp"

namespace {

using namespace allot;

check::Result check_raymond(const Parameters& parameters, const check::Options& options) {
    const auto machine = walk::make_machine(*registry::protocol("raymond"), parameters);
    return check::check(**machine, options);
}

TEST(Checker, Finds_the_same_graph_on_any_number_of_threads) {
    const auto one = check_raymond({{"sites", "4"}, {"permits", "2"}}, {.threads = 1});
    for (const unsigned threads : {2u, 3u, 7u}) {
        const auto many = check_raymond({{"sites", "4"}, {"permits", "2"}}, {.threads = threads});
        EXPECT_EQ(many.verdict, one.verdict);
        EXPECT_EQ(many.states, one.states);
        EXPECT_EQ(many.transitions, one.transitions);
        EXPECT_EQ(many.depth, one.depth);
    }
}

TEST(Checker, Counterexamples_are_equally_short_on_any_number_of_threads) {
    const Parameters crashes{{"sites", "4"}, {"permits", "2"}, {"crashes", "2"}, {"full", "on"}};
    const auto one = check_raymond(crashes, {.threads = 1});
    const auto two = check_raymond(crashes, {.threads = 2});
    ASSERT_EQ(one.violations.size(), 1u);
    ASSERT_EQ(two.violations.size(), 1u);
    EXPECT_EQ(one.violations[0].steps.size(), two.violations[0].steps.size());
}

TEST(Checker, Fingerprints_count_the_same_states_and_say_their_risk) {
    const auto exact = check_raymond({{"sites", "3"}, {"permits", "2"}}, {});
    const auto fingerprints =
        check_raymond({{"sites", "3"}, {"permits", "2"}}, {.store = check::StoreKind::fingerprint});
    EXPECT_EQ(fingerprints.states, exact.states);
    EXPECT_EQ(fingerprints.transitions, exact.transitions);
    EXPECT_EQ(exact.omission_probability, 0);
    EXPECT_GT(fingerprints.omission_probability, 0);
    EXPECT_LT(fingerprints.omission_probability, 1e-9);
}

TEST(Checker, Fingerprints_leave_liveness_unjudged_where_there_are_cycles) {
    const auto result = check_raymond({{"requests", "any"}}, {.store = check::StoreKind::fingerprint});
    EXPECT_EQ(result.verdict, check::Verdict::bounded);
    EXPECT_EQ(result.unchecked, (std::vector<std::string>{"servable", "starvation"}));
}

TEST(Checker, Fingerprints_still_lead_to_a_counterexample) {
    const auto result = check_raymond({{"permits", "2"}, {"crashes", "2"}},
                                      {.threads = 2, .store = check::StoreKind::fingerprint});
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.at(0).property, "deadlock");
    EXPECT_TRUE(result.violations.at(0).replayed);
    EXPECT_FALSE(result.violations.at(0).steps.empty());
}

TEST(Checker, Stops_at_its_memory_limit_without_a_verdict) {
    const auto result = check_raymond({{"sites", "4"}, {"permits", "3"}, {"full", "on"}},
                                      {.memory_bytes = std::size_t{120} << 20});
    EXPECT_EQ(result.verdict, check::Verdict::bounded);
    EXPECT_NE(result.stopped_by.find("memory"), std::string::npos);
    EXPECT_EQ(result.unchecked, (std::vector<std::string>{"servable", "starvation"}));
    EXPECT_GT(result.states, 0u);
}

TEST(Checker, Stops_at_its_time_limit_without_a_verdict) {
    stop::within(0.2);
    const auto result = check_raymond({{"sites", "5"}, {"permits", "3"}, {"full", "on"}}, {});
    stop::within(std::nullopt);
    EXPECT_EQ(result.verdict, check::Verdict::bounded);
    EXPECT_NE(result.stopped_by.find("time"), std::string::npos);
}

TEST(Checker, Tells_its_progress) {
    std::uint64_t told = 0;
    check::Options options;
    options.on_progress = [&](const check::Progress& progress) { told = std::max(told, progress.states); };
    const auto result = check_raymond({{"sites", "4"}, {"permits", "1"}, {"links", "fifo"}}, options);
    EXPECT_GT(told, 0u);
    EXPECT_LE(told, result.states);
}

}  // namespace
