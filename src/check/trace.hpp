// The way to a world of the graph, as steps that a scenario can replay. The graph keeps canonical worlds and
// no steps; so the way is walked again with exact stamps and messages, each time by a step whose result has
// the canonical form in the graph.
#pragma once

#include <optional>
#include <vector>

#include "check/explorer.hpp"
#include "check/liveness.hpp"

namespace allot::check {

struct Trace {
    walk::World start;
    std::vector<walk::Move> steps;
    std::vector<walk::Move> cycle;
    bool replayed = true;  // false: exact stamps do not allow it; ranking introduced it
};

Trace trace_to(Graph& graph, const Options& options, const Finding& finding);
Trace trace_to(Graph& graph, const Options& options, Node node);
Trace trace_round(Graph& graph, const Options& options, const Lasso& lasso);

}  // namespace allot::check
