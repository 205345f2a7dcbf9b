// The pool in simulated time: recovery, waits, traffic and size.
#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "core/bytes.hpp"
#include "play/player.hpp"
#include "protocols/pool/tree_pool.hpp"
#include "registry/registry.hpp"
#include "sim/simulation.hpp"
#include "world/arbitrary.hpp"
#include "world/instance_of.hpp"
#include "world/step.hpp"

namespace {

using namespace allot;
using namespace allot::sim;

Figures run(const Parameters& parameters, Parameters flags, std::uint64_t seeds = 1) {
    const auto plan = take_plan(flags);
    EXPECT_TRUE(plan) << (plan ? "" : plan.error());
    const auto pool = sim::make_simulation(*registry::protocol("tree-pool"), parameters, *plan);
    EXPECT_TRUE(pool) << (pool ? "" : pool.error());
    std::vector<Figures> runs;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) runs.push_back((*pool)->run(seed));
    return summarise(runs).figures;
}

Parameters sixteen(const char* pacing) {
    return {{"sites", "16"}, {"tree", "binary"}, {"units", "4"}, {"max-request", "2"}, {"pacing", pacing}};
}

// A tick is as long as a hop.
Parameters hops(Parameters flags) {
    flags["latency"] = flags["tick"] = "1ms";
    return flags;
}

TEST(PoolSimulated, Recovers_from_any_start_on_trees_of_any_shape) {
    for (const char* tree : {"chain", "star", "binary"})
        for (const char* sites : {"2", "5", "16"}) {
            const Figures figures =
                run({{"sites", sites}, {"tree", tree}, {"units", "4"}, {"max-request", "2"}, {"cmax", "2"}},
                    hops({{"start", "arbitrary"}, {"noise", "2"}, {"time", "4s"}}), 20);
            EXPECT_TRUE(figures.violations.empty())
                << tree << " " << sites << ": " << figures.violations.front().detail;
            EXPECT_EQ(figures.recovery.ms.moments.count(), 20u);
            EXPECT_EQ(figures.unserved, 0u);
        }
}

TEST(PoolSimulated, Recovers_though_many_stale_messages_are_under_way) {
    const Figures figures = run({{"sites", "8"}, {"tree", "chain"}, {"units", "2"}, {"cmax", "8"}},
                                hops({{"start", "arbitrary"}, {"noise", "8"}, {"time", "10s"}}), 20);
    EXPECT_TRUE(figures.violations.empty());
    EXPECT_EQ(figures.recovery.ms.moments.count(), 20u);
    // Section 7: no more than the stale numbers, and three.
    EXPECT_LE(figures.recovery.probes.at("traversal").max, 2 * 7 * 8 + 7 + 3);
}

// A pool whose messages are delivered in the order in which they were sent.
class InTurn {
public:
    explicit InTurn(const TreePool::Config& config)
        : config_(config),
          instance_(std::make_unique<world::InstanceOf<TreePool>>(config)),
          stepper_(*instance_),
          sites_(config_.sites) {
        for (SiteId self = 0; self < config_.sites; ++self) {
            stepper_.start(self, sites_[self], unbounded_requests);
            collect(self);
        }
    }

    void put(SiteId from, SiteId to, const TreePool::Message& message) {
        ++placed_;
        launch(from, to, message);
    }
    void request(SiteId self, std::uint32_t units) {
        stepper_.request(self, sites_[self], {units, {}});
        collect(self);
    }

    // The controller's timer fires only when there is none left.
    void step() {
        if (controllers_ == 0) {
            stepper_.timeout(0, sites_[0], static_cast<std::uint32_t>(TreePool::Timer::controller));
            return collect(0);
        }
        const EnvelopeOf<TreePool::Message> next = flight_.front();
        flight_.pop_front();
        controllers_ -= is_controller(next.message);
        stepper_.deliver(next.to, sites_[next.to], next);
        collect(next.to);
    }

