// Leases over the register under the checker: what holds, and that each simpler design fails (specification
// of the register, sections 6, 10 and 11).
#include "protocols/agreement/leases.hpp"

#include <gtest/gtest.h>

#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

constexpr std::size_t own_properties = 2;

class LeasesHold : public testing::TestWithParam<Pinned> {};

TEST_P(LeasesHold, With_so_many_states) {
    expect_holds("leases", GetParam(), own_properties);
}

// Section 11: 3 voters and leases of 1, 2 and 3 ticks, through a peer, 4 voters.
INSTANTIATE_TEST_SUITE_P(Sizes, LeasesHold,
                         testing::Values(Pinned{"sites=2 voters=1", 56, 124},
                                         Pinned{"sites=2 voters=2", 255, 651},
                                         Pinned{"requests=1,1,0", 39290, 211317},
                                         Pinned{"requests=1,1,0 lease=2", 99200, 540840},
                                         Pinned{"requests=1,1,0 lease=3", 198810, 1089843},
                                         Pinned{"requests=1,1,0 through-peer=on", 56050, 307675},
                                         Pinned{"requests=1,1,0 copies=2", 43672, 230852}));

INSTANTIATE_TEST_SUITE_P(LargeSizes, LeasesHold,
                         testing::Values(Pinned{"requests=1,1,0,0 sites=4 voters=4", 1013120, 6650251}));

INSTANTIATE_TEST_SUITE_P(Surroundings, LeasesHold,
                         testing::Values(Pinned{"requests=1,1,0 nacks=on", 68196, 355196},
                                         Pinned{"requests=1,1,0 crashes=1", 78796, 538717},
                                         Pinned{"requests=1,1,0 renewals=0 lose=1", 12887, 68091},
                                         Pinned{"requests=1,1,0 renewals=0 cuts=1", 39160, 218296},
                                         Pinned{"requests=1,1,0 one-kernel=on crashes=1 orphans=on "
                                                "orphan-ticks=1",
                                                1544, 10410},
                                         Pinned{"one-kernel=on crashes=1 orphans=on orphan-ticks=2 grace=2",
                                                26203, 202993}));

INSTANTIATE_TEST_SUITE_P(LargeSurroundings, LeasesHold,
                         testing::Values(Pinned{"requests=1,1,0 skew=1 tolerance=1", 430850, 2554400}));

// The machine of a host may stand still for as many ticks as the hold-off exceeds the lease.
INSTANTIATE_TEST_SUITE_P(
    Pauses, LeasesHold,
    testing::Values(Pinned{"sites=2 voters=2 tolerance=1 pauses=1 pause-ticks=2", 2359, 6168},
                    Pinned{"requests=1,1,0 renewals=0 tolerance=1 pauses=1 pause-ticks=2", 71095, 299452},
                    Pinned{"sites=2 voters=1 skew=1 tolerance=2 pauses=1 pause-ticks=2", 1924, 5265}));

// --- Every simpler design fails.

struct Simpler {
    const char* flags;
    std::size_t steps;  // of the shortest run in which two programs overlap
};

void PrintTo(const Simpler& simpler, std::ostream* out) {
    *out << simpler.flags;
}

class SimplerLease : public testing::TestWithParam<Simpler> {};

TEST_P(SimplerLease, Overlaps) {
    const auto result = run("leases", GetParam().flags + std::string(" property=no-overlap"));
    EXPECT_EQ(result.verdict, check::Verdict::violated);
    ASSERT_FALSE(result.violations.empty());
    EXPECT_EQ(result.violations.front().property, "no-overlap");
    EXPECT_EQ(result.violations.front().steps.size(), GetParam().steps);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SimplerLease,
    testing::Values(Simpler{"sites=2 voters=2 without=majorities", 3},                   // row 9
                    Simpler{"requests=1,1,0,0 sites=4 voters=4 without=majorities", 9},  // row 9
                    Simpler{"requests=1,1,0 without=from-question", 9},                  // row 13
                    Simpler{"requests=1,1,0 without=whole-hold-off", 8},                 // row 13
                    Simpler{"requests=1,1,0 without=majority-reads", 7},                 // row 14
                    Simpler{"requests=1,1,0 without=known-disks crashes=1 restarts=1 lost-disks=1", 11},
                    Simpler{"requests=1,1,0 without=not-from-acceptance", 9},  // row 15
                    Simpler{"requests=1,1,0 without=not-from-proposal", 9},    // row 15
                    Simpler{"without=confirmed-reads", 10},                    // row 15
                    Simpler{"through-peer=on without=not-from-memory", 9},     // row 16
                    Simpler{"through-peer=on without=new-read", 12},           // row 16
                    Simpler{"requests=1,1,0 one-kernel=on crashes=1 orphans=on orphan-ticks=1 "
                            "without=programs-stop",
                            10},                                                           // row 17
                    Simpler{"requests=1,1,0 one-kernel=on without=certain-deaths", 10}));  // row 17

// The programs of a dead host live on for the whole grace.
INSTANTIATE_TEST_SUITE_P(
    Grace, SimplerLease,
    testing::Values(Simpler{"requests=1,1,0 one-kernel=on crashes=1 orphans=on orphan-ticks=2 grace=1", 11},
                    Simpler{"requests=1,1,0 one-kernel=on crashes=1 orphans=on orphan-ticks=1 "
                            "without=whole-hold-off",
                            10}));

// No hold-off allows for a longer pause.
INSTANTIATE_TEST_SUITE_P(Pauses, SimplerLease,
                         testing::Values(Simpler{"sites=2 voters=1 pauses=1", 8},
                                         Simpler{"sites=2 voters=1 tolerance=1 pauses=1 pause-ticks=3", 10},
                                         Simpler{"sites=2 voters=1 skew=1 tolerance=2 pauses=1 pause-ticks=3",
                                                 16}));

// A hold-off must allow for the difference of clocks, twice.
INSTANTIATE_TEST_SUITE_P(Clocks, SimplerLease,
                         testing::Values(Simpler{"requests=1,1,0 skew=1", 9},
                                         Simpler{"requests=1,1,0 skew=1 tolerance=1 without=whole-hold-off",
                                                 12}));

}  // namespace
