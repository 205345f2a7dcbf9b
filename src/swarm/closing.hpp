// The end of a run: faults and new requests stop, only fair steps follow, and every live site must be served.
//
// A bounded run cannot show starvation. If no fair step changes anything while a site waits, that is a
// deadlock; if fair steps go on and a site is still not served, the report says only that.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/random.hpp"
#include "swarm/partial_run.hpp"

namespace allot::swarm {

enum class Ending : std::uint8_t { served, stuck, unserved, broken };

struct Closing {
    Ending ending = Ending::served;
    SiteId site = 0;        // the site that is stuck or not served
    std::size_t steps = 0;  // number of fair steps that did not serve it
};

inline constexpr std::string_view unserved_property = "unserved";

// With `random`, half of the steps are random and the others take the action that waits longest; without, all
// take that. Either way every action is taken eventually.
Closing close(PartialRun& partial, Random* random);

}  // namespace allot::swarm
