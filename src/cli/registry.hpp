// The protocols there are. The list is src/protocols/registry.txt; its code is generated.
#pragma once

#include <span>

#include "world/entry.hpp"

namespace allot::registry {

std::span<const world::Entry> protocols();

}  // namespace allot::registry
