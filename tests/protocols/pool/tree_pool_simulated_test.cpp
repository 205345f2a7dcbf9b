// The pool in simulated time: recovery, waits, traffic and size.
#include <algorithm>
#include <gtest/gtest.h>

#include "protocols/pool/tree_pool.hpp"
#include "sim/simulation_of.hpp"
#include "world/step.hpp"

namespace {

using namespace allot;
using namespace allot::sim;

Figures run(const Parameters& parameters, Parameters flags, std::uint64_t seeds = 1) {
    const auto plan = take_plan(flags);
    EXPECT_TRUE(plan) << (plan ? "" : plan.error());
    const auto pool = simulation_of<TreePool>().make(parameters, *plan);
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

// A pool whose channels towards the root are full of controllers with the very numbers that the root expects
// next: each of them may pass for a traversal. Messages are delivered in turn, one per channel.
class HostileStart {
public:
    HostileStart(std::uint32_t sites, std::uint32_t stale) : stepper_(config_), sites_(sites) {
        config_.sites = sites;
        config_.cmax = stale;
        for (SiteId self = 0; self < sites; ++self) {
            stepper_.start(self, sites_[self], 0);
            collect(self);
        }
        for (SiteId self = 1; self < sites; ++self)
            for (std::uint32_t i = 0; i < stale; ++i)
                flight_.push_back(
                    {self, self - 1, TreePool::Controller{(self - 1) * stale + i, false, 0, 0, false}});
    }

    bool is_legitimate() const {
        std::vector<const Site<TreePool>*> sites;
        for (const auto& site : sites_) sites.push_back(&site);
        std::vector<const Envelope<TreePool::Message>*> flight;
        for (const auto& envelope : flight_) flight.push_back(&envelope);
        return TreePool::legal(View<TreePool>{config_, sites, flight});
    }

    // The controller's timer fires only when there is none left.
    void step() {
        const bool lost = std::ranges::none_of(flight_, [](const auto& envelope) {
            return std::holds_alternative<TreePool::Controller>(envelope.message);
        });
        if (lost) {
            stepper_.timeout(0, sites_[0], static_cast<std::uint32_t>(TreePool::Timer::controller));
            return collect(0);
        }
        const Envelope<TreePool::Message> next = flight_.front();
        flight_.erase(flight_.begin());
        stepper_.deliver(next.to, sites_[next.to], next.from, next.message);
        collect(next.to);
    }

    std::uint32_t traversals() const { return traversals_; }

private:
    void collect(SiteId self) {
        for (const auto& send : stepper_.fx().sends()) flight_.push_back({self, send.to, send.message});
        for (const std::string_view probe : stepper_.fx().probes()) traversals_ += probe == "traversal";
    }

    TreePool::Config config_;
    world::Stepper<TreePool> stepper_;
    std::vector<Site<TreePool>> sites_;
    std::vector<Envelope<TreePool::Message>> flight_;
    std::uint32_t traversals_ = 0;
};

TEST(PoolSimulated, Recovers_from_hostile_counters_within_the_bound) {
    std::uint32_t most = 0;
    for (const std::uint32_t sites : {2u, 4u, 8u})
        for (const std::uint32_t stale : {1u, 2u, 8u}) {
            HostileStart pool(sites, stale);
            for (int steps = 0; steps < 100'000 && !pool.is_legitimate(); ++steps) pool.step();
            EXPECT_TRUE(pool.is_legitimate()) << sites << " sites, " << stale << " stale";
            // Section 7: no more than there are stale numbers, and three.
            EXPECT_LE(pool.traversals(), 2 * (sites - 1) * stale + sites - 1 + 3);
            most = std::max(most, pool.traversals());
        }
    EXPECT_GT(most, 4u) << "some of the stale controllers passed for traversals";
}

TEST(PoolSimulated, Survives_faults_in_the_middle_of_work_with_every_option) {
    for (const char* option : {"drain", "pacing"}) {
        const Figures figures =
            run({{"sites", "9"}, {"tree", "binary"}, {"units", "3"}, {"max-request", "2"}, {option, "on"}},
                hops({{"corrupt-at", "5s,12s"}, {"time", "20s"}}), 10);
        EXPECT_TRUE(figures.violations.empty()) << option << ": " << figures.violations.front().detail;
        EXPECT_EQ(figures.recovery.ms.moments.count(), 20u) << option;
        EXPECT_EQ(figures.unserved, 0u) << option;
    }
}

TEST(PoolSimulated, Nobody_waits_beyond_the_bound) {
    for (const std::uint32_t sites : {4u, 8u, 16u}) {
        const Figures figures =
            run({{"sites", std::to_string(sites)}, {"tree", "binary"}, {"units", "4"}, {"max-request", "2"}},
                hops({{"think", "0"}, {"hold", "2ms"}, {"time", "20s"}}));
        EXPECT_GT(figures.grants_seen_max, 2 * sites / 2);
        EXPECT_LE(figures.grants_seen_max, 2 * 4 * (2 * sites - 3));
        EXPECT_EQ(figures.unserved, 0u);
    }
}

TEST(PoolSimulated, With_pacing_an_idle_pool_sends_less_than_a_twentieth) {
    const Parameters idle = hops({{"requests", "0"}, {"time", "100s"}, {"warm-up", "10s"}});
    const Figures busy = run(sixteen("off"), idle);
    const Figures paced = run(sixteen("on"), idle);
    EXPECT_GT(paced.messages, 0u);
    EXPECT_GE(busy.messages, 20 * paced.messages);
}

TEST(PoolSimulated, With_pacing_a_rare_request_waits_little_longer) {
    const Parameters rare =
        hops({{"think", "exponential:160s"}, {"hold", "2ms"}, {"time", "1000s"}, {"warm-up", "10s"}});
    const Figures busy = run(sixteen("off"), rare, 5);
    const Figures paced = run(sixteen("on"), rare, 5);
    EXPECT_GT(paced.grants, 400u);
    EXPECT_LE(paced.waiting_ms.mean, 1.5 * busy.waiting_ms.mean);
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
