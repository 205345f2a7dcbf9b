// Stamps: visits every Stamp anywhere within a value, in the canonical order of the value.
//
// A visit may change the stamps. If it renames them in order (a < b keeps f(a) < f(b)), as ranking does,
// every set and map keeps its size; if it makes keys equal, only the first of them stays.
#pragma once

#include "core/type_of.hpp"

namespace allot {

template <class T>
constexpr bool has_stamps = type_of<std::remove_const_t<T>>.has_stamps;

void for_each_stamp(const Type& type, const void* value, FunctionRef<void(const Stamp&)> f);
void for_each_stamp(const Type& type, void* value, FunctionRef<void(Stamp&)> f);

template <Reflectable T, class F>
void for_each_stamp(T& value, F&& f) {
    for_each_stamp(type_of<std::remove_const_t<T>>, &value, f);
}

}  // namespace allot
