// A protocol that can be simulated, without its types.
//
//     const sim::Entry* entry = registry::simulation("raymond");
//     auto simulation = entry->make({{"sites", "15"}, {"permits", "5"}}, plan);
//     if (simulation) sim::Figures figures = (*simulation)->run(seed);
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <ostream>
#include <string_view>

#include "core/parameters.hpp"
#include "sim/figures.hpp"
#include "sim/plan.hpp"

namespace allot::sim {

struct Progress {
    Time now = 0;
    std::uint64_t events = 0;
};

// Who looks on while a run goes on.
struct Observer {
    std::ostream* log = nullptr;  // gets every event: a scenario that `allot play` can play again
    std::function<bool(const Progress&)> on_progress;  // every so many events; false stops the run
};

class Simulation {
public:
    virtual ~Simulation() = default;
    // One run. The same seed gives the same run; a simulation may be run again and again.
    virtual Figures run(std::uint64_t seed, const Observer& observer = {}) = 0;
    virtual boost::json::value config_json() const = 0;
    // What is not known of this instance before it runs, for people.
    virtual std::optional<std::string> caveat() const { return std::nullopt; }
    const Plan& plan() const { return plan_; }

protected:
    explicit Simulation(Plan plan) : plan_(std::move(plan)) {}
    Plan plan_;
};

struct Entry {
    std::string_view name;
    // Makes the simulation of one instance, which the parameters describe; the error is one line for people.
    std::function<Result<std::unique_ptr<Simulation>>(const Parameters&, const Plan&)> make;
};

}  // namespace allot::sim