    bool is_legitimate() const {
        if (controllers_ != 1) return false;
        std::vector<const SiteOf<TreePool>*> sites;
        for (const auto& site : sites_) sites.push_back(&site);
        std::vector<const EnvelopeOf<TreePool::Message>*> flight;
        for (const auto& envelope : flight_) flight.push_back(&envelope);
        std::ranges::stable_sort(flight, {}, [](const auto* one) { return std::pair(one->from, one->to); });
        return TreePool::legal(View<TreePool>{config_, sites, flight});
    }

    std::uint32_t traversals() const { return traversals_; }
    std::uint32_t placed() const { return placed_; }
    std::size_t largest_site_bytes() const {
        std::size_t most = 0;
        for (const auto& site : sites_) {
            std::string bytes;
            encode(site.protocol, bytes);
            most = std::max(most, bytes.size());
        }
        return most;
    }

private:
    static bool is_controller(const TreePool::Message& message) {
        return std::holds_alternative<TreePool::Controller>(message);
    }
    void launch(SiteId from, SiteId to, const TreePool::Message& message) {
        EXPECT_TRUE(config_.tree.channel(from, to, config_.sites)) << from << " and " << to;
        controllers_ += is_controller(message);
        flight_.push_back({{from, to}, message});
    }
    void collect(SiteId self) {
        for (const auto& send : static_cast<const TreePool::Effects&>(stepper_.fx()).sends())
            launch(self, send.to, send.message);
        for (const std::string_view probe : stepper_.fx().probes()) traversals_ += probe == "traversal";
    }

    const TreePool::Config config_;
    std::unique_ptr<const world::Instance> instance_;
    world::Stepper stepper_;
    std::vector<SiteOf<TreePool>> sites_;
    std::deque<EnvelopeOf<TreePool::Message>> flight_;
    std::uint32_t controllers_ = 0;
    std::uint32_t traversals_ = 0;
    std::uint32_t placed_ = 0;
};

// Fills every channel with controllers, backwards round the ring from each channel by which the root
// receives: they have the very numbers that it expects from there next, so each of them may pass for an
// answer.
InTurn hostile_start(const TreePool::Config& config) {
    struct Stale {
        SiteId from;
        SiteId to;
        std::uint32_t number;
    };
    std::vector<Stale> all;
    for (Tree::Channel last = 0; last < config.degree(Tree::root); ++last) {
        SiteId to = Tree::root;
        Tree::Channel arrival = last;
        std::uint32_t number = 0;
        do {
            const SiteId from = config.tree.neighbour(to, arrival, config.sites);
            for (std::uint32_t i = 0; i < config.cmax; ++i) all.push_back({from, to, number++});
            const Tree::Channel departure = *config.tree.channel(from, to, config.sites);
            arrival = (departure + config.degree(from) - 1) % config.degree(from);
            to = from;
        } while (to != Tree::root);
    }
    std::ranges::stable_sort(all, {}, &Stale::number);
    InTurn pool(config);
    for (const auto& [from, to, number] : all)
        pool.put(from, to, TreePool::Controller{number, false, 0, 0, false});
    return pool;
}

TreePool::Config shaped(const char* shape, std::uint32_t sites) {
    TreePool::Config config;
    config.sites = sites;
    config.tree = *Tree::parse("tree", shape);
    return config;
}

TEST(PoolSimulated, Recovers_from_hostile_counters_within_the_bound) {
    for (const char* shape : {"chain", "star", "binary"})
        for (const std::uint32_t sites : {2u, 4u, 8u, 64u})
            for (const std::uint32_t stale : {1u, 2u, 8u}) {
                TreePool::Config config = shaped(shape, sites);
                config.cmax = stale;
                InTurn pool = hostile_start(config);
                const std::uint32_t placed = 2 * (sites - 1) * stale;
                EXPECT_EQ(pool.placed(), placed);
                for (int steps = 0; steps < 20'000'000 && !pool.is_legitimate(); ++steps) pool.step();
                EXPECT_TRUE(pool.is_legitimate())
                    << shape << ", " << sites << " sites, " << stale << " stale";
                // Section 7: no more than there are stale numbers, and three.
                EXPECT_LE(pool.traversals(), placed + sites - 1 + 3) << shape << " " << sites;
                EXPECT_GE(pool.traversals(), stale) << "those next to the root pass for traversals";
            }
}

