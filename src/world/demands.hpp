// The one place that judges demands, for plans and scenarios alike.
#pragma once

#include <optional>
#include <string>

#include "core/types.hpp"

namespace allot::world {

class Instance;

// Why the site cannot ask for this, if it cannot. A site may combine freely whatever its protocol offers.
std::optional<std::string> demand_error(const Instance& instance, SiteId site, const Demand& demand);

// Why no site can: the reason of the first one that asks at all.
std::optional<std::string> demand_error(const Instance& instance, const Demand& demand);

}  // namespace allot::world
