// The protocols there are. The list is src/protocols/registry.txt; its code is generated.
#pragma once

#include <span>

#include "sim/simulation.hpp"
#include "world/entry.hpp"

namespace allot::registry {

std::span<const world::Entry> protocols();

// How to simulate the protocol of that name; null if there is none.
const sim::Entry* simulation(std::string_view name);

}  // namespace allot::registry
