// Corruption: draws every leaf of a value anew, for runs that start in an arbitrary state; and says what of a
// value written by hand could never be drawn.
//
// domain_of(member_name) says from which numbers the leaves of a member are drawn; a leaf belongs to the
// innermost named member around it. Without a domain a number is drawn from 0 to 3, a bool or a described
// enum from all its values. What a domain holds beyond the leaf's type is not drawn, and a leaf for which
// nothing is left stays as it is.
//
// Sequences keep their size, unless their domain says how long they may be, and maps their keys; strings
// stay. An optional or variant may change what it is. A set of leaves takes each value of its domain with
// probability 1/2, which walks through the domain: keep it small.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/random.hpp"
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

void corrupt(const Type& type, void* value, Random& random, DomainOf domain_of);

template <Reflectable T>
void corrupt(T& value, Random& random, DomainOf domain_of) {
    corrupt(type_of<T>, &value, random, domain_of);
}

// What to write where something is that could not be drawn; nothing where all of it could.
std::optional<std::string> outside(const Type& type, const void* value, DomainOf domain_of);

template <Reflectable T>
std::optional<std::string> outside(const T& value, DomainOf domain_of) {
    return outside(type_of<T>, &value, domain_of);
}

}  // namespace allot
