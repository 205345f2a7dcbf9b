// Stamps: visits every Stamp anywhere within a value (core/visit.hpp).
#pragma once

#include "core/visit.hpp"

namespace allot {

template <class T>
constexpr bool has_stamps = has_any_of<Stamp, T>;

template <Reflectable T, class F>
void for_each_stamp(T& value, F&& f) {
    for_each_of<Stamp>(value, std::forward<F>(f));
}

}  // namespace allot
