// The protocols of this program. The list is src/protocols/registry.txt; its code is generated.
#pragma once

#include <span>
#include <string_view>

#include "world/entry.hpp"

namespace allot::registry {

std::span<const world::Entry> protocols();

// The protocol of that name; null if there is none.
const world::Entry* protocol(std::string_view name);

}  // namespace allot::registry
