// Which hosts keep the register next (specs: register, section 7). Voters follow the number of hosts, unless
// an operator has chosen them, and a voter whose disk was lost is replaced by the same host with its new
// disk.
#pragma once

#include <boost/container/flat_map.hpp>
#include <optional>
#include <vector>

#include "protocols/agreement/register.hpp"

namespace allot::agreement {

// 1, 3 or 5: an even number survives no more losses than the odd number below it.
std::uint32_t usual_voters(std::size_t hosts);

struct Electorate {
    const Settings& settings;
    const Record& record;                                            // of the voters as they are
    const std::vector<SiteId>& heard;                                // members of the newest view that answer
    const boost::container::flat_map<SiteId, std::uint32_t>& disks;  // of hosts that have told
    std::optional<SiteId> departing;                                 // a host that is about to leave
};

// The voters of the next generation; empty if the present ones shall go on, or better ones are not known yet.
std::vector<VoterId> next_voters(const Electorate& all);

}  // namespace allot::agreement
