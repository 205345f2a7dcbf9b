// The pool on a tree under the checker: section 7 of the specification with its verdicts and its longest
// waits, the stages of the paper, arbitrary starts, losses, and every repair switched off. State counts are
// ours.
#include "protocols/pool/tree_pool.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "protocols/support.hpp"
#include "walk/walker.hpp"
#include "world/instance_of.hpp"
#include "world/step.hpp"

namespace {

using namespace allot;
using allot::protocol_tests::parameters;

check::Result run(const std::string& flags, const check::Options& options = {}) {
    return protocol_tests::run("tree-pool", flags, options);
}

std::unique_ptr<walk::Machine> machine_of(const std::string& flags) {
    for (const world::Entry& entry : registry::protocols())
        if (entry.name == "tree-pool") return std::move(*walk::make_machine(entry, parameters(flags)));
    return nullptr;
}

check::Result run_from(walk::Machine& machine, std::vector<walk::World> starts) {
    check::Options options;
    options.from_anywhere = true;
    options.starts = std::move(starts);
    return check::check(machine, options);
}

check::Result run_from_anywhere(const std::string& flags, std::uint64_t starts, std::uint32_t noise,
                                std::uint64_t first_seed = 1) {
    const auto machine = machine_of(flags);
    std::vector<walk::World> drawn;
    for (std::uint64_t i = 0; i < starts; ++i) drawn.push_back(machine->arbitrary(first_seed + i, noise));
    return run_from(*machine, std::move(drawn));
}

void expect_violated(const check::Result& result, std::string_view property, const std::string& flags) {
    ASSERT_EQ(result.verdict, check::Verdict::violated) << flags;
    EXPECT_EQ(result.violations.front().property, property) << flags;
    EXPECT_TRUE(result.violations.front().replayed) << flags;
}

void expect_holds(const check::Result& result, const std::string& flags) {
    EXPECT_EQ(result.verdict, check::Verdict::holds)
        << flags << (result.violations.empty() ? result.stopped_by : ": " + result.violations.front().detail);
    EXPECT_TRUE(result.unchecked.empty()) << flags;
}

// --- Section 7: from boot, everything else open.

struct Instance {
    const char* flags;
    std::uint64_t states;
    std::uint64_t transitions;
    std::vector<check::Wait> waits;
};

void PrintTo(const Instance& instance, std::ostream* out) {
    *out << instance.flags;
}

class TreePoolTable : public testing::TestWithParam<Instance> {};

TEST_P(TreePoolTable, Holds_with_the_longest_waits_of_the_specification) {
    check::Options options;
    options.waits = true;
    const auto result = run(GetParam().flags + std::string(" requests=any"), options);
    expect_holds(result, GetParam().flags);
    EXPECT_EQ(result.checked.size(), TreePool::model.properties->size() + 5);
    EXPECT_EQ(result.states, GetParam().states);
    EXPECT_EQ(result.transitions, GetParam().transitions);
    EXPECT_EQ(result.waits, GetParam().waits);
}

using Waits = std::vector<check::Wait>;
INSTANTIATE_TEST_SUITE_P(
    FromBoot, TreePoolTable,
    testing::Values(Instance{"sites=2 units=1 max-request=1 modulus=2", 4330, 12006, {1, 1}},
                    Instance{"sites=2 units=2 max-request=1 modulus=2", 15926, 46020, {2, 2}},
                    Instance{"sites=2 units=2 max-request=2 modulus=2", 52655, 183013, {3, 3}},
                    Instance{"sites=2 units=3 max-request=1 modulus=2", 40854, 121484, {3, 3}},
                    Instance{"sites=2 units=3 max-request=2 modulus=2", 160035, 568941, {4, 4}},
                    Instance{"sites=2 units=3 max-request=3 modulus=2", 334062, 1356626, {5, 5}},
                    Instance{"sites=3 tree=star units=1 max-request=1 modulus=2", 115900, 471114, {1, 3, 3}},
                    Instance{"sites=3 tree=chain units=1 max-request=1 modulus=2", 111582, 453098, {3, 1, 3}},
                    Instance{
                        "sites=3 tree=star units=2 max-request=1 modulus=2", 629200, 2728212, {2, 6, 6}}));

// The timer fires too early: there are two or three controllers at once.
INSTANTIATE_TEST_SUITE_P(
    SeveralControllers, TreePoolTable,
    testing::Values(
        Instance{"sites=2 units=1 modulus=3 copies=3 taint=off backoff=0", 209227, 644923, {1, 1}},
        Instance{
            "sites=2 units=2 max-request=2 modulus=3 copies=2 taint=off backoff=0", 714534, 2562465, {3, 3}},
        Instance{"sites=2 units=1 modulus=3 copies=2 patience=2 backoff=0", 97586, 287936, {1, 1}}));

// A site with a large need beside one with a small need; the root asks, too, or never.
INSTANTIATE_TEST_SUITE_P(
    Needs, TreePoolTable,
    testing::Values(
        Instance{"sites=2 units=3 max-request=3 modulus=2 needs=3;1", 31736, 87046, {5, 1}},
        Instance{"sites=2 units=2 max-request=2 modulus=2 needs=0;2", 1336, 2707, {0, 0}},
        Instance{"sites=2 units=2 max-request=2 modulus=2 needs=1/2", 52655, 183013, {3, 3}},
        Instance{"sites=3 tree=star units=2 max-request=2 modulus=2 needs=0;2;1", 86132, 303638, {0, 3, 1}},
        Instance{"stage=priority sites=3 tree=star units=3 max-request=3 needs=1;3;1",
                 54476,
                 231064,
                 {3, 18, 7}}));

// (k,l)-liveness: whoever asks for no more than is left is served, though one site never lets go.
INSTANTIATE_TEST_SUITE_P(
    Campers, TreePoolTable,
    testing::Values(
        Instance{"sites=3 tree=star units=2 max-request=1 modulus=2 campers=0", 629200, 2728212, {2, 6, 6}},
        Instance{"sites=3 tree=star units=2 max-request=1 modulus=2 campers=1", 629200, 2728212, {2, 6, 6}}));

INSTANTIATE_TEST_SUITE_P(
    Options, TreePoolTable,
    testing::Values(Instance{"sites=1 units=2 max-request=2", 5, 8, {0}},
                    Instance{"sites=2 units=1 modulus=2 pacing=on", 27183, 83979, {1, 1}},
                    Instance{"sites=2 units=2 max-request=2 modulus=2 pacing=on", 470102, 1790117, {3, 3}},
                    Instance{"sites=2 units=1 modulus=2 drain=on", 4330, 12006, {1, 1}},
                    Instance{"sites=2 units=1 modulus=2 taint=off", 4322, 11990, {1, 1}}));

// Requests for nothing are granted at once: any number of them during one wait.
TEST(TreePool, Requests_for_nothing_and_withdrawals_do_no_harm) {
    check::Options options;
    options.waits = true;
    const std::string flags = "sites=2 units=2 max-request=2 min-request=0 cancel=on requests=any modulus=2";
    const auto result = run(flags, options);
    expect_holds(result, flags);
    EXPECT_EQ(result.waits, (Waits{std::nullopt, std::nullopt}));
}

// --- The stages of the paper.

TEST(TreePool, Resource_tokens_alone_deadlock) {
    expect_violated(run("stage=naive sites=2 units=2 max-request=2"), "deadlock", "naive");
}

TEST(TreePool, With_the_pusher_nobody_is_stuck_but_somebody_may_starve) {
    const std::string flags = "stage=pusher sites=3 tree=star units=3 max-request=2 requests=any";
    expect_holds(run(flags + " property=deadlock,servable,at-most-l"), flags);
    const auto result = run(flags);
    expect_violated(result, "starvation", flags);
    EXPECT_FALSE(result.violations.front().cycle.empty());
}

// Section 7 of the specification: of the needs 1, 2 and 1, the large one starves.
TEST(TreePool, With_the_pusher_a_large_need_starves_beside_small_ones) {
    const std::string flags = "sites=3 tree=star units=3 max-request=2 needs=1;2;1 requests=any";
    expect_violated(run("stage=pusher " + flags), "starvation", flags);
    expect_holds(run("stage=priority " + flags), flags);
}

// The paper's Figure 2.
TEST(TreePool, Resource_tokens_alone_deadlock_with_the_needs_of_the_paper) {
    const std::string flags = "stage=naive sites=5 tree=star units=5 max-request=3 needs=0;3;2;2;2";
    expect_violated(run(flags), "deadlock", flags);
}

TEST(TreePool, With_the_priority_token_everybody_is_served) {
    check::Options options;
    options.waits = true;
    const std::string flags = "stage=priority sites=3 tree=star units=2 max-request=2 requests=any";
    const auto result = run(flags, options);
    expect_holds(result, flags);
    EXPECT_EQ(result.waits, (Waits{6, 12, 12}));
}

// --- Any start.

TEST(LargeTreePool, Converges_from_anywhere_on_every_schedule) {
    const std::string flags = "sites=2 units=1 requests=any backoff=0 patience=2";
    expect_holds(run_from_anywhere(flags, 1000, 1), flags);
}

TEST(TreePool, Converges_from_anywhere_with_larger_requests_and_with_each_option) {
    for (const std::string flags : {"sites=2 units=2 max-request=2 requests=any backoff=0 patience=0",
                                    "sites=2 units=1 requests=any backoff=0 patience=2 drain=on",
                                    "sites=2 units=1 requests=any backoff=0 taint=off"})
        expect_holds(run_from_anywhere(flags, 20, 1), flags);
}

// Also what the root keeps back may be stale: all of it counts for the modulus.
TEST(LargeTreePool, Converges_from_anywhere_with_pacing) {
    const std::string flags = "sites=2 units=1 requests=any backoff=0 patience=0 pacing=on";
    expect_holds(run_from_anywhere(flags, 20, 1), flags);
}

// A timer in a hurry leads out of no legitimate world, and keeps nobody from reaching one.
TEST(LargeTreePool, Converges_from_anywhere_though_the_timer_fires_too_early) {
    for (const std::string flags : {"sites=2 units=1 requests=any backoff=0 patience=2 copies=2",
                                    "sites=2 units=1 requests=any backoff=0 taint=off copies=3"})
        expect_holds(run_from_anywhere(flags, 3, 1), flags);
    for (const std::string tree : {"chain", "star"}) {
        const std::string flags = "sites=3 units=1 requests=0 backoff=0 taint=off copies=2 tree=" + tree;
        expect_holds(run_from_anywhere(flags, 1, 1), flags);
    }
}

// On the chain 0 - 1 - 2, with the controller, number 5 of 9, on its way to site 2 and all tokens ahead of
// it.
class OnAChain {
public:
    OnAChain() : machine_(machine_of("sites=3 tree=chain units=1 requests=0 backoff=0 taint=off copies=2")) {}

