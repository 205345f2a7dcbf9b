// The crash-tolerant semaphore under the checker: what holds, with exact state counts, and that every repair
// is needed. A changed count is a changed protocol, world or reduction: it needs its reason in the commit.
#include <gtest/gtest.h>

#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

class PermitsHold : public testing::TestWithParam<Pinned> {};

TEST_P(PermitsHold, With_the_pinned_number_of_states) {
    expect_holds("permits", GetParam(), 6);
}

INSTANTIATE_TEST_SUITE_P(Crashes, PermitsHold,
                         testing::Values(Pinned{"permits=1 crashes=2", 90325, 781128},
                                         Pinned{"permits=2 crashes=2", 209396, 2008677},
                                         Pinned{"permits=3 crashes=2", 175786, 1801297}));

INSTANTIATE_TEST_SUITE_P(LargeCrashes, PermitsHold,
                         testing::Values(Pinned{"permits=1 crashes=2 trust=sparse", 549533, 6055374},
                                         Pinned{"permits=2 crashes=2 trust=sparse", 1540030, 18592532},
                                         Pinned{"permits=3 crashes=2 trust=sparse", 1590714, 20839167},
                                         Pinned{"permits=1 crashes=2 trust=sparse anchor=2", 542027,
                                                5992537}));

INSTANTIATE_TEST_SUITE_P(AskingAgain, PermitsHold,
                         testing::Values(Pinned{"sites=2 requests=any", 68, 221},
                                         Pinned{"sites=3 requests=any start-up=off", 1676, 11807}));

INSTANTIATE_TEST_SUITE_P(Leaving, PermitsHold,
                         testing::Values(Pinned{"permits=1 leaves=1 crashes=1", 195497, 1689320}));

INSTANTIATE_TEST_SUITE_P(LargeStarting, PermitsHold,
                         testing::Values(Pinned{"permits=1 crashes=2 trust=sparse starts=on", 549533,
                                                6055374}));

// Open groups hold in small instances only.
class PermitsOpenHold : public testing::TestWithParam<Pinned> {};

TEST_P(PermitsOpenHold, With_the_pinned_number_of_states) {
    expect_holds("permits-open", GetParam(), 6);
}

INSTANTIATE_TEST_SUITE_P(ComingAndGoing, PermitsOpenHold,
                         testing::Values(Pinned{"founders=1 permits=1 crashes=2", 160922, 1441318}));

INSTANTIATE_TEST_SUITE_P(LargeComingAndGoing, PermitsOpenHold,
                         testing::Values(Pinned{"founders=2 permits=1 crashes=2", 506112, 4802589},
                                         Pinned{"founders=2 permits=2 crashes=2", 707381, 7377103}));

// Every start ends, unless a crash takes away the last one who could have told a newcomer of a death.
INSTANTIATE_TEST_SUITE_P(Starting, PermitsOpenHold,
                         testing::Values(Pinned{"founders=1 permits=2 starts=on", 18126, 182729},
                                         Pinned{"founders=2 permits=2 starts=on", 41675, 433976}));

INSTANTIATE_TEST_SUITE_P(LargeSeveralUnits, PermitsHold,
                         testing::Values(Pinned{"permits=3 max-request=2 crashes=2", 835016, 8332217},
                                         Pinned{"permits=3 max-request=3 crashes=1", 877791, 8108298}));

INSTANTIATE_TEST_SUITE_P(LargeBadLinks, PermitsHold,
                         testing::Values(Pinned{"sites=2 duplicate=2 lose=2 requests=2", 2617889, 17745771}));

// What is published and wrong, and which property shows it.
struct Broken {
    const char* protocol;
    const char* parameters;
    const char* property;
};

void PrintTo(const Broken& broken, std::ostream* out) {
    *out << broken.protocol << " " << broken.parameters;
}

class Defect : public testing::TestWithParam<Broken> {};

TEST_P(Defect, Is_found_and_replays) {
    const auto result = run(GetParam().protocol, GetParam().parameters);
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.at(0).property, GetParam().property);
    EXPECT_TRUE(result.violations.at(0).replayed);
}

