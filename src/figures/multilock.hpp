// The experiment of the paper on several locks (section 5 of Lejeune, Arantes, Sopena and Sens), with the
// parameters that it leaves open chosen as in the specification (multilock, section 8.1).
//
// Thirty-two sites share eighty resources. A request is for 1 to phi of them, all sizes and all sets of a
// size equally likely; a larger request is held longer. Then the site pauses: rho times as long, on average,
// as a use and a message take. A small rho is a high load.
#pragma once

#include <string>
#include <vector>

#include "figures/figure.hpp"

namespace allot::figures::multilock {

constexpr std::uint32_t sites = 32;
constexpr std::uint32_t resources = 80;
constexpr sim::Time message_time = 600 * sim::microsecond;
constexpr double high_load = 0.1;
constexpr double medium_load = 5;

struct Contestant {
    std::string name;
    std::string protocol;
    Parameters parameters;
    sim::Time latency = message_time;
};

const Contestant& ideal();
const Contestant& counters();        // as published, both of its optimisations on, and repaired
const Contestant& counters_loans();  // and with loans
const Contestant& counters_improved();
const Contestant& control_pass();

// The contestants above, the other readings of the control token, and the other baselines.
const std::vector<Contestant>& all_contestants();

Point experiment(const Contestant& contestant, std::uint32_t phi, double rho);

// The notes that all figures of this experiment share.
std::vector<std::string> notes();

}  // namespace allot::figures::multilock
