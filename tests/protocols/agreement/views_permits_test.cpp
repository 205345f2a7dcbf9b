// Permits per host with agreed views under the checker: what holds, with exact state counts, and that each
// wrong variant of the specification (kinds, section 4.5) fails.
#include <gtest/gtest.h>

#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

constexpr std::size_t own_properties = 7;

class ViewsPermitsHold : public testing::TestWithParam<Pinned> {};

TEST_P(ViewsPermitsHold, With_the_pinned_number_of_states) {
    expect_holds("views-permits", GetParam(), own_properties);
}

INSTANTIATE_TEST_SUITE_P(Crashes, ViewsPermitsHold,
                         testing::Values(Pinned{"sites=3 crashes=1", 38'346, 132'846},
                                         Pinned{"sites=3 permits=2 crashes=1", 95'408, 387'000},
                                         Pinned{"sites=3 crashes=2", 71'664, 303'809},
                                         Pinned{"sites=3 permits=2 crashes=2", 147'284, 746'672},
                                         Pinned{"sites=3 crashes=1 requests=2,1,1", 92'080, 322'236},
                                         Pinned{"sites=3 crashes=1 cancel=on", 192'877, 870'312},
                                         Pinned{"sites=3 recovered=users crashes=1", 38'651, 133'185}));

INSTANTIATE_TEST_SUITE_P(
    ComingAndGoing, ViewsPermitsHold,
    testing::Values(Pinned{"sites=2 expulsions=1", 2'127, 5'229},
                    Pinned{"sites=2 permits=2 max-request=2 expulsions=1", 4'990, 14'300},
                    Pinned{"sites=2 crashes=2 restarts=2 orphans=on", 174'002, 564'012},
                    Pinned{"sites=2 crashes=1 restarts=1 expulsions=1 orphans=on", 179'056, 593'022},
                    Pinned{"sites=2 founders=1 expulsions=1", 7'810, 21'493},
                    Pinned{"sites=3 founders=2 crashes=1", 183'975, 734'004},
                    Pinned{"sites=3 crashes=1 orphans=on", 39'091, 135'237},
                    Pinned{"sites=2 crashes=1 restarts=1 orphans=on", 4'098, 10'565},
                    Pinned{"sites=2 crashes=1 restarts=1 orphans=on permits=2", 4'388, 14'154}));

INSTANTIATE_TEST_SUITE_P(LargeComingAndGoing, ViewsPermitsHold,
                         testing::Values(Pinned{"sites=3 founders=2 crashes=1 cancel=on", 607'921,
                                                2'870'489}));

