// The scheduler that knows everything, under the checker: nobody starves with `fifo`, somebody may with
// `fit`.
#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

class IdealHolds : public testing::TestWithParam<Pinned> {};

TEST_P(IdealHolds, With_the_pinned_number_of_states) {
    expect_holds("ideal", GetParam(), 3);
}

INSTANTIATE_TEST_SUITE_P(Small, IdealHolds,
                         testing::Values(Pinned{"sites=3 resources=2 requests=2 policy=fit", 192243, 572250},
                                         Pinned{"sites=3 resources=2 requests=2 policy=fifo", 198519, 581334},
                                         Pinned{"sites=4 resources=2 policy=fit", 46919, 134832},
                                         Pinned{"sites=4 resources=2 policy=fifo", 48791, 137568},
                                         Pinned{"sites=3 resources=1 requests=any policy=fifo", 220, 540}));

TEST(Ideal, Who_wants_much_may_starve_where_whoever_fits_goes_in) {
    const auto result = run("ideal", "sites=3 resources=2 requests=any policy=fit");
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.at(0).property, "starvation");
}

TEST(Ideal, Nobody_starves_where_who_waits_blocks_its_resources) {
    const auto result = run("ideal", "sites=3 resources=2 requests=any policy=fifo");
    EXPECT_TRUE(result.violations.empty());
}

}  // namespace
