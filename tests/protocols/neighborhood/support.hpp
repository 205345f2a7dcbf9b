// What the tests of this problem share: random runs, simulations, and instances that several of them use.
#pragma once

#include <algorithm>

#include "protocols/support.hpp"
#include "sim/simulation.hpp"
#include "swarm/campaign.hpp"

namespace allot::neighborhood_tests {

using protocol_tests::parameters;

inline swarm::Campaign random_runs(std::string_view protocol, const std::string& flags, std::uint64_t runs) {
    swarm::Options options;
    options.fixed = parameters(flags);
    options.runs = runs;
    static const auto all = registry::protocols();
    auto campaign = swarm::swarm(*std::ranges::find(all, protocol, &world::Entry::name), options);
    EXPECT_TRUE(campaign) << (campaign ? "" : campaign.error());
    return campaign ? std::move(*campaign) : swarm::Campaign{};
}

inline sim::Figures simulated(std::string_view protocol, const std::string& instance,
                              const std::string& plan_flags, std::uint64_t seed = 1) {
    Parameters flags = parameters(plan_flags);
    const auto plan = sim::take_plan(flags);
    EXPECT_TRUE(plan && flags.empty());
    auto simulation = sim::make_simulation(*registry::protocol(protocol), parameters(instance), *plan);
    EXPECT_TRUE(simulation) << (simulation ? "" : simulation.error());
    return simulation ? (*simulation)->run(seed) : sim::Figures{};
}

inline const std::string heavy = "time=6s latency=exponential:1.1ms think=0.5ms hold=0.5ms";

// Erratum 15: a complete graph with a tail, where every site could turn round.
inline const std::string tail =
    "graph=edges:0-1,0-2,0-3,0-4,1-2,1-3,1-4,2-3,2-4,3-4,4-5,5-6,6-7,7-8,8-9 "
    "bounds=1,4;1,4;1,4;1,4;1,4;0,3;0,3;0,3;1,2;0,1";

// Erratum 16: all assumptions hold, with site 1 as the leader; gaps of 3 or 4 within two hops of the leader,
// 2 or 3 elsewhere.
inline const std::string random_graph =
    "graph=random:60:6:1 bounds="
    "3,6;4,7;0,4;1,4;1,5;2,6;1,5;3,7;3,6;2,5;2,6;3,5;"
    "2,5;5,8;3,6;2,5;2,6;3,6;2,5;1,5;1,4;2,5;2,4;3,5;"
    "1,4;0,2;2,5;2,5;3,5;1,5;2,6;0,3;1,4;3,5;1,3;2,6;"
    "0,4;4,7;1,4;1,3;1,3;1,5;1,4;0,4;1,5;0,2;3,7;2,6;"
    "1,4;3,7;1,4;2,6;0,2;0,4;1,5;1,4;1,4;1,5;1,3;2,6";

}  // namespace allot::neighborhood_tests