INSTANTIATE_TEST_SUITE_P(
    SeveralProgramsPerHost, ViewsPermitsHold,
    testing::Values(
        Pinned{"sites=2 permits=2 lapses=1 seats=2", 26'460, 84'037},
        Pinned{"sites=2 permits=2 max-request=2 seats=2 crashes=1", 44'727, 138'546},
        Pinned{"sites=3 permits=2 seats=2 seat-requests=1,0 requests=1,1,0 crashes=1", 56'942, 204'056},
        Pinned{"sites=3 permits=2 max-request=2 seats=2 seat-requests=1,0 requests=1,1,0 crashes=1", 158'577,
               585'648}));

INSTANTIATE_TEST_SUITE_P(LargeSeveralProgramsPerHost, ViewsPermitsHold,
                         testing::Values(Pinned{"sites=3 founders=2 permits=2 seats=2 seat-requests=1,0",
                                                526'670, 1'948'153}));

// Views that lower and raise k (section 4.3): programs that run go on, and nobody begins beyond the new k.
INSTANTIATE_TEST_SUITE_P(
    Resizing, ViewsPermitsHold,
    testing::Values(Pinned{"sites=3 permits=2 resize=1 crashes=1", 95'117, 386'217},
                    Pinned{"sites=3 permits=2 max-request=2 resize=1 crashes=1 requests=1,1,0", 12'276,
                           38'758},
                    Pinned{"sites=3 founders=2 permits=2 max-request=2 resize=1", 77'206, 316'172},
                    Pinned{"sites=3 permits=1 resize=2 crashes=1", 39'142, 134'483},
                    Pinned{"sites=2 founders=1 permits=1 resize=2,1 expulsions=1", 8'380, 24'405}));

// Void messages are left out of the worlds; with them there are more worlds, and the verdict is the same.
TEST(ViewsPermits, Hold_with_void_messages_too) {
    expect_holds("views-permits", {"sites=3 crashes=1 normalise=off", 71'589, 243'671}, own_properties);
}

// A program that never ends keeps nobody from units that are free, because a host says how many it leaves.
TEST(ViewsPermits, Serve_all_that_fit_beside_a_program_that_never_ends) {
    const std::string beside_one =
        "sites=3 permits=2 seats=2 seat-requests=1,0 requests=1,1,0 crashes=1 campers=0 property=deadlock";
    const auto result = run("views-permits", beside_one);
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_EQ(result.states, 56'942u);
    EXPECT_EQ(run("views-permits", beside_one + " without=keep-bounds").verdict, check::Verdict::violated);
}

// Permissions that are kept come from no earlier request, so it is as right to keep them (section 4.5).
TEST(ViewsPermits, May_keep_the_permissions_of_a_waiting_request) {
    const auto result = run("views-permits", "sites=3 permits=2 crashes=2 without=drop-permissions");
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_EQ(result.states, 164'500u);
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

class WrongPermits : public testing::TestWithParam<Wrong> {};

TEST_P(WrongPermits, Fail) {
    const Wrong& wrong = GetParam();
    const auto result = run("views-permits", std::string(wrong.flags) + " without=" + wrong.without +
                                                 " property=" + wrong.property);
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.front().property, wrong.property);
    EXPECT_TRUE(result.violations.front().replayed);
    EXPECT_EQ(result.violations.front().steps.size(), wrong.steps);
}

INSTANTIATE_TEST_SUITE_P(
    Rebuilding, WrongPermits,
    testing::Values(
        Wrong{"clear-permissions", "sites=3 crashes=1 requests=2,1,1", "room-for-earlier", 22},  // S1
        Wrong{"clear-permissions", "sites=3 crashes=1 requests=2,1,1", "at-most-k", 23},         // S1
        Wrong{"raise-clock", "sites=3 crashes=1", "fences-grow", 14},                            // S2
        Wrong{"raise-clock", "sites=3 permits=2 crashes=1 seats=2 seat-requests=1,0 requests=2,1,0",
              "at-most-k", 13},                                                       // S2
        Wrong{"count-users", "sites=3 crashes=1 requests=2,1,1", "fences-grow", 19},  // S3
        Wrong{"count-users", "sites=3 founders=2 permits=2 seats=2 seat-requests=1,0", "at-most-k",
              24},                                                                                       // S3
        Wrong{"keep-debts", "sites=3 crashes=1", "one-epoch", 13},                                       // S6
        Wrong{"enter-at-once", "sites=3 crashes=1", "one-epoch", 10},                                    // S6
        Wrong{"keep-bounds", "sites=3 permits=2 max-request=2 crashes=1", "one-epoch", 12},              // S7
        Wrong{"order-by-birth", "sites=3 founders=2 crashes=1 requests=2,1,1", "room-for-earlier", 20},  // S8
        Wrong{"keep-birth", "sites=3 founders=2 seats=2 seat-requests=1,0 requests=1,1,0 crashes=1",
              "room-for-earlier", 21}));  // S9

INSTANTIATE_TEST_SUITE_P(
    Views, WrongPermits,
    testing::Values(Wrong{"numbered-messages", "sites=3 crashes=1 requests=2", "fences-grow", 19},  // S4
                    Wrong{"numbered-messages", "sites=3 crashes=1 requests=2", "at-most-k", 23},    // S4
                    Wrong{"report-adopted", "sites=3 crashes=1 restarts=1 orphans=on requests=1,1,0",
                          "at-most-k", 15},  // S5
                    Wrong{"refuse-late", "sites=3 crashes=1 restarts=1 orphans=on requests=1,1,0",
                          "at-most-k", 17},  // S5
                    Wrong{"refuse-stale", "sites=2 crashes=2 restarts=2 orphans=on", "at-most-k", 15},
                    Wrong{"keep-ends", "sites=3 crashes=1", "deadlock", 16},            // S6
                    Wrong{"keep-ends", "sites=3 crashes=1 cancel=on", "deadlock", 13},  // S6
                    Wrong{"hold-off", "sites=3 crashes=1 expulsions=1 requests=1,1,0", "at-most-k",
                          10},                                                                     // S11
                    Wrong{"freeze", "sites=3 crashes=1", "room-for-earlier", 9},                   // S11
                    Wrong{"freeze", "sites=3 founders=2 crashes=1", "claims-fit", 12},             // S11
                    Wrong{"stay-frozen", "sites=3 founders=2 crashes=1", "room-for-earlier", 11},  // S11
                    Wrong{"stay-frozen", "sites=3 founders=2 crashes=1", "at-most-k", 13}));       // S11

INSTANTIATE_TEST_SUITE_P(Seats, WrongPermits,
                         testing::Values(Wrong{"bound-all-seats", "sites=2 permits=2 seats=2", "at-most-k",
                                               7},  // S10
                                         Wrong{"defer-again", "sites=2 permits=2 max-request=2 seats=2",
                                               "one-epoch", 10}));  // S10

INSTANTIATE_TEST_SUITE_P(
    Resizing, WrongPermits,
    testing::Values(Wrong{"view-permits", "sites=3 permits=2 resize=1 crashes=1", "at-most-k", 12},
                    Wrong{"keep-users", "sites=3 founders=2 permits=2 resize=1", "at-most-k", 15},
                    Wrong{"refuse-large", "sites=3 permits=2 max-request=2 resize=1 crashes=1", "deadlock",
                          10}));

}  // namespace
