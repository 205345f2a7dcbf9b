// Visits the leaves of a value: its bools, numbers, enumerators, stamps and strings.
#pragma once

#include "core/type.hpp"
#include "core/types.hpp"

namespace allot {

void for_each_leaf(const Type& type, const void* value,
                   FunctionRef<void(const Type& leaf, const void* value)> f);

// Every id of a site.
void for_each_site_id(const Type& type, const void* value, FunctionRef<void(SiteId)> f);

}  // namespace allot
