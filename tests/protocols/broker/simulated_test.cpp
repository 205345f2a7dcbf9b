// The broker in simulated time: links that do not keep the order, clients that give up and vanish.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>

#include "play/player.hpp"
#include "protocols/support.hpp"
#include "sim/simulation.hpp"

namespace {

using namespace allot;
using namespace allot::sim;

Figures simulate(std::string_view protocol, const std::string& parameters, const std::string& flags,
                 std::ostream* log = nullptr, std::uint64_t seed = 1) {
    Parameters given = protocol_tests::parameters(flags);
    const auto plan = take_plan(given);
    EXPECT_TRUE(plan) << (plan ? "" : plan.error());
    auto simulation =
        sim::make_simulation(*registry::protocol(protocol), protocol_tests::parameters(parameters), *plan);
    EXPECT_TRUE(simulation) << (simulation ? "" : simulation.error());
    Observer observer;
    observer.log = log;
    return (*simulation)->run(seed, observer);
}

std::uint64_t sent(const Figures& figures, std::string_view kind) {
    for (const auto& [name, count] : figures.messages_by_kind)
        if (name == kind) return count;
    return 0;
}

// Not every protocol takes a request back.
struct Simulated {
    const char* protocol;
    bool withdraws;

    std::string give_up(const char* after) const {
        return withdraws ? fmt::format(" give-up=exponential:{}", after) : "";
    }
};

class BrokerSimulated : public testing::TestWithParam<Simulated> {};

TEST_P(BrokerSimulated, Everybody_is_served_though_others_give_up_and_vanish) {
    const Figures figures =
        simulate(GetParam().protocol, "clients=16 resources=6 max-request=2",
                 "time=2s think=exponential:2ms hold=exponential:1ms latency=exponential:0.6ms "
                 "crashes=6 crash-inside=50 verify=1" +
                     GetParam().give_up("10ms"));
    EXPECT_TRUE(figures.violations.empty()) << figures.violations.front().detail;
    EXPECT_GT(figures.grants, 500u);
    EXPECT_EQ(sent(figures, "Cancel") > 100, GetParam().withdraws);
    EXPECT_EQ(figures.unserved, 0u);
}

// What a resource passes on may reach another when the client has been gone for long.
TEST_P(BrokerSimulated, A_request_that_outlives_its_client_stands_in_nobodys_way) {
    for (const std::uint64_t seed : {12u, 25u}) {
        const Figures figures =
            simulate(GetParam().protocol, "clients=16 resources=6 max-request=2",
                     "time=1s think=exponential:2ms hold=exponential:1ms latency=exponential:0.6ms "
                     "crashes=12 crash-inside=50 verify=0",
                     nullptr, seed);
        EXPECT_EQ(figures.unserved, 0u) << "seed " << seed;
    }
}

// Requests name a quarter of all resources on average, and the judgement at the end looks at all of them.
TEST(BrokerAtScale, Thousands_of_resources_are_drawn_and_judged) {
    for (const char* protocol : {"ring-ticket", "ordered-chain"}) {
        const Figures figures = simulate(protocol, "clients=300 resources=3000 max-request=1500",
                                         "time=4s think=exponential:10ms hold=exponential:1ms requests=1");
        EXPECT_TRUE(figures.violations.empty()) << figures.violations.front().detail;
        EXPECT_EQ(figures.requests, 300u) << protocol;
        EXPECT_GT(figures.grants, 0u) << protocol;
    }
}

// The player knows the withdrawals of the log and agrees with every step. So many resources that the checker
// would not list what can be asked for make no difference to it.
TEST_P(BrokerSimulated, A_run_with_withdrawn_requests_can_be_played) {
    std::ostringstream log;
    const Figures figures = simulate(
        GetParam().protocol, "clients=8 resources=18 max-request=2 popularity=zipf",
        "time=100ms think=exponential:2ms latency=exponential:0.6ms crashes=1" + GetParam().give_up("3ms"),
        &log);
    EXPECT_EQ(sent(figures, "Cancel") > 0, GetParam().withdraws);
    const auto outcome = play::Player(registry::protocols()).play("log", log.str());
    EXPECT_TRUE(outcome.ok()) << outcome.message;
}

INSTANTIATE_TEST_SUITE_P(All, BrokerSimulated,
                         testing::Values(Simulated{"ordered-chain", true}, Simulated{"strong-weak", true},
                                         Simulated{"ring-ticket", false}),
                         [](const auto& one) {
                             std::string name = one.param.protocol;
                             std::erase(name, '-');
                             return name;
                         });

// Section 6: a request without competitors.
TEST(BrokerSimulated, Requests_cost_what_the_specification_says) {
    const std::string alone = "time=1s requests=any";
    EXPECT_NEAR(simulate("ordered-chain", "clients=1 resources=4 min-request=4", alone).messages_per_grant, 9,
                0.2);
    const Figures pair = simulate("strong-weak", "clients=1 resources=2 min-request=2", alone);
    const double per_grant =
        static_cast<double>(pair.messages - sent(pair, "Token")) / static_cast<double>(pair.grants);
    EXPECT_NEAR(per_grant, 7, 0.15);
}

}  // namespace
