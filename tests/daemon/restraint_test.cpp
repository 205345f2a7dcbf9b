// Which changes a host refrains from when it does not hear the others.
#include "daemon/restraint.hpp"

#include <gtest/gtest.h>
#include <set>

namespace allot::daemon {
namespace {

using agreement::Change;
using agreement::Value;
using std::chrono::milliseconds;

// Host 2 of hosts 0 to 2.
struct RestraintTest : testing::Test {
    // The next value, made by that host, with those members.
    void see(SiteId by, std::vector<Peer> members) {
        newest.version = newest.version.next();
        newest.id = {by, 256, ++calls};
        newest.members = std::move(members);
        restraint.see(here(), newest);
    }
    bool forbids(std::vector<Peer> members) {
        return restraint.forbids(here(), {.members = std::move(members)});
    }
    Restraint::Here here() const {
        return {.self = 2,
                .hears = [this](SiteId host) { return heard.contains(host); },
                .silence = milliseconds(1000),
                .patience = milliseconds(60'000),
                .now = now};
    }
    static std::vector<Peer> with(std::initializer_list<std::uint32_t> hosts) {
        std::vector<Peer> all;
        for (const std::uint32_t host : hosts) all.push_back({host, 256});
        return all;
    }

    Restraint restraint;
    Value newest;
    std::uint32_t calls = 0;
    std::set<SiteId> heard{0, 1};
    Restraint::Time now{};
};

TEST_F(RestraintTest, A_host_that_hears_the_others_does_as_it_likes) {
    EXPECT_FALSE(forbids(with({2})));
    see(2, with({2}));
    see(0, with({0, 1, 2}));
    EXPECT_FALSE(forbids(with({0, 2})));
    see(0, with({0, 1}));
    EXPECT_FALSE(forbids(with({0, 1, 2})));
    EXPECT_EQ(restraint.reason(), "");
}

TEST_F(RestraintTest, A_host_that_hears_less_than_half_lets_the_others_remove_it_first) {
    see(0, with({0, 1, 2}));
    heard.clear();
    EXPECT_TRUE(forbids(with({2})));
    now += milliseconds(900);
    EXPECT_TRUE(forbids(with({2})));
    now += milliseconds(100);
    EXPECT_FALSE(forbids(with({2}))) << "nobody has removed it: they are dead";
    heard = {0};
    EXPECT_FALSE(forbids(with({0, 2})));
    heard.clear();
    EXPECT_TRUE(forbids(with({2}))) << "the time counts from the loss";
}

TEST_F(RestraintTest, Of_two_hosts_each_may_remove_the_other_at_once) {
    see(0, with({0, 2}));
    heard.clear();
    EXPECT_FALSE(forbids(with({2})));
}

TEST_F(RestraintTest, A_host_that_was_removed_stays_away_from_members_that_it_does_not_hear) {
    see(2, with({0, 1, 2}));
    heard.clear();
    see(0, with({0, 1}));
    EXPECT_TRUE(forbids(with({0, 1, 2})));
    EXPECT_NE(restraint.reason(), "");
    now += milliseconds(59'000);
    EXPECT_TRUE(forbids(with({0, 1, 2})));
    see(1, with({1}));
    now += milliseconds(59'000);
    EXPECT_TRUE(forbids(with({1, 2}))) << "a new value is a sign of life";
    now += milliseconds(1000);
    EXPECT_FALSE(forbids(with({1, 2}))) << "they may have died since";
    see(1, with({1}));
    EXPECT_TRUE(forbids(with({1, 2})));
    heard = {1};
    EXPECT_FALSE(forbids(with({1, 2})));
    EXPECT_EQ(restraint.reason(), "");
}

// Nothing says that the members live.
TEST_F(RestraintTest, A_host_that_has_just_been_started_joins_at_once) {
    heard.clear();
    see(0, with({0, 1}));
    EXPECT_FALSE(forbids(with({0, 1, 2})));
    see(0, {});
    EXPECT_FALSE(forbids(with({2})));
}

}  // namespace
}  // namespace allot::daemon