    // One more controller, put in front of the other or behind it.
    walk::World with(SiteId from, SiteId to, const char* controller, bool in_front = false) {
        walk::World world = machine_->initial();
        world.flight.clear();
        set(world, 0, R"({"number": 5})");
        set(world, 1, R"({"number": 5, "successor": 1})");
        set(world, 2, R"({"number": 4})");
        for (const char* token : {R"({"Resource": {}})", R"({"Pusher": {}})", R"({"Priority": {}})"})
            put(world, 2, 1, token);
        if (in_front) put(world, from, to, controller);
        put(world, 1, 2, five);
        if (!in_front) put(world, from, to, controller);
        return world;
    }
    bool legal(const walk::World& world) const { return machine_->legal(world); }
    walk::Machine& machine() { return *machine_; }

    static constexpr const char* four = R"({"Controller": {"number": 4}})";
    static constexpr const char* five = R"({"Controller": {"number": 5}})";

private:
    void set(walk::World& world, SiteId self, const char* part) {
        EXPECT_EQ(machine_->merge_state(world.sites[self], boost::json::parse(part)), std::nullopt);
    }
    void put(walk::World& world, SiteId from, SiteId to, const char* message) {
        walk::EnvelopeId made = 0;
        EXPECT_EQ(machine_->make_message(from, to, boost::json::parse(message), made), std::nullopt);
        walk::Walker(*machine_).put(world, made);
    }

