#include "registry/registry.hpp"

namespace allot::registry {

const world::Entry* protocol(std::string_view name) {
    for (const world::Entry& entry : protocols())
        if (entry.name == name) return &entry;
    return nullptr;
}

}  // namespace allot::registry
