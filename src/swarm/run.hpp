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
    std::uint64_t lost_disks = 0;
    std::uint64_t restored_disks = 0;
    std::uint64_t cuts = 0;
    std::uint64_t views = 0;
    std::uint64_t expulsions = 0;
    std::uint64_t lapses = 0;
    std::uint64_t pauses = 0;
    std::uint64_t false_claims = 0;
};
BOOST_DESCRIBE_STRUCT(Faults, (),
                      (crashes, crashes_inside, restarts, joins, leaves, cancels, duplicates, losses, lies,
                       false_suspicions, lost_disks, restored_disks, cuts, views, expulsions, lapses, pauses,
                       false_claims))

// How much happens in a run before it closes.
struct Extent {
    std::uint64_t grants = 0;
    std::uint64_t faults = 0;
    std::uint64_t ticks = 0;  // of the slowest clock

    bool covers(const Extent& least) const {
        return grants >= least.grants && faults >= least.faults && ticks >= least.ticks;
    }
    bool operator==(const Extent&) const = default;
};
BOOST_DESCRIBE_STRUCT(Extent, (), (grants, faults, ticks))

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
    Extent extent;
    std::uint64_t probes = 0;  // one bit for each probe that was reached
    std::optional<Finding> finding;
};

// The seed of run number `run` of a campaign.
std::uint64_t seed_of(std::uint64_t campaign, std::uint64_t run);

// Draws and takes a run, which closes only when its extent covers `least`, if that is possible. An error if
// no configuration fits the fixed parameters. Throws stop::Due.
Result<Run> take_run(const world::Entry& entry, const Parameters& fixed, std::uint64_t seed,
                     const Extent& least = {});

}  // namespace allot::swarm
