// The cost of what programs ask of a host, with their sessions, while very many requests wait; and the memory
// that requests take, beside the memory that they count with.
#pragma once

#include "targets.hpp"

namespace allot::bench {

void judge_session_costs(Targets& targets);

}  // namespace allot::bench
