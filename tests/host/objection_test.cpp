// The edge of a host: messages of another one that cannot be right are dropped, whatever they name, and
// honest ones are not (that is what cluster_test.cpp and the random runs show, by the property
// never-objected).
#include "host/objection.hpp"

#include <functional>
#include <gtest/gtest.h>

#include "host/hosts.hpp"
#include "host/member.hpp"

namespace allot::host {
namespace {

using agreement::Value;

Stamp stamp_of(std::uint64_t number) {
    return StampAccess::make(number);
}

struct Edges : Hosts {
    Edges() {
        config.locks.seats = 4;
        config.settings.semaphores[semaphore] = {2, 2};
        start(3);
    }

    std::uint32_t epoch() const { return *hosts[0].views().epoch(); }
    SiteId site(std::uint32_t seat, SiteId place) const { return seat * 3 + place; }
    // A lock whose tokens begin at this host.
    ResourceId lock_of(SiteId home) const {
        Counters::Config all;
        all.homes = 3;
        for (int i = 0;; ++i)
            if (const ResourceId name("lock" + std::to_string(i)); all.home(name) == home) return name;
    }

    // Why host 0 objects to a message of host 1; "" if it does not.
    std::string objection_of(const Message& message) {
        const Host before = hosts[0];
        Effects fx;
        hosts[0].receive(self(0), 1, message, fx);
        if (fx.dropped.empty()) return "";
        EXPECT_TRUE(fx.sends.empty());
        EXPECT_EQ(fx.dropped.front().from, SiteId(1));
        EXPECT_EQ(hosts[0].erring().begin()->first.site, SiteId(1));
        EXPECT_EQ(hosts[0].locks(), before.locks());
        hosts[0] = before;
        return fx.dropped.front().why;
    }
    Frame about_locks(Counters::Message message, std::uint32_t from_seat = 0, std::uint32_t to_seat = 0) {
        return {epoch(), {}, Locks::Message{from_seat, to_seat, std::move(message)}};
    }
    Frame about_units(Semaphore::Message message) { return {epoch(), semaphore, message}; }
    Counters::Request request_by(SiteId site) {
        return {{1, site}, {{.resource = lock_of(0), .site = site, .number = 1}}};
    }
    counters::Token token(SiteId home = 2) { return {.resource = lock_of(home)}; }
    HostReport report(agreement::Holding holding, ResourceId kind = {}) {
        HostReport one{.view = epoch() + 1};
        one.part.kinds[kind] = {std::move(holding)};
        return one;
    }
    agreement::Holding holding() {
        return {.seat = 1, .phase = Phase::holding, .demand = {1, {lock_of(0)}}, .birth = {}};
    }
    agreement::Holding units(std::uint32_t number) {
        return {.seat = 0, .phase = Phase::holding, .demand = {number, {}}, .birth = {}};
    }
    Learn learn(const std::function<void(Value&)>& change) {
        Learn one{hosts[0].known()};
        one.value.version = one.value.version.next();
        change(one.value);
        return one;
    }

