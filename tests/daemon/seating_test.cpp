// Who of those that wait on one host is seated next.
#include <algorithm>
#include <gtest/gtest.h>

#include "daemon/space.hpp"

namespace allot::daemon {
namespace {

struct SeatingTest : testing::Test {
    SeatingTest() { locks->begin_life(0); }

    void request(Claim claim, const std::vector<std::string>& names) {
        Demand demand;
        demand.resources.assign(names.begin(), names.end());
        locks->request(claim, demand);
    }

    bool granted(Claim claim) const {
        return std::ranges::any_of(locks->answers(), [&](const Answer& answer) {
            return answer.claim == claim && answer.kind == Answer::Kind::granted;
        });
    }

    std::unique_ptr<Space> locks =
        make_locks({.hosts = 1, .seats = 8, .self = 0}, [](SiteId, SiteId, std::string_view) {});
};

TEST_F(SeatingTest, Who_waits_for_a_holder_does_not_keep_others_from_what_is_free) {
    request(1, {"a"});
    request(2, {"a", "b"});
    request(3, {"b"});
    EXPECT_TRUE(granted(1));
    EXPECT_FALSE(granted(2));
    EXPECT_TRUE(granted(3));
}

TEST_F(SeatingTest, More_than_there_are_seats_may_wait_for_one_lock_and_others_are_served) {
    for (Claim claim = 1; claim <= 20; ++claim) request(claim, {"a"});
    request(21, {"b"});
    EXPECT_TRUE(granted(21));
}

TEST_F(SeatingTest, Thousands_who_wait_for_one_lock_keep_nobody_from_others) {
    for (Claim claim = 1; claim <= 5000; ++claim) request(claim, {"a"});
    request(5001, {"b"});
    EXPECT_TRUE(granted(5001));
    request(5002, {"a", "c"});
    request(5003, {"c"});
    EXPECT_FALSE(granted(5002));
    EXPECT_TRUE(granted(5003));
}

// Whoever is looked at for a name that has become free may want another that has not, or may give up.
TEST_F(SeatingTest, A_free_lock_finds_the_first_who_can_use_it) {
    request(1, {"a"});
    request(2, {"b"});
    request(3, {"a", "b"});
    request(4, {"a", "b"});
    request(5, {"a"});
    request(6, {"a"});
    locks->release(1);
    EXPECT_FALSE(granted(3));
    EXPECT_TRUE(granted(5));
    EXPECT_FALSE(granted(6));
    locks->release(6);
    locks->release(3);
    locks->release(5);
    EXPECT_FALSE(granted(4));
    locks->release(2);
    EXPECT_TRUE(granted(4));
}

TEST_F(SeatingTest, Who_gives_up_makes_way_for_the_next_of_those_who_want_the_same) {
    for (Claim claim = 1; claim <= 8; ++claim) request(claim, {"x" + std::to_string(claim)});  // all seats
    request(9, {"a"});
    request(10, {"a"});
    locks->release(9);
    locks->release(1);
    EXPECT_TRUE(granted(10));
}

TEST_F(SeatingTest, A_lock_goes_to_its_waiters_in_order) {
    for (Claim claim = 1; claim <= 20; ++claim) request(claim, {"a"});
    for (Claim claim = 1; claim <= 20; ++claim) {
        EXPECT_TRUE(granted(claim));
        EXPECT_FALSE(granted(claim + 1));
        locks->release(claim);
    }
}

TEST_F(SeatingTest, Nobody_is_overtaken_without_end) {
    request(1, {"a"});
    request(2, {"a", "b"});
    Claim other = 3;
    for (request(other, {"b"}); granted(other) && other < 1000; request(++other, {"b"}))
        locks->release(other);
    EXPECT_EQ(other, 3u + 8u) << "eight overtake it (Line::usual_overtakes)";
    locks->release(1);
    EXPECT_TRUE(granted(2));
    EXPECT_FALSE(granted(other));
    locks->release(2);
    EXPECT_TRUE(granted(other));
}

// A host gives out no token before its locks have begun, and forgets nothing that was written to it.
TEST(LocksBeforeTheyBegin, Keep_what_is_written_to_them) {
    struct Written {
        SiteId from, to;
        std::string message;
    };
    std::vector<Written> to_first, to_second;
    const auto make = [](HostId self, std::vector<Written>& sent) {
        return make_locks({.hosts = 2, .seats = 1, .self = self},
                          [&sent](SiteId from, SiteId to, std::string_view message) {
                              sent.push_back({from, to, std::string(message)});
                          });
    };
    auto first = make(0, to_second);
    const auto second = make(1, to_first);
    second->begin_life(0);
    for (Claim claim = 1; to_first.empty() && claim < 20; ++claim) {
        second->request(claim, {1, {"lock" + std::to_string(claim)}});  // until one begins at the first host
        second->release(claim);
    }
    ASSERT_FALSE(to_first.empty());
    for (const Written& one : to_first) EXPECT_TRUE(first->deliver(one.from, one.to, one.message));
    EXPECT_TRUE(to_second.empty());
    const auto resumed = make(0, to_second);
    ASSERT_TRUE(resumed->resume(first->saved()));
    EXPECT_TRUE(to_second.empty());
    resumed->begin_life(0);
    EXPECT_FALSE(to_second.empty());
}

}  // namespace
}  // namespace allot::daemon
