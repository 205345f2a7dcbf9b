// Devices with agreed views under the checker: what holds, with exact state counts, and that each wrong
// variant of the specification (kinds, section 3.5) fails.
#include "protocols/agreement/views_devices.hpp"

#include <gtest/gtest.h>

#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

class ViewsDevicesHold : public testing::TestWithParam<Pinned> {};

TEST_P(ViewsDevicesHold, With_the_pinned_number_of_states) {
    expect_holds("views-devices", GetParam(), ViewsDevices::model.properties->size());
}

// Section 3.4: host 0 asks for r0 and r1, host 1 for r1 and r0, host 2 for r0.
INSTANTIATE_TEST_SUITE_P(
    Crashes, ViewsDevicesHold,
    testing::Values(Pinned{"wants=r0,r1;r1,r0;r0 crashes=1", 5'214, 14'138},
                    Pinned{"wants=r0,r1;r1,r0;r0 crashes=2", 12'663, 43'633},
                    Pinned{"wants=r0,r1;r1,r0;r0 crashes=1 requests=2", 36'628, 109'370},
                    Pinned{"wants=r0,r1;r1,r0;r0 crashes=1 cancel=on", 20'251, 67'273},
                    Pinned{"wants=r0,r1/r0/r1;r0,r1/r0/r1;r0 crashes=1", 24'766, 70'357},
                    Pinned{"resources=3 wants=r0,r1;r1,r2;r2,r0 crashes=1", 5'418, 14'756},
                    Pinned{"sites=2 wants=r0,r1;r1,r0 crashes=1 restarts=1 orphans=on", 3'261, 8'956}));

INSTANTIATE_TEST_SUITE_P(ComingAndGoing, ViewsDevicesHold,
                         testing::Values(Pinned{"wants=r0,r1;r1,r0;r0 founders=2", 8'597, 35'121},
                                         Pinned{"wants=r0,r1;r1,r0;r0 founders=2 crashes=1", 60'619, 253'958},
                                         Pinned{"sites=2 wants=r0,r1;r1,r0 expulsions=1", 1'879, 4'845},
                                         Pinned{"sites=2 wants=r0,r1;r1,r0 expulsions=1 founders=1", 6'279,
                                                17'445}));

// Devices that go and come back with their hosts.
INSTANTIATE_TEST_SUITE_P(
    BoundDevices, ViewsDevicesHold,
    testing::Values(Pinned{"wants=r0,r1;r1,r0;r0 bound=r0:2 crashes=1", 5'139, 14'040},
                    Pinned{"resources=3 wants=r0,r1;r1,r2;r2,r0 bound=r2:2 crashes=1", 5'502, 15'136},
                    Pinned{"sites=2 wants=r0,r1;r1,r0 bound=r0:1 crashes=1 restarts=1", 2'809, 7'694},
                    Pinned{"sites=2 wants=r0,r1;r1,r0 bound=r0:1 expulsions=1", 1'810, 4'688}));

INSTANTIATE_TEST_SUITE_P(
    SeveralProgramsPerHost, ViewsDevicesHold,
    testing::Values(
        Pinned{"sites=2 seats=2 wants=r0,r1/r1;r0 crashes=1", 1'586, 3'903},
        Pinned{"sites=2 seats=2 wants=r0,r1/r1;r0 lapses=1", 1'732, 5'266},
        Pinned{"sites=2 seats=2 seat-requests=1,0 wants=r0,r1/r0;r0,r1 bound=r0:1 crashes=1 restarts=1",
               40'330, 136'837}));

// Void messages are left out of the worlds; with them there are more worlds, and the verdict is the same.
TEST(ViewsDevices, Hold_with_void_messages_too) {
    expect_holds("views-devices", Pinned{"wants=r0,r1;r1,r0;r0 crashes=1 normalise=off", 7'532, 20'951},
                 ViewsDevices::model.properties->size());
}

struct Wrong {
    const char* without;
    const char* flags;
    const char* property;
    std::size_t steps;  // of the shortest counterexample
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
    *out << wrong.without << " " << wrong.property;
}

class WrongDevices : public testing::TestWithParam<Wrong> {};

TEST_P(WrongDevices, Fail) {
    const Wrong& wrong = GetParam();
    const auto result = run("views-devices", std::string(wrong.flags) + " without=" + wrong.without +
                                                 " property=" + wrong.property);
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.front().property, wrong.property);
    EXPECT_TRUE(result.violations.front().replayed);
    EXPECT_EQ(result.violations.front().steps.size(), wrong.steps);
}

INSTANTIATE_TEST_SUITE_P(
    Rebuilding, WrongDevices,
    testing::Values(Wrong{"keep-users", "wants=r0 founders=2", "one-user", 9},  // B1
                    Wrong{"report-lost", "sites=2 wants=r0 bound=r0:1 crashes=1 restarts=1", "one-user",
                          13},                                                             // B3
                    Wrong{"ask-again", "wants=r0,r1;r1,r0;r0 crashes=1", "deadlock", 10},  // B4
                    Wrong{"fail-lost", "wants=r0,r1;r1,r0;r0 bound=r0:2 crashes=1", "deadlock", 9}));

INSTANTIATE_TEST_SUITE_P(
    Views, WrongDevices,
    testing::Values(
        Wrong{"numbered-messages", "wants=r0,r1;r1,r0;r0 crashes=1", "one-user", 13},                  // B2
        Wrong{"numbered-messages", "wants=r0,r1;r1,r0;r0 crashes=1", "deadlock", 13},                  // B2
        Wrong{"keep-ends", "wants=r0,r1;r1,r0;r0 crashes=1", "deadlock", 13},                          // B5
        Wrong{"hold-off", "wants=r0,r1;r1,r0;r0 expulsions=1", "one-user", 8},                         // B6
        Wrong{"refuse-late", "wants=r0,r1;r1,r0;r0 crashes=1 restarts=1 orphans=on", "one-user", 15},  // B6
        Wrong{"report-adopted", "wants=r0,r1;r1,r0;r0 crashes=1 restarts=1 orphans=on", "one-user", 13},
        Wrong{"refuse-stale", "sites=2 wants=r0,r1;r1,r0 crashes=2 restarts=2 orphans=on", "one-user", 15},
        Wrong{"freeze", "wants=r0,r1;r1,r0;r0 crashes=1", "one-claim", 12},                    // B7
        Wrong{"freeze", "wants=r0,r1;r1,r0;r0 founders=2 crashes=1", "one-user", 11},          // B7
        Wrong{"stay-frozen", "wants=r0 founders=2 crashes=1 requests=2,1,1", "one-user", 11},  // B7
        Wrong{"all-reports", "wants=r0 founders=2", "one-user", 7},
        Wrong{"remember-missing", "wants=r0 expulsions=2", "one-user", 8},
        Wrong{"cold-start", "sites=2 wants=r0 expulsions=1 crashes=1 restarts=1", "one-user", 7}));

INSTANTIATE_TEST_SUITE_P(
    Fences, WrongDevices,
    testing::Values(Wrong{"fence-by-view", "wants=r0,r1;r1,r0;r0 crashes=1", "fences-grow", 11},
                    Wrong{"agreed-numbers", "wants=r0,r1;r1,r0;r0 founders=2 crashes=1", "fences-grow", 22},
                    Wrong{"count-grants", "wants=r0,r1;r1,r0;r0", "fences-grow", 1}));

}  // namespace
