// Makes a failing run shorter: leaves out ever smaller parts of it as long as the rest still fails alike. In
// the end no single step can be left out. The same run always shrinks to the same one.
#pragma once

#include "swarm/run.hpp"

namespace allot::swarm {

struct Shrunk {
    std::vector<world::Move> moves;
    Finding finding;
};

// The run must have a finding.
Shrunk shrink(const Run& run);

// Takes those of the steps that are possible, in their order, and says how that fails if it violates the same
// property as `like`; the steps are then those that were really taken. For a deadlock, fair steps follow.
std::optional<Shrunk> retake(world::Machine& machine, const world::World& start,
                             const std::vector<world::Move>& moves, const Finding& like);

// The run as a scenario file; without a finding, nothing is expected of it. The machine's header then names
// only faults that happen.
std::string scenario_of(world::Machine& machine, const world::World& start,
                        const std::vector<world::Move>& moves, const std::optional<Finding>& finding,
                        const std::string& command);

}  // namespace allot::swarm
