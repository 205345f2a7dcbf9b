// A pool per host: what holds under the checker, with exact state counts, that each rule is needed, and how
// an epoch begins.
#include "protocols/pool/host_pool.hpp"

#include <algorithm>
#include <numeric>

#include "core/model.hpp"
#include "protocols/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;

constexpr std::size_t own_properties = 8;

class HostPoolHolds : public testing::TestWithParam<Pinned> {};

TEST_P(HostPoolHolds, With_the_pinned_number_of_states) {
    expect_holds("host-pool", GetParam(), own_properties);
}

INSTANTIATE_TEST_SUITE_P(
    SeveralProgramsPerHost, HostPoolHolds,
    testing::Values(
        Pinned{"sites=1 units=2 seats=2 seat-requests=any requests=any", 5, 10},
        Pinned{"sites=2 units=1 modulus=2 seats=2 seat-requests=any requests=any", 25'881, 89'825},
        Pinned{"sites=2 units=2 max-request=2 stage=priority seats=2 seat-requests=any requests=any", 13'234,
               51'940},
        Pinned{"sites=3 stage=priority units=1 seats=2 seat-requests=any requests=any", 54'468, 257'376}));

// A program that never ends keeps nobody from units that are free (section 1.5).
TEST(HostPool, Serves_all_others_beside_a_program_that_never_ends) {
    const auto result =
        run("host-pool", "sites=2 units=2 modulus=2 seats=2 seat-requests=any requests=any campers=0");
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_EQ(result.states, 118'421u);
}

// With one program per host it is the published node: it has the same worlds and steps as `tree-pool`.
class OneProgramPerHost : public testing::TestWithParam<const char*> {};

TEST_P(OneProgramPerHost, Has_the_worlds_of_tree_pool) {
    const auto one = run("tree-pool", GetParam());
    const auto host = run("host-pool", GetParam());
    EXPECT_EQ(host.verdict, check::Verdict::holds);
    EXPECT_EQ(host.states, one.states);
    EXPECT_EQ(host.transitions, one.transitions);
}

INSTANTIATE_TEST_SUITE_P(
    Instances, OneProgramPerHost,
    testing::Values("sites=2 units=1 requests=any modulus=2",
                    "sites=2 units=2 max-request=2 requests=any modulus=2",
                    "sites=3 tree=star stage=priority units=2 max-request=2 requests=any",
                    "sites=2 units=2 max-request=2 requests=any modulus=2 cancel=on",
                    "sites=2 units=1 requests=any modulus=2 pacing=on"));

// --- One host by hand.

struct Host {
    HostPool::Config config;
    SiteId self;
    HostPool pool{};
    HostPool::Effects fx{};

    Host(SiteId id, std::uint32_t hosts, std::uint32_t units, std::uint32_t seats) : self(id) {
        config.sites = hosts;
        config.units = units;
        config.max_request = units;
        config.seats = seats;
        config.seat_requests = {{{0}}};
        config.tree = *Tree::parse("tree", "chain");
        pool.start(context(), fx);
        fx.clear();
    }
    HostPool::Context context() const { return {config, self, 1}; }

    void receive(SiteId from, const HostPool::Message& message) {
        fx.clear();
        pool.handle(context(), input::Receive<HostPool::Message>{from, message}, fx);
    }
    void ask(std::size_t seat, std::uint32_t units = 1) { pool.ask(context(), seat, units, fx); }
    void let_go(std::size_t seat) {
        fx.clear();
        pool.let_go(context(), seat, fx);
    }
    void begin_epoch(std::vector<agreement::Holdings> parts) {
        fx.clear();
        const HostPool before = pool;
        pool = HostPool::rebuild(context(), {before, {}}, agreement::claims_of(parts), fx);
    }
    Phase phase(std::size_t seat) const { return pool.seats()[seat].phase; }
    std::vector<std::size_t> kinds_sent() const {
        std::vector<std::size_t> kinds;
        for (const auto& send : fx.sends()) kinds.push_back(send.message.index());
        return kinds;
    }
};

const TreePool::Resource unit;
const HostPool::Message a_unit = unit;
constexpr std::size_t resource = 0, pusher = 1, priority = 2, controller = 3;

agreement::Holdings uses(std::uint32_t units) {
    return {{.seat = 0, .phase = Phase::holding, .demand = {units, {}}, .birth = {}}};
}

TEST(HostPool, Serves_its_programs_one_after_the_other_while_others_use_units) {
    Host host(1, 2, 4, 3);
    host.ask(2, 2);
    host.ask(0, 1);
    host.receive(0, a_unit);
    EXPECT_EQ(host.phase(2), Phase::waiting);
    host.receive(0, a_unit);
    EXPECT_EQ(host.phase(2), Phase::holding);
    EXPECT_EQ(host.phase(0), Phase::waiting);
    host.receive(0, a_unit);
    EXPECT_EQ(host.phase(0), Phase::holding);
    EXPECT_EQ(host.pool.node().parked().size(), 3u);
    host.let_go(2);
    EXPECT_EQ(host.kinds_sent(), (std::vector{resource, resource}));
    EXPECT_EQ(host.phase(0), Phase::holding);
}

TEST(HostPool, Gives_back_what_it_collected_for_a_program_that_leaves_the_line) {
    Host host(1, 2, 4, 2);
    host.ask(1, 2);
    host.ask(0, 1);
    host.receive(0, a_unit);
    host.let_go(1);
    EXPECT_EQ(host.kinds_sent(), (std::vector{resource}));
    EXPECT_EQ(host.phase(0), Phase::waiting);
    host.receive(0, a_unit);
    EXPECT_EQ(host.phase(0), Phase::holding);
}

TEST(HostPool, Keeps_its_line_in_a_new_epoch) {
    Host host(1, 2, 2, 3);
    for (const std::size_t seat : {2, 0, 1}) host.ask(seat);
    agreement::Holdings mine = host.pool.holdings(host.context());
    std::ranges::reverse(mine);
    host.begin_epoch({{}, mine});
    host.receive(0, a_unit);
    EXPECT_EQ(host.phase(2), Phase::holding);
    EXPECT_EQ(host.phase(0), Phase::waiting);
    host.receive(0, a_unit);
    EXPECT_EQ(host.phase(0), Phase::holding);
    EXPECT_EQ(host.phase(1), Phase::waiting);
}

// Specification on kinds, section 1.3.
TEST(HostPool, Begins_an_epoch_with_tokens_of_what_nobody_uses) {
    Host root(0, 3, 4, 1);
    root.begin_epoch({uses(1), {}, uses(2)});
    EXPECT_EQ(root.kinds_sent(), (std::vector{priority, resource, pusher, controller}));
    const auto& first = std::get<TreePool::Controller>(root.fx.sends().back().message);
    EXPECT_EQ(first.number, 1u);
    EXPECT_EQ(first.resources, 1u);
    EXPECT_EQ(root.pool.node().parked(), (std::vector<Tree::Channel>{0}));

    Host other(2, 3, 4, 1);
    other.begin_epoch({uses(1), {}, uses(2)});
    EXPECT_TRUE(other.kinds_sent().empty());
    EXPECT_EQ(other.pool.node().parked(), (std::vector<Tree::Channel>{0, 0}));
}

TEST(HostPool, Drops_what_comes_round_while_more_units_are_in_use_than_there_are) {
    Host root(0, 2, 1, 1);
    root.begin_epoch({uses(1), uses(1)});
    EXPECT_EQ(root.pool.surplus(), 1u);
    EXPECT_EQ(root.kinds_sent(), (std::vector{priority, pusher, controller}));
    root.receive(1, a_unit);
    EXPECT_TRUE(root.kinds_sent().empty());
    EXPECT_EQ(root.pool.surplus(), 0u);
    root.receive(1, a_unit);
    EXPECT_EQ(root.kinds_sent(), (std::vector{resource}));
}

TEST(HostPool, Refuses_a_request_that_waits_for_more_than_there_is_any_more) {
    Host host(1, 2, 2, 1);
    host.ask(0, 2);
    const auto mine = host.pool.holdings(host.context());
    host.config.units = host.config.max_request = 1;
    host.begin_epoch({{}, mine});
    ASSERT_EQ(host.fx.notices().size(), 1u);
    EXPECT_EQ(host.fx.notices().front().reason, "there are not so many units any more");
    EXPECT_EQ(host.phase(0), Phase::idle);
}

TEST(HostPool, Alone_grants_what_is_left) {
    Host host(0, 1, 3, 3);
    host.ask(0, 2);
    host.ask(1, 2);
    host.ask(2, 1);
    EXPECT_EQ(host.phase(0), Phase::holding);
    EXPECT_EQ(host.phase(1), Phase::waiting);
    EXPECT_EQ(host.phase(2), Phase::waiting) << "nobody overtakes the first";
    host.let_go(0);
    EXPECT_EQ(host.phase(1), Phase::holding);
    EXPECT_EQ(host.phase(2), Phase::holding);
}

TEST(HostPool, Objects_to_messages_that_no_neighbour_can_have_sent) {
    Host host(1, 3, 2, 1);
    EXPECT_EQ(HostPool::objection(host.context(), 0, unit), std::nullopt);
    EXPECT_EQ(HostPool::objection(host.context(), 2, unit), std::nullopt);
    Host last(2, 3, 2, 1);
    EXPECT_EQ(HostPool::objection(last.context(), 0, unit),
              "a token from a host that is no neighbour in the tree");
    EXPECT_EQ(HostPool::objection(last.context(), 1, TreePool::Wanted{}),
              "a hint, which only a pool with pacing has");
    last.config.stage = pool::Variant::priority;
    EXPECT_EQ(HostPool::objection(last.context(), 1, TreePool::Controller{}),
              "a controller, which this pool does not have");
}

}  // namespace
