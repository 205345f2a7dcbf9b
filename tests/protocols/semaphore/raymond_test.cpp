// Raymond's algorithm under the checker: what holds, what k crashes do, and exact state counts. A changed
// count is a changed protocol, world or reduction: it needs its reason in the commit.
#include <gtest/gtest.h>

#include "check/checker.hpp"
#include "registry/registry.hpp"

namespace {

using namespace allot;

std::unique_ptr<walk::Machine> raymond(const Parameters& parameters) {
    auto machine = walk::make_machine(*registry::protocol("raymond"), parameters);
    EXPECT_TRUE(machine) << (machine ? "" : machine.error());
    return std::move(*machine);
}

check::Result run(const Parameters& parameters, const check::Options& options = {}) {
    const auto machine = raymond(parameters);
    return check::check(*machine, options);
}

struct Pinned {
    Parameters parameters;
    std::uint64_t states;
    std::uint64_t transitions;
};

void PrintTo(const Pinned& pinned, std::ostream* out) {
    *out << world::header_line("raymond", pinned.parameters);
}

class RaymondHolds : public testing::TestWithParam<Pinned> {};

TEST_P(RaymondHolds, With_the_pinned_number_of_states) {
    const auto result = run(GetParam().parameters);
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_TRUE(result.unchecked.empty());
    EXPECT_EQ(result.checked.size(),
              7u);  // two of its own, contract, assertion, deadlock, servable, starvation
    EXPECT_EQ(result.states, GetParam().states);
    EXPECT_EQ(result.transitions, GetParam().transitions);
    EXPECT_EQ(result.guesses, 0u);  // where stamps are renamed, the result is exact
}

using P = Parameters;
INSTANTIATE_TEST_SUITE_P(
    Small, RaymondHolds,
    testing::Values(Pinned{P{{"sites", "2"}, {"permits", "1"}, {"requests", "any"}, {"full", "on"}}, 27, 46},
                    Pinned{P{{"sites", "3"}, {"permits", "1"}, {"requests", "any"}}, 721, 2241},
                    Pinned{P{{"sites", "3"}, {"permits", "1"}, {"requests", "any"}, {"full", "on"}}, 2680,
                           9498},
                    Pinned{P{{"sites", "3"}, {"permits", "1"}}, 703, 1850},
                    Pinned{P{{"sites", "3"}, {"permits", "2"}}, 2312, 7414},
                    Pinned{P{{"sites", "3"}, {"permits", "3"}}, 3719, 14760},
                    Pinned{P{{"sites", "3"}, {"permits", "2"}, {"full", "on"}}, 10643, 38904},
                    Pinned{P{{"sites", "3"}, {"permits", "3"}, {"full", "on"}}, 26683, 127197},
                    Pinned{P{{"sites", "4"}, {"permits", "1"}}, 117887, 598683},
                    Pinned{P{{"sites", "4"}, {"permits", "2"}}, 366370, 1897004},
                    Pinned{P{{"sites", "4"}, {"permits", "1"}, {"requests", "any"}}, 156325, 878606},
                    Pinned{P{{"sites", "4"}, {"permits", "1"}, {"links", "fifo"}}, 1402298, 7398198}));

TEST(Raymond, Survives_k_minus_1_crashes) {
    EXPECT_EQ(run({{"permits", "2"}, {"crashes", "1"}}).verdict, check::Verdict::holds);
    EXPECT_EQ(run({{"permits", "3"}, {"crashes", "2"}}).verdict, check::Verdict::holds);
    EXPECT_EQ(run({{"permits", "2"}, {"crashes", "1"}, {"full", "on"}}).states, 27375u);
}

TEST(Raymond, K_crashes_stop_everyone_and_the_shortest_way_is_shown) {
    for (const char* permits : {"1", "2", "3"}) {
        const auto result = run({{"sites", "4"}, {"permits", permits}, {"crashes", permits}});
        ASSERT_EQ(result.verdict, check::Verdict::violated);
        const check::Violation& violation = result.violations.at(0);
        EXPECT_EQ(violation.property, "deadlock");
        EXPECT_TRUE(violation.site.has_value());
        EXPECT_TRUE(violation.replayed);
        // One request and k crashes are needed, and enough with the answers of those who live taken at once.
        const auto crashes = static_cast<std::size_t>(std::stoi(permits));
        EXPECT_GE(violation.steps.size(), crashes + 1);
    }
}

TEST(Raymond, After_k_crashes_no_other_property_fails) {
    const auto result = run({{"permits", "2"}, {"crashes", "2"}, {"property", "at-most-k,answers-kept"}});
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_EQ(result.checked, (std::vector<std::string>{"at-most-k", "answers-kept"}));
}

TEST(Raymond, Liveness_alone_finds_the_same_as_the_search_for_deadlocks) {
    for (const char* property : {"starvation", "servable"}) {
        const auto result = run({{"permits", "1"}, {"crashes", "1"}, {"property", property}});
        ASSERT_EQ(result.verdict, check::Verdict::violated) << property;
        EXPECT_EQ(result.violations.at(0).property, property);
        EXPECT_TRUE(result.violations.at(0).site.has_value());
    }
}

TEST(Raymond, Taking_replies_at_once_changes_no_verdict) {
    for (const char* permits : {"1", "2", "3"})
        for (const char* crashes : {"0", "1", "2", "3"}) {
            Parameters parameters{{"permits", permits}, {"crashes", crashes}};
            const auto reduced = run(parameters);
            parameters["full"] = "on";
            const auto full = run(parameters);
            EXPECT_EQ(reduced.verdict, full.verdict) << permits << " permits, " << crashes << " crashes";
            if (full.verdict == check::Verdict::holds) {
                EXPECT_LT(reduced.states, full.states);
            }
        }
}

// A crashed site's last message keeps its stamp while the clocks of the others go on.
TEST(Raymond, Stamps_that_nobody_goes_on_from_may_fall_behind_for_ever) {
    const auto result = run({{"requests", "any"}, {"crashes", "1"}, {"property", "at-most-k"}});
    EXPECT_EQ(result.guesses, 0u);
    EXPECT_EQ(result.verdict, check::Verdict::holds);
}

TEST(Raymond, Loss_of_a_message_is_not_survived) {
    const auto result = run({{"permits", "1"}, {"lose", "1"}});
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.at(0).property, "answers-kept");
}

// The counter form needs exactly-once delivery (semaphore.md, erratum 8).
TEST(Raymond, A_duplicated_reply_is_noticed) {
    EXPECT_EQ(run({{"permits", "1"}, {"duplicate", "1"}}).verdict, check::Verdict::violated);
    const auto unsafe =
        run({{"permits", "2"}, {"requests", "2"}, {"duplicate", "1"}, {"property", "at-most-k"}});
    ASSERT_EQ(unsafe.verdict, check::Verdict::violated);
    EXPECT_EQ(unsafe.violations.at(0).property, "at-most-k");
}

}  // namespace
