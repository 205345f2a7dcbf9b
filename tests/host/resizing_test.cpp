// A host whose semaphores are made, resized and removed while programs use them.
#include <gtest/gtest.h>

#include "host/host.hpp"
#include "host/hosts.hpp"

namespace allot::host {
namespace {

// A host that is the only member, and the register that it asks.
struct ResizingTest : testing::Test {
    ResizingTest() {
        config.lease = 1000;
        for (const char* name : {"a", "b", "c"}) config.settings.semaphores[ResourceId(name)] = {1, 1};
        host.start(self(), true, true);
        Effects fx;
        host.call_register(self(), fx);
        answer(fx);
    }

    Host::Self self() const { return {config, 0, 256}; }

    void answer(const Effects& fx) {
        note(fx);
        if (!fx.call) return;
        if (fx.call->change) value = fx.call->change->applied_to(value, {0, 256, ++values});
        Effects next;
        host.returned(self(), value, next);
        note(next);
    }
    void note(const Effects& fx) {
        for (const Answer& one : fx.answers) {
            if (one.kind == Answer::Kind::granted) granted.push_back(one.key.ticket);
            if (one.kind == Answer::Kind::refused) refused.emplace_back(one.key.ticket, one.reason);
        }
    }

    void set(const char* semaphore, std::uint32_t permits) {
        agreement::Settings settings = host.settings();
        settings.semaphores.erase(ResourceId(semaphore));
        if (permits > 0) settings.semaphores[ResourceId(semaphore)] = {permits, permits};
        Effects fx;
        host.propose(self(), settings, fx);
        answer(fx);
        ASSERT_EQ(host.settings_in_force(), settings);
    }
    void ask(std::uint64_t ticket, const boost::container::flat_map<ResourceId, std::uint32_t>& permits) {
        Effects fx;
        host.ask(self(), {1, ticket}, {.locks = {}, .permits = permits}, fx);
        note(fx);
    }
    void release(std::uint64_t ticket) {
        Effects fx;
        host.release(self(), {1, ticket}, fx);
        host.settle(self(), fx);
        note(fx);
    }

    using Tickets = std::vector<std::uint64_t>;
    Config config;
    Host host;
    agreement::Value value;
    std::uint32_t values = 0;
    Tickets granted;
    std::vector<std::pair<std::uint64_t, std::string>> refused;
    const ResourceId a{"a"}, b{"b"}, c{"c"};
};

TEST_F(ResizingTest, More_permits_serve_those_that_wait) {
    ask(1, {{a, 1}});
    ask(2, {{a, 1}});
    EXPECT_EQ(granted, Tickets{1});
    set("a", 2);
    EXPECT_EQ(granted, (Tickets{1, 2}));
}

TEST_F(ResizingTest, Fewer_permits_than_are_in_use_take_nothing_away) {
    set("a", 3);
    for (const std::uint64_t ticket : {1u, 2u, 3u, 4u}) ask(ticket, {{a, 1}});
    set("a", 1);
    release(1);
    release(2);
    EXPECT_EQ(granted, (Tickets{1, 2, 3})) << "one is still in use";
    release(3);
    EXPECT_EQ(granted, (Tickets{1, 2, 3, 4}));
}

TEST_F(ResizingTest, A_request_that_waits_for_more_than_there_is_now_is_refused) {
    set("a", 2);
    ask(1, {{a, 2}});
    ask(2, {{a, 2}});
    ask(3, {{a, 1}});
    set("a", 1);
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0], std::pair(std::uint64_t{2}, std::string("semaphore a has only 1 permit now")));
    EXPECT_EQ(host.find({1, 2}), nullptr);
    release(1);
    EXPECT_EQ(granted, (Tickets{1, 3}));
}

TEST_F(ResizingTest, A_request_that_comes_to_a_removed_semaphore_gives_back_what_it_has) {
    ask(1, {{a, 1}});
    ask(2, {{a, 1}, {b, 1}});
    set("b", 0);
    release(1);
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0].second, "there is no semaphore b any more");
    ask(3, {{a, 1}});
    EXPECT_EQ(granted, (Tickets{1, 3}));
}

TEST_F(ResizingTest, Users_of_a_semaphore_that_is_made_again_count) {
    ask(1, {{a, 1}});
    set("a", 0);
    set("a", 1);
    ask(2, {{a, 1}});
    EXPECT_EQ(granted, Tickets{1});
    release(1);
    EXPECT_EQ(granted, (Tickets{1, 2}));
}

TEST_F(ResizingTest, Settings_that_somebody_else_changed_first_are_not_replaced) {
    agreement::Settings mine = host.settings(), other = host.settings();
    mine.semaphores[a] = {5, 5};
    other.semaphores[b] = {7, 7};
    Effects fx;
    host.propose(self(), mine, fx);
    value = agreement::Change{.members = value.members, .settings = other}.applied_to(value, {1, 512, 1});
    Effects next;
    host.returned(self(), value, next);
    EXPECT_FALSE(host.is_proposing());
    EXPECT_FALSE(next.call && next.call->change);
    EXPECT_EQ(host.settings(), other);
}

// The first request for a semaphore that is gone must not hide another one from the rebuild of the epoch.
TEST_F(Hosts, An_epoch_knows_who_waits_for_every_semaphore) {
    const ResourceId first("a"), second("b"), third("c");
    for (const ResourceId name : {first, second, third}) config.settings.semaphores[name] = {1, 1};
    start(2);
    const auto ask = [&](SiteId host, std::uint64_t ticket, const Want& want) {
        act(host, [&](Host& one, const Host::Self& at, Effects& fx) { one.ask(at, {1, ticket}, want, fx); });
    };
    const auto set = [&](ResourceId name, std::uint32_t permits) {
        agreement::Settings settings = hosts[0].settings();
        settings.semaphores.erase(name);
        if (permits > 0) settings.semaphores[name] = {permits, permits};
        act(0, [&](Host& one, const Host::Self& at, Effects& fx) { one.propose(at, settings, fx); });
        ASSERT_TRUE(works(0) && works(1));
    };
    ask(0, 1, {.locks = {}, .permits = {{third, 1}}});
    ask(1, 2, {.locks = {}, .permits = {{third, 1}}});
    ask(0, 3, {.locks = {}, .permits = {{first, 1}}});
    ask(0, 4, {.locks = {}, .permits = {{first, 1}, {second, 1}}});
    set(second, 0);
    set(first, 2);  // serves the last one, which asks for the second
    EXPECT_EQ(granted, (std::set<std::uint64_t>{1, 3}));
    act(0, [](Host& one, const Host::Self& at, Effects& fx) {
        one.release(at, {1, 1}, fx);
        one.settle(at, fx);
    });
    EXPECT_TRUE(granted.contains(2)) << "it is free";
}

}  // namespace
}  // namespace allot::host
