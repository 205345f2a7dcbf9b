// Two small protocols for the tests of scenarios: `favourite` can starve a client, and `listener` has a
// handler for everything a scenario can say.
#pragma once

#include <span>

#include "world/entry.hpp"

namespace allot::play_test {

std::span<const world::Entry> entries();

}  // namespace allot::play_test
