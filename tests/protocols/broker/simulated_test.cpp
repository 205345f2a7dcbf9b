// The broker in simulated time: links that do not keep the order, clients that give up and vanish.
#include <gtest/gtest.h>
#include <sstream>

#include "play/player.hpp"
#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::sim;

Figures simulate(std::string_view protocol, const std::string& parameters, const std::string& flags,
                 std::ostream* log = nullptr) {
    Parameters given = protocol_tests::parameters(flags);
    const auto plan = take_plan(given);
    EXPECT_TRUE(plan) << (plan ? "" : plan.error());
    auto simulation = registry::simulation(protocol)->make(protocol_tests::parameters(parameters), *plan);
    EXPECT_TRUE(simulation) << (simulation ? "" : simulation.error());
    Observer observer;
    observer.log = log;
    return (*simulation)->run(1, observer);
}

std::uint64_t sent(const Figures& figures, std::string_view kind) {
    for (const auto& [name, count] : figures.messages_by_kind)
        if (name == kind) return count;
    return 0;
}

class BrokerSimulated : public testing::TestWithParam<const char*> {};

TEST_P(BrokerSimulated, Everybody_is_served_though_others_give_up_and_vanish) {
    const Figures figures =
        simulate(GetParam(), "clients=16 resources=6 max-request=2",
                 "time=2s think=exponential:2ms hold=exponential:1ms latency=exponential:0.6ms "
                 "give-up=exponential:10ms crashes=6 crash-inside=50 verify=1");
    EXPECT_TRUE(figures.violations.empty()) << figures.violations.front().detail;
    EXPECT_GT(figures.grants, 500u);
    EXPECT_GT(sent(figures, "Cancel"), 100u);
    EXPECT_EQ(figures.unserved, 0u);
}

// The player knows the withdrawals of the log and agrees with every step.
TEST_P(BrokerSimulated, A_run_with_withdrawn_requests_can_be_played) {
    std::ostringstream log;
    const Figures figures = simulate(GetParam(), "clients=4 resources=3",
                                     "time=100ms think=exponential:2ms latency=exponential:0.6ms "
                                     "give-up=exponential:3ms crashes=1",
                                     &log);
    EXPECT_GT(sent(figures, "Cancel"), 0u);
    const auto outcome = play::Player(registry::protocols()).play("log", log.str());
    EXPECT_TRUE(outcome.ok()) << outcome.message;
}

INSTANTIATE_TEST_SUITE_P(All, BrokerSimulated, testing::Values("ordered-chain", "strong-weak"),
                         [](const auto& one) {
                             return one.param == std::string("strong-weak") ? "StrongWeak" : "OrderedChain";
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
