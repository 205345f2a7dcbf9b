// Breadth-first exploration on several threads. Work goes in rounds: every thread expands some of its own
// worlds and sends the successors to their owners; then every thread inserts the worlds that it received.
// Inserting in batches allows prefetching the hash table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/checker.hpp"
#include "check/graph.hpp"

namespace allot::check {

// A property that does not hold, at a world of the graph or one step beyond it.
struct Finding {
    std::string property;
    std::string detail;
    Node node = 0;
    std::optional<walk::World> beyond;
    std::optional<SiteId> site;
};

struct Exploration {
    std::vector<Finding> findings;
    std::string stopped_by;  // empty: every world was reached
    std::uint64_t transitions = 0;
    std::uint64_t depth = 0;
    std::uint64_t guesses = 0;  // see Walker::guesses
    bool leapt = false;         // see Walker::leapt
    // Every edge leads to the next level: the graph has no cycle.
    bool layered = true;
};

class Watchdog;

Exploration explore(Graph& graph, const Options& options, const Watchdog& watchdog);

}  // namespace allot::check
