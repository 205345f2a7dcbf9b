// Runs the simulations of a figure.
#pragma once

#include <functional>
#include <string_view>

#include "figures/figure.hpp"
#include "sim/simulation.hpp"

namespace allot::figures {

// Simulates a point: the result runs it once with a seed. The error is one line.
using Runs = std::function<sim::Figures(std::uint64_t seed)>;
using Simulator = std::function<Result<Runs>(const Point&)>;

// Simulates the protocol of the point; `protocols` returns null for an unknown name.
Simulator simulator_of(std::function<const world::Entry*(std::string_view name)> protocols);

struct Effort {
    std::uint64_t seeds = 5;
    std::uint64_t first_seed = 1;
    unsigned threads = 2;
    std::function<void(std::size_t done, std::size_t points)> on_progress;  // one call at a time
};

// The data do not depend on the number of threads. The error names the first point that could not be
// simulated, or whose run violated a property or was stopped (base/stop.hpp), which makes its number
// meaningless.
Result<Data> measure(const Figure& figure, const Simulator& simulator, const Effort& effort);

}  // namespace allot::figures
