// Which sites can ever turn round, and in which order others must turn round first.
//
// Bounds can forbid more than they say: each neighbourhood leaves room for a change, and together they leave
// none. Turns can be taken back, so what can be reached from the start can be reached from everywhere that
// a run gets to: whether a site can ever turn round is settled by the start and never changes.
//
// Few sites are settled by looking at every configuration that can be reached. Of many, some are known never
// to turn round by counting; for the others a way is looked for, and where none is found within the effort
// allowed the answer is open.
#pragma once

#include "protocols/neighborhood/instance.hpp"

namespace allot::neighborhood {

enum class Prospect : std::uint8_t { yes, never, unknown };
BOOST_DESCRIBE_ENUM(Prospect, yes, never, unknown)

// Of one site: can it ever turn round, and why (not), for people.
struct Outlook {
    Prospect prospect = Prospect::unknown;
    std::string reason;
};

// Of all sites from this start, which is safe. The effort is in steps of the search for ways; few sites are
// always settled, whatever it is.
std::vector<Outlook> outlook(const Closed& closed, const std::vector<Range>& ranges,
                             const Configuration& start, std::uint64_t effort);

// Up to this many sites every configuration that can be reached is looked at.
constexpr std::uint32_t most_sites_explored = 20;

// How a site gets to turn round from a safe configuration: these turns, one after the other, each of them
// safe, and its own is the last.
struct Way {
    Prospect prospect = Prospect::unknown;
    std::vector<SiteId> turns;
};
Way find_way(const Closed& closed, const std::vector<Range>& ranges, const Configuration& from, SiteId site,
             std::uint64_t effort);

// Every configuration that can be reached, up to most_sites_explored: bit i is site i in service.
std::vector<std::uint32_t> reachable(const Closed& closed, const std::vector<Range>& ranges,
                                     const Configuration& start);

}  // namespace allot::neighborhood
