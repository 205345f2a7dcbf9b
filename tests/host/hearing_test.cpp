// Hosts that do not all hear each other: who is removed, and that the others go on.
#include "host/hearing.hpp"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <optional>
#include <set>

#include "host/host.hpp"

namespace allot::host {
namespace {

// Some hosts, an atomic register, and links that can be cut. A message takes no time.
struct Hosts : testing::Test {
    Hosts() {
        config.lease = 30;
        config.grace = 10;
        config.hold_off = 33;
        config.renew_every = 10;
        config.alive_every = 1;
        config.silence = 10;
    }

    void start(std::uint32_t count) {
        config.hosts = count;
        hosts.resize(count);
        for (SiteId one = 0; one < count; ++one) hosts[one].start(self(one), true, true);
        for (SiteId one = 0; one < count; ++one)
            act(one, [](Host& host, const Host::Self& at, Effects& fx) { host.call_register(at, fx); });
        pass(config.renew_every);
    }
    Host::Self self(SiteId host) const { return {config, host, 1000}; }

    void cut(SiteId a, SiteId b) {
        cuts.insert({a, b});
        cuts.insert({b, a});
    }
    void heal() { cuts.clear(); }

    void pass(Ticks ticks) {
        for (Ticks tick = 0; tick < ticks; ++tick)
            for (SiteId one = 0; one < hosts.size(); ++one)
                if (!dead.contains(one))
                    act(one, [](Host& host, const Host::Self& at, Effects& fx) { host.tick(at, fx); });
    }

    template <class Action>
    void act(SiteId host, Action action) {
        Effects fx;
        action(hosts[host], self(host), fx);
        carry_out(host, fx);
        while (!letters.empty()) {
            const auto [from, to, message] = letters.front();
            letters.pop_front();
            Effects next;
            hosts[to].receive(self(to), from, message, next);
            carry_out(to, next);
        }
    }

    void carry_out(SiteId host, const Effects& fx) {
        for (const Effects::Send& send : fx.sends)
            if (!cuts.contains({host, send.to}) && !dead.contains(send.to) && !is_mute(host, send.message))
                letters.push_back({host, send.to, send.message});
        for (const Answer& answer : fx.answers)
            if (answer.kind == Answer::Kind::granted) granted.insert(answer.key.ticket);
        if (!fx.call) return;
        const agreement::Value& known = hosts[host].known();
        if (fx.call->change && known.version == value.version)
            value = fx.call->change->applied_to(value, {host, 0, ++values});
        Effects next;
        hosts[host].returned(self(host), value, next);
        carry_out(host, next);
    }

    bool is_mute(SiteId host, const Message& message) const {
        return mute == host && std::holds_alternative<HostReport>(message);
    }

    bool is_granted(SiteId host, const std::string& lock) {
        const std::uint64_t ticket = ++tickets;
        act(host, [&](Host& one, const Host::Self& at, Effects& fx) {
            Want want;
            want.locks = {ResourceId(lock)};
            one.ask(at, {1, ticket}, want, fx);
        });
        return granted.contains(ticket);
    }
    std::set<SiteId> members() const {
        std::set<SiteId> all;
        for (const Peer& one : value.members) all.insert(one.site);
        return all;
    }
    bool works(SiteId host) const {
        return hosts[host].views().works() && hosts[host].views().epoch() == value.view;
    }

    struct Letter {
        SiteId from, to;
        Message message;
    };
    Config config;
    std::vector<Host> hosts;
    agreement::Value value;
    std::uint32_t values = 0;
    std::uint64_t tickets = 0;
    std::set<std::uint64_t> granted;
    std::set<std::pair<SiteId, SiteId>> cuts;
    std::set<SiteId> dead;
    std::optional<SiteId> mute;  // its reports are lost
    std::deque<Letter> letters;
};

TEST_F(Hosts, A_dead_member_is_removed_when_the_others_miss_it) {
    start(3);
    ASSERT_EQ(members(), (std::set<SiteId>{0, 1, 2}));
    dead = {2};
    pass(config.silence + 2);
    EXPECT_EQ(members(), (std::set<SiteId>{0, 1}));
    pass(config.hold_off);
    EXPECT_TRUE(works(0) && works(1));
}

TEST_F(Hosts, Two_dead_members_are_removed_together) {
    start(5);
    dead = {1, 4};
    pass(config.silence + 2);
    EXPECT_EQ(members(), (std::set<SiteId>{0, 2, 3}));
}

TEST_F(Hosts, One_that_alone_misses_another_removes_nobody) {
    start(3);
    const std::uint32_t before = value.view;
    cut(0, 1);
    pass(2 * config.silence);
    EXPECT_EQ(value.view, before);
}

// Of two that do not hear each other one must go: no view with both would ever be complete.
TEST_F(Hosts, Of_two_that_lost_each_other_the_third_removes_one_and_the_rest_goes_on) {
    start(3);
    cut(0, 1);
    pass(5 * config.silence);
    EXPECT_EQ(members(), (std::set<SiteId>{0, 2}));
    pass(config.hold_off);
    ASSERT_TRUE(works(0) && works(2));
    EXPECT_TRUE(is_granted(0, "a"));
    EXPECT_TRUE(is_granted(2, "b"));
    const std::uint32_t view = value.view;
    pass(20 * config.silence);
    EXPECT_EQ(value.view, view) << "the one that was removed comes back only with links to all";
    heal();
    pass(config.silence + config.renew_every);
    EXPECT_EQ(members(), (std::set<SiteId>{0, 1, 2}));
    EXPECT_TRUE(works(0) && works(1) && works(2));
    EXPECT_TRUE(is_granted(1, "c"));
}

TEST_F(Hosts, The_one_with_more_broken_links_goes) {
    start(5);
    cut(0, 1);
    cut(0, 2);
    pass(5 * config.silence);
    EXPECT_EQ(members(), (std::set<SiteId>{1, 2, 3, 4}));
}

TEST_F(Hosts, Without_the_rules_views_follow_each_other_as_long_as_the_cut_lasts) {
    start(3);
    config.rules.confirm_deaths = false;
    config.rules.enter_with_links = false;
    const std::uint32_t before = value.view;
    cut(0, 1);
    pass(20 * config.silence);
    EXPECT_GT(value.view, before + 15);
}

TEST_F(Hosts, All_start_again_though_one_is_gone_for_good) {
    start(3);
    hosts.assign(3, {});
    dead = {2};
    for (const SiteId one : {0u, 1u}) hosts[one].start({config, one, 2000}, true, false);
    for (const SiteId one : {0u, 1u})
        act(one, [](Host& host, const Host::Self& at, Effects& fx) { host.call_register(at, fx); });
    pass(config.silence + config.hold_off + 2 * config.renew_every);
    EXPECT_EQ(members(), (std::set<SiteId>{0, 1}));
}

TEST_F(Hosts, A_member_that_never_reports_is_removed) {
    start(3);
    mute = 1;
    hosts[0].expel(2);
    pass(3 * config.hold_off);
    EXPECT_FALSE(std::ranges::count(value.members, Peer{1, 1000})) << "it is there, at most, as a new one";
}

}  // namespace
}  // namespace allot::host
