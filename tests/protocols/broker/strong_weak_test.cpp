// Strong and weak queues under the checker: the table of section 9 of the specification (its verdicts; state
// counts are ours, since more is left out here), the ablations of 7.3, and what a request costs.
#include "protocols/broker/strong_weak.hpp"

#include <gtest/gtest.h>

#include "play/player.hpp"
#include "protocols/support.hpp"

namespace {

using namespace allot;
using allot::protocol_tests::Pinned;

check::Result run(const std::string& flags) {
    return protocol_tests::run("strong-weak", flags);
}

class StrongWeakHolds : public testing::TestWithParam<Pinned> {};

TEST_P(StrongWeakHolds, With_the_pinned_number_of_states) {
    protocol_tests::expect_holds("strong-weak", GetParam(), StrongWeak::model.properties->size());
}

INSTANTIATE_TEST_SUITE_P(
    Small, StrongWeakHolds,
    testing::Values(Pinned{"clients=1 resources=2 requests=any", 70, 130},
                    Pinned{"clients=2 resources=1 requests=any", 33, 60},
                    Pinned{"clients=2 resources=2 requests=any", 2634, 6762},
                    Pinned{"clients=2 resources=2 requests=any pace=1", 4262, 11624},
                    Pinned{"clients=3 resources=2 requests=any", 87412, 278476},
                    Pinned{"clients=3 resources=2 requests=any without=promote", 88396, 280828},
                    Pinned{"clients=3 resources=3 requests=any wants=cycle", 4027, 12726},
                    Pinned{"clients=2 resources=2 requests=any crashes=2", 15420, 68714},
                    Pinned{"clients=2 resources=2 requests=any cancel=on", 16908, 66618},
                    Pinned{"clients=2 resources=2 requests=any cancel=on crashes=2", 111532, 622290}));

// What `normalise` leaves out makes no difference.
TEST(StrongWeak, Holds_with_every_message_kept) {
    for (const char* flags :
         {"clients=2 resources=2 requests=1 normalise=off cancel=on crashes=2",
          "clients=2 resources=2 requests=1,1,2,1 normalise=off wants=r0,r1;r1,r0 crashes=1",
          "clients=3 resources=3 requests=1 normalise=off wants=cycle"}) {
        const auto result = run(flags);
        EXPECT_EQ(result.verdict, check::Verdict::holds) << flags;
        EXPECT_TRUE(result.unchecked.empty()) << flags;
    }
}

// Section 7.3. A run of starvation is counted up to where it begins to repeat itself.
struct Ablation {
    const char* flags;
    const char* property;
    std::size_t steps;
};

void PrintTo(const Ablation& ablation, std::ostream* out) {
    *out << ablation.flags;
}

// Links deliver once. What the normal form leaves out since it can never act again, a copy of it could do.
TEST(StrongWeak, A_message_that_comes_twice_is_seen_to_do_harm) {
    const auto result = run("requests=1 wants=r0,r1;r1,r0 duplicate=1 property=edge-known");
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_TRUE(result.violations.front().replayed);
}

class StrongWeakAblation : public testing::TestWithParam<Ablation> {};

TEST_P(StrongWeakAblation, Is_found) {
    const auto result = run(GetParam().flags);
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.front().property, GetParam().property);
    EXPECT_EQ(result.violations.front().steps.size(), GetParam().steps);
    EXPECT_TRUE(result.violations.front().replayed);
}

INSTANTIATE_TEST_SUITE_P(
    Section7, StrongWeakAblation,
    testing::Values(
        Ablation{"clients=2 resources=2 requests=1 without=search", "deadlock", 9},
        Ablation{"clients=2 resources=2 requests=any without=token", "starvation", 3},
        Ablation{
            "clients=2 resources=3 requests=any wants=r1,r2;r2,r1 without=pass-token property=starvation",
            "starvation", 3},
        Ablation{"clients=2 resources=2 requests=any without=pass-token", "token-moves", 0},
        Ablation{"clients=2 resources=2 requests=any without=consent", "first-everywhere", 16},
        Ablation{"clients=2 resources=2 requests=any without=rank-holders", "assertion", 17},
        Ablation{"clients=2 resources=2 requests=any cancel=on without=match-requests", "first-everywhere",
                 7},
        Ablation{"clients=3 resources=2 requests=1 crashes=1 wants=r0,r1/r1,r0 without=match-edges",
                 "edge-known", 17},
        Ablation{"clients=2 resources=2 requests=2 cancel=on wants=r0,r1/r1,r0 without=match-edges",
                 "edge-known", 21}));

// Section 7.3: without departures and withdrawals, messages without edges only undo edges in vain.
TEST(StrongWeak, Edges_need_no_names_where_everybody_stays) {
    EXPECT_EQ(
        run("clients=2 resources=2 requests=1,1,2,1 wants=r0,r1;r1,r0 normalise=off without=match-edges")
            .verdict,
        check::Verdict::holds);
}

// Section 7.3: nothing is known that goes wrong without it; it bounds the traffic.
TEST(StrongWeak, A_probe_that_checks_no_edge_does_no_harm) {
    EXPECT_EQ(run("clients=2 resources=2 requests=any without=check-hop").verdict, check::Verdict::holds);
}

void expect_played(const std::string& text) {
    const auto outcome = play::Player(registry::protocols()).play("scenario", text);
    EXPECT_TRUE(outcome.ok()) << outcome.message << "\n" << text;
}

TEST(StrongWeak, The_token_rests_on_an_idle_ring_and_goes_on_when_the_time_is_up) {
    expect_played(R"(protocol strong-weak clients=1 resources=3 pace=1
settle
expect in-flight 0
expect sent Token 1
timeout 1 pace
settle
expect sent Token 2
request 3 r0
settle
timeout 2 pace
settle
expect state 0 {"role": {"Resource": {"token": true, "marked": [{"owner": 3, "number": 1}]}}}
release 3
settle
expect sent Token 4
)");
}

TEST(StrongWeak, What_nobody_can_grant_is_refused) {
    StrongWeak::Config config;
    config.resources = 3;
    StrongWeak client;
    StrongWeak::Effects fx;
    const StrongWeak::Context ctx{config, 3};
    client.start(ctx, fx);
    client.request(ctx, Demand{1, {"r0", "r1", "r2"}}, fx);
    client.request(ctx, Demand{1, {"r1", "r1"}}, fx);
    client.request(ctx, Demand{1, {"r3"}}, fx);
    ASSERT_EQ(fx.notices().size(), 3u);
    for (const Notice& notice : fx.notices()) EXPECT_EQ(notice.kind, Notice::Kind::refused);
    EXPECT_EQ(fx.notices()[0].reason, "this protocol takes at most 2 resources at once");
    EXPECT_EQ(fx.notices()[1].reason, "name each resource once");
    EXPECT_EQ(fx.notices()[2].reason, "there is no resource r3; write some of r0 to r2");
    EXPECT_TRUE(fx.sends().empty());
    EXPECT_EQ(client.phase(), Phase::idle);
}

}  // namespace
