// Permits per host under the checker: what holds, with exact state counts, and that each rule is needed.
#include <gtest/gtest.h>

#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

class HostPermitsHold : public testing::TestWithParam<Pinned> {};

TEST_P(HostPermitsHold, With_the_pinned_number_of_states) {
    expect_holds("host-permits", GetParam(), 7);
}

INSTANTIATE_TEST_SUITE_P(OneProgramPerHost, HostPermitsHold,
                         testing::Values(Pinned{"sites=3", 2101, 5545},
                                         Pinned{"sites=3 permits=2", 7310, 22827},
                                         Pinned{"sites=3 permits=2 max-request=2", 42186, 122667},
                                         Pinned{"sites=4 permits=2 requests=1,1,1,0", 80052, 356573},
                                         Pinned{"sites=2 permits=1 requests=any", 378, 675}));

INSTANTIATE_TEST_SUITE_P(
    SeveralProgramsPerHost, HostPermitsHold,
    testing::Values(Pinned{"sites=2 permits=2 seats=2", 6736, 15369},
                    Pinned{"sites=2 permits=2 max-request=2 seats=2 seat-units=2 cancel=on", 26234, 74677},
                    Pinned{"sites=3 permits=2 seats=2 seat-requests=1,0", 171174, 580137},
                    Pinned{"sites=2 permits=3 seats=3 seat-requests=1,0", 6742, 17115}));

// Section 4.5, S10.
TEST(HostPermits, Count_all_seats_of_a_host_that_has_not_answered) {
    const auto result =
        run("host-permits", "sites=2 permits=2 seats=2 without=bound-all-seats property=at-most-k");
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.front().property, "at-most-k");
}

TEST(HostPermits, Say_again_how_many_units_go_first) {
    const auto result = run("host-permits", "sites=2 permits=2 seats=2 without=defer-again");
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.front().property, "served-at-rest");
}

}  // namespace
