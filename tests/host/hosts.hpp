// Some hosts, an atomic register, and links that can be cut. A message takes no time.
#pragma once

#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/host.hpp"

namespace allot::host {

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
        for (SiteId one = 0; one < count; ++one) call(one);
        pass(config.renew_every);
    }
    Host::Self self(SiteId host) const {
        const auto later = incarnations.find(host);
        return {config, host, later == incarnations.end() ? 1000 : later->second};
    }
    // Another daemon of that host, which has not called the register yet.
    void replace(SiteId host) {
        incarnations[host] = self(host).incarnation + 1000;
        hosts[host] = {};
        hosts[host].start(self(host), true, false);
    }
    void call(SiteId host) {
        act(host, [](Host& one, const Host::Self& at, Effects& fx) { one.call_register(at, fx); });
    }

    void cut(SiteId a, SiteId b) {
        cuts.insert({a, b});
        cuts.insert({b, a});
    }
    void heal() { cuts.clear(); }
    // Letters have waited for the one that slept.
    void wake() {
        asleep.reset();
        letters.swap(kept);
    }

    void pass(Ticks ticks) {
        for (Ticks tick = 0; tick < ticks; ++tick)
            for (SiteId one = 0; one < hosts.size(); ++one)
                if (!dead.contains(one) && asleep != one)
                    act(one, [](Host& host, const Host::Self& at, Effects& fx) { host.tick(at, fx); });
    }

    template <class Action>
    void act(SiteId host, Action action) {
        Effects fx;
        action(hosts[host], self(host), fx);
        carry_out(host, fx);
        while (!letters.empty()) {
            const Letter letter = letters.front();
            letters.pop_front();
            if (letter.to == asleep) {
                kept.push_back(letter);
                continue;
            }
            const auto& [from, to, message] = letter;
            Effects next;
            hosts[to].receive(self(to), from, message, next);
            carry_out(to, next);
        }
    }

    void carry_out(SiteId host, const Effects& fx) {
        for (const Effects::Send& send : fx.sends)
            if (!cuts.contains({host, send.to}) && !dead.contains(send.to) && !is_mute(host, send.message))
                letters.push_back({host, send.to, send.message});
        for (const Answer& answer : fx.answers) {
            if (answer.kind == Answer::Kind::granted) granted.insert(answer.key.ticket);
            if (answer.kind == Answer::Kind::lost) lost[answer.key.ticket] = answer.reason;
        }
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
    std::map<SiteId, std::uint32_t> incarnations;  // of daemons after the first
    agreement::Value value;
    std::uint32_t values = 0;
    std::uint64_t tickets = 0;
    std::set<std::uint64_t> granted;
    std::map<std::uint64_t, std::string> lost;  // why
    std::set<std::pair<SiteId, SiteId>> cuts;
    std::set<SiteId> dead;
    std::optional<SiteId> asleep;
    std::optional<SiteId> mute;  // its reports are lost
    std::deque<Letter> letters;
    std::deque<Letter> kept;  // for the one that is asleep
};

}  // namespace allot::host
