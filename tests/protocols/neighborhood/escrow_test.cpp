// escrow under the checker, in random runs and in simulations. A changed count is a changed protocol, world
// or reduction: it needs its reason in the commit.
#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "check/explorer.hpp"
#include "check/watchdog.hpp"
#include "core/random.hpp"
#include "protocols/neighborhood/feasibility.hpp"
#include "protocols/neighborhood/support.hpp"

namespace {

using namespace allot;
using namespace allot::protocol_tests;
using namespace allot::neighborhood_tests;

constexpr std::size_t own_properties = 7;

// --- Every run.

class Exhausted : public testing::TestWithParam<Pinned> {};

TEST_P(Exhausted, Escrow_is_safe_and_live) {
    expect_holds("escrow", GetParam(), own_properties);
}

INSTANTIATE_TEST_SUITE_P(
    Small, Exhausted,
    testing::Values(Pinned{"graph=path:2 bounds=0,1 requests=any", 8501, 17900},
                    Pinned{"graph=path:2 bounds=1,2 requests=any", 8508, 17914},
                    Pinned{"graph=path:2 bounds=0,1;1,2 initial=Io infeasible=allow requests=any", 112,
                           183}));

INSTANTIATE_TEST_SUITE_P(
    LargeSmall, Exhausted,
    testing::Values(Pinned{"graph=path:2 bounds=0,1 requests=any full=on", 895136, 2898501},
                    Pinned{"graph=path:3 bounds=0,1;1,2;0,1 initial=Ioo infeasible=allow requests=any",
                           2353894, 8127240}));

// --- All worlds of an instance, if there are not too many.

struct Worlds {
    std::unique_ptr<walk::Machine> machine;
    std::vector<walk::World> all;
    bool complete = false;
};

Worlds worlds_of(const std::string& flags, std::size_t bytes) {
    static const auto protocols = registry::protocols();
    Worlds worlds;
    auto machine =
        walk::make_machine(*std::ranges::find(protocols, "escrow", &world::Entry::name), parameters(flags));
    EXPECT_TRUE(machine) << flags << (machine ? "" : machine.error());
    worlds.machine = std::move(*machine);
    check::Options options;
    check::Graph graph(*worlds.machine, check::StoreKind::exact, false, 1, bytes);
    const check::Watchdog watchdog(options);
    const auto exploration = check::explore(graph, options, watchdog);
    EXPECT_TRUE(exploration.findings.empty()) << flags;
    worlds.complete = exploration.stopped_by.empty();
    graph.for_each_node([&](check::Node node) { worlds.all.push_back(graph.world(node)); });
    return worlds;
}

// Nothing is violated, so whoever cannot turn round is told; and here it is seen that nobody else is. Who
// was told does not ask any more.
TEST(Escrow, Tells_exactly_the_middle_site_that_it_can_never_turn_round) {
    const auto worlds = worlds_of("graph=path:3 bounds=0,1;1,2;0,1 initial=Ioo infeasible=allow requests=any",
                                  std::size_t{1} << 30);
    ASSERT_TRUE(worlds.complete);
    std::set<SiteId> told;
    for (const walk::World& world : worlds.all)
        for (SiteId site = 0; site < 3; ++site) {
            const walk::LocalInfo& info = worlds.machine->local(world.sites[site]);
            const bool asks = std::ranges::any_of(info.offers, [](const walk::Offer& offer) {
                return offer.input.kind == world::InputKind::request;
            });
            if (info.phase == Phase::idle && !asks) told.insert(site);
        }
    EXPECT_EQ(told, std::set<SiteId>{1});
}

// --- What can be reached is reached, and nothing else.

struct Instance : neighborhood::Neighborhood {
    BOOST_DESCRIBE_CLASS(Instance, (neighborhood::Neighborhood), (), (), ())
};

// A connected graph of two to four sites, in some a circle, and bounds.
std::string drawn_flags(Random& draw) {
    const auto sites = 2 + draw(3);
    std::set<std::pair<std::uint64_t, std::uint64_t>> joined;
    for (std::uint64_t site = 1; site < sites; ++site) joined.emplace(draw(site), site);
    for (std::uint64_t site = 2; site < sites; ++site)
        if (draw.coin()) joined.emplace(draw(site), site);
    std::string edges;
    std::vector<std::uint64_t> sizes(sites, 1);
    for (const auto& [one, other] : joined) {
        edges += (edges.empty() ? "" : ",") + std::to_string(one) + "-" + std::to_string(other);
        ++sizes[one];
        ++sizes[other];
    }
    std::string bounds;
    for (const std::uint64_t size : sizes) {
        const auto low = draw(size);
        bounds += (bounds.empty() ? "" : ";") + std::to_string(low) + "," +
                  std::to_string(low + 1 + draw(size - low));
    }
    return "graph=edges:" + edges + " bounds=" + bounds;
}

std::set<neighborhood::Configuration> configurations(const Worlds& worlds) {
    std::set<neighborhood::Configuration> found;
    for (const walk::World& world : worlds.all) {
        neighborhood::Configuration in;
        for (const auto site : world.sites) {
            const Phase phase = worlds.machine->local(site).phase;
            in.push_back(phase == Phase::holding || phase == Phase::leaving);
        }
        found.insert(std::move(in));
    }
    return found;
}

// Without pleas: tries alone get everywhere. Instances with too many worlds do not count, and none counts
// twice. With pleas there are many more worlds; where that is too many, nothing is reached that should not.
TEST(LargeReach, Is_that_of_the_configurations) {
    constexpr std::size_t most_bytes = std::size_t{1} << 20;
    const std::string judged =
        " infeasible=allow requests=any property=within-bounds,counts-right,escrow-covers,woken,contract,"
        "assertion";
    Random draw(1);
    std::set<std::string> seen;
    int counted = 0;
    int with_circles = 0;
    int with_pleas = 0;
    for (int round = 0; round < 5000 && counted < 220; ++round) {
        const std::string flags = drawn_flags(draw);
        if (!seen.insert(flags).second) continue;
        Parameters given = parameters(flags);
        auto instance = take_config<Instance>(given);
        ASSERT_TRUE(instance);
        instance->derive();
        if (instance->starts_in.empty()) continue;
        const auto tries = worlds_of(flags + judged + " rescue-after=0", most_bytes);
        if (!tries.complete) continue;
        ++counted;
        std::size_t ends = 0;
        for (const auto& neighbours : instance->graph.neighbours) ends += neighbours.size();
        with_circles += ends / 2 >= instance->sites ? 1 : 0;
        const auto list = neighborhood::list_reachable(instance->closed, instance->ranges,
                                                       instance->starts_in, std::size_t{1} << 20);
        const std::set all(list.begin(), list.end());
        ASSERT_EQ(configurations(tries), all) << flags;
        const auto pleas = worlds_of(flags + judged, most_bytes);
        with_pleas += pleas.complete ? 1 : 0;
        const auto reached = configurations(pleas);
        ASSERT_TRUE(std::ranges::includes(all, reached)) << flags;
        ASSERT_TRUE(!pleas.complete || reached == all) << flags;
    }
    RecordProperty("with_circles", with_circles);
    RecordProperty("with_pleas", with_pleas);
    EXPECT_EQ(counted, 220);
    EXPECT_GT(with_circles, 30);
    EXPECT_GT(with_pleas, 30);
}

// --- Without what keeps it together.

struct Broken {
    const char* repair;
    const char* property;
    const char* instance = "graph=path:3 bounds=0,1;1,2;0,2 initial=Ioo";
};

void PrintTo(const Broken& broken, std::ostream* out) {
    *out << broken.repair;
}

class EscrowWithout : public testing::TestWithParam<Broken> {};

TEST_P(EscrowWithout, A_part_is_caught) {
    const auto result =
        run("escrow", std::string(GetParam().instance) + " requests=any without=" + GetParam().repair +
                          " property=" + GetParam().property);
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.front().property, GetParam().property);
    EXPECT_TRUE(result.violations.front().replayed);
}

