// How a run ends: faults and new requests stop, only fair steps are taken, and everyone alive must be served.
//
// A bounded run cannot show starvation. Where nothing fair changes anything while somebody waits, that is a
// deadlock; where fair steps go on and on and somebody is still not served, that is all that is said.
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
    SiteId site = 0;        // who is stuck or not served
    std::size_t steps = 0;  // fair ones that did not serve it
};

inline constexpr std::string_view unserved_property = "unserved";

// With `random`, half of the steps are drawn and the others are the action that waits longest; without, all
// are the latter. Either way no action is left out for ever.
Closing close(PartialRun& partial, Random* random);

}  // namespace allot::swarm
