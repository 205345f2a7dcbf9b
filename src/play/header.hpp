// The first line of a scenario: the protocol and its setup.
#pragma once

#include <memory>
#include <span>

#include "base/result.hpp"
#include "play/scenario.hpp"
#include "walk/machine.hpp"
#include "world/entry.hpp"

namespace allot::play {

// Makes the machine of the header. A missing parameter is as generous as the scenario needs: any number of
// requests, and as many faults as the scenario has.
Result<std::unique_ptr<walk::Machine>> make_machine(const Scenario& scenario,
                                                    std::span<const world::Entry> protocols);

}  // namespace allot::play
