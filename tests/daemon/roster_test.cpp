#include "daemon/roster.hpp"

#include <gtest/gtest.h>

namespace allot::daemon {
namespace {

using agreement::Settings;
using agreement::Standing;

Settings three_hosts() {
    Settings settings;
    settings.hosts = {{"a", "10.0.0.1:7400"}, {"b", "10.0.0.2:7400"}, {"c", "10.0.0.3:7400"}};
    return settings;
}

net::Petition petition(const std::string& name, const std::string& address) {
    return {.name = name, .address = address};
}

std::string why_not(const Result<Settings>& result) {
    return result ? "" : result.error();
}

TEST(Roster, A_new_host_gets_the_next_number_and_one_that_comes_back_its_former_one) {
    Settings settings = *with_joined(three_hosts(), petition("d", "10.0.0.4:7400"));
    EXPECT_EQ(*number_of(settings, "d"), 3u);
    settings = *with_expelled(settings, "b");
    EXPECT_EQ(why_not(with_drained(settings, "b", true)), "b: no such host; there is a, c, d");
    settings = *with_joined(settings, petition("b", "10.0.0.9:7400"));
    EXPECT_EQ(*number_of(settings, "b"), 1u);
    EXPECT_EQ(settings.hosts[1].address, "10.0.0.9:7400");
    EXPECT_EQ(settings.hosts.size(), 4u);
}

TEST(Roster, A_host_that_is_there_may_move) {
    Settings settings = *with_drained(three_hosts(), "b", true);
    settings = *with_joined(settings, petition("b", "10.0.0.9:7400"));
    EXPECT_EQ(settings.hosts[1], (agreement::HostSettings{"b", "10.0.0.9:7400", Standing::drained}));
}

TEST(Roster, Wrong_petitions_are_refused) {
    const Settings settings = three_hosts();
    EXPECT_EQ(why_not(with_joined(settings, petition("d e", "10.0.0.4:7400"))),
              "the name of a host: write 1 to 100 characters without blanks, commas and control characters");
    EXPECT_FALSE(with_joined(settings, petition("d\x1b[31m", "10.0.0.4:7400")));
    EXPECT_FALSE(with_joined(settings, petition("auto", "10.0.0.4:7400")));
    EXPECT_EQ(why_not(with_joined(settings, petition("d", "10.0.0.3:7400"))),
              "host c has the address 10.0.0.3:7400 already");
    EXPECT_EQ(why_not(with_joined(settings, petition("d", "10.0.0.4:0"))),
              "10.0.0.4:0: the other hosts cannot find a port that changes; write address = \"HOST:PORT\"");
    EXPECT_FALSE(with_joined(settings, petition("d", "nonsense")));
}

TEST(Roster, Operators_may_be_asked_first) {
    Settings settings = three_hosts();
    settings.asks_operator = true;
    EXPECT_EQ(why_not(with_joined(settings, petition("d", "10.0.0.4:7400"))),
              "an operator admits new hosts: run `allot cluster expect d` on a host of the cluster, then try "
              "again");
    EXPECT_EQ(why_not(with_expected(settings, "a")), "a: it is in the cluster");
    settings = *with_expected(settings, "d");
    EXPECT_FALSE(with_joined(*with_expelled(settings, "d"), petition("d", "10.0.0.4:7400")))
        << "it is expected no more";
    EXPECT_FALSE(settings.admits(3));
    settings = *with_joined(settings, petition("d", "10.0.0.4:7400"));
    EXPECT_TRUE(settings.admits(3));
    settings = *with_expelled(settings, "d");
    EXPECT_FALSE(with_joined(settings, petition("d", "10.0.0.4:7400")));
    EXPECT_TRUE(with_joined(settings, petition("a", "10.0.0.5:7400"))) << "it is there already";
}

TEST(Roster, Somebody_always_serves) {
    Settings settings = *with_drained(three_hosts(), "a", true);
    settings = *with_leaving(settings, "b");
    EXPECT_EQ(why_not(with_drained(settings, "c", true)), "c: no other host serves; let one join first");
    EXPECT_EQ(why_not(with_drained(settings, "b", true)),
              "b: it leaves the cluster; `allot cluster drain b --undo` lets it stay");
    EXPECT_TRUE(with_drained(settings, "b", false)->lets_serve(1));
    settings = *with_drained(settings, "a", false);
    EXPECT_TRUE(settings.lets_serve(0));
    EXPECT_TRUE(with_expelled(settings, "c"));
}

TEST(Roster, Chosen_voters_are_odd_in_number_there_and_not_removed) {
    const std::vector<Peer> members{{0, 256}, {1, 256}};
    const auto chosen = [&](const std::string& list) { return with_voters(three_hosts(), list, members); };
    EXPECT_EQ(why_not(chosen("a,b")), "a,b: write an odd number of hosts; 2 survive no more losses than 1");
    EXPECT_EQ(why_not(chosen("a,b,c")),
              "a,b,c: c is not in the view, so nobody can reach it; start it first");
    EXPECT_EQ(why_not(chosen("a,b,a")), "a,b,a: a is there twice");
    EXPECT_EQ(why_not(chosen("x")), "x: no such host; there is a, b, c");
    const Settings settings = *chosen("b");
    EXPECT_EQ(settings.voters, std::vector<SiteId>{1});
    EXPECT_EQ(
        why_not(with_expelled(settings, "b")),
        "b: it was chosen to keep the register; choose others first, as in `allot cluster voters auto`");
    EXPECT_TRUE(with_drained(settings, "b", true)) << "it votes on";
    EXPECT_TRUE(with_voters(settings, "auto", members)->voters.empty());
}

TEST(Roster, A_host_whose_vote_is_void_is_not_chosen) {
    const std::vector<Peer> members{{0, 256}, {1, 256}, {2, 256}};
    session::Status status;
    status.hosts = {{.name = "a", .state = "up"}, {.name = "b", .state = "voteless"}};
    const auto voteless = voteless_of(status);
    EXPECT_EQ(why_not(with_voters(three_hosts(), "a,b,c", members, voteless)),
              "a,b,c: the vote of b is void, because its state folder was put back or copied; choose another "
              "host, or stop it, move its state folder away, and let it join again");
    EXPECT_TRUE(with_voters(three_hosts(), "c", members, voteless));
    EXPECT_TRUE(with_voters(three_hosts(), "auto", members, voteless));
}

TEST(Roster, The_agreed_hosts_are_used_and_the_address_that_a_file_has_for_its_own_host) {
    Config file;
    file.host = "b";
    file.address = "127.0.0.1:2";
    file.hosts = {{"a", "127.0.0.1:1"}, {"b", "127.0.0.1:2"}};
    const auto config = with_agreed(file, three_hosts());
    ASSERT_TRUE(config);
    EXPECT_EQ(config->self(), 1u);
    EXPECT_EQ(config->hosts[0].address, "10.0.0.1:7400");
    EXPECT_EQ(config->hosts[1].address, "127.0.0.1:2");
    EXPECT_EQ(config->hosts[2].address, "10.0.0.3:7400");
    EXPECT_FALSE(with_agreed(file, *with_expelled(three_hosts(), "b")));
}

TEST(Roster, All_that_was_agreed_replaces_the_bootstrap_of_a_file) {
    Config file;
    file.host = "b";
    file.semaphores["old"] = {};
    file.agreed.voters = {"a"};
    file.agreed.lease = std::chrono::seconds(9);
    Settings settings = three_hosts();
    settings.semaphores["builds"] = {3, 2};
    settings.asks_operator = true;
    settings.voters = {1};
    settings.founded = {{"lease", "2s"}, {"seats", "7"}};
    const auto config = with_agreed(file, settings);
    ASSERT_TRUE(config) << config.error();
    EXPECT_EQ(config->semaphores.size(), 1u);
    EXPECT_EQ(config->semaphores.at("builds"), (Semaphore{.permits = 3, .max_request = 2}));
    EXPECT_TRUE(config->asks_operator);
    EXPECT_EQ(config->voters(), std::vector<std::uint32_t>{1});
    EXPECT_EQ(config->agreed.lease, std::chrono::seconds(2));
    EXPECT_EQ(config->lock_seats, 7u);
    settings.founded = {{"lease", "never"}};
    EXPECT_FALSE(with_agreed(file, settings));
}

}  // namespace
}  // namespace allot::daemon
