// The names of all resources of a process (resource_id.hpp), for one that meets ever new names.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_set>

namespace allot {

std::size_t known_resource_names();

// Forgets all names but these and the empty one. No id of a forgotten name may be used any more, in any
// thread; a name that comes again gets a new id.
void keep_resource_names(const std::unordered_set<std::string_view>& used);

}  // namespace allot
