// Locks through the control token, under the checker, with exact state counts. A changed count is a changed
// protocol, world or reduction: it needs its reason in the commit.
#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

class ControlTokenHolds : public testing::TestWithParam<Pinned> {};

TEST_P(ControlTokenHolds, With_the_pinned_number_of_states) {
    expect_holds("control-token", GetParam(), 6);
}

INSTANTIATE_TEST_SUITE_P(Passed, ControlTokenHolds,
                         testing::Values(Pinned{"sites=2 resources=2 requests=3", 27085, 52935},
                                         Pinned{"sites=3 resources=3", 87352, 188890},
                                         Pinned{"sites=4 resources=2", 279808, 768072},
                                         Pinned{"sites=4 resources=2 links=fifo", 275074, 738408}));

INSTANTIATE_TEST_SUITE_P(LargePassed, ControlTokenHolds,
                         testing::Values(Pinned{"sites=3 resources=2 requests=2", 1200680, 3229571}));

INSTANTIATE_TEST_SUITE_P(OtherReadings, ControlTokenHolds,
                         testing::Values(Pinned{"sites=4 resources=2 control=hold", 365692, 1007532},
                                         Pinned{"sites=4 resources=2 control=lock", 171040, 448224},
                                         Pinned{"sites=4 resources=2 control=section", 117376, 279132}));

INSTANTIATE_TEST_SUITE_P(
    LargeOtherReadings, ControlTokenHolds,
    testing::Values(Pinned{"sites=3 resources=2 requests=2 control=hold", 1629864, 4559107},
                    Pinned{"sites=3 resources=2 requests=2 control=lock", 669448, 1654271},
                    Pinned{"sites=3 resources=2 requests=2 control=section", 559024, 1319795}));

// Two inquiries for one resource may be under way to a site that was registered for it twice.
TEST(ControlToken, Inquiries_must_name_the_request_they_mean) {
    const auto result = run("control-token", "sites=3 resources=1 requests=2 without=numbered-inquiries");
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.at(0).property, "deadlock");
    EXPECT_TRUE(result.violations.at(0).replayed);
}

TEST(ControlToken, A_lost_or_copied_message_is_noticed) {
    for (const char* fault : {"lose=1", "duplicate=1"})
        EXPECT_EQ(run("control-token", std::string("sites=2 ") + fault).verdict, check::Verdict::violated);
}

}  // namespace
