// How long a wait may be: how often others are served, at most, while a site waits. Exact, over all explored
// runs, fair or not: the longest way through the worlds in which the site waits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace allot::check {

class Graph;
class Watchdog;

// Nothing: others may be served any number of times.
using Wait = std::optional<std::uint64_t>;

// One per site; empty where the search was stopped. Destroys the notes of the graph.
std::vector<Wait> longest_waits(Graph& graph, const Watchdog& watchdog);

}  // namespace allot::check
