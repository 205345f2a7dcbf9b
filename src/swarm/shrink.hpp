// Makes a failing run shorter: leaves out ever smaller parts as long as the rest fails in the same way. At
// the end every single step is necessary. The same run always shrinks to the same result, unless a stop is
// due first (base/stop.hpp).
#pragma once

#include "swarm/run.hpp"

namespace allot::swarm {

struct Shrunk {
    std::vector<walk::Move> moves;
    Finding finding;
};

// The run must have a finding.
Shrunk shrink(const Run& run);

// Takes those of the steps that are possible, in their order. If that violates the same property as `like`,
// returns the steps taken and the failure. For a deadlock, fair steps follow.
std::optional<Shrunk> retake(walk::Machine& machine, const walk::World& start,
                             const std::vector<walk::Move>& moves, const Finding& like);

// The run as a scenario file; without a finding, it expects nothing. The machine's header then names only
// faults that happen.
std::string scenario_of(walk::Machine& machine, const walk::World& start,
                        const std::vector<walk::Move>& moves, const std::optional<Finding>& finding,
                        const std::string& command);

}  // namespace allot::swarm
