// Locks taken one by one, under the checker, with exact state counts. A changed count is a changed protocol,
// world or reduction: it needs its reason in the commit.
#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

class IncrementalHolds : public testing::TestWithParam<Pinned> {};

TEST_P(IncrementalHolds, With_the_pinned_number_of_states) {
    expect_holds("incremental", GetParam(), 6);
}

// Without fences, and with resources known from the start, the three with FIFO links have exactly the 73,986,
// 57,890 and 29,709 states of multilock.md, section 7.
INSTANTIATE_TEST_SUITE_P(Small, IncrementalHolds,
                         testing::Values(Pinned{"sites=3 resources=2 requests=2 links=fifo", 313705, 730397},
                                         Pinned{"sites=4 resources=2 links=fifo", 78022, 190530},
                                         Pinned{"sites=3 resources=3 links=fifo", 46582, 95078}));

INSTANTIATE_TEST_SUITE_P(Unordered, IncrementalHolds,
                         testing::Values(Pinned{"sites=3 resources=1 requests=any", 384, 926},
                                         Pinned{"sites=3 resources=2 requests=2", 325631, 800383},
                                         Pinned{"sites=4 resources=2", 80350, 208524},
                                         Pinned{"sites=3 resources=3", 46978, 101990}));

// Fences of different resources drift apart, though nobody compares them.
TEST(Incremental, Holds_with_any_number_of_requests_for_two_resources) {
    const auto result = run("incremental", "sites=2 resources=2 requests=any");
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_GT(result.guesses, 0u);
}

TEST(Incremental, A_lost_or_copied_message_is_noticed) {
    for (const char* fault : {"lose=1", "duplicate=1"})
        EXPECT_EQ(run("incremental", std::string("sites=2 ") + fault).verdict, check::Verdict::violated);
}

TEST(Incremental, Demands_are_all_sets_up_to_the_largest_size) {
    const auto largest = [](const std::string& size) {
        return run("incremental", "sites=2 resources=3 max-request=" + size).states;
    };
    EXPECT_EQ(largest("0"), largest("3"));
    EXPECT_LT(largest("2"), largest("3"));
    EXPECT_LT(largest("1"), largest("2"));
}

}  // namespace
