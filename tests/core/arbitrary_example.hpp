// RapidCheck generators of the values of reflect_example.hpp. Only arbitrary_example.cpp instantiates their
// parts.
#pragma once

#include <rapidcheck.h>

#include "core/reflect_example.hpp"

namespace rc {

template <>
struct Arbitrary<allot::reflect_example::Message> {
    static Gen<allot::reflect_example::Message> arbitrary();
};

template <>
struct Arbitrary<allot::reflect_example::Everything> {
    static Gen<allot::reflect_example::Everything> arbitrary();
};

}  // namespace rc
