// What is concluded from the reports of several hosts about locks that are at none of them.
#include "daemon/overview.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace allot::daemon {
namespace {

class OverviewTest : public testing::Test {
protected:
    OverviewTest() {
        config.host = "a";
        config.hosts = {{"a", ""}, {"b", ""}, {"c", ""}};
        for (const net::HostId host : {0u, 1u}) {
            reports[host].host.name = config.hosts[host].name;
            reports[host].host.state = "up";
        }
        missing[2] = {.name = "c", .state = "lost"};
    }

    static Stamp hop(int count) {
        Stamp stamp;
        for (int i = 0; i < count; ++i) stamp = stamp.next();
        return stamp;
    }
    void wait_for(net::HostId host, const std::string& lock, SiteId site) {
        PartyReport party{.waiting = {lock}, .seated = true, .site = site};
        party.party.host = config.hosts[host].name;
        reports[host].parties.push_back(party);
    }
    std::optional<session::ResourceStatus> shown(const std::string& lock) const {
        const auto status = overview(config, reports, missing);
        const auto found = std::ranges::find(status.resources, lock, &session::ResourceStatus::name);
        return found == status.resources.end() ? std::nullopt : std::optional(*found);
    }
    std::string lock_at_home(net::HostId host) const {
        std::string name = "x";
        while (home_of(name, 3) != host) name += 'x';
        return name;
    }

    Config config;
    Reports reports;
    Missing missing;
};

TEST_F(OverviewTest, A_lock_is_lost_if_the_latest_that_is_known_of_it_leads_to_a_lost_host) {
    reports[0].places = {{"db", 2, hop(5)}};
    reports[1].places = {{"db", 0, hop(4)}};
    ASSERT_TRUE(shown("db"));
    EXPECT_EQ(shown("db")->state, "lost");
    EXPECT_EQ(shown("db")->place, "c");
    EXPECT_EQ(shown("db")->note, "held by a lost host");
}

TEST_F(OverviewTest, A_lock_that_went_on_to_a_host_that_is_there_is_under_way) {
    reports[0].places = {{"db", 2, hop(5)}};
    reports[1].places = {{"db", 0, hop(6)}};
    EXPECT_FALSE(shown("db"));
}

TEST_F(OverviewTest, A_lock_that_some_host_has_is_not_lost_whatever_others_believe) {
    reports[0].places = {{"db", 2, hop(5)}};
    reports[1].places = {{"db", 1, hop(1), true}};
    EXPECT_FALSE(shown("db"));
}

TEST_F(OverviewTest, A_host_that_only_does_not_answer_has_not_lost_its_locks) {
    missing[2].state = "silent";
    reports[0].places = {{"db", 2, hop(5)}};
    ASSERT_TRUE(shown("db"));
    EXPECT_EQ(shown("db")->state, "unreachable");
    missing[2].incarnation = 1;
    EXPECT_EQ(shown("db")->state, "lost") << "its first daemon had them, and was killed";
}

TEST_F(OverviewTest, Who_needs_a_lost_home_to_find_a_lock_waits_in_vain) {
    const std::string lock = lock_at_home(2);
    wait_for(0, lock, 3);
    reports[1].places = {{lock, 1, hop(1), true}};
    ASSERT_TRUE(shown(lock));
    EXPECT_EQ(shown(lock)->place, "b");
    EXPECT_EQ(shown(lock)->state, "lost");
    reports[1].queues = {{lock, {3}}};
    EXPECT_EQ(shown(lock)->state, "available") << "it is in the queue";
}

TEST_F(OverviewTest, Only_if_hosts_are_missing_everybody_is_asked_again) {
    wait_for(0, "db", 3);
    reports[1].places = {{"gpu", 2, hop(1)}};
    EXPECT_EQ(unclear_locks(config, reports, missing), (std::vector<std::string>{"db", "gpu"}));
    reports[2].host.name = "c";
    EXPECT_TRUE(unclear_locks(config, reports, {}).empty());
    reports[2].locks_lost = true;
    EXPECT_EQ(unclear_locks(config, reports, {}).size(), 2u);
}

TEST_F(OverviewTest, A_report_holds_so_many_places_and_counts_the_rest) {
    const auto locks =
        make_locks({.hosts = 3, .seats = 1, .self = 0}, [](SiteId, SiteId, std::string_view) {});
    locks->begin_life(0);
    std::vector<std::string> astray;
    for (Claim claim = 1; claim <= 1000; ++claim) {
        const std::string name = "lock" + std::to_string(claim);
        if (home_of(name, 3) == 2) astray.push_back(name);
        locks->request(claim, {1, {name}});
        locks->release(claim);
    }
    Report report;
    add_places(report, *locks, {}, {2});
    EXPECT_EQ(report.places.size(), 200u);
    EXPECT_EQ(report.places_left_out, astray.size() - 200);
    Report asked;
    add_places(asked, *locks, {astray[0], "nobody knows it"}, {2});
    ASSERT_EQ(asked.places.size(), 1u) << "the others were not asked of all";
    EXPECT_EQ(asked.places[0].lock, astray[0]);
    EXPECT_EQ(asked.places_left_out, astray.size() - 1);
}

}  // namespace
}  // namespace allot::daemon
