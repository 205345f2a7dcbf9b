// The ordered chain per host under the checker: what holds, with exact state counts, and that each rule is
// needed; and which messages a site objects to.
#include "protocols/broker/host_chain.hpp"

#include <gtest/gtest.h>

#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

class HostChainHolds : public testing::TestWithParam<Pinned> {};

TEST_P(HostChainHolds, With_the_pinned_number_of_states) {
    expect_holds("host-chain", GetParam(), HostChain::model.properties->size());
}

INSTANTIATE_TEST_SUITE_P(OneProgramPerHost, HostChainHolds,
                         testing::Values(Pinned{"sites=3 wants=r0,r1;r1,r0;r0", 160, 305},
                                         Pinned{"sites=2 requests=2", 2'507, 4'857},
                                         Pinned{"sites=3 resources=3 wants=cycle", 161, 315},
                                         Pinned{"sites=2 requests=2 cancel=on", 96'302, 249'579},
                                         Pinned{"sites=2 bound=r0:1,r1:- wants=r0/r0,r1", 29, 43}));

INSTANTIATE_TEST_SUITE_P(SeveralProgramsPerHost, HostChainHolds,
                         testing::Values(Pinned{"sites=2 seats=2 wants=r0,r1/r1", 2'953, 5'864},
                                         Pinned{"sites=2 seats=3 wants=r0,r1/r1 seat-requests=1,0", 3'810,
                                                7'724}));

struct Wrong {
    const char* without;
    const char* flags;
    const char* property;
    std::size_t steps;
};

class WrongChain : public testing::TestWithParam<Wrong> {};

TEST_P(WrongChain, Fails) {
    const Wrong& wrong = GetParam();
    const auto result = run(
        "host-chain", std::string(wrong.flags) + " without=" + wrong.without + " property=" + wrong.property);
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.front().property, wrong.property);
    EXPECT_TRUE(result.violations.front().replayed);
    EXPECT_EQ(result.violations.front().steps.size(), wrong.steps);
}

INSTANTIATE_TEST_SUITE_P(Rules, WrongChain,
                         testing::Values(Wrong{"ascending", "sites=2 wants=r0,r1;r1,r0", "deadlock", 6},
                                         Wrong{"pass-cancel", "sites=2 cancel=on", "no-ghost", 4},
                                         Wrong{"count-grants", "sites=2", "fences-grow", 1},
                                         Wrong{"fail-lost", "sites=2 bound=r0:-", "deadlock", 1}));

// --- By hand.

class DeviceHosts : public testing::Test {
protected:
    static OwnId id(SiteId owner, std::uint64_t number) { return {owner, StampAccess::make(number)}; }
    static std::vector<Fence> fences(std::size_t count) { return std::vector<Fence>(count); }

    DeviceHosts() {
        config.sites = 2;
        config.bound = {{{ResourceId("a"), SiteId(0)}, {ResourceId("b"), SiteId(1)}, {ResourceId("c"), {}}}};
        site.start(ctx, fx);
    }
    std::string objection(SiteId from, const HostChain::Message& message) const {
        return site.objection(ctx, from, message).value_or("");
    }

    HostChain::Config config;
    HostChain::Context ctx{config, 0};
    HostChain site;
    HostChain::Effects fx;
};

TEST_F(DeviceHosts, Object_to_messages_that_no_host_sends) {
    EXPECT_EQ(objection(1, HostChain::Acquire{"b", {id(1, 1), {}, {}}}),
              "a request for a device that is not here");
    EXPECT_EQ(objection(1, HostChain::Acquire{"c", {id(1, 1), {}, {}}}),
              "a request for a device that is not here");
    EXPECT_EQ(objection(1, HostChain::Acquire{"a", {id(1, 1), {"c"}, {}}}),
              "a request for a device that is lost");
    EXPECT_EQ(objection(1, HostChain::Acquire{"a", {id(1, 1), {"b", "b"}, {}}}),
              "a request for devices that are not in the order of their names");
    EXPECT_EQ(objection(1, HostChain::Acquire{"a", {id(1, 1), {}, fences(64)}}),
              "a request for more devices than a program may ask for");
    EXPECT_EQ(objection(1, HostChain::Done{"a", id(1, 1)}),
              "the end of a request that does not use the device");
    EXPECT_EQ(objection(1, HostChain::Cancel{"a", id(1, 1)}), "a cancellation that comes before its request");
    EXPECT_EQ(objection(1, HostChain::Grant{id(0, 1), fences(1)}),
              "a grant of a request that nobody has made");

    const HostChain::Acquire first{"a", {id(1, 1), {"b"}, {}}};
    EXPECT_EQ(objection(1, first), "");
    site.receive(ctx, 1, first, fx);
    EXPECT_EQ(objection(1, first), "a request that stands in line here already");
    EXPECT_EQ(objection(0, HostChain::Done{"a", id(1, 1)}), "the end of a request of another host");
    EXPECT_EQ(objection(1, HostChain::Done{"a", id(1, 1)}), "");
    EXPECT_EQ(objection(1, HostChain::Cancel{"a", id(1, 1)}), "");

    ASSERT_EQ(site.ask(ctx, 0, {"b"}, fx), std::nullopt);
    EXPECT_EQ(objection(1, HostChain::Grant{id(0, 1), fences(2)}),
              "a grant of other devices than those of its request");
    EXPECT_EQ(objection(1, HostChain::Grant{id(0, 1), fences(1)}), "");
}

// Section 3.2: a request for a resource that does not exist fails at once.
TEST_F(DeviceHosts, Refuse_a_lost_device_at_once_and_send_nothing) {
    EXPECT_EQ(site.ask(ctx, 0, {"c", "a"}, fx), "c is lost: its host is no member");
    EXPECT_EQ(site.phase(), Phase::idle);
    EXPECT_TRUE(fx.sends().empty());
}

TEST(Bindings, Are_read_as_they_are_written) {
    const auto some = host_chain::Bindings::parse("bound", "r0:2,r1:-");
    ASSERT_TRUE(some);
    EXPECT_EQ(some->text(), "r0:2,r1:-");
    EXPECT_EQ(host_chain::Bindings::parse("bound", "none")->text(), "none");
    for (const char* wrong : {"", "r0", "r0:", ":1", "r0:x", "r0:1,r0:2", "r0:1,"})
        EXPECT_EQ(
            host_chain::Bindings::parse("bound", wrong).error(),
            std::string("--bound ") + wrong + ": write none, or devices with their hosts as in r0:2,r1:0");
}

}  // namespace
