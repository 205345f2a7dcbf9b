// The register under the checker: the sizes of its specification (register, section 11), and that each wrong
// variant (section 10) fails. The specification counts worlds without nacks, and so do most of these runs.
#include "protocols/agreement/register.hpp"

#include <gtest/gtest.h>

#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

constexpr std::size_t own_properties = 7;

struct Size {
    const char* flags;
    std::uint64_t states;
};

void PrintTo(const Size& size, std::ostream* out) {
    *out << size.flags;
}

class RegisterHolds : public testing::TestWithParam<Size> {};

TEST_P(RegisterHolds, With_the_pinned_number_of_states) {
    const auto result = run("register", GetParam().flags);
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_EQ(result.states, GetParam().states);
    EXPECT_TRUE(result.unchecked.empty());
    EXPECT_EQ(result.checked.size(), own_properties + 5);
}

INSTANTIATE_TEST_SUITE_P(
    Voters, RegisterHolds,
    testing::Values(Size{"nacks=off links=lossy sites=5 voters=3 scripts=-,-,-,C,C ballots=1", 7'624},
                    Size{"nacks=off links=lossy sites=5 voters=3 scripts=-,-,-,C,C ballots=2", 292'094},
                    Size{"nacks=off links=lossy sites=5 voters=3 scripts=-,-,-,I,I ballots=2", 404'975},
                    Size{"nacks=off links=lossy sites=5 voters=3 scripts=-,-,-,C,Q ballots=2", 558'923},
                    Size{"nacks=off links=fifo sites=5 voters=3 scripts=-,-,-,C,C ballots=2", 242'804},
                    Size{"nacks=off links=lossy sites=3 voters=1 scripts=-,C,C ballots=2", 631},
                    Size{"nacks=off links=lossy sites=4 voters=2 scripts=-,-,C,C ballots=3", 46'815},
                    Size{"nacks=off links=lossy sites=6 voters=4 scripts=-,-,-,-,C,C ballots=1", 66'433},
                    Size{"nacks=off links=lossy sites=3 voters=3 scripts=C ballots=1", 25'075},
                    Size{"sites=3 voters=3 scripts=C,C,- ballots=1", 8'165}));

// An operation that was disturbed looks whether it has ended, before it disturbs others in turn.
INSTANTIATE_TEST_SUITE_P(
    Looks, RegisterHolds,
    testing::Values(Size{"nacks=off links=lossy sites=3 scripts=C,-,C ballots=2 looks=1", 319'480},
                    Size{"nacks=off links=lossy sites=3 scripts=C,-,Q ballots=2 looks=1", 334'333},
                    Size{"nacks=off links=lossy sites=3 voters=1 scripts=S,-,C ballots=2 looks=1", 904}));

INSTANTIATE_TEST_SUITE_P(
    Disks, RegisterHolds,
    testing::Values(
        Size{"nacks=off links=fifo sites=3 scripts=C,-,C ballots=2 crashes=1 restarts=1", 339'817},
        Size{"nacks=off links=lossy sites=3 scripts=C,-,C ballots=1 crashes=1 restarts=1 writes=late",
             768'793}));

// Three guards keep an old promise from the next incarnation of a proposer: ballots differ, voters promise no
// ballot twice, and links end with an incarnation. With unique ballots the links do not matter, and with
// strict promises and such links the ballots may be equal.
INSTANTIATE_TEST_SUITE_P(
    Incarnations, RegisterHolds,
    testing::Values(
        Size{"nacks=off links=lossy sites=4 scripts=-,-,-,C ballots=1 crashes=1 restarts=1 strays=on",
             11'561},
        Size{"nacks=off links=lossy sites=4 scripts=-,-,-,C ballots=1 crashes=1 restarts=1 strays=on "
             "without=strict-promises",
             130'433},
        Size{"nacks=off links=lossy sites=4 scripts=C,-,-,C ballots=1 crashes=1 restarts=1 "
             "without=unique-ballots",
             61'985}));

INSTANTIATE_TEST_SUITE_P(
    Generations, RegisterHolds,
    testing::Values(
        Size{"nacks=off links=lossy sites=4 voters=1 scripts=-,-,S,C ballots=2", 1'671},
        Size{"nacks=off links=lossy sites=4 scripts=S,-,-,C ballots=1", 22'183},
        Size{"nacks=off links=lossy sites=6 shift=3 scripts=S,-,-,C,-,- ballots=2", 472'786},
        Size{"nacks=off links=lossy sites=4 scripts=SC,-,-,R ballots=1 requests=2,0,0,1", 215'299},
        Size{"nacks=off links=lossy sites=4 scripts=SI,-,-,I ballots=1 requests=2,0,0,1", 229'057},
        Size{"sites=3 voters=1 scripts=S,-,Q ballots=1 crashes=1 restarts=1 lone-runs=on", 8'998}));

// A voter that was down when it was formatted would stop the register for ever.
TEST(Register, Stands_still_if_nobody_formats_a_voter_again) {
    const auto result = run("register",
                            "sites=3 voters=1 scripts=S,-,Q ballots=1 crashes=1 restarts=1 lone-runs=on "
                            "without=format-again property=ends-alone");
    EXPECT_EQ(result.verdict, check::Verdict::violated);
}

// --- Forgetting dead messages changes no verdict.

TEST(Register, Holds_where_no_message_is_forgotten) {
    const auto result =
        run("register", "nacks=off links=lossy sites=5 scripts=-,-,-,C,C ballots=1 normalise=off");
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_EQ(result.states, 34'505);
}

TEST(Register, Holds_with_two_seals_where_no_message_is_forgotten) {
    const std::string seals =
        "nacks=off links=lossy sites=4 voters=1 scripts=-,-,SS,C seals=2 requests=0,0,2,1 ";
    EXPECT_EQ(run("register", seals).states, 1'196);
    const auto result = run("register", seals + "normalise=off");
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_EQ(result.states, 1'417);
}

// A promise of a former voter says nothing about the values of newer voters.
TEST(Register, Counts_no_answer_of_former_voters_when_it_hears_of_newer_ones) {
    using namespace agreement;
    const Register::Self self{.host = 4, .incarnation = 0, .rules = {}};
    Register proposer;
    RegisterEffects fx;
    proposer.start(self, founders(3), true, fx);
    proposer.begin(self, Operation::change, {}, {}, fx);
    const Ballot ballot = std::get<Prepare>(fx.sends.front().message).ballot;
    proposer.use({2, {{3, 1}}});
    fx = {};
    proposer.receive(self, 0, Promise{ballot, {}, {}}, fx);
    EXPECT_TRUE(fx.sends.empty());
    proposer.retry(self, fx);
    ASSERT_EQ(fx.sends.size(), 1u);
    EXPECT_EQ(fx.sends.front().to, SiteId(3));
    EXPECT_TRUE(std::holds_alternative<Prepare>(fx.sends.front().message));
}

// --- Every wrong variant fails.

struct Variant {
    const char* without;
    const char* flags;
    const char* property;
    std::size_t steps;
};

void PrintTo(const Variant& variant, std::ostream* out) {
    *out << variant.without;
}

class WrongVariant : public testing::TestWithParam<Variant> {};

TEST_P(WrongVariant, Fails) {
    const Variant& variant = GetParam();
    const auto result = run("register", std::string("nacks=off links=lossy ") + variant.flags +
                                            " without=" + variant.without + " property=" + variant.property);
    EXPECT_EQ(result.verdict, check::Verdict::violated);
    ASSERT_EQ(result.violations.size(), 1u);
    EXPECT_EQ(result.violations.front().property, variant.property);
    EXPECT_EQ(result.violations.front().steps.size(), variant.steps);
}

INSTANTIATE_TEST_SUITE_P(
    Section10, WrongVariant,
    testing::Values(
        Variant{"majority-reads", "sites=3 scripts=C,C,G ballots=1", "never-older", 6},  // row 1
        Variant{"confirmed-reads", "sites=3 scripts=C,C,G ballots=1", "one-value", 10},  // row 2
        Variant{"one-ballot", "sites=3 scripts=C,C,G ballots=2", "one-value", 17},       // row 3
        Variant{"sync-first", "sites=3 scripts=C,-,C ballots=1 writes=late crashes=1 restarts=1", "one-value",
                11},  // row 4
        Variant{"known-disks", "sites=3 scripts=C,-,C ballots=1 crashes=1 restarts=1 lost-disks=1",
                "one-value", 11},  // row 5
        Variant{"unique-ballots,strict-promises", "sites=4 scripts=C,-,-,C ballots=1 crashes=1 restarts=1",
                "one-value", 13},  // row 7
        Variant{"unique-ballots", "sites=4 scripts=-,-,-,C ballots=1 crashes=1 restarts=1 strays=on",
                "one-value", 12},                                                              // row 8
        Variant{"majorities", "sites=4 voters=2 scripts=-,-,C,C ballots=1", "one-value", 10},  // row 9
        Variant{"majorities", "sites=6 voters=4 scripts=-,-,-,-,C,C ballots=1", "one-value", 17},
        Variant{"committed-seal", "sites=4 scripts=S,-,-,C ballots=2", "one-value", 16},          // row 10
        Variant{"seal", "sites=4 scripts=SI,-,-,I ballots=1 requests=2,0,0,1", "one-value", 22},  // row 11
        Variant{"sealed-reads", "sites=4 voters=1 scripts=-,-,SC,G ballots=1 requests=0,0,2,1", "never-older",
                15},  // row 12
        Variant{"synced-reads", "sites=3 scripts=C,-,G ballots=1 writes=late crashes=1 restarts=1",
                "one-value", 17}));  // row 18

// Section 5, of which a broken rule first shows in what voters have accepted and answered.
INSTANTIATE_TEST_SUITE_P(
    Section5, WrongVariant,
    testing::Values(
        Variant{"sync-first", "sites=3 scripts=C,-,- ballots=1 writes=late", "answers-written", 2},
        Variant{"known-disks", "sites=3 scripts=C,-,- ballots=1 crashes=1 restarts=1 lost-disks=1",
                "answers-written", 4},
        Variant{"unique-ballots,strict-promises", "sites=4 scripts=C,-,-,C ballots=1 crashes=1 restarts=1",
                "one-per-ballot", 13}));

INSTANTIATE_TEST_SUITE_P(Looks, WrongVariant,
                         testing::Values(Variant{"confirmed-reads", "sites=3 scripts=C,-,C ballots=2 looks=1",
                                                 "one-value", 10}));

}  // namespace
