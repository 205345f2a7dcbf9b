// The conclusions from the reports of several hosts.
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
        missing[2] = {.name = "c", .state = "removed"};
    }

    void wait_for(net::HostId host, const std::string& lock, SiteId site) {
        PartyReport party{.waiting = {lock}, .seated = true, .site = site};
        party.party.host = config.hosts[host].name;
        reports[host].parties.push_back(party);
    }
    std::optional<session::ResourceStatus> shown(const std::string& lock) const {
        const auto status = overview(config, {}, reports, missing);
        const auto found = std::ranges::find(status.resources, lock, &session::ResourceStatus::name);
        return found == status.resources.end() ? std::nullopt : std::optional(*found);
    }

    Config config;
    Reports reports;
    Missing missing;
};

TEST_F(OverviewTest, Names_all_hosts_also_those_that_have_not_answered) {
    const auto status = overview(config, {}, reports, missing);
    ASSERT_EQ(status.hosts.size(), 3u);
    EXPECT_EQ(status.hosts[2].state, "removed");
}

TEST_F(OverviewTest, A_semaphore_that_no_file_declares_is_no_lock) {
    agreement::Settings settings;
    settings.semaphores[ResourceId("licences")] = {4, 4};
    PartyReport party{.held = {{"licences", 7}, {"former", 8}}, .units = {{"licences", 3}, {"former", 1}}};
    reports[0].parties.push_back(party);
    const auto status = overview(config, settings, reports, missing);
    ASSERT_EQ(status.resources.size(), 2u);
    for (const session::ResourceStatus& one : status.resources) {
        EXPECT_EQ(one.kind, "semaphore") << one.name;
        EXPECT_EQ(one.capacity, one.name == "licences" ? 4u : 0u) << "a former one has no units any more";
        EXPECT_EQ(one.holders.size(), 1u);
    }
}

TEST_F(OverviewTest, Waiters_are_in_the_order_of_the_queue_whichever_host_they_are_at) {
    wait_for(0, "db", 3);
    wait_for(1, "db", 7);
    reports[1].queues = {{"db", {7, 3}}};
    ASSERT_TRUE(shown("db"));
    EXPECT_EQ(shown("db")->place, "b");
    ASSERT_EQ(shown("db")->waiters.size(), 2u);
    EXPECT_EQ(shown("db")->waiters[0].host, "b");
    EXPECT_EQ(shown("db")->waiters[1].host, "a");
}

TEST_F(OverviewTest, A_lock_that_no_host_has_may_be_at_one_that_does_not_answer) {
    wait_for(0, "db", 3);
    missing[2].state = "unreachable";
    EXPECT_EQ(shown("db")->state, "unknown");
    EXPECT_EQ(
        shown("db")->note,
        "no program of a host that answers has it; a request that went to c goes on when that host answers, "
        "or when a view without it is complete");
    reports[0].troubles = {{"", "c was removed"}};
    EXPECT_EQ(shown("db")->note, "c was removed") << "the host knows more";
    reports[0].troubles.clear();
    reports[1].queues = {{"db", {3}}};
    EXPECT_EQ(shown("db")->state, "available");
}

TEST_F(OverviewTest, A_lock_is_said_to_wait_for_what_troubles_the_host_of_its_waiter) {
    wait_for(0, "db", 3);
    EXPECT_EQ(shown("db")->state, "available");
    reports[1].troubles = {{"", "another host has a trouble"}};
    EXPECT_EQ(shown("db")->state, "available") << "nobody waits there";
    reports[0].troubles = {{"", "c was removed"}};
    EXPECT_EQ(shown("db")->state, "unreachable");
    EXPECT_EQ(shown("db")->note, "c was removed");
}

}  // namespace
}  // namespace allot::daemon
