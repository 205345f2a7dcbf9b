// Protocols by name, as tests of the drivers need them. Each is compiled once for all tests: an entry is slow
// to compile.
#pragma once

#include <string_view>

#include "world/entry.hpp"

namespace allot::test_support {

// The protocol of the registry, the miniature (tests/miniatures) or the protocol of the scenario tests
// (tests/play) of that name. Throws if there is none.
const world::Entry& protocol(std::string_view name);

}  // namespace allot::test_support
