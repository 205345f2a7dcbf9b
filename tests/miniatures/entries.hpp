// Miniatures: five small protocols, one of each shape that the protocol concept must carry. Each is complete,
// correct, and has repairs that switch a deliberate bug on, so that tests of the drivers know what to find.
//
//     token-ring        FIFO; a timer; message loss and arbitrary starts
//     vanishing-client  unordered; roles; crashes without a detector; ids made finite by `normalise`
//     one-in            FIFO with messages to oneself; releases that are granted later; fair requests
//     two-locks         FIFO; named resources, fences, cancellation, a monitor
//     phoenix           FIFO; joins, crashes and restarts; a failure detector
#pragma once

#include <span>

#include "world/entry.hpp"

namespace allot::miniatures {

std::span<const world::Entry> entries();

}  // namespace allot::miniatures
