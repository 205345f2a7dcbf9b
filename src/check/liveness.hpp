// Liveness on the explored graph: does every weakly fair run serve those who wait, and reach what must be
// reached? A fair run that does not stays, from some point on, in a strongly connected component of bad
// worlds in which every fair action is taken or is somewhere not possible; so such components are searched.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/checker.hpp"
#include "check/graph.hpp"

namespace allot::check {

class Watchdog;

// A way round a fair component: nodes[0] is its entry; step i leads from nodes[i] to the next one, the last
// back to the entry. Empty steps: nothing happens any more at the entry.
struct Lasso {
    std::vector<Node> nodes;
    std::vector<world::ActionKey> actions;
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
    bool no_deadlock = false;  // known already: nobody waits where nothing more happens
};

// Destroys the notes of the graph.
LivenessResult judge_liveness(Graph& graph, const LivenessTask& task, unsigned threads,
                              const Watchdog& watchdog);

}  // namespace allot::check