INSTANTIATE_TEST_SUITE_P(Parts, EscrowWithout,
                         testing::Values(Broken{"wake", "woken"}, Broken{"finish-tries", "within-bounds"},
                                         Broken{"finish-plan", "within-bounds"},
                                         Broken{"hold-back", "plan-undisturbed"},
                                         Broken{"hold-back", "within-bounds"},
                                         Broken{"carry-on", "starvation", "graph=path:2 bounds=0,1"},
                                         Broken{"plead-once", "one-plea"}));

// --- Random runs.

class Drawn : public testing::TestWithParam<const char*> {};

TEST_P(Drawn, Runs_are_clean) {
    const auto campaign = random_runs("escrow", GetParam(), 300);
    EXPECT_EQ(campaign.runs, 300u);
    EXPECT_FALSE(campaign.violation) << (campaign.violation ? campaign.violation->scenario : "");
    EXPECT_EQ(campaign.probes.size(), 5u);
    for (const auto& [probe, runs] : campaign.probes) EXPECT_EQ(runs > 0, probe != "never") << probe;
}

INSTANTIATE_TEST_SUITE_P(Graphs, Drawn,
                         testing::Values("graph=complete:3 bounds=1,2", "graph=complete:4 bounds=1,3",
                                         "graph=complete:5 bounds=2,3", "graph=cycle:4 bounds=0,2",
                                         "graph=star:4 bounds=1,3;0,1;0,1;1,2",
                                         "graph=path:3 bounds=0,1;1,2;0,2"));

