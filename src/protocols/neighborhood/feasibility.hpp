// Decides which sites can ever turn round, and in which order others must turn round first.
//
// Bounds can forbid more than they say: each neighbourhood leaves room for a change, and together they leave
// none. Turns can be taken back, so everything that is reachable from the start is reachable from everywhere
// in a run: whether a site can ever turn round depends on the start and never changes.
//
// Counting shows that some sites never turn round; others cannot because no movable site makes room for them.
// The rest falls into regions that do not affect each other. In a small region every reachable configuration
// is explored; in a large one, first ways are searched, and then as many configurations as the effort allows.
// If that is not enough the answer is open.
#pragma once

#include "protocols/neighborhood/instance.hpp"

namespace allot::neighborhood {

class Ways;

// The outlook of all sites from this safe start. The effort counts steps: of the search for ways, and
// explored configurations, each once for every 64 sites in it. Small regions are always decided.
std::vector<Outlook> outlook(const Closed& closed, const std::vector<Range>& ranges,
                             const Configuration& start, std::uint64_t effort);

// In a region of up to this many sites every reachable configuration is explored.
constexpr std::uint32_t most_sites_explored = 20;

// Makes the site turn round, and before it all others that must (ways.hpp), if there is a way. Subtracts the
// cost from the effort.
Prospect find_way(Ways& ways, SiteId site, std::uint64_t& effort);

// The number of configurations that are reachable from this safe start.
struct Extent {
    std::uint64_t count = 1;
    bool exact = true;  // false: there are at least so many
};
// The regions do not affect each other, so their numbers are multiplied. In a large region the effort bounds
// the configurations that are explored, each once for every site in it, and those that are found, each once
// for every 64 sites.
Extent count_reachable(const Closed& closed, const std::vector<Range>& ranges, const Configuration& start,
                       std::uint64_t effort);

// Up to `most` of these configurations: the start, then those after one turn, after two turns and so on.
std::vector<Configuration> list_reachable(const Closed& closed, const std::vector<Range>& ranges,
                                          const Configuration& start, std::size_t most);

}  // namespace allot::neighborhood
