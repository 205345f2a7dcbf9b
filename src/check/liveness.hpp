// Liveness on the explored graph: does every weakly fair run serve the waiting sites, and reach what it must
// reach? A fair run that fails stays, from some point on, in a strongly connected component of bad worlds in
// which every fair action is taken, or is not possible somewhere; so the checker searches for such
// components.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/checker.hpp"
#include "check/graph.hpp"

namespace allot::check {

class Watchdog;

// A way round a fair component: nodes[0] is its entry; step i leads from nodes[i] to the next one, the last
// back to the entry. Without steps, nothing more happens at the entry.
struct Lasso {
    std::vector<Node> nodes;
    std::vector<walk::ActionKey> actions;
    std::optional<SiteId> site;
};

struct LivenessResult {
    std::optional<Lasso> starving;
    std::optional<Lasso> diverging;
    std::optional<std::pair<Node, SiteId>> unservable;
    std::string stopped_by;
};

struct LivenessTask {
    bool starvation = true;
    bool servable = true;
    bool convergence = false;
    bool no_deadlock = false;  // known: no site waits where nothing more happens
};

// Destroys the notes of the graph.
LivenessResult judge_liveness(Graph& graph, const LivenessTask& task, unsigned threads,
                              const Watchdog& watchdog);

}  // namespace allot::check