// What a site remembers: its own numbers grow by a digit or two, and nothing else does.
TEST(PoolSimulated, A_site_of_a_large_pool_remembers_no_more_than_one_of_a_small_pool) {
    for (const char* shape : {"chain", "star", "binary"}) {
        std::vector<std::size_t> most;
        for (const std::uint32_t sites : {10u, 10'000u}) {
            TreePool::Config config = shaped(shape, sites);
            config.units = 8;
            config.max_request = 4;
            InTurn pool(config);
            for (SiteId self = 0; self < sites; ++self) pool.request(self, 4);
            most.push_back(0);
            for (std::uint32_t hops = 0; hops < 6 * 2 * sites; ++hops) {
                pool.step();
                if (hops % sites == 0) most.back() = std::max(most.back(), pool.largest_site_bytes());
            }
            EXPECT_GE(pool.traversals(), 1u);
        }
        // The channels of a star's root have numbers of two bytes, and four units may rest there.
        EXPECT_LE(most[1], most[0] + 8) << shape;
    }
}

TEST(PoolSimulated, Survives_faults_in_the_middle_of_work_with_every_option) {
    for (const char* option : {"taint", "drain", "pacing"}) {
        const Figures figures =
            run({{"sites", "9"}, {"tree", "binary"}, {"units", "3"}, {"max-request", "2"}, {option, "on"}},
                hops({{"corrupt-at", "5s,12s"}, {"time", "20s"}}), 10);
        // A reset takes units from who holds them, and says so; with drain it waits.
        EXPECT_EQ(figures.revoked == 0, option == std::string_view("drain")) << figures.revoked;
        EXPECT_TRUE(figures.violations.empty()) << option << ": " << figures.violations.front().detail;
        EXPECT_EQ(figures.recovery.ms.moments.count(), 20u) << option;
        EXPECT_EQ(figures.unserved, 0u) << option;
    }
}

// The second fault comes while programs still hold what the first one took from them.
TEST(PoolSimulated, A_fault_forgets_that_somebody_was_told_to_stop) {
    const Figures figures =
        run({{"sites", "4"}, {"units", "2"}},
            {{"corrupt-at", "2s,3s"}, {"time", "30s"}, {"hold", "2s"}, {"think", "1s"}}, 20);
    EXPECT_GT(figures.revoked, 0u);
    EXPECT_TRUE(figures.violations.empty()) << figures.violations.front().detail;
}

// Timers that are too short for the latency lead out of no legitimate world.
TEST(PoolSimulated, Stays_legitimate_though_the_timer_fires_too_early) {
    for (const char* timeout : {"0", "2"})
        for (const char* sites : {"4", "16"}) {
            const Figures figures = run({{"sites", sites}, {"timeout", timeout}},
                                        {{"start", "arbitrary"}, {"latency", "exponential:5ms"}}, 10);
            EXPECT_TRUE(figures.violations.empty())
                << timeout << " " << sites << ": " << figures.violations.front().detail;
            EXPECT_EQ(figures.recovery.ms.moments.count(), 10u);
        }
}

TEST(PoolSimulated, Logs_of_faults_are_scenarios) {
    for (const char* sites : {"4", "8", "16"})
        for (const char* option : {"drain", "pacing"})
            for (std::uint64_t seed = 1; seed <= 5; ++seed) {
                Parameters flags =
                    hops({{"start", "arbitrary"}, {"corrupt-at", "500ms,510ms"}, {"time", "1s"}});
                std::ostringstream log;
                (*sim::make_simulation(*registry::protocol("tree-pool"), {{"sites", sites}, {option, "on"}},
                                       *take_plan(flags)))
                    ->run(seed, {.log = &log});
                const auto outcome = play::Player(registry::protocols()).play("log", log.str());
                EXPECT_TRUE(outcome.ok()) << sites << " " << option << " " << seed << outcome.message;
            }
}

TEST(PoolSimulated, After_a_fault_a_program_believes_in_the_demand_that_its_site_has) {
    TreePool::Config config;
    config.units = config.max_request = 5;
    const world::InstanceOf<TreePool> instance(config);
    Random random(1);
    std::set<std::uint32_t> believed;
    for (int i = 0; i < 200; ++i) {
        SiteOf<TreePool> site;
        site.application = {Phase::holding, 7, {1, {}}, {}, true};
        world::draw_site(instance, 1, site, random);
        EXPECT_EQ(site.application.phase, site.protocol.phase());
        EXPECT_EQ(site.application.requests_left, 7u);
        EXPECT_FALSE(site.application.revoked);
        if (site.application.phase == Phase::idle) continue;
        EXPECT_EQ(site.application.demand, site.protocol.demand());
        believed.insert(site.application.demand.units);
    }
    EXPECT_EQ(believed, (std::set<std::uint32_t>{0, 1, 2, 3, 4, 5}));
}

TEST(PoolSimulated, Nobody_waits_beyond_the_bound) {
    for (const char* tree : {"chain", "star", "binary"})
        for (const std::uint32_t sites : {4u, 8u, 16u}) {
            const Figures figures =
                run({{"sites", std::to_string(sites)}, {"tree", tree}, {"units", "4"}, {"max-request", "2"}},
                    hops({{"think", "0"}, {"hold", "2ms"}, {"time", "20s"}}), 3);
            EXPECT_GT(figures.grants_seen_max, 2 * sites / 2) << tree;
            EXPECT_LE(figures.grants_seen_max, 2 * 4 * (2 * sites - 3)) << tree;
            EXPECT_EQ(figures.unserved, 0u) << tree;
        }
}

// A timer that is far too short for the tree: the timeout doubles until it is long enough, and only now and
// then a controller too many is sent.
TEST(PoolSimulated, A_timeout_that_is_too_short_doubles) {
    const auto controllers = [](const char* backoff) {
        Parameters pool = sixteen("off");
        pool["timeout"] = "2";
        pool["backoff"] = backoff;
        const Figures figures = run(pool, hops({{"requests", "0"}, {"time", "20s"}}));
        EXPECT_TRUE(figures.violations.empty());
        for (const KindCount& kind : figures.messages_by_kind)
            if (kind.kind == "Controller") return kind.messages;
        return std::uint64_t{0};
    };
    const std::uint64_t hops_made = 20'000;  // by one controller that is always under way
    EXPECT_GT(controllers("0"), 3 * hops_made / 2);
    EXPECT_LT(controllers("6"), 11 * hops_made / 10);
}

TEST(PoolSimulated, With_pacing_an_idle_pool_sends_less_than_a_twentieth) {
    const Parameters idle = hops({{"requests", "0"}, {"time", "100s"}, {"warm-up", "10s"}});
    const Figures busy = run(sixteen("off"), idle);
    const Figures paced = run(sixteen("on"), idle);
    EXPECT_GT(paced.messages, 0u);
    EXPECT_GE(busy.messages, 20 * paced.messages);
}

// The deeper the tree, the further the hint has to go up and the units down.
TEST(LargePoolSimulated, With_pacing_a_rare_request_waits_little_longer) {
    const Parameters rare =
        hops({{"think", "exponential:160s"}, {"hold", "2ms"}, {"time", "1000s"}, {"warm-up", "10s"}});
    for (const auto& [tree, times] : {std::pair("star", 1.5), {"binary", 1.5}, {"chain", 2.0}}) {
        const auto wait = [&, tree = tree](const char* pacing) {
            Parameters pool = sixteen(pacing);
            pool["tree"] = tree;
            const Figures figures = run(pool, rare, 5);
            EXPECT_GT(figures.grants, 400u) << tree;
            return figures.waiting_ms.mean;
        };
        EXPECT_LE(wait("on"), times * wait("off")) << tree;
    }
}

// The first traversal alone takes 20 s; units are there only after it.
TEST(PoolSimulated, A_hundred_thousand_sites_run) {
    const Figures figures =
        run({{"sites", "100000"}, {"tree", "binary"}, {"units", "20"}, {"max-request", "4"}},
            {{"time", "50s"}, {"requests", "1"}, {"latency", "0.1ms"}, {"tick", "0.1ms"}, {"verify", "0"}});
    EXPECT_TRUE(figures.violations.empty());
    EXPECT_GT(figures.grants, 0u);
}

}  // namespace
