// One random run: configuration, workload and faults from one seed; first a phase in which any step and fault
// may happen that the configuration allows, then the closing phase.
#pragma once

#include <boost/describe.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "walk/walker.hpp"
#include "world/entry.hpp"

namespace allot::swarm {

// Number of faults of each kind in a run or campaign.
struct Faults {
    std::uint64_t crashes = 0;
    std::uint64_t crashes_inside = 0;  // inside a step
    std::uint64_t restarts = 0;
    std::uint64_t joins = 0;
    std::uint64_t leaves = 0;
    std::uint64_t cancels = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t losses = 0;
    std::uint64_t lies = 0;              // reports that a live site is dead
    std::uint64_t false_suspicions = 0;  // suspicions of a live site
};
BOOST_DESCRIBE_STRUCT(Faults, (),
                      (crashes, crashes_inside, restarts, joins, leaves, cancels, duplicates, losses, lies,
                       false_suspicions))

struct Finding {
    std::string property;
    std::string detail;
    std::optional<SiteId> site;  // the site concerned, if it is one
};

struct Run {
    std::unique_ptr<walk::Machine> machine;
    Parameters drawn;
    walk::World start;
    std::vector<walk::Move> moves;
    std::size_t closing = 0;  // the first move of the closing phase
    Faults faults;
    std::uint64_t probes = 0;  // one bit for each probe that was reached
    std::optional<Finding> finding;
};

// The seed of run number `run` of a campaign.
std::uint64_t seed_of(std::uint64_t campaign, std::uint64_t run);

// Draws and takes a run. An error if no configuration fits the fixed parameters. Throws stop::Due.
Result<Run> take_run(const world::Entry& entry, const Parameters& fixed, std::uint64_t seed);

}  // namespace allot::swarm
