// The shares of users and of their sessions.
#include "host/turns.hpp"

#include <gtest/gtest.h>
#include <map>

namespace allot::host {
namespace {

// Serves so often; each piece costs as much as its session says.
std::map<SessionId, int> serve(Turns& turns, int times, const std::map<SessionId, Cost>& costs = {}) {
    std::map<SessionId, int> served;
    for (int i = 0; i < times; ++i) {
        const SessionId next = *turns.next();
        ++served[next];
        const auto cost = costs.find(next);
        turns.served(next, cost == costs.end() ? 1 : cost->second, true);
    }
    return served;
}

TEST(Turns, A_user_with_many_sessions_gets_no_more_than_one_with_a_single_session) {
    Turns turns;
    for (SessionId session = 1; session <= 100; ++session) turns.want(session, "ann");
    turns.want(200, "bob");
    const auto served = serve(turns, 1000);
    EXPECT_EQ(served.at(200), 500);
    for (SessionId session = 1; session <= 100; ++session) EXPECT_EQ(served.at(session), 5);
}

TEST(Turns, Who_comes_last_waits_for_one_piece_of_each_other_user) {
    Turns turns;
    for (SessionId session = 1; session <= 100; ++session) turns.want(session, "ann");
    turns.want(101, "eve");
    serve(turns, 777);
    turns.want(200, "bob");
    const auto served = serve(turns, 3);
    EXPECT_GE(served.at(200), 1);
}

TEST(Turns, Work_counts_and_not_the_number_of_messages) {
    Turns turns;
    turns.want(1, "ann");
    turns.want(2, "ann");
    turns.want(3, "bob");
    const auto served = serve(turns, 6600, {{1, 64}, {2, 64}, {3, 1}});
    EXPECT_NEAR(served.at(3), 64 * (served.at(1) + served.at(2)), 130);
    EXPECT_NEAR(served.at(1), served.at(2), 1);
}

TEST(Turns, Nobody_saves_up_a_share) {
    Turns turns;
    turns.want(1, "ann");
    turns.want(2, "bob");
    turns.served(2, 1, false);
    serve(turns, 1000);
    turns.want(2, "bob");
    const auto served = serve(turns, 100);
    EXPECT_NEAR(served.at(1), 50, 1);
}

TEST(Turns, Whoever_had_much_waits_though_it_wanted_nothing_for_a_moment) {
    Turns turns;
    turns.want(1, "ann");
    turns.want(2, "bob");
    ASSERT_EQ(*turns.next(), 1u);
    turns.served(1, 50, false);
    turns.want(1, "ann");
    EXPECT_EQ(serve(turns, 50), (std::map<SessionId, int>{{2, 50}}));
}

TEST(Turns, A_session_that_is_over_has_no_turn_and_neither_has_a_user_without_sessions) {
    Turns turns;
    turns.want(1, "ann");
    turns.want(2, "ann");
    turns.want(3, "bob");
    turns.forget(1);
    turns.forget(3);
    turns.served(3, 1, true);  // it ended with the last piece
    EXPECT_EQ(serve(turns, 5), (std::map<SessionId, int>{{2, 5}}));
    turns.forget(2);
    EXPECT_TRUE(turns.empty());
    EXPECT_EQ(turns, Turns());
}

}  // namespace
}  // namespace allot::host
