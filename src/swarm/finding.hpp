// Findings of a run, and whether a step is possible: shared by drawing and shrinking.
#pragma once

#include "swarm/closing.hpp"
#include "swarm/run.hpp"

namespace allot::swarm {

// Nothing if the property is not judged.
std::optional<Finding> finding_of(const walk::Machine& machine, const Report& report);
std::optional<Finding> finding_of(const PartialRun& partial, const Closing& closing);

// Those of the messages in `inside.sent` that can leave together: their receivers are up and, on FIFO links,
// no earlier message is missing.
std::uint32_t may_leave(const PartialRun& partial, const walk::Move& inside);
// True if the crash is inside the step, not before or after it.
bool can_be_cut_short(const PartialRun& partial, const walk::Move& inside);

}  // namespace allot::swarm
