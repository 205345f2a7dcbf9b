// Where to begin: a configuration in which every neighbourhood has as many in service as it may.
#pragma once

#include "protocols/neighborhood/instance.hpp"

namespace allot::neighborhood {

struct SafeStart {
    std::optional<Configuration> found;
    bool none = false;  // there is no safe configuration; otherwise none was found, and there may be one
    std::vector<Outlook> prospects;  // of a lively one
};

// The same answer whenever it is asked. Up to most_sites_settled it finds one if there is one. Seed 0 looks
// at simple ones first; others may lead to other starts.
constexpr std::uint32_t most_sites_settled = 24;
SafeStart find_safe(const Closed& closed, const std::vector<Range>& ranges, std::uint64_t seed = 0);

// Of several, one from which as few sites as possible can never turn round, and of as few as possible it is
// not known after a short search.
SafeStart find_lively(const Closed& closed, const std::vector<Range>& ranges,
                      const std::vector<Range>& start_ranges);

}  // namespace allot::neighborhood
