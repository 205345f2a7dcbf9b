// The broker in scenarios: what cannot be is said where it stands, with the reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "play/player.hpp"
#include "registry/registry.hpp"

namespace {

using namespace allot;
using testing::HasSubstr;

struct Played {
    play::Outcome outcome;
    std::string log;
};

Played play_it(const std::string& text) {
    std::ostringstream log;
    const auto outcome = play::Player(registry::protocols()).play("scenario", text, &log);
    return {outcome, log.str()};
}

class BrokerPlayed : public testing::TestWithParam<const char*> {};

TEST_P(BrokerPlayed, A_request_that_nobody_can_grant_is_refused_with_the_reason) {
    const auto [outcome, log] = play_it("protocol " + std::string(GetParam()) + R"( resources=3
request 3 r7
expect idle 3
request 3 printer
expect idle 3
request 3 2
expect idle 3
)");
    EXPECT_TRUE(outcome.ok()) << outcome.message;
    EXPECT_THAT(log, HasSubstr("refused: there is no resource r7; write some of r0 to r2"));
    EXPECT_THAT(log,
                HasSubstr("refused: there is no resource printer; resources are called r0, r1 and so on"));
    EXPECT_THAT(log, HasSubstr("refused: name at least one resource"));
}

TEST_P(BrokerPlayed, Who_has_gone_does_not_come_back) {
    const auto [outcome, log] = play_it("protocol " + std::string(GetParam()) + "\ncrash 2\nrestart 2\n");
    EXPECT_EQ(outcome.exit_code, 2);
    const bool mortal = GetParam() != std::string("strong-weak-published");
    EXPECT_THAT(outcome.message, HasSubstr(mortal ? "scenario:3" : "scenario:2"));
    EXPECT_THAT(outcome.message, HasSubstr(mortal ? "cannot restart" : "site 2 never crashes"));
}

INSTANTIATE_TEST_SUITE_P(All, BrokerPlayed,
                         testing::Values("ordered-chain", "ring-ticket", "strong-weak",
                                         "strong-weak-published"));

TEST(BrokerPlayed, Strong_weak_refuses_three_resources_and_one_twice) {
    const auto [outcome, log] = play_it(R"(protocol strong-weak resources=3
request 3 r0,r1,r2
expect idle 3
request 3 r1,r1
expect idle 3
request 3 r1,r2
expect waiting 3
)");
    EXPECT_TRUE(outcome.ok()) << outcome.message;
    EXPECT_THAT(log, HasSubstr("refused: this protocol takes at most 2 resources at once"));
    EXPECT_THAT(log, HasSubstr("refused: name each resource once"));
}

}  // namespace
