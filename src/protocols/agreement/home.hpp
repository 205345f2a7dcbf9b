// The home of a resource among the members of a view: the same on every host.
#pragma once

#include <cstdint>

#include "core/resource_id.hpp"
#include "core/site_id.hpp"

namespace allot::agreement {

// The place of one of so many members, by FNV-1a of the name.
inline SiteId home_of(ResourceId resource, std::uint32_t members) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char letter : resource.name())
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    return static_cast<SiteId>(hash % members);
}

}  // namespace allot::agreement
