// The ordered chain under the checker. State counts are ours; verdicts are those of section 9 of the
// specification.
#include "protocols/broker/ordered_chain.hpp"

#include <gtest/gtest.h>

#include "play/player.hpp"
#include "protocols/support.hpp"

namespace {

using namespace allot;
using allot::protocol_tests::Pinned;

class OrderedChainHolds : public testing::TestWithParam<Pinned> {};

TEST_P(OrderedChainHolds, With_the_pinned_number_of_states) {
    protocol_tests::expect_holds("ordered-chain", GetParam(), OrderedChain::model.properties->size());
}

INSTANTIATE_TEST_SUITE_P(Small, OrderedChainHolds,
                         testing::Values(Pinned{"clients=2 resources=2 requests=any", 1296, 4280},
                                         Pinned{"clients=3 resources=2 requests=any", 20350, 80994},
                                         Pinned{"clients=2 resources=3 requests=any", 72826, 332838},
                                         Pinned{"clients=2 resources=2 requests=any crashes=2", 5171, 25172},
                                         Pinned{"clients=2 resources=2 requests=any cancel=on", 10062, 44058},
                                         Pinned{"clients=2 resources=2 requests=any cancel=on crashes=2",
                                                42290, 249186}));

// What `normalise` leaves out makes no difference.
TEST(OrderedChain, Holds_with_every_message_kept) {
    for (const char* flags : {"clients=2 resources=2 requests=2 normalise=off crashes=2",
                              "clients=2 resources=2 requests=1 normalise=off cancel=on crashes=2"}) {
        const auto result = protocol_tests::run("ordered-chain", flags);
        EXPECT_EQ(result.verdict, check::Verdict::holds) << flags;
        EXPECT_TRUE(result.unchecked.empty()) << flags;
    }
}

void expect_played(const std::string& text) {
    const auto outcome = play::Player(registry::protocols()).play("scenario", text);
    EXPECT_TRUE(outcome.ok()) << outcome.message << "\n" << text;
}

// Section 8.2: 2k + 1.
TEST(OrderedChain, A_request_for_k_resources_costs_2k_and_1_messages) {
    std::string demand = "r0";
    for (int k = 1; k <= 5; ++k) {
        expect_played("protocol ordered-chain clients=1 resources=5\nrequest 5 " + demand +
                      "\nsettle\nexpect holding 5\nrelease 5\nsettle\nexpect idle 5\nexpect sent Acquire " +
                      std::to_string(k) + "\nexpect sent Grant 1\nexpect sent Done " + std::to_string(k) +
                      "\nexpect sent Cancel 0\nexpect sent Cancelled 0\n");
        demand = "r" + std::to_string(k) + "," + demand;  // the caller's order makes no difference
    }
}

TEST(OrderedChain, A_withdrawal_that_comes_before_its_request_waits_for_it) {
    expect_played(R"(protocol ordered-chain clients=1 resources=2
request 2 r0,r1
cancel 2
deliver 2 -> 0 Cancel
expect state 0 {"role": {"Resource": {"cancelled": [{"owner": 2, "number": 1}]}}}
deliver 2 -> 0 Acquire
deliver 0 -> 2 Cancelled
expect idle 2
expect in-flight 0
expect state 0 {"role": {"Resource": {"cancelled": [], "queue": []}}}
)");
}

TEST(OrderedChain, What_a_departed_client_had_goes_to_the_next_one) {
    expect_played(R"(protocol ordered-chain clients=2 resources=2
request 2 r0,r1
settle
expect holding 2
request 3 r0,r1
settle
expect waiting 3
crash 2
departed 0 2
settle
expect waiting 3
departed 1 2
settle
expect holding 3
)");
}

}  // namespace