// A site that can never leave has its release refused, again and again: it has been answered.
TEST(Escrow, Random_runs_do_not_blame_a_site_that_can_never_leave) {
    const auto campaign = random_runs("escrow", "graph=path:3 bounds=1,2 initial=oII infeasible=allow", 100);
    EXPECT_EQ(campaign.runs, 100u);
    EXPECT_FALSE(campaign.violation) << (campaign.violation ? campaign.violation->scenario : "");
    EXPECT_EQ(std::ranges::find(campaign.probes, "never", [](const auto& one) { return one.first; })->second,
              100u);
}

// --- Simulations.

constexpr double mean_delay_ms = 1.1;

// Open waits at the end count, too.
void expect_everybody_turns(const std::string& instance, double longest_in_delays) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const auto figures = simulated("escrow", instance, heavy, seed);
        EXPECT_TRUE(figures.violations.empty());
        EXPECT_EQ(figures.unchanged, 0u);
        EXPECT_EQ(figures.refusals, 0u);
        EXPECT_EQ(figures.stalled + figures.left_behind, 0u);
        EXPECT_EQ(figures.unserved + figures.unreleased, 0u);
        EXPECT_LT(figures.waiting_ms.max, longest_in_delays * mean_delay_ms) << seed;
        EXPECT_LT(figures.leaving_ms.max, longest_in_delays * mean_delay_ms) << seed;
    }
}

// Test scenario T9: corners 0 to 2, all others 1 to 3.
std::string grid(int size) {
    std::string bounds;
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column) {
            const bool corner = (row == 0 || row == size - 1) && (column == 0 || column == size - 1);
            bounds += std::string(bounds.empty() ? "" : ";") + (corner ? "0,2" : "1,3");
        }
    const std::string side = std::to_string(size);
    return "graph=grid:" + side + "x" + side + " bounds=" + bounds;
}

