// The council of each host, without a network: the first start, the start after a crash, and voters that are
// gone.
#include "protocols/agreement/council.hpp"

#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "core/random.hpp"

namespace {

using namespace allot;
using namespace allot::agreement;

// Councils whose messages arrive in order, unless their receiver is away.
class Hosts {
public:
    explicit Hosts(std::uint32_t hosts, std::uint32_t voters) {
        config_.hosts = hosts;
        for (SiteId voter = 0; voter < voters; ++voter) config_.voters.push_back(voter);
        config_.patience = 5;
        councils_.resize(hosts);
        incarnations_.resize(hosts, 0);
    }

    void start(SiteId host) {
        away_.erase(host);
        ++incarnations_[host];
        act(host, [&](Council& one, const auto& self, auto& fx) { one.start(self, false, fx); });
        for (SiteId other = 0; other < config_.hosts; ++other) {
            if (other == host || away_.contains(other)) continue;
            act(host, [&](Council& one, const auto& self, auto& fx) { one.met(self, other, fx); });
            act(other, [&](Council& one, const auto& self, auto& fx) { one.met(self, host, fx); });
        }
        deliver();
    }
    void crash(SiteId host, Disk disk) {
        away_.insert(host);
        councils_[host] = councils_[host].after_crash(disk);
    }
    void keep_away(SiteId host) { away_.insert(host); }
    void pass(std::uint32_t ticks) {
        for (; ticks > 0; --ticks)
            for (SiteId host = 0; host < config_.hosts; ++host) {
                if (away_.contains(host)) continue;
                act(host, [](Council& one, const auto& self, auto& fx) { one.tick(self, fx); });
                deliver();
            }
    }
    // The view that the host reads, or writes after the newest that it knows.
    std::optional<std::uint32_t> view_after(SiteId host, Operation kind) {
        returned_.erase(host);
        act(host, [&](Council& one, const auto& self, auto& fx) {
            one.begin(self, kind, {.members = {{host, 0}}}, fx);
        });
        deliver();
        pass(10);
        return returned_.contains(host) ? std::optional(returned_[host].view) : std::nullopt;
    }
    Council& council(SiteId host) { return councils_[host]; }
    Council::Self self(SiteId host) const { return {config_, host, incarnations_[host], settings_}; }

private:
    using Action = std::function<void(Council&, const Council::Self&, CouncilEffects&)>;
    void act(SiteId host, const Action& action) {
        CouncilEffects fx;
        action(councils_[host], self(host), fx);
        for (auto& send : fx.sends) flight_.push_back({host, std::move(send)});
        if (fx.returned) returned_[host] = *fx.returned;
        if (fx.persist)
            act(host, [](Council& one, const Council::Self& self, CouncilEffects& more) {
                one.synced(self, more);
            });
    }
    void deliver() {
        while (!flight_.empty()) {
            const Flying one = std::move(flight_.front());
            flight_.pop_front();
            const SiteId to = one.send.to;
            if (away_.contains(to)) continue;
            act(to, [&](Council& council, const Council::Self& self, CouncilEffects& fx) {
                council.receive(self, one.from, one.send.message, fx);
            });
        }
    }

    CouncilConfig config_;
    std::vector<Council> councils_;
    std::vector<std::uint32_t> incarnations_;
    const Settings settings_;
    std::set<SiteId> away_;
    struct Flying {
        SiteId from;
        CouncilEffects::Send send;
    };
    std::deque<Flying> flight_;
    std::map<SiteId, Value> returned_;
};

Hosts all_of(std::uint32_t hosts, std::uint32_t voters) {
    Hosts all(hosts, voters);
    for (SiteId host = 0; host < hosts; ++host) all.keep_away(host);
    for (SiteId host = 0; host < hosts; ++host) all.start(host);
    return all;
}

TEST(Council, Of_one_host_begins_at_once) {
    Hosts all = all_of(1, 1);
    EXPECT_EQ(all.view_after(0, Operation::exchange), 1u);
    EXPECT_EQ(all.view_after(0, Operation::quick), 1u);
}

TEST(Council, Forms_when_all_voters_have_met_and_says_who_is_missing) {
    Hosts all(4, 3);
    for (SiteId host = 0; host < 4; ++host) all.keep_away(host);
    all.start(0);
    all.start(3);
    all.start(1);
    EXPECT_EQ(all.council(0).unformed(all.self(0)), std::vector<SiteId>{2});
    EXPECT_EQ(all.view_after(0, Operation::quick), std::nullopt);
    all.start(2);
    EXPECT_TRUE(all.council(0).unformed(all.self(0)).empty());
    all.pass(10);
    EXPECT_EQ(all.view_after(3, Operation::exchange), 1u) << "a host that does not vote";
    EXPECT_EQ(all.view_after(1, Operation::quick), 1u);
}

TEST(Council, Goes_on_with_a_majority_after_all_were_killed) {
    Hosts all = all_of(3, 3);
    EXPECT_EQ(all.view_after(0, Operation::exchange), 1u);
    for (SiteId host = 0; host < 3; ++host) all.crash(host, Disk::kept);
    all.start(1);
    all.pass(20);
    EXPECT_EQ(all.council(1).awaited(), (std::vector<SiteId>{0, 2})) << "one of three must not vote alone";
    all.start(2);
    all.pass(20);
    EXPECT_EQ(all.view_after(2, Operation::quick), 1u);
    EXPECT_EQ(all.view_after(2, Operation::exchange), 2u);
    all.start(0);
    EXPECT_EQ(all.view_after(0, Operation::quick), 2u);
}

TEST(Council, Counts_no_vote_of_an_empty_disk) {
    Hosts all = all_of(3, 3);
    EXPECT_EQ(all.view_after(0, Operation::exchange), 1u);
    all.crash(2, Disk::lost);
    all.start(2);
    EXPECT_EQ(all.view_after(2, Operation::quick), 1u) << "it is told who votes";
    all.crash(1, Disk::kept);
    EXPECT_EQ(all.view_after(0, Operation::quick), std::nullopt);
    all.start(1);
    all.pass(20);
    EXPECT_EQ(all.view_after(2, Operation::quick), 1u);
}

// Its id is not on the disk yet: the next daemon would have another one, and a record with this one would
// never be complete.
TEST(Council, Names_no_disk_before_it_is_written) {
    const Forming::Self self{0, 1, 2, {0, 1}, {}};
    const Hello question{
        .incarnation = 1, .list = {0, 1}, .disk = 7, .stage = {}, .record = {}, .again = true};
    Forming host;
    FormingEffects fx;
    host.start(self, fx);
    EXPECT_TRUE(fx.persist);
    host.receive(self, 1, question, fx);
    EXPECT_TRUE(fx.sends.empty());
    host.synced(self, fx);
    ASSERT_FALSE(fx.sends.empty());
    EXPECT_EQ(fx.sends.front().message.disk, 2u);
}

TEST(Council, Throws_a_disk_away_that_was_put_back) {
    Hosts all = all_of(3, 3);
    const Council::Files early = all.council(2).files();
    EXPECT_EQ(all.view_after(0, Operation::exchange), 1u);
    all.crash(2, Disk::kept);
    all.council(2) = Council(early);
    all.start(2);
    EXPECT_TRUE(all.council(2).is_thrown_away());
    EXPECT_EQ(all.view_after(0, Operation::exchange), 2u) << "the others go on";
}

}  // namespace
