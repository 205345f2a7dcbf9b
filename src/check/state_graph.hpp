// The graph of all worlds of a small instance, to be looked at. The checker proper keeps no steps and stops
// at the first violation; this walks every step once more, and goes on where nothing is violated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "walk/machine.hpp"

namespace allot::check {

struct StateNode {
    walk::World world;  // in canonical form
    std::uint32_t depth = 0;
    std::string violated;  // the property; empty if there is none
    std::string detail;
    bool start = false;
};

struct StateEdge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::string step;  // as a line of a scenario
    bool fair = false;
};

struct StateGraph {
    std::vector<StateNode> nodes;  // in breadth-first order
    std::vector<StateEdge> edges;
};

// Nothing if there are more worlds than `most`. Throws stop::Due.
std::optional<StateGraph> state_graph(walk::Machine& machine, const std::vector<walk::World>& starts,
                                      std::size_t most);

}  // namespace allot::check
