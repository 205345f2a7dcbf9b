// The largest number of grants to others while a site waits. Exact, over all explored runs, fair or not: the
// longest path through the worlds in which the site waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace allot::check {

class Graph;
class Watchdog;

// Nothing: no bound.
using Wait = std::optional<std::uint64_t>;

// One per site; or none, and `stopped_by` says why. Destroys the notes of the graph.
std::vector<Wait> longest_waits(Graph& graph, const Watchdog& watchdog, std::string& stopped_by);

}  // namespace allot::check
