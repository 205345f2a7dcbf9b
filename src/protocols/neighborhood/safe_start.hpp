// Finds a start: a configuration in which every neighbourhood satisfies its bounds.
#pragma once

#include "protocols/neighborhood/instance.hpp"

namespace allot::neighborhood {

struct SafeStart {
    std::optional<Configuration> found;
    bool none = false;  // true: no safe configuration exists; false: one may exist even if none was found
    std::vector<Outlook> prospects;  // of a lively one
};

// Deterministic. Up to most_sites_settled it finds a start if there is one. Seed 0 tries simple ones first;
// other seeds may lead to other starts.
constexpr std::uint32_t most_sites_settled = 24;
SafeStart find_safe(const Closed& closed, const std::vector<Range>& ranges, std::uint64_t seed = 0);

// Of several starts, one with as few sites as possible that can never turn round and, next, as few as
// possible that a short search leaves undecided.
SafeStart find_lively(const Closed& closed, const std::vector<Range>& ranges,
                      const std::vector<Range>& start_ranges);

}  // namespace allot::neighborhood
