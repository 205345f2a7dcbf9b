// The first start of a register under the checker (specification of the register, section 7): what holds,
// what each rule prevents, and what is not promised.
#include "protocols/agreement/bootstrap.hpp"

#include <gtest/gtest.h>

#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;
using agreement::VoterLists;

constexpr std::size_t own_properties = 1;

TEST(VoterLists, Name_all_sites_or_digits) {
    EXPECT_EQ(VoterLists().list(1, 2), (std::vector<SiteId>{0, 1}));
    EXPECT_EQ(VoterLists::parse("lists", "012")->list(1, 4), (std::vector<SiteId>{0, 1, 2}));
    EXPECT_EQ(VoterLists::parse("lists", "01,01,12")->list(2, 3), (std::vector<SiteId>{1, 2}));
    for (const char* wrong : {"", "0,,1", "10", "11", "0a", "all,all"})
        EXPECT_FALSE(VoterLists::parse("lists", wrong)) << wrong;
}

class BootstrapHolds : public testing::TestWithParam<Pinned> {};

TEST_P(BootstrapHolds, With_so_many_states) {
    expect_holds("bootstrap", GetParam(), own_properties);
}

// All starts end where no disk is lost; section 11: 0, 1 and 2 disks lost.
INSTANTIATE_TEST_SUITE_P(Sizes, BootstrapHolds,
                         testing::Values(Pinned{"starts=on", 306, 1362}, Pinned{"requests=0", 154, 654},
                                         Pinned{"requests=0 normalise=off", 40015, 256734},
                                         Pinned{"requests=0 sites=4 lists=012", 508, 2646},
                                         Pinned{"requests=0 crashes=1 restarts=1 lost-disks=1", 12121, 55515},
                                         Pinned{"requests=0 crashes=1 restarts=1 writes=late", 23170,
                                                100953}));

INSTANTIATE_TEST_SUITE_P(LargeSizes, BootstrapHolds,
                         testing::Values(Pinned{"requests=0 crashes=2 restarts=2 lost-disks=2", 493936,
                                                2596668}));

INSTANTIATE_TEST_SUITE_P(
    Lists, BootstrapHolds,
    testing::Values(Pinned{"requests=0 lists=01,01,12", 9, 14},
                    Pinned{"requests=0 lists=01,01,12 crashes=1 restarts=1 lost-disks=1", 435, 1058},
                    // Two steps protect even hosts that do not compare their lists, while no disk is lost.
                    Pinned{"requests=0 lists=01,01,12 without=same-list", 116, 388},
                    Pinned{"requests=0 lists=012 edited=12 crashes=2 restarts=2 lost-disks=1", 66778,
                           398471}));

struct Split {
    const char* flags;
    std::size_t steps;
};

void PrintTo(const Split& split, std::ostream* out) {
    *out << split.flags;
}

class BootstrapSplits : public testing::TestWithParam<Split> {};

TEST_P(BootstrapSplits, Into_two_registers) {
    const auto result = run("bootstrap", GetParam().flags + std::string(" requests=0"));
    EXPECT_EQ(result.verdict, check::Verdict::violated);
    ASSERT_FALSE(result.violations.empty());
    EXPECT_EQ(result.violations.front().property, "one-register");
    EXPECT_EQ(result.violations.front().steps.size(), GetParam().steps);
}

INSTANTIATE_TEST_SUITE_P(
    Row19, BootstrapSplits,
    testing::Values(Split{"without=two-steps crashes=1 restarts=1 lost-disks=1", 6},
                    Split{"lists=01,01,12 without=two-steps,same-list", 2},
                    Split{"lists=01,01,12 without=same-list crashes=1 restarts=1 lost-disks=1", 6}));

// The disks of all voters are lost, or two of three while the files are edited.
INSTANTIATE_TEST_SUITE_P(NotPromised, BootstrapSplits,
                         testing::Values(Split{"lists=01 crashes=2 restarts=2 lost-disks=2", 9},
                                         Split{"lists=012 edited=12 crashes=2 restarts=2 lost-disks=2", 11}));

}  // namespace
