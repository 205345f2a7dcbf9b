// Tickets on a ring: exhaustive on small instances (section 9 of the specification says which), with clients
// that vanish at any time, and each rule of it broken on purpose. Messages are counted in scenarios/broker/.
#include "protocols/broker/ring_ticket.hpp"

#include <gtest/gtest.h>

#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

class RingTicketHolds : public testing::TestWithParam<Pinned> {};

TEST_P(RingTicketHolds, With_the_pinned_number_of_states) {
    expect_holds("ring-ticket", GetParam(), RingTicket::model.properties->size());
}

INSTANTIATE_TEST_SUITE_P(
    Broker, RingTicketHolds,
    testing::Values(Pinned{"requests=any", 6404, 25272}, Pinned{"requests=any crashes=2", 93976, 597264},
                    Pinned{"requests=any literal=on", 7638, 27428},
                    Pinned{"requests=any literal=on crashes=1", 55074, 272994},
                    Pinned{"requests=any pace=1", 11884, 47622},
                    Pinned{"requests=any resources=1 clients=3 literal=on crashes=1", 5944, 22454},
                    // With answers to wait for, tickets are not needed.
                    Pinned{"requests=any literal=on without=in-turn", 7638, 27428}));

TEST(RingTicket, Its_normal_form_changes_no_verdict) {
    EXPECT_EQ(run("ring-ticket", "crashes=1 normalise=off").verdict, check::Verdict::holds);
    for (const char* broken : {"without=in-turn property=same-order", "crashes=1 without=match-done",
                               "crashes=1 without=skip-gone property=servable"}) {
        const auto normal = run("ring-ticket", broken);
        const auto exact = run("ring-ticket", std::string(broken) + " normalise=off");
        ASSERT_EQ(normal.verdict, check::Verdict::violated) << broken;
        ASSERT_EQ(exact.verdict, check::Verdict::violated) << broken;
        EXPECT_EQ(normal.violations.at(0).property, exact.violations.at(0).property);
        EXPECT_EQ(normal.violations.at(0).steps.size(), exact.violations.at(0).steps.size());
    }
}

struct Caught {
    const char* flags;
    const char* property;
};

void PrintTo(const Caught& caught, std::ostream* out) {
    *out << caught.flags << " " << caught.property;
}

class RingTicketCaught : public testing::TestWithParam<Caught> {};

TEST_P(RingTicketCaught, With_a_run_that_replays) {
    const auto result =
        run("ring-ticket", std::string(GetParam().flags) + " requests=any property=" + GetParam().property);
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.at(0).property, GetParam().property);
    EXPECT_TRUE(result.violations.at(0).replayed);
}

INSTANTIATE_TEST_SUITE_P(Broker, RingTicketCaught,
                         testing::Values(Caught{"without=in-turn", "same-order"},
                                         Caught{"without=in-turn", "servable"},
                                         Caught{"without=match-done crashes=1", "served-everywhere"},
                                         Caught{"without=skip-gone crashes=1", "starvation"}));

}  // namespace