    const ResourceId semaphore = "builds";
};

TEST_F(Edges, Messages_that_may_be_right_are_taken) {
    EXPECT_EQ(objection_of(about_locks(request_by(site(0, 1)))), "");
    EXPECT_EQ(objection_of(about_locks(Counters::Tokens{{token()}})), "");
    EXPECT_EQ(objection_of(about_units(HostPermits::Request{stamp_of(1)})), "");
    EXPECT_EQ(objection_of(report(holding())), "");
    EXPECT_EQ(objection_of(report(units(2), semaphore)), "");
    EXPECT_EQ(objection_of(Alive{{2}}), "");
    EXPECT_EQ(objection_of(learn([](Value&) {})), "");
}

TEST_F(Edges, No_frame_opens_a_seat_beyond_the_last_one) {
    const std::uint32_t most = config.locks.most_seats();
    EXPECT_EQ(objection_of(about_locks(request_by(site(0, 1)), 0, most - 1)), "");
    EXPECT_NE(objection_of(about_locks(request_by(site(0, 1)), 0, most)), "");
    EXPECT_NE(objection_of(about_locks(request_by(site(0, 1)), 0, 0xFFFFFFFF)), "");
    EXPECT_NE(objection_of(about_locks(request_by(site(0, 1)), most, 0)), "");
    EXPECT_NE(objection_of(about_locks(request_by(site(0, 1)), 0xFFFFFFFF, 0)), "");
}

TEST_F(Edges, No_request_names_a_site_that_is_none) {
    const SiteId none = config.locks.most_seats() * 3;
    EXPECT_NE(objection_of(about_locks(request_by(none))), "");
    Counters::Request request = request_by(site(0, 1));
    request.visited.insert(none);
    EXPECT_NE(objection_of(about_locks(request)), "");
    request = request_by(site(0, 1));
    request.asks[0].holder = none;
    EXPECT_NE(objection_of(about_locks(request)), "");
}

TEST_F(Edges, No_request_comes_back) {
    EXPECT_NE(objection_of(about_locks(request_by(site(0, 0)))), "") << "it is made by its receiver";
    Counters::Request request = request_by(site(0, 1));
    request.visited.insert(site(0, 0));
    EXPECT_NE(objection_of(about_locks(request)), "") << "it has passed its receiver";
    request = request_by(site(0, 1));
    request.asks[0].site = site(2, 2);
    EXPECT_NE(objection_of(about_locks(request)), "") << "it has not passed who made it";
    request = request_by(site(0, 2));
    request.visited.erase(site(0, 1));
    EXPECT_NE(objection_of(about_locks(request)), "") << "it has not passed its sender";
}

TEST_F(Edges, No_token_comes_twice) {
    EXPECT_NE(objection_of(about_locks(Counters::Tokens{{token(), token()}})), "");
    EXPECT_NE(objection_of(about_locks(Counters::Tokens{{token(0)}})), "") << "nobody has asked for it";
    EXPECT_TRUE(is_granted(0, lock_of(2).name()));
    EXPECT_NE(objection_of(about_locks(Counters::Tokens{{token()}})), "") << "a program here uses it";
    EXPECT_NE(objection_of(about_locks(Counters::Tokens{{token()}}, 0, 3)), "") << "at another seat";
}

TEST_F(Edges, No_token_says_what_cannot_be) {
    const auto with = [&](const std::function<void(counters::Token&)>& change) {
        counters::Token one = token();
        change(one);
        return objection_of(about_locks(Counters::Tokens{{one}}));
    };
    EXPECT_EQ(with([&](auto& one) { one.lender = site(0, 1); }), "");
    EXPECT_NE(with([&](auto& one) { one.lender = site(0, 0); }), "");
    EXPECT_NE(with([&](auto& one) { one.lender = SiteId(1'000'000); }), "");
    EXPECT_NE(with([](auto& one) { one.counter = 0; }), "");
    EXPECT_NE(with([](auto& one) { one.fence = stamp_of(1ull << bits_within_epoch); }), "");
    EXPECT_NE(with([](auto& one) { one.past.served[1'000'000] = 1; }), "");
    EXPECT_NE(with([](auto& one) { one.queue.push_back({{1, 0}, 1, 1, {}}); }), "") << "0 values";
    EXPECT_NE(with([](auto& one) { one.queue.push_back({{1, 1}, 1'000'000, 1, {}}); }), "");
    EXPECT_NE(with([](auto& one) { one.resource = ResourceId(std::string(5000, 'x')); }), "");
}

TEST_F(Edges, Hints_are_for_homes) {
    const auto hint = [&](SiteId home, SiteId holder) {
        return objection_of(about_locks(Counters::Hint{{{lock_of(home), holder, stamp_of(1)}}}));
    };
    EXPECT_EQ(hint(0, site(0, 1)), "");
    EXPECT_NE(hint(2, site(0, 1)), "");
    EXPECT_NE(hint(0, site(0, 0)), "") << "the receiver itself";
}

TEST_F(Edges, Frames_are_of_their_kind_and_by_members) {
    EXPECT_NE(objection_of(Frame{epoch(), semaphore, Locks::Message{}}), "");
    EXPECT_NE(objection_of(Frame{epoch(), {}, Semaphore::Message{}}), "");
    EXPECT_EQ(objection_of(Frame{epoch() - 1, semaphore, Locks::Message{}}), "") << "it is void anyway";
    Effects fx;
    hosts[0].receive(self(0), 7, about_locks(request_by(site(0, 1))), fx);
    EXPECT_EQ(fx.dropped.size(), 1u) << "host 7 is no member";
    hosts[0].receive(self(0), 0, about_locks(request_by(site(0, 1))), fx);
    EXPECT_EQ(fx.dropped.size(), 2u) << "no host writes to itself";
}

TEST_F(Edges, Answers_of_semaphores_are_to_requests_that_were_made) {
    EXPECT_NE(objection_of(about_units(HostPermits::Reply{stamp_of(1)})), "");
    EXPECT_NE(objection_of(about_units(HostPermits::Defer{stamp_of(1), 1})), "");
    EXPECT_NE(objection_of(about_units(HostPermits::Request{stamp_of(~0ull)})), "");
    EXPECT_NE(objection_of(about_units(HostPermits::Defer{{}, ~0u})), "");
}

struct Flooded : Edges {
    Flooded() {
        act(0, [&](Host& one, const Host::Self& at, Effects& fx) {
            Want want;
            want.permits[semaphore] = 2;
            one.ask(at, {1, ++tickets}, want, fx);
        });
        EXPECT_TRUE(granted.contains(tickets));
    }
    // Host 1 asks host 0 for a unit, while all are in use here. Whether host 0 takes that.
    bool asks_once_more() {
        Effects fx;
        hosts[0].receive(self(0), 1, about_units(HostPermits::Request{stamp_of(1000 + ++asked)}), fx);
        return fx.dropped.empty();
    }
    std::uint64_t asked = 0;
};

TEST_F(Flooded, No_host_asks_for_permits_without_end) {
    config.most_unanswered = 100;
    while (asks_once_more()) ASSERT_LT(asked, 1000u);
    EXPECT_EQ(asked, 101u);
}

TEST_F(Flooded, Requests_that_wait_for_one_who_keeps_a_unit_are_forgotten_in_the_end) {
    config.most_weight = 50;
    while (asked < 100) ASSERT_TRUE(asks_once_more());
    EXPECT_GE(hosts[0].weight(), 100u);
    const std::uint32_t before = epoch();
    pass(3 * config.renew_every);
    EXPECT_GT(epoch(), before);
    EXPECT_LT(hosts[0].weight(), 50u);
    EXPECT_TRUE(is_granted(0, "again"));
}

TEST_F(Edges, A_report_is_about_what_can_be_held) {
    const auto with = [&](const std::function<void(agreement::Holding&)>& change) {
        agreement::Holding one = holding();
        change(one);
        return objection_of(report(one));
    };
    EXPECT_NE(with([&](auto& one) { one.seat = config.locks.most_seats(); }), "");
    EXPECT_NE(with([](auto& one) { one.phase = Phase::leaving; }), "");
    EXPECT_NE(with([](auto& one) { one.demand.units = 2; }), "");
    EXPECT_NE(with([](auto& one) { one.demand.resources.clear(); }), "");
    EXPECT_NE(with([](auto& one) { one.demand.resources.push_back(one.demand.resources[0]); }), "");
    EXPECT_NE(with([](auto& one) { one.demand.resources.push_back({}); }), "");
    EXPECT_NE(with([&](auto& one) { one.fences = {in_epoch(epoch() + 1, {})}; }), "");
    EXPECT_NE(with([&](auto& one) { one.fences.resize(2); }), "");
    EXPECT_NE(with([&](auto& one) { one.birth = agreement::Birth{epoch() + 1, {}}; }), "");
    EXPECT_NE(with([](auto& one) {
                  one.birth = agreement::Birth{0, {.stamp = {}, .sum = 1, .count = 0}};
              }),
              "");
    EXPECT_NE(objection_of(report(units(0), semaphore)), "");
    EXPECT_NE(objection_of(report(units(~0u), semaphore)), "");
    HostReport twice = report(holding());
    twice.part.kinds[{}].push_back(holding());
    EXPECT_NE(objection_of(twice), "");
    twice.view = 1u << 24;
    EXPECT_NE(objection_of(twice), "");
}

TEST_F(Edges, Only_members_report_and_each_of_them_once) {
    AgreedView next{epoch() + 1, hosts[0].known().members, {}};
    std::erase_if(next.members, [](const Peer& one) { return one.site == 2; });
    Views views;
    views.see({}, next);
    const Edge edge{config, 0, 3, hosts[0].known(), views};
    EXPECT_EQ(objection(edge, 1, report(holding())), std::nullopt);
    EXPECT_NE(objection(edge, 2, report(holding())), std::nullopt);
    views.take(1, report(holding()));
    views.take(2, report(holding()));
    EXPECT_EQ(views.reports().size(), 1u);
    EXPECT_EQ(objection(edge, 1, report(holding())), std::nullopt) << "the same again";
    EXPECT_NE(objection(edge, 1, report(units(1), semaphore)), std::nullopt);
}

TEST_F(Edges, Ids_of_hosts_are_those_of_hosts) {
    EXPECT_NE(objection_of(Alive{{3}}), "");
    EXPECT_NE(objection_of(Alive{std::vector<SiteId>(300)}), "");
    EXPECT_NE(objection_of(learn([](Value& one) { one.members.push_back({3, 0}); })), "");
    EXPECT_NE(objection_of(learn([](Value& one) { one.certified.push_back({3, 0}); })), "");
    EXPECT_NE(objection_of(learn([](Value& one) { one.settings->voters = {3}; })), "");
}

TEST_F(Edges, A_value_is_one_that_the_register_can_have) {
    EXPECT_NE(objection_of(learn([](Value& one) { one.view = 1u << 24; })), "");
    EXPECT_NE(objection_of(learn([](Value& one) { one.version = stamp_of(~0ull); })), "");
    EXPECT_NE(objection_of(learn([](Value& one) { one.members.push_back(one.members[0]); })), "");
    EXPECT_NE(objection_of(learn([](Value& one) { one.settings->semaphores["x"] = {~0u, 1}; })), "");
    EXPECT_NE(objection_of(learn([](Value& one) { one.kept.resize(1); })), "") << "it keeps nothing";
    agreement::Kept rack;
    rack.want.locks = {"rack"};
    EXPECT_NE(objection_of(learn([&](Value& one) { one.kept = {rack}; })), "") << "it has no fence";
    rack.fences.resize(1);
    EXPECT_EQ(objection_of(learn([&](Value& one) { one.kept = {rack}; })), "");
    EXPECT_NE(objection_of(learn([&](Value& one) { one.kept = {rack, rack}; })), "");
    EXPECT_NE(objection_of(learn([](Value& one) { one.next = agreement::Record{2, {{1, 1}, {1, 2}}}; })), "");
}

TEST_F(Edges, A_lost_frame_leads_to_a_new_epoch) {
    const std::uint32_t before = epoch();
    Effects fx;
    hosts[0].receive(self(0), 1, about_locks(request_by(site(0, 1)), 0, 0xFFFFFFFF), fx);
    ASSERT_EQ(fx.dropped.size(), 1u);
    pass(3 * config.renew_every);
    EXPECT_GT(epoch(), before);
    EXPECT_TRUE(is_granted(0, "again"));
}

TEST_F(Edges, So_many_early_frames_are_kept_and_no_more) {
    config.most_early_bytes = 10'000;
    Effects fx;
    Host& host = hosts[0];
    agreement::Value next = host.known();
    next.version = next.version.next();
    ++next.view;
    host.learn(self(0), next, fx);
    const Frame early{next.view, {}, Locks::Message{0, 0, request_by(site(0, 1))}};
    std::size_t count = 0;
    while (fx.dropped.empty()) {
        host.receive(self(0), 1, early, fx);
        ASSERT_LT(++count, 1000u);
    }
    EXPECT_GT(count, 10u);
    EXPECT_EQ(host.views().early_frames().size(), count - 1);
}

// --- The register.

struct VotersSay : testing::Test {
    VotersSay() {
        config.hosts = 3;
        known.members = {{0, 0}, {1, 0}, {2, 0}};
    }
    bool is_refused(const agreement::CouncilMessage& message) const {
        return objection({config, 0, 3, known, views}, 1, message).has_value();
    }
    template <class M>
    agreement::Framed<M> framed(M message, SiteId sender = 1) const {
        return {std::move(message), {sender, 0}, {}, {}};
    }

