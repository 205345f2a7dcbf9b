// Runs what a figure asks for.
#pragma once

#include <functional>
#include <string_view>

#include "figures/figure.hpp"

namespace allot::sim {
struct Entry;
}  // namespace allot::sim

namespace allot::figures {

// How to simulate the protocol of that name; null if there is none.
using Simulations = std::function<const sim::Entry*(std::string_view name)>;

struct Effort {
    std::uint64_t seeds = 5;  // from 1 on
    unsigned threads = 2;
    std::function<void(std::size_t done, std::size_t points)> on_progress;  // one call at a time
};

// The same data for every number of threads. The error names the first point that could not be simulated, or
// whose run violated a property: its number would mean nothing.
Result<Data> measure(const Figure& figure, const Simulations& simulations, const Effort& effort);

}  // namespace allot::figures
