// The cost of the operations of one host, as a pure machine, while very many requests wait.
#pragma once

#include "targets.hpp"

namespace allot::bench {

void judge_host_costs(Targets& targets);

}  // namespace allot::bench
