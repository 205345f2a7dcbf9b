// Naimi and Trehel's lock under the checker, with exact state counts. A changed count is a changed protocol,
// world or reduction: it needs its reason in the commit.
#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

class NaimiTrehelHolds : public testing::TestWithParam<Pinned> {};

TEST_P(NaimiTrehelHolds, With_the_pinned_number_of_states) {
    expect_holds("naimi-trehel", GetParam(), 5);
}

INSTANTIATE_TEST_SUITE_P(Small, NaimiTrehelHolds,
                         testing::Values(Pinned{"sites=2 requests=any", 21, 37},
                                         Pinned{"sites=3 requests=any", 350, 832},
                                         Pinned{"sites=3 requests=any links=fifo", 302, 686},
                                         Pinned{"sites=4 requests=1", 1476, 3352},
                                         Pinned{"sites=4 requests=any", 10764, 31740},
                                         Pinned{"sites=5 requests=1", 15456, 42000}));

TEST(NaimiTrehel, A_lost_or_copied_message_is_noticed) {
    for (const char* fault : {"lose=1", "duplicate=1"})
        EXPECT_EQ(run("naimi-trehel", std::string("sites=2 ") + fault).verdict, check::Verdict::violated);
}

}  // namespace
