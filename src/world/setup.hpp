// What surrounds the sites: who asks how often, and which faults may happen. Every driver that replays or
// explores reads the same setup, from flags or from the first line of a scenario.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/view.hpp"
#include "world/properties.hpp"

namespace allot::world {

// dense: everybody trusts everybody from the start. sparse: only the anchor does; elsewhere trust in a peer
// may come late, and for a peer that crashes never. anchor: elsewhere it never comes.
enum class Trust : std::uint8_t { dense, sparse, anchor };
BOOST_DESCRIBE_ENUM(Trust, dense, sparse, anchor)

// Of faults: as many as there may be.
constexpr std::uint32_t any_number = 0xFFFFFFFF;

struct Setup {
    std::uint32_t sites = 0;
    std::uint32_t founders = 0;           // sites from this one on are absent and may join
    std::vector<std::uint32_t> requests;  // per site; unbounded_requests for any number
    bool cancel = false;                  // a waiting request may be withdrawn at any time
    std::uint32_t crashes = 0;
    std::uint32_t restarts = 0;
    std::uint32_t leaves = 0;
    std::uint32_t duplicate = 0;
    std::uint32_t lose = 0;  // or any_number
    std::uint32_t lies = 0;  // how often a detector may report a live site dead
    Trust trust = Trust::dense;
    std::optional<SiteId> anchor;  // the site that no detector ever suspects, and that never crashes
    Links links = Links::fifo;     // what the links give
    bool starts = false;           // who may not ask yet waits, too: its start must end
    bool full = false;             // take no prompt message at once
    std::optional<bool> ranks;     // replace stamps by ranks; by default where requests are unbounded
    bool normalise = true;         // let the protocol bring worlds into its normal form
    std::uint32_t backlog = 0;     // a timer fires only while no channel holds this many messages; 0: always
    // A timer fires only while fewer messages that it replaces are in flight; 0: always.
    std::uint32_t copies = 0;
    std::vector<SiteId> campers;  // these need never let go of what they hold

    std::vector<std::string> property;  // judge only these; empty: all

    bool judges(std::string_view name) const {
        return property.empty() || std::find(property.begin(), property.end(), name) != property.end();
    }
    bool unbounded() const {
        for (std::uint32_t left : requests)
            if (left == unbounded_requests) return true;
        return false;
    }
    bool camps(SiteId site) const { return std::find(campers.begin(), campers.end(), site) != campers.end(); }
    // What makes no difference may make one where messages are copied or lost.
    bool normalises() const { return normalise && duplicate == 0 && lose == 0; }
    // A message that may be copied or lost, or come too late, must be seen in flight: then none is taken at
    // once.
    bool takes_prompt_messages() const { return !full && !cancel && duplicate == 0 && lose == 0; }
    bool ranked() const { return ranks.value_or(unbounded()); }
};

}  // namespace allot::world
