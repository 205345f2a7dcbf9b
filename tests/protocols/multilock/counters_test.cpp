// Locks by counters under the checker: what holds, with exact state counts, and that what was repaired or
// left out is needed. A changed count is a changed protocol, world or reduction: it needs its reason in the
// commit.
#include "protocols/multilock/counters.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "check/checker.hpp"
#include "core/model.hpp"
#include "registry/registry.hpp"
#include "walk/walker.hpp"

namespace {

using namespace allot;

// `sites=3 loans=1` as a scenario's header has it.
std::unique_ptr<walk::Machine> machine_of(const std::string& text) {
    Parameters given;
    std::istringstream words(text);
    for (std::string word; words >> word;)
        given[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    for (const world::Entry& entry : registry::protocols())
        if (entry.name == "counters") {
            auto machine = walk::make_machine(entry, given);
            if (machine) return std::move(*machine);
            ADD_FAILURE() << machine.error();
        }
    throw std::runtime_error("no machine of counters with " + text);
}

check::Result run(const std::string& text) {
    return check::check(*machine_of(text), {});
}

struct Pinned {
    const char* parameters;
    std::uint64_t states;
    std::uint64_t transitions;
};

void PrintTo(const Pinned& pinned, std::ostream* out) {
    *out << pinned.parameters;
}

class CountersHold : public testing::TestWithParam<Pinned> {};

TEST_P(CountersHold, With_the_pinned_number_of_states) {
    const auto result = run(GetParam().parameters);
    EXPECT_EQ(result.verdict, check::Verdict::holds);
    EXPECT_TRUE(result.unchecked.empty());
    EXPECT_EQ(result.checked.size(), 14u);  // nine of its own, and the five that every protocol has
    EXPECT_EQ(result.states, GetParam().states);
    EXPECT_EQ(result.transitions, GetParam().transitions);
}

INSTANTIATE_TEST_SUITE_P(
    RepairedPaper, CountersHold,
    testing::Values(Pinned{"improve=none links=fifo loans=0 requests=2,1,1", 122140, 230994},
                    Pinned{"improve=none links=fifo requests=2,1,1", 241426, 463568},
                    Pinned{"improve=none links=fifo resources=3", 335122, 640552},
                    Pinned{"improve=none links=fifo loans=2 requests=2,1,1", 261274, 505768},
                    Pinned{"improve=none links=fifo loans=2 resources=3", 395548, 768868},
                    Pinned{"improve=none links=fifo cancel=on", 119849, 265027}));

INSTANTIATE_TEST_SUITE_P(
    Unordered, CountersHold,
    testing::Values(Pinned{"improve=none loans=0", 18684, 38200}, Pinned{"improve=none", 77004, 158532},
                    Pinned{"improve=none loans=0 requests=2,1,1", 378608, 856976},
                    Pinned{"improve=stop,single,lamport,early-loan,reask", 104354, 202566},
                    Pinned{"sites=2 requests=2", 35291, 50145}, Pinned{"resources=1 cancel=on", 4799, 11898},
                    Pinned{"resources=1 requests=2,2,1", 40186, 115504},
                    Pinned{"improve=home loans=0 resources=1 requests=2,2,1", 66659, 212017}));

INSTANTIATE_TEST_SUITE_P(LargeUnordered, CountersHold,
                         testing::Values(Pinned{"improve=none cancel=on", 764593, 1802607},
                                         Pinned{"improve=stop,single,lamport,early-loan,reask cancel=on",
                                                1131573, 2542308}));

INSTANTIATE_TEST_SUITE_P(Improved, CountersHold,
                         testing::Values(Pinned{"links=fifo sites=2 requests=2 cancel=on", 197267, 335075}));

INSTANTIATE_TEST_SUITE_P(
    LargeImproved, CountersHold,
    testing::Values(Pinned{"links=fifo", 857536, 1953629}, Pinned{"links=fifo loans=2", 1678373, 4036122},
                    Pinned{"links=fifo homes=3", 560697, 1245061},
                    Pinned{"links=fifo improve=stop,single,lamport,early-loan,reask requests=2,1,1", 412264,
                           722974}));

struct Broken {
    const char* parameters;
    const char* property;
};

void PrintTo(const Broken& broken, std::ostream* out) {
    *out << broken.parameters;
}

class CountersDefect : public testing::TestWithParam<Broken> {};

TEST_P(CountersDefect, Is_found_and_replays) {
    const auto result = run(GetParam().parameters);
    ASSERT_EQ(result.verdict, check::Verdict::violated);
    EXPECT_EQ(result.violations.at(0).property, GetParam().property);
    EXPECT_TRUE(result.violations.at(0).replayed);
}

INSTANTIATE_TEST_SUITE_P(Counters, CountersDefect,
                         testing::Values(Broken{"improve=none links=fifo without=clear-lender", "assertion"},
                                         Broken{"improve=none without=clear-lender", "assertion"},
                                         Broken{"improve=none without=store-at-end", "deadlock"},
                                         Broken{"sites=2 improve=none without=store-at-end", "deadlock"},
                                         Broken{"improve=stop,single cancel=on without=store-at-end",
                                                "deadlock"}));

// Only requests that overtake a token need to be stored where they end; with homes they know that they do.
TEST(Counters, On_links_in_order_or_with_homes_a_request_may_be_dropped_where_its_way_ends) {
    EXPECT_EQ(run("improve=none links=fifo without=store-at-end").verdict, check::Verdict::holds);
    EXPECT_EQ(run("improve=home loans=0 resources=1 requests=2,2,1 without=store-at-end").verdict,
              check::Verdict::holds);
}

// Worlds that are left after all that have no predecessor are taken away, one after the other, lie on a
// circle or behind one.
std::size_t worlds_on_circles(walk::Machine& machine) {
    using Key = std::tuple<walk::LedgerId, std::vector<walk::LocalId>, std::vector<walk::EnvelopeId>>;
    walk::Walker walker(machine);
    std::map<Key, std::size_t> numbers;
    std::vector<walk::World> worlds;
    std::vector<std::size_t> predecessors;
    const auto number_of = [&](const walk::World& world) {
        const auto [place, added] =
            numbers.try_emplace(Key{world.ledger, world.sites, world.flight}, worlds.size());
        if (added) {
            worlds.push_back(world);
            predecessors.push_back(0);
        }
        return place->second;
    };
    walk::World initial = machine.initial();
    walker.canonical(initial);
    number_of(initial);
    std::vector<std::vector<std::size_t>> successors;
    for (std::size_t i = 0; i < worlds.size(); ++i) {
        successors.emplace_back();
        const walk::World world = worlds[i];
        walker.for_each_step(world, [&](const walk::Move&, const walk::World& after, const Report&) {
            successors[i].push_back(number_of(after));
            ++predecessors[successors[i].back()];
        });
    }
    std::vector<std::size_t> free{0};
    std::size_t left = worlds.size();
    while (!free.empty()) {
        const std::size_t i = free.back();
        free.pop_back();
        --left;
        for (const std::size_t next : successors[i])
            if (--predecessors[next] == 0) free.push_back(next);
    }
    return left;
}

// Invariant 16: with so many requests and no more, every run ends; nothing goes round, not even in vain.
TEST(Counters, No_run_goes_round_in_circles) {
    for (const char* instance :
         {"improve=none links=fifo", "improve=none links=fifo loans=2", "improve=none cancel=on sites=2",
          "improve=none", "improve=stop,single,lamport,early-loan,reask", "sites=2 requests=2"}) {
        EXPECT_EQ(worlds_on_circles(*machine_of(instance)), 0u) << instance;
    }
}

TEST(Counters, Marks_compare_exactly) {
    using counters::Mark;
    EXPECT_LT((Mark{1, 3}), (Mark{1, 2}));
    EXPECT_FALSE((Mark{2, 4} < Mark{1, 2}) || (Mark{1, 2} < Mark{2, 4}));
    const std::uint64_t large = ~std::uint64_t{0};
    EXPECT_LT((Mark{large - 1, 80}), (Mark{large, 80}));
    EXPECT_FALSE((Mark{large, 79} < Mark{large, 80}));
}

TEST(Counters, A_demand_that_makes_no_sense_is_refused) {
    const Counters::Config config;
    for (const Demand& demand : {Demand{1, {}}, Demand{1, {"a", "b", "a"}}}) {
        Counters site;
        Counters::Effects fx;
        site.request({config, 0}, demand, fx);
        ASSERT_EQ(fx.notices().size(), 1u);
        EXPECT_EQ(fx.notices()[0].kind, Notice::Kind::refused);
        EXPECT_NE(fx.notices()[0].reason, "");
        EXPECT_EQ(site, Counters{});
    }
}

TEST(Counters, Fences_come_in_the_order_of_the_demand) {
    const Counters::Config config;
    Counters site;
    Counters::Effects fx;
    site.request({config, 0}, {1, {"b"}}, fx);
    site.release({config, 0}, fx);
    site.request({config, 0}, {1, {"b", "a"}}, fx);
    const auto& fences = fx.notices().back().fences;
    ASSERT_EQ(fences.size(), 2u);
    EXPECT_GT(fences[0], fences[1]);
}

TEST(Counters, Sets_of_each_size_are_drawn_alike) {
    Counters::Config config;
    config.resources = 5;
    config.max_request = 2;
    Random random(1);
    std::map<std::set<ResourceId>, int> often;
    for (int i = 0; i < 30000; ++i) {
        const auto drawn = Counters::model.requests.draw({config, 0}, random).resources;
        ++often[std::set(drawn.begin(), drawn.end())];
    }
    EXPECT_EQ(often.size(), 15u);  // 5 of one, 10 of two
    for (const auto& [resources, times] : often)
        EXPECT_NEAR(times, resources.size() == 1 ? 3000 : 1500, 300) << resources.begin()->name();
}

}  // namespace