// Bounds so far apart, by site, in the middle of what there could be.
template <class Gap>
std::string random_of_200(int degree, int seed, Gap&& gap) {
    const Graph graph =
        *Graph::parse("graph", "random:200:" + std::to_string(degree) + ":" + std::to_string(seed));
    std::string bounds;
    for (SiteId site = 0; site < graph.sites(); ++site) {
        const std::size_t size = graph.neighbours[site].size() + 1;
        const std::size_t apart = std::min(size, static_cast<std::size_t>(gap(graph, site)));
        const std::size_t low = (size - apart) / 2;
        bounds += (bounds.empty() ? "" : ";") + std::to_string(low) + "," + std::to_string(low + apart);
    }
    return "graph=" + graph.text() + " bounds=" + bounds;
}

// Section 10: 3 or 4 within two hops of site 0, 2 or 3 elsewhere.
std::string specified_of_200(int degree, int seed) {
    Random draw(static_cast<std::uint64_t>(seed));
    return random_of_200(degree, seed, [&](const Graph& graph, SiteId site) {
        const auto& next = graph.neighbours[0];
        const auto beside = [&](SiteId one) { return one == 0 || std::ranges::count(next, one) > 0; };
        const bool near = beside(site) || std::ranges::any_of(graph.neighbours[site], beside);
        return (near ? 3 : 2) + draw(2);
    });
}

TEST(Escrow, Turns_every_site_of_large_graphs_and_none_waits_long) {
    expect_everybody_turns(grid(10), 400);
    expect_everybody_turns(grid(20), 400);
    for (const int graph : {1, 2}) {
        expect_everybody_turns(random_of_200(4, graph, [](const Graph&, SiteId) { return 3; }), 400);
        for (const int degree : {3, 4}) expect_everybody_turns(specified_of_200(degree, graph), 400);
    }
}

// Where sites stay in and out for long, most of those that wait wait for somebody that does not want to turn
// round yet. A plan over it must not stop the others: there are at least half as many flips as without pleas.
TEST(Escrow, Does_not_stop_everybody_for_one_that_takes_its_time) {
    const std::string slow = "time=60s latency=1.1ms think=exponential:1s hold=exponential:1s";
    for (const std::string& instance :
         {grid(10), std::string("graph=cycle:60 bounds=0,2"), std::string("graph=complete:20 bounds=8,12")}) {
        const auto with_pleas = simulated("escrow", instance, slow);
        const auto without = simulated("escrow", instance + " rescue-after=0", slow);
        EXPECT_EQ(with_pleas.unchanged, 0u) << instance;
        EXPECT_GT(2 * (with_pleas.grants + with_pleas.releases), without.grants + without.releases)
            << instance;
    }
}

// One that never leaves, against what is assumed, stops few on a grid with room. On a cycle it may stop all.
TEST(Escrow, Goes_on_far_from_a_site_that_never_turns_round) {
    const auto figures = simulated("escrow", "graph=grid:10x10 bounds=1,3", "time=10s campers=0");
    EXPECT_EQ(figures.stalled, 0u);
    EXPECT_EQ(figures.unchanged, 1u);
    EXPECT_LT(figures.unserved + figures.unreleased, 20u);
    EXPECT_GT(figures.grants, 10000u);
}

// The coordinator looks for ways within one effort for each freeze, however many sites wait for one.
TEST(Escrow, Bounds_the_work_of_its_coordinator) {
    const auto figures =
        simulated("escrow", "graph=grid:30x30 bounds=1,2", "time=300ms latency=exponential:1.1ms");
    EXPECT_TRUE(figures.violations.empty());
    EXPECT_GT(figures.grants, 100u);
}

// --- States and messages written by hand.

std::unique_ptr<walk::Machine> machine_of(std::string_view protocol) {
    static const auto protocols = registry::protocols();
    return std::move(*walk::make_machine(*std::ranges::find(protocols, protocol, &world::Entry::name), {}));
}

