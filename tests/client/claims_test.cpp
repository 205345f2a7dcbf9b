// What becomes of claims when the daemon speaks, and when a session is taken up again. The words at Welcome
// in session/frames.hpp are what is checked here.
#include "client/claims.hpp"

#include <gtest/gtest.h>

namespace allot::client {
namespace {

session::Acquire lock(const std::string& name) {
    return {.locks = {name}};
}

struct ClaimsTest : testing::Test {
    ClaimPtr waiting(const std::string& name) { return claims.open(lock(name), {}, {}); }

    ClaimPtr held(const std::string& name, std::uint64_t fence = 1) {
        const ClaimPtr claim = waiting(name);
        session::Granted message{claim->ticket(), {{name, fence}}};
        EXPECT_EQ(claims.granted(message), claim);
        return claim;
    }

    ClaimPtr releasing(const std::string& name) {
        const ClaimPtr claim = held(name);
        EXPECT_TRUE(claims.release(claim));
        return claim;
    }

    Claims::Resumption resume(std::vector<Ticket> open) {
        return claims.resume(session::Welcome{.resumed = true, .open = std::move(open)});
    }

    Claims claims;
};

TEST_F(ClaimsTest, A_grant_brings_the_fences) {
    const ClaimPtr claim = held("db", 17);
    EXPECT_EQ(claim->phase, ClaimPhase::held);
    ASSERT_EQ(claim->held.size(), 1U);
    EXPECT_EQ(claim->held[0].fence, 17U);
}

TEST_F(ClaimsTest, A_refusal_ends_what_waits) {
    const ClaimPtr claim = waiting("db");
    EXPECT_EQ(claims.refused({claim->ticket(), session::Refusal::forbidden, "not for you"}), claim);
    EXPECT_EQ(claim->phase, ClaimPhase::over);
    EXPECT_EQ(claim->failure->code(), Code::forbidden);
    EXPECT_TRUE(claims.all().empty());
}

TEST_F(ClaimsTest, A_grant_that_crosses_with_the_withdrawal_is_not_taken) {
    const ClaimPtr claim = waiting("db");
    EXPECT_TRUE(claims.withdraw(claim, Failure(Code::timed_out, "not granted in time")));
    session::Granted late{claim->ticket(), {{"db", 3}}};
    EXPECT_EQ(claims.granted(late), nullptr);
    EXPECT_EQ(claim->phase, ClaimPhase::releasing);
    EXPECT_EQ(claims.released({claim->ticket()}), nullptr) << "nobody waits for that answer";
    EXPECT_EQ(claim->phase, ClaimPhase::over);
}

TEST_F(ClaimsTest, What_was_lost_is_still_given_back_but_only_once) {
    const ClaimPtr claim = held("db");
    claims.lose(claim, "silence");
    EXPECT_EQ(claim->failure->code(), Code::lost);
    EXPECT_TRUE(claims.release(claim));
    EXPECT_FALSE(claims.release(claim));
}

TEST_F(ClaimsTest, The_daemon_keeps_permits_that_were_lost_until_they_are_given_back) {
    const ClaimPtr claim = claims.open({.permits = {{"builds", 1}}}, {}, {});
    session::Granted message{claim->ticket(), {{"builds", 1}}};
    claims.granted(message);
    EXPECT_EQ(claims.lost({claim->ticket(), "expelled"}), claim);
    EXPECT_TRUE(claims.release(claim));
    EXPECT_EQ(claims.released({claim->ticket()}), nullptr);
    EXPECT_TRUE(claims.all().empty());
}

TEST_F(ClaimsTest, The_daemon_keeps_locks_that_were_lost_until_they_are_given_back) {
    const ClaimPtr claim = held("db");
    EXPECT_EQ(claims.lost({claim->ticket(), "expelled"}), claim);
    EXPECT_EQ(claim->phase, ClaimPhase::lost);
    EXPECT_EQ(claims.lost({claim->ticket(), "expelled"}), nullptr) << "it was told";
    EXPECT_TRUE(claims.release(claim));
    EXPECT_EQ(claims.released({claim->ticket()}), nullptr);
    EXPECT_TRUE(claims.all().empty());
}

TEST_F(ClaimsTest, Words_about_unknown_tickets_change_nothing) {
    const ClaimPtr claim = held("db");
    session::Granted granted{99, {}};
    EXPECT_EQ(claims.granted(granted), nullptr);
    EXPECT_EQ(claims.refused({99, session::Refusal::wrong, ""}), nullptr);
    EXPECT_EQ(claims.released({99}), nullptr);
    EXPECT_EQ(claims.lost({99, ""}), nullptr);
    EXPECT_EQ(claim->phase, ClaimPhase::held);
}

TEST_F(ClaimsTest, Taken_up_again_each_acquire_that_is_not_known_is_repeated) {
    const ClaimPtr known = waiting("db");
    const ClaimPtr unknown = waiting("gpu0");
    const auto resumption = resume({known->ticket()});
    EXPECT_EQ(resumption.ask, std::vector{unknown});
    EXPECT_EQ(known->phase, ClaimPhase::waiting);
    EXPECT_TRUE(resumption.lost.empty());
}

TEST_F(ClaimsTest, Taken_up_again_what_is_held_stays_held_if_it_is_known) {
    const ClaimPtr known = held("db", 4);
    const ClaimPtr unknown = held("gpu0");
    const auto resumption = resume({known->ticket()});
    EXPECT_EQ(resumption.lost, std::vector{unknown});
    EXPECT_EQ(unknown->failure->code(), Code::lost);
    EXPECT_EQ(known->phase, ClaimPhase::held);
    session::Granted again{known->ticket(), {{"db", 4}}};
    EXPECT_EQ(claims.granted(again), nullptr) << "nothing has changed";
}

TEST_F(ClaimsTest, Taken_up_again_with_another_fence_it_is_lost) {
    const ClaimPtr claim = held("db", 4);
    resume({claim->ticket()});
    session::Granted again{claim->ticket(), {{"db", 5}}};
    EXPECT_EQ(claims.granted(again), claim);
    EXPECT_EQ(claim->phase, ClaimPhase::lost);
}

TEST_F(ClaimsTest, Taken_up_again_each_release_that_was_not_answered_is_repeated) {
    const ClaimPtr known = releasing("db");
    const ClaimPtr done = releasing("gpu0");
    const auto resumption = resume({known->ticket()});
    EXPECT_EQ(resumption.release, std::vector{known->ticket()});
    EXPECT_EQ(done->phase, ClaimPhase::over) << "the daemon had heard of it";
}

TEST_F(ClaimsTest, What_only_the_daemon_knows_of_is_given_back) {
    EXPECT_EQ(resume({7}).release, std::vector<Ticket>{7});
}

TEST_F(ClaimsTest, A_session_that_is_new_holds_nothing_and_asks_again) {
    const ClaimPtr asked = waiting("db");
    const ClaimPtr had = held("gpu0");
    const ClaimPtr returned = releasing("net");
    const auto resumption = claims.resume(session::Welcome{.resumed = false});
    EXPECT_EQ(resumption.ask, std::vector{asked});
    EXPECT_EQ(resumption.lost, std::vector{had});
    EXPECT_TRUE(resumption.release.empty());
    EXPECT_EQ(returned->phase, ClaimPhase::over);
    EXPECT_EQ(claims.all(), std::vector{asked});
}

}  // namespace
}  // namespace allot::client
