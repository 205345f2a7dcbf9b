// Whole hosts under the checker: what holds, and that each simpler design fails. The register is atomic and
// answers in its own time; clocks tick when every message of the tick before has arrived.
#include "host/cluster.hpp"

#include <gtest/gtest.h>

#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

constexpr std::size_t own_properties = 16;

class ClusterHolds : public testing::TestWithParam<Pinned> {};

TEST_P(ClusterHolds, With_so_many_states) {
    expect_holds("cluster", GetParam(), own_properties);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, ClusterHolds,
    testing::Values(Pinned{"sites=1 lease=2 backlog=1 programs=3 resources=2 program-requests=2", 14091,
                           35793},
                    Pinned{"lease=2 backlog=1", 2960, 7508}, Pinned{"lease=3 grace=1 backlog=1", 3446, 8814},
                    Pinned{"lease=2 backlog=1 permits=1", 21776, 60482}));

INSTANTIATE_TEST_SUITE_P(Surroundings, ClusterHolds,
                         testing::Values(Pinned{"lease=2 backlog=1 cancel=on", 7209, 19659},
                                         Pinned{"lease=2 backlog=1 cuts=1", 61310, 192579},
                                         Pinned{"lease=2 backlog=1 silence=2 crashes=1", 17656, 77755},
                                         Pinned{"lease=2 backlog=1 whims=1", 310801, 840840}));

// Nobody stops these programs, so two may use a lock. Fences tell them apart.
INSTANTIATE_TEST_SUITE_P(Fenced, ClusterHolds,
                         testing::Values(Pinned{"lease=2 backlog=1 cuts=1 fenced=on", 75014, 240297}));

// Nobody stops these programs either, and yet only one of them uses a lock.
INSTANTIATE_TEST_SUITE_P(Sticky, ClusterHolds,
                         testing::Values(Pinned{"lease=2 backlog=1 sticky=on", 16278, 36536},
                                         Pinned{"lease=2 backlog=1 sticky=on cancel=on", 69478, 160441},
                                         Pinned{"lease=2 backlog=1 sticky=on cuts=1", 371991, 1068365}));

// A timer may fire only while no message is in flight, so these runs say nothing about starvation.
const std::string safety =
    " property=one-user,at-most-k,fences-grow,kept-first,lease-holds,one-token,overtaken-seldom,free-at-once";

class ClusterIsSafe : public testing::TestWithParam<Pinned> {};

TEST_P(ClusterIsSafe, With_so_many_states) {
    const auto result = run("cluster", GetParam().flags + safety);
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_EQ(result.states, GetParam().states);
    EXPECT_EQ(result.transitions, GetParam().transitions);
}

INSTANTIATE_TEST_SUITE_P(Programs, ClusterIsSafe,
                         testing::Values(Pinned{"lease=2 backlog=1 daemon-deaths=1", 14166, 34481},
                                         Pinned{"lease=2 backlog=1 resources=0 permits=1 programs=2", 121883,
                                                311146}));

INSTANTIATE_TEST_SUITE_P(LargePrograms, ClusterIsSafe,
                         testing::Values(Pinned{"lease=2 backlog=1 daemon-deaths=1 silence=2 kernel=on",
                                                504532, 1284282}));

// The machine that holds the lock dies, and nobody gets it.
INSTANTIATE_TEST_SUITE_P(StickyCrashes, ClusterIsSafe,
                         testing::Values(Pinned{"lease=2 backlog=1 sticky=on silence=2 crashes=1", 82036,
                                                361676}));

// --- Every simpler design fails.

struct Simpler {
    const char* flags;
    const char* property;
};

void PrintTo(const Simpler& simpler, std::ostream* out) {
    *out << simpler.flags;
}

class SimplerHost : public testing::TestWithParam<Simpler> {};

TEST_P(SimplerHost, Fails) {
    const auto [flags, property] = GetParam();
    const auto result =
        run("cluster", std::string(flags) + " lease=2 backlog=1 property=" + std::string(property));
    EXPECT_EQ(result.verdict, check::Verdict::violated);
    ASSERT_FALSE(result.violations.empty());
    EXPECT_EQ(result.violations.front().property, property);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, SimplerHost,
    testing::Values(Simpler{"without=hold-off whims=1", "one-user"},
                    Simpler{"without=certify-own whims=1", "one-user"},
                    Simpler{"without=prove-quiet whims=1 crashes=1 restarts=1 "
                            "requests=1,0,0 programs=2",
                            "one-user"},
                    Simpler{"without=stop-old-life whims=1", "one-user"},
                    Simpler{"without=numbered-messages whims=1", "fences-grow"},
                    Simpler{"without=whole-hold-off whims=1 daemon-deaths=1", "one-user"},
                    Simpler{"without=stop-in-time whims=1 daemon-deaths=1", "one-user"},
                    Simpler{"without=report-adopted daemon-deaths=1", "one-user"},
                    Simpler{"without=await-programs daemon-deaths=1 kernel=on silence=2", "one-user"},
                    Simpler{"without=grant-in-time cuts=1", "lease-holds"},
                    Simpler{"without=keep-first sticky=on", "kept-first"},
                    Simpler{"without=free-last sticky=on", "kept-first"},
                    Simpler{"without=hold-for-absent sticky=on silence=2 crashes=1", "kept-first"},
                    Simpler{"without=locks-first permits=1", "starvation"},
                    Simpler{"without=return-on-end permits=1", "starvation"}));

}  // namespace
