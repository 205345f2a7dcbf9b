// Which sites can ever turn round, and where to begin.
#include "protocols/neighborhood/feasibility.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "core/parameters.hpp"
#include "core/random.hpp"
#include "protocols/neighborhood/safe_start.hpp"
#include "protocols/neighborhood/ways.hpp"

namespace allot::neighborhood {
namespace {

struct Instance : Neighborhood {
    BOOST_DESCRIBE_CLASS(Instance, (Neighborhood), (), (), ())
};

Instance instance(const std::string& graph, const std::string& bounds, const std::string& initial = "any") {
    Parameters given{{"graph", graph}, {"bounds", bounds}, {"initial", initial}};
    auto config = take_config<Instance>(given);
    EXPECT_TRUE(config) << (config ? "" : config.error());
    config->derive();
    return *config;
}

constexpr std::uint64_t effort = 100'000;

std::vector<Prospect> prospects(const Instance& one) {
    std::vector<Prospect> list;
    for (const Outlook& site : one.outlook(effort)) list.push_back(site.prospect);
    return list;
}

struct Way {
    Prospect prospect;
    std::vector<SiteId> turns;
};

Way way_of(const Instance& one, SiteId site) {
    Ways ways(Position(one.closed, one.ranges, one.starts_in), std::vector<Will>(one.sites, Will::idle));
    std::uint64_t left = effort;
    const Prospect prospect = find_way(ways, site, left);
    return {prospect, ways.turns()};
}

// Takes the turns one by one, each of which must be safe.
void expect_leads(const Instance& one, Configuration in, const Way& way, SiteId site) {
    ASSERT_EQ(way.prospect, Prospect::yes);
    ASSERT_FALSE(way.turns.empty());
    EXPECT_EQ(way.turns.back(), site);
    for (const SiteId turn : way.turns) {
        in[turn] = !in[turn];
        EXPECT_FALSE(first_unsafe(one.closed, one.ranges, in));
    }
}

constexpr auto yes = Prospect::yes;
constexpr auto never = Prospect::never;

TEST(Feasibility, Of_small_instances_is_known) {
    EXPECT_EQ(prospects(instance("path:3", "0,1;1,2;0,2", "Ioo")), (std::vector{yes, yes, yes}));
    EXPECT_EQ(prospects(instance("path:3", "0,1;1,2;0,1", "Ioo")), (std::vector{yes, never, yes}));
    EXPECT_EQ(prospects(instance("path:3", "0,1;1,2;0,1", "oIo")), (std::vector{never, never, never}));
    EXPECT_EQ(prospects(instance("path:2", "1,2;0,1", "Io")), (std::vector{never, never}));
}

// Erratum 14: all that LKCS assumes, and no turn is ever safe.
TEST(Feasibility, A_reason_is_for_people) {
    const auto frozen = instance("complete:6", "3,6;0,3;0,3;0,3;0,3;0,3").outlook(effort);
    ASSERT_EQ(frozen.size(), 6u);
    for (const Outlook& site : frozen) {
        EXPECT_EQ(site.prospect, never);
        EXPECT_EQ(site.reason,
                  "the neighbourhood of site 0 needs at least 3, that of site 1 may have no more than 3: "
                  "together they leave no room");
    }
    const auto path = instance("path:3", "0,1;1,2;0,1", "Ioo").outlook(effort);
    EXPECT_EQ(path[0].reason, "after 2");
    EXPECT_EQ(path[1].reason, "all 3 configurations that can be reached leave no room for it");
    EXPECT_EQ(path[2].reason, "at once");
    EXPECT_EQ(instance("path:3", "0,1;1,2;0,1", "oIo").outlook(effort)[0].reason,
              "at the start no site may turn round");
}

// Too many sites to look at everything: a path whose first two sites block each other, and a cycle in which
// others must turn round first.
TEST(Feasibility, Of_large_instances_is_counted_or_found) {
    std::string bounds = "1,2;0,1;0,2";
    for (int site = 3; site < 29; ++site) bounds += ";1,3";
    const auto path = instance("path:30", bounds + ";0,2").outlook(effort);
    for (const SiteId blocked : {0u, 1u, 2u}) EXPECT_EQ(path[blocked].prospect, never) << blocked;
    for (SiteId free = 6; free < 30; ++free) EXPECT_EQ(path[free].prospect, yes) << path[free].reason;

    const Instance cycle = instance("cycle:60", "1,2");
    for (SiteId site = 0; site < cycle.sites; ++site)
        expect_leads(cycle, cycle.starts_in, way_of(cycle, site), site);
    EXPECT_EQ(std::ranges::count(prospects(cycle), yes), 60);
}

std::ptrdiff_t count(const Instance& one, Prospect prospect) {
    return std::ranges::count(prospects(one), prospect);
}

Extent extent(const Instance& one, std::uint64_t allowed = effort) {
    return count_reachable(one.closed, one.ranges, one.starts_in, allowed);
}

std::vector<Configuration> listed(const Instance& one, std::size_t most) {
    return list_reachable(one.closed, one.ranges, one.starts_in, most);
}

// Counts exactly so many, and lists each of them once.
void expect_reaches(const Instance& one, std::size_t configurations) {
    const Extent counted = extent(one);
    EXPECT_TRUE(counted.exact);
    EXPECT_EQ(counted.count, configurations);
    const auto list = listed(one, configurations + 1);
    EXPECT_EQ(list.size(), configurations);
    EXPECT_EQ(std::set(list.begin(), list.end()).size(), configurations);
    for (const Configuration& in : list) EXPECT_FALSE(first_unsafe(one.closed, one.ranges, in));
}

// Too many sites for a table of all configurations, and few that can be reached. That there are so many, and
// who can turn round, was counted apart from this program.
TEST(Feasibility, Of_tight_bounds_is_settled_however_many_sites_there_are) {
    const Instance lively = instance("grid:3x7", "1,2", "IooIooIIooooIooIIooIo");
    EXPECT_EQ(count(lively, yes), 21);
    expect_reaches(lively, 297);
    const Instance other = instance("grid:3x7", "1,2", "IoIooIIooooIooIIooIoI");
    EXPECT_EQ(count(other, yes), 18);
    EXPECT_EQ(count(other, never), 3);
    expect_reaches(other, 440);
}

// On a path, at most 1 in every neighbourhood means that sites in service are three or more apart: of six
// sites none, one, or one of the pairs 03, 04, 05, 14, 15 and 25.
TEST(Feasibility, The_number_of_reachable_configurations_is_counted) {
    expect_reaches(instance("path:3", "0,1;1,2;0,1", "Ioo"), 3);
    expect_reaches(instance("path:3", "0,1;1,2;0,1", "oIo"), 1);
    expect_reaches(instance("path:2", "0,1"), 3);
    expect_reaches(instance("path:6", "0,1"), 1 + 6 + 6);
    expect_reaches(instance("complete:5", "1,4"), 32 - 2);
    expect_reaches(instance("path:10", "0,*"), 1024);
}

// Two halves, tight each by itself, that meet in a neighbourhood with room for both.
TEST(Feasibility, Regions_that_do_not_affect_each_other_multiply) {
    const Instance halves = instance("path:6", "0,1;0,3;0,3;0,3;0,3;0,1");
    expect_reaches(halves, 3u * 2 * 2 * 3);
    const Extent many = extent(instance("path:63", "0,*"));
    EXPECT_TRUE(many.exact);
    EXPECT_EQ(many.count, std::uint64_t{1} << 63);
    const Extent too_many = extent(instance("path:64", "0,*"));
    EXPECT_FALSE(too_many.exact);
    EXPECT_EQ(too_many.count, ~std::uint64_t{0});
}

// A region of 36 sites is cut short; its configurations cost 36 steps each.
TEST(Feasibility, The_effort_bounds_what_is_counted) {
    const Instance grid = instance("grid:6x6", "1,3");
    const Extent some = extent(grid, 36'000);
    EXPECT_FALSE(some.exact);
    EXPECT_GE(some.count, 1'000u);
    EXPECT_GT(extent(grid, 360'000).count, some.count);
    EXPECT_EQ(listed(grid, 50).size(), 50u);
}

TEST(Feasibility, Configurations_are_listed_from_the_start_on) {
    const auto list = listed(instance("path:3", "0,1;1,2;0,1", "Ioo"), 2);
    EXPECT_EQ(list, (std::vector<Configuration>{{true, false, false}, {true, false, true}}));
}

// Among the starts that are tried, the one is taken from which every site can turn round.
TEST(Feasibility, A_start_that_leaves_nobody_behind_is_preferred) {
    for (const char* graph : {"grid:3x7", "path:21"})
        EXPECT_EQ(count(instance(graph, "1,2"), yes), 21) << graph;
}

TEST(Feasibility, Who_needs_others_that_never_turn_round_never_does_either) {
    const auto path = instance("path:6", "0,1;1,2;0,1;0,3;0,3;0,2", "oIoooo").outlook(effort);
    for (const SiteId blocked : {0u, 1u, 2u, 3u}) {
        EXPECT_EQ(path[blocked].prospect, never) << blocked;
        EXPECT_EQ(path[blocked].reason, "no site that can turn round makes room for it");
    }
    for (const SiteId free : {4u, 5u}) EXPECT_EQ(path[free].prospect, yes) << free;
}

// Steps of both searches count, so what is unknown with few may be known with more.
TEST(Feasibility, More_effort_finds_more) {
    const Instance grid = instance("grid:6x6", "1,2");
    std::ptrdiff_t unknown_before = grid.sites + 1;
    for (const std::uint64_t allowed : {1u, 100u, 10'000u, 1'000'000u}) {
        const auto sites = grid.outlook(allowed);
        const auto unknown = std::ranges::count(sites, Prospect::unknown, &Outlook::prospect);
        EXPECT_LE(unknown, unknown_before);
        unknown_before = unknown;
    }
    EXPECT_EQ(unknown_before, 0);
}

TEST(Feasibility, One_kind_of_bound_never_blocks) {
    for (const auto& one : {instance("random:500:4:1", "1,*"), instance("random:500:4:1", "0,1")})
        EXPECT_EQ(std::ranges::count(prospects(one), yes), 500);
}

TEST(Feasibility, Effort_is_bounded_and_what_is_not_known_is_said) {
    const Instance cycle = instance("cycle:60", "1,2");
    const auto sites = cycle.outlook(1);
    EXPECT_EQ(std::ranges::count(sites, never, &Outlook::prospect), 0);
    EXPECT_GT(std::ranges::count(sites, Prospect::unknown, &Outlook::prospect), 0);
}

// Beside a tree, one of so many other edges.
std::string drawn_graph(Random& draw, std::uint32_t sites, std::uint64_t one_in = 4) {
    std::string edges;
    for (SiteId site = 1; site < sites; ++site)
        edges += (edges.empty() ? "edges:" : ",") + std::to_string(draw(site)) + "-" + std::to_string(site);
    for (SiteId one = 0; one < sites; ++one)
        for (SiteId other = one + 1; other < sites; ++other)
            if (draw(one_in) == 0) edges += "," + std::to_string(one) + "-" + std::to_string(other);
    return edges;
}

std::string drawn_bounds(Random& draw, const Graph& graph) {
    std::string bounds;
    for (const auto& neighbours : graph.neighbours) {
        const auto low = draw(neighbours.size() + 1);
        const auto high = low + 1 + draw(neighbours.size() + 1 - low);
        bounds += (bounds.empty() ? "" : ";") + std::to_string(low) + "," + std::to_string(high);
    }
    return bounds;
}

// One or two more or less than there are at the start.
std::string bounds_around(Random& draw, const Graph& graph, const std::string& start) {
    std::string bounds;
    for (SiteId site = 0; site < graph.sites(); ++site) {
        std::uint64_t count = start[site] == 'I' ? 1 : 0;
        for (const SiteId near : graph.neighbours[site]) count += start[near] == 'I' ? 1 : 0;
        const std::uint64_t size = graph.neighbours[site].size() + 1;
        const std::uint64_t low = count - std::min(count, draw(2));
        const std::uint64_t high = std::min(size, std::max(count, low + 1));
        bounds += (bounds.empty() ? "" : ";") + std::to_string(high == low ? low - 1 : low) + "," +
                  std::to_string(high);
    }
    return bounds;
}

// Site 1 waits for one of its neighbours to leave. Site 0 comes first, but only site 2 wants to.
TEST(Ways, Lead_over_those_that_want_to_turn_round) {
    const Instance path = instance("path:3", "0,2;1,2;0,2", "IoI");
    std::vector<Will> wills{Will::idle, Will::wants, Will::wants};
    std::uint64_t left = effort;
    Ways over_waiting(Position(path.closed, path.ranges, path.starts_in), wills);
    ASSERT_TRUE(over_waiting.lead_to(1, Will::turned, left));
    EXPECT_EQ(over_waiting.turns(), (std::vector<SiteId>{2, 1}));
    EXPECT_FALSE(over_waiting.wants(1));
    wills[2] = Will::idle;
    Ways over_idle(Position(path.closed, path.ranges, path.starts_in), wills);
    EXPECT_FALSE(over_idle.lead_to(1, Will::wants, left));
    EXPECT_TRUE(over_idle.turns().empty());
    ASSERT_TRUE(over_idle.lead_to(1, Will::idle, left));
    EXPECT_EQ(over_idle.turns(), (std::vector<SiteId>{0, 1}));
    EXPECT_LT(left, effort);
}

// By hand, from the definition: configurations as sets of bits, and turns until nothing new is found.
struct Oracle {
    const Instance& one;
    static bool in(std::uint32_t bits, SiteId site) { return ((bits >> site) & 1u) != 0; }
    bool safe(std::uint32_t bits) const {
        for (SiteId site = 0; site < one.sites; ++site) {
            std::uint32_t count = 0;
            for (const SiteId around : one.closed[site]) count += in(bits, around) ? 1 : 0;
            if (!one.ranges[site].contains(count)) return false;
        }
        return true;
    }
    // Nothing if there are more than so many.
    std::optional<std::vector<std::uint32_t>> component(std::uint32_t start, std::uint32_t& turned,
                                                        std::size_t most) const {
        std::vector<std::uint32_t> found{start};
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (found.size() > most) return std::nullopt;
            for (SiteId site = 0; site < one.sites; ++site) {
                const std::uint32_t next = found[i] ^ (1u << site);
                if (!safe(next)) continue;
                turned |= 1u << site;
                if (std::ranges::find(found, next) == found.end()) found.push_back(next);
            }
        }
        std::ranges::sort(found);
        return found;
    }
};

std::uint32_t bits_of(const Configuration& in) {
    std::uint32_t bits = 0;
    for (SiteId site = 0; site < in.size(); ++site) bits |= in[site] ? 1u << site : 0;
    return bits;
}

TEST(Feasibility, Agrees_with_the_definition_on_random_instances) {
    Random draw(7);
    int started = 0;
    int infeasible = 0;
    int startless = 0;
    for (int round = 0; round < 2000; ++round) {
        const auto sites = static_cast<std::uint32_t>(2 + draw(5));
        const std::string graph = drawn_graph(draw, sites);
        const std::string bounds = drawn_bounds(draw, *Graph::parse("graph", graph));
        const Instance one = instance(graph, bounds);
        const Oracle oracle{one};
        bool any_safe = false;
        for (std::uint32_t bits = 0; bits < 1u << sites; ++bits) any_safe = any_safe || oracle.safe(bits);
        ASSERT_EQ(one.no_start, !any_safe) << graph << " " << bounds;
        ASSERT_EQ(one.starts_in.empty(), !any_safe);
        startless += any_safe ? 0 : 1;
        if (!any_safe) continue;
        ++started;
        std::uint32_t turned = 0;
        const auto component = *oracle.component(bits_of(one.starts_in), turned, 1u << sites);
        std::vector<std::uint32_t> reached;
        for (const Configuration& in : listed(one, 1u << sites)) reached.push_back(bits_of(in));
        std::ranges::sort(reached);
        ASSERT_TRUE(std::ranges::equal(reached, component)) << graph << " " << bounds;
        ASSERT_EQ(extent(one).count, component.size()) << graph << " " << bounds;
        ASSERT_TRUE(extent(one).exact);
        const auto found = prospects(one);
        for (SiteId site = 0; site < sites; ++site) {
            const bool can = Oracle::in(turned, site);
            infeasible += can ? 0 : 1;
            ASSERT_EQ(found[site], can ? yes : never) << graph << " " << bounds << " site " << site;
            const Way way = way_of(one, site);
            ASSERT_EQ(way.prospect, can ? yes : never);
            if (can) expect_leads(one, one.starts_in, way, site);
        }
    }
    // The instances drawn are of all sorts.
    EXPECT_GT(started, 500);
    EXPECT_GT(infeasible, 100);
    EXPECT_GT(startless, 100);
}

// The same on graphs with too many sites for all configurations, and bounds around a start that leave little
// room: what can be reached is looked at one by one, as far as that goes.
TEST(Feasibility, Agrees_with_the_definition_on_larger_instances) {
    Random draw(11);
    std::map<Prospect, int> found;
    for (int round = 0; round < 60; ++round) {
        const auto sites = static_cast<std::uint32_t>(21 + draw(8));
        const Graph graph = *Graph::parse("graph", drawn_graph(draw, sites, 40));
        std::string start;
        for (SiteId site = 0; site < sites; ++site) start += draw.coin() ? 'I' : 'o';
        const Instance one = instance(graph.text(), bounds_around(draw, graph, start), start);
        std::uint32_t bits = 0;
        for (SiteId site = 0; site < sites; ++site) bits |= one.starts_in[site] ? 1u << site : 0;
        std::uint32_t turned = 0;
        const auto component = Oracle{one}.component(bits, turned, 2000);
        if (!component) continue;
        const auto list = prospects(one);
        for (SiteId site = 0; site < sites; ++site) {
            ASSERT_EQ(list[site], Oracle::in(turned, site) ? yes : never)
                << graph.text() << " " << one.bounds.text() << " " << start << " site " << site;
            ++found[list[site]];
        }
    }
    EXPECT_GT(found[yes], 100);
    EXPECT_GT(found[never], 100);
}

TEST(SafeStart, Is_found_on_large_graphs) {
    for (const auto& one : {instance("grid:20x20", "1,3"), instance("random:200:6:1", "1,3"),
                            instance("cycle:1000", "1,2"), instance("complete:100", "50,51")}) {
        ASSERT_FALSE(one.starts_in.empty()) << one.graph.text();
        EXPECT_FALSE(first_unsafe(one.closed, one.ranges, one.starts_in)) << one.graph.text();
    }
}

}  // namespace
}  // namespace allot::neighborhood
