#include "protocols/agreement/succession.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace allot::agreement {
namespace {

// Hosts of which each has told its disk, ten times its number and one, and answers.
struct SuccessionTest : testing::Test {
    void grow(std::size_t hosts) {
        while (settings.hosts.size() < hosts) {
            const auto number = static_cast<SiteId>(settings.hosts.size());
            settings.hosts.push_back({"h" + std::to_string(number + 1), "127.0.0.1:1"});
            heard.push_back(number);
            disks[number] = 10 * number + 1;
        }
    }
    void stop(SiteId host) { std::erase(heard, host); }
    std::vector<VoterId> next(std::optional<SiteId> departing = {}) const {
        return next_voters({settings, record, heard, disks, departing});
    }
    // The hosts that vote when nothing changes any more.
    std::vector<SiteId> settled() {
        for (auto voters = next(); !voters.empty(); voters = next()) {
            record.voters = voters;
            ++record.generation;
        }
        std::vector<SiteId> hosts;
        for (const VoterId& voter : record.voters) hosts.push_back(voter.host);
        return hosts;
    }

    using Hosts = std::vector<SiteId>;
    Settings settings;
    Record record{.generation = 1, .voters = {{0, 1}}};
    std::vector<SiteId> heard;
    boost::container::flat_map<SiteId, std::uint32_t> disks;
};

TEST_F(SuccessionTest, One_three_or_five_hosts_vote_as_there_are_more) {
    const std::vector<std::size_t> voters{1, 1, 3, 3, 5, 5, 5};
    for (std::size_t hosts = 1; hosts <= voters.size(); ++hosts) {
        grow(hosts);
        EXPECT_EQ(settled().size(), voters[hosts - 1]) << hosts << " hosts";
    }
    for (std::size_t hosts = voters.size(); hosts > 1; --hosts) {
        settings.hosts[hosts - 1].standing = Standing::out;
        stop(static_cast<SiteId>(hosts - 1));
        EXPECT_EQ(settled().size(), voters[hosts - 2]) << hosts - 1 << " hosts";
    }
    EXPECT_EQ(settled(), Hosts{0});
}

TEST_F(SuccessionTest, A_host_that_is_only_away_keeps_its_vote) {
    grow(3);
    settled();
    stop(1);
    EXPECT_TRUE(next().empty());
}

TEST_F(SuccessionTest, Two_voters_do_not_go_on_without_a_third) {
    grow(4);
    EXPECT_EQ(settled(), (Hosts{0, 1, 2}));
    stop(3);
    settings.hosts[2].standing = Standing::out;
    stop(2);
    EXPECT_EQ(settled(), Hosts{0}) << "with two, the loss of either would be the end";
    heard.emplace_back(3);
    EXPECT_EQ(settled(), (Hosts{0, 1, 3}));
}

TEST_F(SuccessionTest, A_host_whose_disk_is_not_known_cannot_vote_yet) {
    grow(3);
    disks.erase(2);
    EXPECT_TRUE(next().empty()) << "two voters survive no more losses than one";
    disks[2] = 21;
    EXPECT_EQ(settled(), (Hosts{0, 1, 2}));
}

TEST_F(SuccessionTest, A_lost_disk_is_replaced_by_the_new_one_of_the_same_host) {
    grow(3);
    settled();
    disks[1] = 99;
    EXPECT_EQ(next(), (std::vector<VoterId>{{0, 1}, {1, 99}, {2, 21}}));
    stop(1);
    EXPECT_TRUE(next().empty()) << "it cannot be reached";
}

TEST_F(SuccessionTest, A_host_that_leaves_hands_its_vote_on) {
    grow(2);
    settled();
    EXPECT_EQ(next(0), (std::vector<VoterId>{{1, 11}}));
    settings.hosts[0].standing = Standing::leaving;
    EXPECT_EQ(next(), (std::vector<VoterId>{{1, 11}}));
}

TEST_F(SuccessionTest, Voters_that_are_gone_go_first) {
    grow(5);
    EXPECT_EQ(settled(), (Hosts{0, 1, 2, 3, 4}));
    stop(1);
    settings.hosts[4].standing = Standing::out;
    stop(4);
    EXPECT_EQ(settled(), (Hosts{0, 2, 3}));
}

TEST_F(SuccessionTest, An_operator_chooses_all_or_none) {
    grow(5);
    settled();
    settings.voters = {1, 3, 4};
    EXPECT_EQ(settled(), (Hosts{1, 3, 4}));
    settings.voters = {1, 2, 4};
    stop(2);
    EXPECT_TRUE(next().empty()) << "h3 cannot be formatted";
    settings.voters.clear();
    grow(6);
    EXPECT_EQ(settled(), (Hosts{0, 1, 3, 4, 5}));
}

TEST_F(SuccessionTest, Nobody_is_chosen_among_hosts_that_the_settings_do_not_name) {
    EXPECT_TRUE(next().empty());
}

TEST_F(SuccessionTest, A_host_that_does_not_answer_is_not_left_alone_with_the_register) {
    grow(3);
    settled();
    stop(1);
    EXPECT_EQ(next(0), (std::vector<VoterId>{{2, 21}}));
    stop(2);
    EXPECT_TRUE(next(0).empty());
}

TEST_F(SuccessionTest, A_chosen_host_that_departs_has_no_successor) {
    grow(3);
    settings.voters = {0};
    EXPECT_TRUE(next(0).empty());
}

}  // namespace
}  // namespace allot::agreement