    std::unique_ptr<walk::Machine> machine_;
};

TEST(TreePool, Only_copies_may_be_behind_the_controller_and_only_other_numbers_ahead_of_it) {
    OnAChain chain;
    EXPECT_TRUE(chain.legal(chain.with(0, 1, chain.five)));
    EXPECT_TRUE(chain.legal(chain.with(1, 2, chain.five)));
    EXPECT_TRUE(chain.legal(chain.with(1, 2, chain.four, true)));
    EXPECT_TRUE(chain.legal(chain.with(2, 1, chain.four)));
    EXPECT_TRUE(chain.legal(chain.with(1, 0, chain.four)));
    EXPECT_FALSE(chain.legal(chain.with(0, 1, chain.four)));
    EXPECT_FALSE(chain.legal(chain.with(1, 2, chain.four)));
    EXPECT_FALSE(chain.legal(chain.with(2, 1, chain.five)));
    EXPECT_FALSE(chain.legal(chain.with(1, 0, chain.five)));
    EXPECT_FALSE(chain.legal(chain.with(1, 0, R"({"Controller": {"number": 4, "marked": true}})")));
}

// Closure decides whether that is right.
TEST(TreePool, A_controller_too_many_with_any_number_anywhere_leads_out_of_no_legitimate_world) {
    OnAChain chain;
    std::vector<walk::World> starts;
    std::ptrdiff_t legitimate = 0;
    for (const auto& [from, to] : {std::pair(0u, 1u), {1u, 2u}, {2u, 1u}, {1u, 0u}})
        for (int number = 0; number < 9; ++number)
            for (const bool in_front : {false, true}) {
                const std::string controller =
                    R"({"Controller": {"number": )" + std::to_string(number) + "}}";
                starts.push_back(chain.with(from, to, controller.c_str(), in_front));
                legitimate += chain.legal(starts.back());
            }
    EXPECT_EQ(legitimate, 2 + (1 + 9) + 2 * 8 + 2 * 8);
    const auto result = run_from(chain.machine(), std::move(starts));
    EXPECT_TRUE(result.violations.empty()) << result.violations.front().property;
    EXPECT_EQ(result.verdict, check::Verdict::holds) << result.stopped_by;
}

TEST(TreePool, With_too_few_numbers_stale_controllers_chase_each_other_for_ever) {
    const std::string flags = "sites=2 units=1 requests=0 modulus=2 property=convergence";
    expect_violated(run_from_anywhere(flags, 1, 2, 8), "convergence", flags);
}

// Section 2 of the specification. There are 2 * 2 * (1 + 1) + 1 numbers, one more with drain, and as many as
// the root may keep back: the units and one token of each other kind.
TEST(TreePool, An_arbitrary_start_stays_within_its_domains) {
    const auto machine = machine_of("sites=3 tree=star units=3 max-request=2 drain=on pacing=on");
    const std::map<std::string, std::int64_t> at_root{{"need", 2},       {"number", 15}, {"successor", 1},
                                                      {"undecided", 15}, {"doubled", 6}, {"awake", 2}};
    const std::map<std::string, std::int64_t> at_leaf{{"need", 2},      {"number", 15}, {"successor", 0},
                                                      {"undecided", 0}, {"doubled", 0}, {"awake", 0}};
    std::map<std::string, std::int64_t> most_at_root;
    std::map<std::string, std::int64_t> most_at_leaf;
    std::set<std::size_t> reserved;
    std::set<std::size_t> kept_back;
    std::int64_t seen = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const walk::World start = machine->arbitrary(seed, 1);
        for (SiteId self = 0; self < 3; ++self) {
            walk::LocalId local = start.sites[self];
            EXPECT_EQ(machine->merge_state(local, boost::json::object{}), std::nullopt) << seed;
            const auto state = machine->state(local);
            for (const auto& [member, bound] : at_root) {
                std::int64_t& most = (self == 0 ? most_at_root : most_at_leaf)[member];
                most = std::max(most, state.at(member).to_number<std::int64_t>());
            }
            reserved.insert(state.at("reserved").as_array().size());
            if (self == 0) kept_back.insert(state.at("outbox").as_array().size());
            if (self == 0) seen = std::max(seen, state.at("seen").at("resources").to_number<std::int64_t>());
            if (self == 0) continue;
            EXPECT_FALSE(state.at("reset").as_bool() || state.at("tainted").as_bool());
            EXPECT_TRUE(state.at("outbox").as_array().empty());
        }
    }
    EXPECT_EQ(most_at_root, at_root);
    EXPECT_EQ(most_at_leaf, at_leaf);
    EXPECT_EQ(reserved, (std::set<std::size_t>{0, 1, 2}));
    EXPECT_EQ(kept_back, (std::set<std::size_t>{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(seen, 4);
}

TEST(TreePool, A_state_that_no_fault_leaves_behind_is_refused) {
    const auto machine = machine_of("sites=3 tree=star units=3 max-request=2 drain=off pacing=on");
    const auto refusal = [&](SiteId self, const char* part) {
        walk::LocalId local = machine->initial().sites[self];
        return machine->merge_state(local, boost::json::parse(part)).value_or("taken");
    };
    EXPECT_EQ(refusal(0, R"({"doubled": 4000000000})"), "doubled: write a whole number from 0 to 6");
    EXPECT_EQ(refusal(0, R"({"doubled": 6, "awake": 2, "undecided": 15})"), "taken");
    EXPECT_EQ(refusal(0, R"({"undecided": 4294967295})"), "undecided: write a whole number from 0 to 15");
    EXPECT_EQ(refusal(0, R"({"awake": 77})"), "awake: write a whole number from 0 to 2");
    EXPECT_EQ(refusal(0, R"({"seen": {"resources": 4294967295}})"),
              "resources: write a whole number from 0 to 4");
    EXPECT_EQ(refusal(0, R"({"outbox": [{"Controller": {"number": 99999}}]})"),
              "number: write a whole number from 0 to 14");
    EXPECT_EQ(refusal(0, R"({"outbox": [{"Controller": {"number": 14}}]})"), "taken");
    EXPECT_EQ(refusal(0, R"({"priority": 2})"), "priority: write a whole number from 0 to 1");
    EXPECT_EQ(refusal(0, R"({"reserved": [0, 1, 1]})"), "reserved: write no more than 2");
    EXPECT_EQ(refusal(0, R"({"reserved": [1, 0]})"), "reserved: write [0, 1]");
    EXPECT_EQ(refusal(0, R"({"phase": "leaving"})"), "phase: write one of idle, waiting, holding");
    EXPECT_EQ(refusal(0, R"({"deferred": {"channel": 0}})"), "deferred: write null");
    EXPECT_EQ(refusal(0, R"({"reset": true})"), "taken");
    EXPECT_EQ(refusal(1, R"({"reset": true})"), "reset: write false");
    EXPECT_EQ(refusal(1, R"({"outbox": [{"Pusher": {}}]})"), "outbox: write []");
    EXPECT_EQ(refusal(1, R"({"seen": {"pushers": 1}})"),
              R"(seen: write {"resources": 0, "pushers": 0, "priorities": 0})");
}

// --- Messages that come twice: what programs use, and what they are told.

// A second token leads to a reset. Whoever holds then is told to stop, or, with `drain`, is waited for; and
// once the world is legitimate again no more than l units are in use.
INSTANTIATE_TEST_SUITE_P(
    Resets, TreePoolTable,
    testing::Values(Instance{"sites=2 units=1 modulus=2 duplicate=1", 60800, 179742, {3, 2}},
                    Instance{"sites=2 units=1 modulus=2 duplicate=1 drain=on", 83912, 241746, {3, 2}}));

// Where the marked controller passes twice, it waits each time.
TEST(TreePool, A_reset_waits_for_a_holder_with_children_too) {
    const std::string flags =
        "sites=3 tree=chain units=1 modulus=2 duplicate=1 drain=on property=at-most-l,sizes";
    const auto result = run(flags);
    expect_holds(result, flags);
    EXPECT_EQ(result.states, 1604362u);
}

// --- The timer.

// The steps of a root with one child, which is the other end of every message.
class Root {
public:
    explicit Root(bool pacing) : config_(paced(pacing)), instance_(config_), stepper_(instance_) {
        for (SiteId self = 0; self < 2; ++self) stepper_.start(self, sites_[self], unbounded_requests);
    }
    void timeout() {
        stepper_.timeout(0, sites_[0], static_cast<std::uint32_t>(TreePool::Timer::controller));
    }
    void receive(const TreePool::Message& message) {
        stepper_.deliver(0, sites_[0], EnvelopeOf<TreePool::Message>{{1, 0}, message});
    }
    // So many messages of the child's request.
    std::size_t sent_by_asking_child() {
        stepper_.request(1, sites_[1], {1, {}});
        return stepper_.fx().send_count();
    }
    // To which the last step has set the controller's timer.
    std::uint32_t ticks() {
        std::uint32_t ticks = 0;
        for (const auto& change : stepper_.fx().timers())
            if (change.timer == static_cast<std::uint32_t>(TreePool::Timer::controller)) ticks = change.ticks;
        return ticks;
    }

private:
    static TreePool::Config paced(bool pacing) {
        TreePool::Config config;
        config.sites = 2;
        config.pacing = pacing;
        return config;
    }
    const TreePool::Config config_;
    const world::InstanceOf<TreePool> instance_;
    world::Stepper stepper_;
    std::array<SiteOf<TreePool>, 2> sites_;
};

TEST(TreePool, The_timeout_doubles_when_it_expires_and_halves_after_a_traversal_without) {
    Root root(false);
    for (const std::uint32_t ticks : {16u, 32u, 64u}) {
        root.timeout();
        EXPECT_EQ(root.ticks(), ticks);
    }
    for (const std::uint32_t number : {0u, 1u, 2u, 3u, 4u}) {
        root.receive(TreePool::Controller{number, false, 0, 0, false});
        const std::array<std::uint32_t, 5> ticks{64, 32, 16, 8, 8};  // the first traversal is the timer's
        EXPECT_EQ(root.ticks(), ticks.at(number));
    }
}

TEST(TreePool, While_the_controller_is_held_back_its_timer_waits_for_a_period_more) {
    Root root(true);
    root.timeout();
    root.receive(TreePool::Controller{0, false, 0, 0, false});
    EXPECT_EQ(root.ticks(), 16u + 1000u);
    EXPECT_EQ(root.sent_by_asking_child(), 1u) << "the hint";
    root.receive(TreePool::Wanted{});
    EXPECT_EQ(root.ticks(), 16u);
}

TEST(TreePool, A_timeout_that_no_timer_can_be_set_to_is_refused) {
    TreePool::Config config;
    config.timeout = 67'108'863;
    EXPECT_EQ(TreePool::config_error(config), std::nullopt);
    ++config.timeout;
    EXPECT_EQ(
        TreePool::config_error(config),
        "--timeout 67108864, doubled 6 times (--backoff), is too long; write a number from 0 to 67108863");
    config = {};
    config.sites = 100'000;
    config.backoff = 16;
    EXPECT_EQ(TreePool::config_error(config),
              "--backoff 16: the time for 100000 sites, doubled 16 times (--backoff), is too long; write a "
              "smaller one");
}

// --- Losses (I8): whatever gets lost, and however often the timer fires too early.

TEST(TreePool, Losses_never_lead_to_too_many_units) {
    for (const auto& [copies, states] : {std::pair("1", 243306u), std::pair("2", 730563u)}) {
        const std::string flags =
            "sites=2 units=1 lose=any modulus=3 patience=0 backoff=0 requests=any "
            "property=at-most-l,no-surplus,no-reset copies=" +
            std::string(copies);
        const auto result = run(flags);
        expect_holds(result, flags);
        EXPECT_EQ(result.states, states);
    }
}

// Why the root must not decide after a few doubtful traversals while losses go on: so patience is long.
TEST(TreePool, A_root_that_loses_its_patience_while_losses_go_on_makes_too_much) {
    const std::string flags = "sites=2 units=1 lose=any modulus=3 patience=2 backoff=0 property=no-surplus";
    expect_violated(run(flags), "no-surplus", flags);
}

TEST(TreePool, A_timer_that_fires_in_every_traversal_starves_a_root_without_end_of_patience) {
    const std::string flags = "sites=2 units=1 copies=2 modulus=3 patience=0 backoff=0";
    expect_violated(run(flags), "starvation", flags);
}

// --- Every repair is needed.

struct Mutation {
    const char* flags;
    const char* property;
};

void PrintTo(const Mutation& mutation, std::ostream* out) {
    *out << mutation.flags;
}

class TreePoolBroken : public testing::TestWithParam<Mutation> {};

TEST_P(TreePoolBroken, Is_found) {
    expect_violated(run(GetParam().flags), GetParam().property, GetParam().flags);
}

INSTANTIATE_TEST_SUITE_P(
    FromBoot, TreePoolBroken,
    testing::Values(Mutation{"sites=3 tree=star units=2 max-request=2 min-request=2 stage=priority "
                             "without=push-without-priority",
                             "starvation"},
                    Mutation{"sites=2 units=1 without=zero-counts property=no-reset", "no-reset"},
                    Mutation{"sites=3 tree=star units=1 requests=0 without=create-at-end", "no-surplus"},
                    Mutation{"sites=2 units=1 without=adopt-number", "starvation"},
                    Mutation{"sites=2 units=1 without=count-arrivals property=no-surplus", "no-surplus"},
                    Mutation{"sites=2 units=1 without=forward-duplicates", "starvation"},
                    Mutation{"sites=2 units=1 without=settle-at-once", "priority-rests"},
                    Mutation{"sites=3 tree=star units=1 lose=1 taint=off property=no-surplus", "no-surplus"},
                    Mutation{"sites=3 tree=star units=1 lose=1 taint=off property=no-reset", "no-reset"}));

TEST(TreePool, A_priority_token_that_passes_the_root_uncounted_stays_for_ever) {
    const std::string flags = "sites=2 units=1 requests=any without=count-passing property=convergence";
    expect_violated(run_from_anywhere(flags, 1, 1, 3), "convergence", flags);
    const std::string repaired = "sites=2 units=1 requests=any property=convergence";
    expect_holds(run_from_anywhere(repaired, 1, 1, 3), repaired);
}

// Erratum 16: units overtake the priority token, and a wait may be of any length, though it ends.
TEST(TreePool, Without_settling_at_once_waits_have_no_bound) {
    check::Options options;
    options.waits = true;
    const std::string flags =
        "sites=2 units=2 max-request=2 stage=priority requests=any without=settle-at-once "
        "property=starvation,deadlock";
    const auto result = run(flags, options);
    expect_holds(result, flags);
    EXPECT_EQ(result.waits.at(0), std::nullopt);
}

// --- Boot (T1): what is made once is never made again.

TEST(TreePool, After_boot_a_hundred_traversals_make_nothing_and_keep_one_controller) {
    TreePool::Config config;
    config.sites = 5;
    config.units = 3;
    config.max_request = 2;
    const world::InstanceOf<TreePool> instance(config);
    world::Stepper stepper(instance);
    std::vector<SiteOf<TreePool>> sites(config.sites);
    std::vector<EnvelopeOf<TreePool::Message>> flight;
    std::size_t controllers_sent = 0;
    std::size_t created = 0;
    const auto collect = [&](SiteId self) {
        EXPECT_TRUE(stepper.report().clean()) << stepper.report().detail();
        for (const auto& send : static_cast<const TreePool::Effects&>(stepper.fx()).sends()) {
            flight.push_back({{self, send.to}, send.message});
            controllers_sent += self == 0 && std::holds_alternative<TreePool::Controller>(send.message);
        }
        for (const std::string_view probe : stepper.fx().probes()) created += probe != "traversal";
    };
    for (SiteId self = 0; self < config.sites; ++self) {
        stepper.start(self, sites[self], 0);
        collect(self);
    }
    stepper.timeout(0, sites[0], static_cast<std::uint32_t>(TreePool::Timer::controller));
    collect(0);
    while (controllers_sent < 200) {  // two of them a traversal
        const EnvelopeOf<TreePool::Message> next = flight.front();
        flight.erase(flight.begin());
        stepper.deliver(next.to, sites[next.to], next);
        collect(next.to);
        EXPECT_EQ(std::count_if(flight.begin(), flight.end(),
                                [](const auto& envelope) {
                                    return std::holds_alternative<TreePool::Controller>(envelope.message);
                                }),
                  1);
    }
    EXPECT_EQ(flight.size(), config.units + 3);
    EXPECT_EQ(created, 1 + config.units);  // one traversal undecided, and the units made
}

}  // namespace
