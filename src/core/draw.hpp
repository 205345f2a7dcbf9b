// Draws the parameters of a random run. A protocol that has rules of its own for what goes together, and for
// the faults it is meant to survive, says so in a static function `sample(Draw&)`:
//
//     void Raymond::sample(Draw& draw) {
//         const auto sites = draw.number("sites", 2, 5);
//         const auto permits = draw.number("permits", 1, sites);
//         draw.faults("crashes", permits - 1);
//     }
//
// A value that the user has fixed is not drawn: the call returns it, so that later draws fit it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.hpp"
#include "core/random.hpp"

namespace allot {

class Draw {
public:
    Draw(Parameters fixed, Random& random) : parameters_(fixed), drawn_(std::move(fixed)), random_(random) {}

    // From `low` to `high`, each equally likely.
    std::uint32_t number(const std::string& name, std::uint32_t low, std::uint32_t high);
    // How often a fault may happen: in half of the runs never, otherwise up to `most` times.
    std::uint32_t faults(const std::string& name, std::uint32_t most);
    // On in half of the runs.
    bool toggle(const std::string& name);
    std::string choice(const std::string& name, const std::vector<std::string>& values);
    // Up to `most` requests per site or, in half of the runs, any number.
    void requests(std::uint32_t most);
    // For rules of its own.
    bool coin() { return random_.coin(); }

    bool knows(const std::string& name) const { return drawn_.contains(name); }
    // The parameters of the run, without faults that do not happen.
    const Parameters& parameters() const { return parameters_; }
    // Everything that was fixed or drawn.
    const Parameters& drawn() const { return drawn_; }

private:
    const std::string& keep(const std::string& name, std::string value, bool usual = false);

    Parameters parameters_;
    Parameters drawn_;
    Random& random_;
};

}  // namespace allot
