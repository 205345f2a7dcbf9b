// The largest number of grants to others while a site waits. Exact, over all explored runs, fair or not: the
// longest path through the worlds in which the site waits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace allot::check {

class Graph;
class Watchdog;

// Nothing: no bound.
using Wait = std::optional<std::uint64_t>;

// One per site; empty if the search was stopped. Destroys the notes of the graph.
std::vector<Wait> longest_waits(Graph& graph, const Watchdog& watchdog);

}  // namespace allot::check
