// Corruption: draws every leaf of a value at random, for runs that start in an arbitrary state.
//
// domain_of(member_name) says from which numbers the leaves of a member are drawn; a leaf belongs to the
// innermost named member around it. Without a domain a number is drawn from 0 to 3, a bool or a described
// enum from all its values. Values that a leaf's type cannot hold are not drawn; a leaf for
// which no value is left stays as it is.
//
// Sequences keep their size, unless their domain says how long they may be, and maps their keys; strings
// stay. An optional or variant may change what it is. A set of leaves takes each value of its domain with
// probability 1/2, which walks through the domain: keep it small.
#pragma once

#include "core/domain.hpp"
#include "core/random.hpp"
#include "core/type_of.hpp"

namespace allot {

void corrupt(const Type& type, void* value, Random& random, DomainOf domain_of);

template <Reflectable T>
void corrupt(T& value, Random& random, DomainOf domain_of) {
    corrupt(type_of<T>, &value, random, domain_of);
}

}  // namespace allot
