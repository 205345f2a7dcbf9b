// Domains: the range of a number in a state or message, by the name of its member.
//
// A leaf belongs to the innermost named member around it. Ids of sites need no domain: theirs is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/type_of.hpp"

namespace allot {

// All numbers from low to high, both included.
struct Domain {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t longest = 0;  // of a sequence: its size is drawn, too, from 0 to this; 0: it stays

    friend constexpr bool operator==(const Domain&, const Domain&) = default;
};

using DomainOf = FunctionRef<std::optional<Domain>(std::string_view member)>;

// The enumerators of a leaf that are within a domain; without one, all.
std::vector<Enumerator> enumerators_in(const Type& leaf, const std::optional<Domain>& domain);

// Why a value from outside cannot be a state or message among so many sites: the first id of a site that is
// none, number outside of its domain, or sequence that is too long.
std::optional<std::string> value_error(const Type& type, const void* value, std::uint32_t sites,
                                       DomainOf domain_of);

template <Reflectable T>
std::optional<std::string> value_error(const T& value, std::uint32_t sites, DomainOf domain_of) {
    return value_error(type_of<T>, &value, sites, domain_of);
}

}  // namespace allot
