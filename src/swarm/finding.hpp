// What a run has found, and whether a step could have happened: what drawing and shrinking share.
#pragma once

#include "swarm/closing.hpp"
#include "swarm/run.hpp"

namespace allot::swarm {

// Nothing where the property is not judged.
std::optional<Finding> finding_of(const world::Machine& machine, const Report& report);
std::optional<Finding> finding_of(const PartialRun& partial, const Closing& closing);

// Of the messages in `inside.sent`, those that can leave together: their receivers are up and, where links
// are FIFO, nothing sent before is missing.
std::uint32_t may_leave(const PartialRun& partial, const world::Move& inside);
// Whether that is a crash inside the step, and not before or after it.
bool can_be_cut_short(const PartialRun& partial, const world::Move& inside);

}  // namespace allot::swarm
