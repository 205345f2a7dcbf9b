// A pool per host with agreed views under the checker: what holds, with exact state counts, and that each
// wrong variant of the specification (kinds, section 1.7) fails.
#include <gtest/gtest.h>

#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

constexpr std::size_t own_properties = 7;

class ViewsPoolHolds : public testing::TestWithParam<Pinned> {};

TEST_P(ViewsPoolHolds, With_the_pinned_number_of_states) {
    expect_holds("views-pool", GetParam(), own_properties);
}

// Without a controller the worlds are fewer; the specification explores most faults so, too.
INSTANTIATE_TEST_SUITE_P(
    WithoutController, ViewsPoolHolds,
    testing::Values(Pinned{"sites=3 tree=chain units=1 stage=priority crashes=1", 29'935, 115'392},
                    Pinned{"sites=3 tree=chain units=1 stage=priority crashes=2", 43'775, 215'395}));

INSTANTIATE_TEST_SUITE_P(
    WithController, ViewsPoolHolds,
    testing::Values(Pinned{"sites=2 units=1 modulus=2 resend=off crashes=1", 5'472, 15'472},
                    Pinned{"sites=2 units=1 modulus=2 resend=off pacing=on crashes=1", 27'976, 89'482}));

INSTANTIATE_TEST_SUITE_P(
    SeveralProgramsPerHost, ViewsPoolHolds,
    testing::Values(
        Pinned{"sites=2 units=1 stage=priority seats=2 seat-requests=any requests=any", 1'540, 5'214},
        Pinned{"sites=2 units=2 stage=priority seats=2 crashes=1", 11'560, 49'718},
        Pinned{"sites=2 units=2 max-request=2 stage=priority seats=2 crashes=1", 28'148, 128'704}));

INSTANTIATE_TEST_SUITE_P(Resizing, ViewsPoolHolds,
                         testing::Values(Pinned{"sites=2 founders=1 units=2 resize=1 stage=priority", 428,
                                                905}));

struct Wrong {
    const char* row;  // of section 1.7
    const char* without;
    const char* flags;
    const char* property;
    std::size_t steps;  // of the shortest counterexample, without a loop
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
    *out << wrong.row << " " << wrong.without;
}

class WrongPool : public testing::TestWithParam<Wrong> {};

TEST_P(WrongPool, Fails) {
    const Wrong& wrong = GetParam();
    const auto result = run(
        "views-pool", std::string(wrong.flags) + " without=" + wrong.without + " property=" + wrong.property);
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.front().property, wrong.property);
    EXPECT_TRUE(result.violations.front().replayed);
    EXPECT_EQ(result.violations.front().steps.size(), wrong.steps);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, WrongPool,
    testing::Values(
        Wrong{"P1", "park-anew",
              "sites=3 tree=chain units=1 modulus=2 resend=off census=on crashes=1 requests=1,1,0",
              "at-most-l", 23},
        Wrong{"P2", "numbered-messages",
              "sites=3 tree=chain units=1 modulus=2 resend=off census=on crashes=1 requests=1,1,0",
              "deadlock", 8},
        Wrong{"P3", "hold-off", "sites=2 units=1 stage=priority expulsions=1", "at-most-l", 6},
        Wrong{"P4", "numbered-messages", "sites=3 tree=chain units=1 stage=priority crashes=1", "at-most-l",
              16},
        Wrong{"P5", "count-own-users",
              "sites=3 tree=chain units=1 modulus=2 resend=off crashes=1 requests=1,1,0", "no-surplus", 18},
        Wrong{"P6", "fresh-number", "sites=3 tree=chain units=1 modulus=2 resend=off", "no-surplus", 5},
        Wrong{"P7", "make-unused", "sites=3 tree=chain units=1 stage=priority crashes=1 requests=1,1,0",
              "at-most-l", 17},
        Wrong{"P8", "count-alone",
              "sites=2 units=2 max-request=2 stage=priority seats=2 seat-units=2 crashes=1", "at-most-l", 6},
        Wrong{"P9", "keep-ends", "sites=3 tree=chain units=1 stage=priority crashes=1 requests=1,1,0",
              "starvation", 16},
        Wrong{"P10", "ask-beside-users",
              "sites=2 units=2 stage=priority seats=2 seat-requests=any requests=any", "one-epoch", 4},
        Wrong{"P11", "pass-when-served",
              "sites=2 units=2 max-request=2 stage=priority seats=2 seat-requests=any requests=any",
              "starvation", 6},
        Wrong{"P12", "freeze", "sites=3 tree=chain units=1 stage=priority crashes=1 requests=1,1,0",
              "claims-fit", 18}));

}  // namespace
