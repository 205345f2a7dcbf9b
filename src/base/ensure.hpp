// Assertions that stay on in release. A broken invariant names what broke; the checker turns it
// into a counterexample, every other driver stops.
#pragma once

#include <stdexcept>
#include <string>

namespace allot {

struct BrokenInvariant : std::logic_error {
    using std::logic_error::logic_error;
};

inline void ensure(bool holds, const char* what) {
    if (!holds) throw BrokenInvariant(what);
}

}  // namespace allot
