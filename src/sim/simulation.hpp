// A protocol that can be simulated.
//
//     const world::Entry* entry = registry::protocol("raymond");
//     auto simulation = sim::make_simulation(*entry, {{"sites", "15"}, {"permits", "5"}}, plan);
//     if (simulation) sim::Figures figures = (*simulation)->run(seed);
#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "core/parameters.hpp"
#include "sim/figures.hpp"
#include "sim/plan.hpp"
#include "world/entry.hpp"

namespace allot::sim {

struct Progress {
    Time now = 0;
    std::uint64_t events = 0;
};

// Observes a run.
struct Observer {
    std::ostream* log = nullptr;                       // receives every event, as a scenario for `allot play`
    std::function<void(const Progress&)> on_progress;  // called often
};

// Facts of a run that follow from plan and configuration together.
struct Surroundings {
    Links links = Links::fifo;
    std::uint32_t founders = 0;
    std::optional<SiteId> anchor;
    Time tick = millisecond;
    std::uint64_t capacity = 1;  // units that may be in use at once
    std::uint64_t verify = 0;    // events between two judgements
    std::uint64_t look = 1;      // the same until the world is legitimate again
    std::string header;          // of the log
};

class Simulation {
public:
    Simulation(std::unique_ptr<const world::Instance> instance, Plan plan, Surroundings surroundings)
        : instance_(std::move(instance)), plan_(std::move(plan)), surroundings_(std::move(surroundings)) {}

    // One run. The same seed gives the same run; a simulation may run many times. A run ends early when a
    // stop is due (base/stop.hpp).
    Figures run(std::uint64_t seed, const Observer& observer = {}) const;
    const world::Instance& instance() const { return *instance_; }
    const Plan& plan() const { return plan_; }

private:
    const std::unique_ptr<const world::Instance> instance_;
    const Plan plan_;
    const Surroundings surroundings_;
};

// Makes the simulation of the instance that the parameters describe; the error is one line.
Result<std::unique_ptr<Simulation>> make_simulation(const world::Entry& entry, const Parameters& parameters,
                                                    const Plan& plan);

}  // namespace allot::sim
