// Rolled-back disks under the checker: voters that ask all hosts first stay right, and each weaker way splits
// (specification of the register, section 8 and row 6 of section 10).
#include "protocols/agreement/recall.hpp"

#include <gtest/gtest.h>

#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

constexpr std::size_t own_properties = 4;

class RecallHolds : public testing::TestWithParam<Pinned> {};

TEST_P(RecallHolds, With_so_many_states) {
    expect_holds("recall", GetParam(), own_properties);
}

INSTANTIATE_TEST_SUITE_P(Sizes, RecallHolds,
                         testing::Values(Pinned{
                             "voters=1 scripts=-,C,G anchor=2 crashes=2 restarts=2 restored-disks=1", 191264,
                             534557}));

INSTANTIATE_TEST_SUITE_P(
    LargeSizes, RecallHolds,
    testing::Values(Pinned{"scripts=C,G,- anchor=0 crashes=1 restarts=1 restored-disks=1", 2459867, 10964797},
                    Pinned{
                        "voters=1 scripts=-,C,G anchor=2 crashes=2 restarts=2 restored-disks=1 writes=late",
                        1672546, 5623477}));

// --- Every weaker way fails.

struct Weaker {
    const char* flags;
    std::size_t steps;  // of the shortest run in which a reader gets a value of the past
};

void PrintTo(const Weaker& weaker, std::ostream* out) {
    *out << weaker.flags;
}

class WeakerRecall : public testing::TestWithParam<Weaker> {};

TEST_P(WeakerRecall, Splits) {
    const auto result = run("recall", GetParam().flags);
    EXPECT_EQ(result.verdict, check::Verdict::violated);
    ASSERT_FALSE(result.violations.empty());
    EXPECT_EQ(result.violations.front().property, "never-older");
    EXPECT_EQ(result.violations.front().steps.size(), GetParam().steps);
}

INSTANTIATE_TEST_SUITE_P(
    Row6, WeakerRecall,
    testing::Values(
        Weaker{"scripts=C,G,- anchor=0 crashes=1 restarts=1 restored-disks=1 without=compare-ranks", 15},
        Weaker{"scripts=C,G,- anchor=0 crashes=1 restarts=1 restored-disks=1 without=ask-first", 11},
        Weaker{"scripts=G,C,- anchor=1 crashes=1 restarts=1 restored-disks=1 without=ask-all", 13},
        Weaker{"voters=1 scripts=-,C,G anchor=2 crashes=2 restarts=2 restored-disks=1 without=remember",
               17}));

// The specification does not have these rules.
INSTANTIATE_TEST_SUITE_P(
    Holes, WeakerRecall,
    testing::Values(
        Weaker{"scripts=C,G,- anchor=2 crashes=1 restarts=1 restored-disks=1 without=own-rank", 15},
        Weaker{"voters=1 scripts=-,C,G anchor=2 crashes=1 restarts=1 restored-disks=1 without=new-links", 15},
        Weaker{"voters=1 scripts=-,C,G anchor=2 crashes=2 restarts=2 restored-disks=1 writes=late "
               "without=write-first",
               19}));

// A second machine with a copy of a voter's disk never votes, and the first one no more when it is known.
INSTANTIATE_TEST_SUITE_P(Copied_disks, RecallHolds,
                         testing::Values(Pinned{"twin=on sites=4 founders=3 voters=1 scripts=-,C,G,-", 5226,
                                                23385}));
INSTANTIATE_TEST_SUITE_P(Copied_disks, WeakerRecall,
                         testing::Values(Weaker{
                             "twin=on sites=4 founders=3 scripts=-,C,G,- without=one-machine", 13}));

// A lone voter that proposes commits without a word to anybody, so nobody can remind it.
INSTANTIATE_TEST_SUITE_P(Lone_voter, WeakerRecall,
                         testing::Values(Weaker{
                             "voters=1 scripts=C,-,G anchor=2 crashes=1 restarts=1 restored-disks=1", 11}));

}  // namespace
