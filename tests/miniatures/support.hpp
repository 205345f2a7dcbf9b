// What the tests of the miniatures share: machines by name, verdicts, and counterexamples that are played
// again.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "check/checker.hpp"
#include "world/entry.hpp"

namespace allot::miniatures {

std::unique_ptr<walk::Machine> make(std::string_view protocol, const Parameters& parameters);

// Judges these properties, or all of them.
check::Result judge(std::string_view protocol, const Parameters& parameters,
                    const std::vector<std::string>& properties = {});

// The machine's arbitrary worlds of the first seeds, judged for what must hold from anywhere.
check::Result judge_from_anywhere(walk::Machine& machine, std::uint64_t seeds, std::uint32_t noise);

// Everything asked for holds, in exactly so many worlds. Where a change of the protocol or of the world
// changes such a number, the commit says why.
void expect_holds(const check::Result& result, std::uint64_t states);

// The first violation is of this property, has steps, and is found again when its scenario is played.
void expect_violated(walk::Machine& machine, const check::Result& result, std::string_view property);
void expect_violated(std::string_view protocol, const Parameters& parameters, std::string_view property);
// The same where nothing else is judged.
void expect_only_violated(std::string_view protocol, const Parameters& parameters, std::string_view property);

}  // namespace allot::miniatures
