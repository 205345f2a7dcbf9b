// Steps of a world as lines of a scenario file, and whole runs as scenario files. The player
// (play/) reads each line back as the same step; docs/scenarios.md describes the format for people.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "walk/walker.hpp"

namespace allot::walk {

// `deliver 0 -> 1 Reply`, `request 2 a,b`, `crash 2 in request 2 sent 0 1`: the step in the world it is taken
// in.
std::string line_of(Machine& machine, const World& before, const Move& move);

// A scenario file: the comments, the header, the start where it is not the machine's own, the steps, what
// repeats without end, if there is such a loop, and the expectations (whole lines).
std::string scenario_text(Machine& machine, const World& start, std::span<const Move> steps,
                          std::span<const Move> cycle, const std::vector<std::string>& comments,
                          const std::vector<std::string>& expectations);

}  // namespace allot::walk
