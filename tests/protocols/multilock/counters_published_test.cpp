// Locks by counters as printed: how the checker catches the listing, and that nothing is left to catch when
// every repair is on. What each repair is needed for, and beside which others, `allot errata --run` shows.
#include <gtest/gtest.h>

#include "protocols/multilock/published/counters.hpp"
#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

class CountersPublishedRepaired : public testing::TestWithParam<Pinned> {};

TEST_P(CountersPublishedRepaired, Holds_with_the_pinned_number_of_states) {
    expect_holds("counters-published", GetParam(), CountersPublished::model.properties->size());
}

INSTANTIATE_TEST_SUITE_P(Multilock, CountersPublishedRepaired,
                         testing::Values(Pinned{"with=all sites=2 requests=2", 12686, 18201},
                                         Pinned{"with=all loans=0", 17038, 30072},
                                         Pinned{"with=all", 24066, 44132},
                                         Pinned{"with=all requests=2,1,1", 318010, 617696}));

INSTANTIATE_TEST_SUITE_P(LargeMultilock, CountersPublishedRepaired,
                         testing::Values(Pinned{"with=all resources=3 loans=2", 441906, 873608}));

struct Caught {
    const char* flags;
    const char* property;
};

void PrintTo(const Caught& caught, std::ostream* out) {
    *out << caught.flags << " " << caught.property;
}

class CountersPublishedCaught : public testing::TestWithParam<Caught> {};

TEST_P(CountersPublishedCaught, With_a_run_that_replays) {
    const auto result =
        run("counters-published", std::string(GetParam().flags) + " property=" + GetParam().property);
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.at(0).property, GetParam().property);
    EXPECT_TRUE(result.violations.at(0).replayed);
}

INSTANTIATE_TEST_SUITE_P(Multilock, CountersPublishedCaught,
                         testing::Values(Caught{"", "not-to-itself"},  // E4: in 20 steps
                                         Caught{"", "contract"}, Caught{"loans=0", "contract"},
                                         Caught{"requests=2,1,1", "one-token"},
                                         Caught{"requests=2,1,1", "used-with-token"},
                                         Caught{"requests=2,1,1", "one-holder"},
                                         Caught{"requests=2,1,1", "deadlock"}));

TEST(CountersPublished, Is_first_caught_by_a_token_that_comes_back_as_its_own_loan) {
    const auto result = run("counters-published", "");
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.at(0).property, "not-to-itself");
    EXPECT_EQ(result.violations.at(0).steps.size(), 19u);
}

TEST(CountersPublished, With_one_resource_nothing_is_caught) {
    EXPECT_EQ(run("counters-published", "resources=1 requests=2,1,1").verdict, check::Verdict::holds);
}

}  // namespace