INSTANTIATE_TEST_SUITE_P(
    Permits, Defect,
    testing::Values(
        Broken{"permits", "sites=2 crashes=1 without=apply-crash", "deadlock"},
        Broken{"permits", "sites=4 requests=0,0,0,1 crashes=2 trust=sparse start-up=off without=relay",
               "deadlock"},
        Broken{"permits", "sites=2 requests=2 without=advance-clock", "fences-grow"},
        Broken{"permits", "sites=2 crashes=1 early-crashes=on trust=sparse anchor=none", "deadlock"},
        Broken{"permits", "sites=2 lies=1 property=at-most-k", "at-most-k"}));

INSTANTIATE_TEST_SUITE_P(
    PermitsOpen, Defect,
    testing::Values(
        Broken{"permits-open", "permits=2 founders=2 without=join-barrier", "mutual"},
        Broken{"permits-open", "permits=2 founders=2 without=join-barrier property=at-most-k", "at-most-k"},
        Broken{"permits-open", "founders=2 requests=2 crashes=1 without=clock-in-crash", "fences-grow"},
        Broken{"permits-open", "founders=1 crashes=2 without=dead-by-word", "fences-grow"},
        Broken{"permits-open", "founders=2 requests=0,0,1 crashes=1 starts=on", "deadlock"}));

INSTANTIATE_TEST_SUITE_P(
    Published, Defect,
    testing::Values(
        Broken{"permits-published", "sites=2", "deadlock"},
        Broken{"permits-published", "sites=2 start-up=off with=count-first,send-at-once", "deadlock"},
        Broken{"permits-published", "sites=2 start-up=off with=stamp-first", "deadlock"},
        Broken{"permits-published", "sites=2 start-up=off with=stamp-first,count-first,apply-crash crashes=1",
               "deadlock"},
        Broken{"permits-published", "sites=2 start-up=off with=stamp-first,send-at-once crashes=1",
               "deadlock"},
        Broken{"permits-published", "sites=2 start-up=off with=stamp-first,send-at-once duplicate=1",
               "deadlock"},
        Broken{
            "permits-published",
            "permits=2 requests=2 start-up=off with=stamp-first,send-at-once duplicate=1 property=at-most-k",
            "at-most-k"}));

// Section 6: with atomic handlers the listing is safe, and with erratum 1 repaired it serves, too.
TEST(LargePermitsPublished, Is_right_where_handlers_are_atomic_and_the_detector_counts_itself) {
    for (const char* permits : {"1", "2", "3"}) {
        const std::string instance = std::string("start-up=off crashes=2 permits=") + permits;
        EXPECT_EQ(
            run("permits-published", instance + " with=stamp-first,send-at-once property=at-most-k").verdict,
            check::Verdict::holds);
        EXPECT_EQ(run("permits-published", instance + " with=stamp-first,send-at-once,apply-crash").verdict,
                  check::Verdict::holds);
    }
}

// Each crash that nobody can detect costs a permit; k of them block everybody (erratum 6).
TEST(Permits, Survive_fewer_than_k_crashes_that_nobody_detects) {
    const std::string instance = "permits=2 start-up=off trust=sparse anchor=none crashes=";
    EXPECT_EQ(run("permits", instance + "1").verdict, check::Verdict::holds);
    EXPECT_EQ(run("permits", instance + "2").verdict, check::Verdict::violated);
}

TEST(Permits, Taking_replies_at_once_changes_no_verdict) {
    for (const char* permits : {"1", "2", "3"})
        for (const char* crashes : {"0", "1", "2"}) {
            const std::string instance =
                std::string("start-up=off permits=") + permits + " crashes=" + crashes;
            const auto reduced = run("permits", instance);
            const auto full = run("permits", instance + " full=on");
            EXPECT_EQ(reduced.verdict, check::Verdict::holds) << instance;
            EXPECT_EQ(full.verdict, check::Verdict::holds) << instance;
            EXPECT_LT(reduced.states, full.states);
        }
}

}  // namespace