    Config config;
    Value known;
    Views views;
    const agreement::Record record = agreement::founders(3);
    const agreement::Ballot ballot{1, 1, 0};
};

TEST_F(VotersSay, Messages_that_may_be_right_are_taken) {
    EXPECT_FALSE(is_refused(framed(agreement::Prepare{record, ballot})));
    EXPECT_FALSE(is_refused(framed(agreement::Accept{record, ballot, {}})));
    EXPECT_FALSE(is_refused(framed(agreement::Promise{{1, 0, 0}, {}, {}})));
    EXPECT_FALSE(is_refused(framed(agreement::Read{record, {}})));
    EXPECT_FALSE(is_refused(agreement::WhichRank{{1, 5}}));
    EXPECT_FALSE(is_refused(agreement::HeardRank{0, {1, ballot, true}}));
    EXPECT_FALSE(is_refused(agreement::Hello{.incarnation = 1, .list = {0, 1, 2}, .record = record}));
}

TEST_F(VotersSay, A_host_speaks_for_itself_only) {
    EXPECT_TRUE(is_refused(framed(agreement::Prepare{record, ballot}, 2)));
    EXPECT_TRUE(is_refused(framed(agreement::Prepare{record, {1, 2, 0}})));
    EXPECT_TRUE(is_refused(framed(agreement::Accept{record, {1, 0, 0}, {}})));
    EXPECT_TRUE(is_refused(agreement::WhichRank{{2, 5}}));
    EXPECT_TRUE(is_refused(agreement::Copied{}));
}

TEST_F(VotersSay, Voters_are_hosts_and_numbers_have_an_end) {
    agreement::Record none = record;
    none.voters.push_back({3, 1});
    EXPECT_TRUE(is_refused(framed(agreement::Prepare{none, ballot})));
    EXPECT_TRUE(is_refused(framed(agreement::NotYet{none})));
    EXPECT_TRUE(is_refused(framed(agreement::Format{none, {}})));
    EXPECT_TRUE(is_refused(agreement::Hello{.list = {0, 1, 77}}));
    EXPECT_TRUE(is_refused(agreement::Hello{.record = none}));
    none.voters = {{1, 1}, {1, 2}};
    EXPECT_TRUE(is_refused(framed(agreement::Read{none, {}})));
    EXPECT_TRUE(is_refused(framed(agreement::Prepare{record, {~0u, 1, 0}})));
    EXPECT_TRUE(is_refused(framed(agreement::Prepare{record, {0, 1, 0}})));
    EXPECT_TRUE(is_refused(framed(agreement::Nack{{1, 0, 0}, ~0u})));
    EXPECT_TRUE(is_refused(framed(agreement::Moved{})));
    none.generation = ~0u;
    EXPECT_TRUE(is_refused(framed(agreement::NotYet{none})));
    Value value;
    value.members = {{3, 0}};
    EXPECT_TRUE(is_refused(framed(agreement::Promise{{1, 0, 0}, {}, value})));
    EXPECT_TRUE(is_refused(framed(agreement::ReadAnswer{{}, {}, value})));
    EXPECT_TRUE(is_refused(framed(agreement::Accept{record, ballot, value})));
}

}  // namespace
}  // namespace allot::host