TEST(WrittenByHand, Numbers_that_no_site_has_are_refused_in_states) {
    const auto expect_refused = [&](std::string_view protocol, const std::string& member, const char* state) {
        const auto machine = machine_of(protocol);
        walk::LocalId local = machine->initial().sites[0];
        const auto error = machine->merge_state(local, boost::json::parse(state));
        ASSERT_TRUE(error) << protocol << " " << state;
        EXPECT_TRUE(error->starts_with(member + ": there is no site 7; the sites are 0 to "))
            << protocol << " " << state << ": " << *error;
    };
    using Written = std::pair<const char*, const char*>;
    for (const auto& [member, state] :
         {Written{"agenda", R"({"agenda":[7]})"}, Written{"yes", R"({"yes":[0,7]})"},
          Written{"watch", R"({"watch":[[7,true]]})"},
          Written{"site", R"({"pleas":[{"site":7,"enter":true}]})"},
          Written{"unwilling", R"({"unwilling":[7]})"}, Written{"overdue", R"({"overdue":[7]})"},
          Written{"in", R"({"gathering":{"so_far":{"in":[7]}}})"}})
        expect_refused("escrow", member, state);
    for (const char* protocol : {"inclusion", "exclusion", "composition", "sidetrack", "sidetrack-published"})
        for (const auto& [member, state] :
             {Written{"got", R"({"got":[7]})"}, Written{"seen", R"({"seen":[7]})"},
              Written{"nominee", R"({"nominee":7})"},
              Written{"site", R"({"permissions":[{"granted":[{"site":7}]},{}]})"},
              Written{"site", R"({"permissions":[{},{"preempting":{"site":7}}]})"}})
            expect_refused(protocol, member, state);
    expect_refused("inclusion-published", "preempting", R"({"preempting":7})");
}

TEST(WrittenByHand, Numbers_that_no_site_has_are_refused_in_messages) {
    const auto machine = machine_of("escrow");
    walk::EnvelopeId made = 0;
    for (const char* message :
         {R"({"Plea":{"site":7,"enter":true}})", R"({"Willing":{"site":3}})", R"({"Frozen":{"in":[7]}})",
          R"({"Frozen":{"waiting":[3]}})", R"({"Plan":{"turns":[7]}})", R"({"Plan":{"heard":[7]}})",
          R"({"Plan":{"never":[7]}})"})
        EXPECT_TRUE(machine->make_message(0, 1, boost::json::parse(message), made)) << message;
    EXPECT_FALSE(machine->make_message(0, 1, boost::json::parse(R"({"Plea":{"site":2}})"), made));
}

// --- Comparisons.

// Errata 15 and 16: where sidetrack stands still (arbiter_test.cpp).
TEST(Escrow, Turns_every_site_where_sidetrack_does_not) {
    for (const std::string& instance : {tail, random_graph})
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const auto figures = simulated("escrow", instance, heavy, seed);
            EXPECT_TRUE(figures.violations.empty());
            EXPECT_EQ(figures.unchanged, 0u);
            EXPECT_EQ(figures.unserved + figures.unreleased, 0u);
            EXPECT_GT(figures.grants, 300u);
        }
}

// Section 5: three messages per member of the neighbourhood where nobody is in the way.
TEST(Escrow, Costs_as_much_as_composition_where_nobody_is_in_the_way) {
    const auto figures = simulated("escrow", "graph=star:6 bounds=0,* initial=I",
                                   "requests=1,0,0,0,0,0 campers=1,2,3,4,5 time=10s hold=1s latency=1ms");
    EXPECT_EQ(figures.grants, 1u);
    EXPECT_EQ(figures.releases, 2u);
    EXPECT_EQ(figures.messages, 3u * 3 * 6);
}

// Who is told that it can never leave goes on holding, and is told again.
TEST(Escrow, Refuses_to_let_go_who_can_never_leave) {
    const auto figures =
        simulated("escrow", "graph=path:2 bounds=1,2;0,1 initial=Io infeasible=allow", heavy);
    EXPECT_TRUE(figures.violations.empty());
    EXPECT_EQ(figures.grants + figures.releases, 0u);
    EXPECT_EQ(figures.unchanged, 2u);
    EXPECT_GT(figures.refusals, 1u);
}

}  // namespace
