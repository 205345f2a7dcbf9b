// Which sites can ever turn round, and in which order others must turn round first.
//
// Bounds can forbid more than they say: each neighbourhood leaves room for a change, and together they leave
// none. Turns can be taken back, so what can be reached from the start can be reached from everywhere that
// a run gets to: whether a site can ever turn round is settled by the start and never changes.
//
// Some sites are known never to turn round by counting, others because nobody that can turn round makes room
// for them. What is left falls into regions that do not concern each other. In a small region every
// configuration that can be reached is looked at; in a large one, ways are looked for, and then as many
// configurations as the effort allows. Where that is not enough the answer is open.
#pragma once

#include "protocols/neighborhood/instance.hpp"

namespace allot::neighborhood {

class Ways;

// Of all sites from this start, which is safe. The effort is in steps: of the search for ways, and
// configurations looked at, each of which counts once for every 64 sites in it. Small regions are always
// settled, whatever it is.
std::vector<Outlook> outlook(const Closed& closed, const std::vector<Range>& ranges,
                             const Configuration& start, std::uint64_t effort);

// In a region of up to this many sites every configuration that can be reached is looked at.
constexpr std::uint32_t most_sites_explored = 20;

// Has the site turn round, and before it all others that must (ways.hpp), if there is a way. Takes what that
// costs off the effort.
Prospect find_way(Ways& ways, SiteId site, std::uint64_t& effort);

// Every configuration that can be reached, of at most 64 sites: bit i is site i in service.
std::vector<std::uint64_t> reachable(const Closed& closed, const std::vector<Range>& ranges,
                                     const Configuration& start);

}  // namespace allot::neighborhood
