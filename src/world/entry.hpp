// A protocol in the registry: what the command line knows about it, and how to make one run.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.hpp"
#include "world/machine.hpp"

namespace allot::world {

struct Entry {
    std::string_view name;
    std::string_view problem;
    std::string_view summary;
    Links links{};
    std::vector<ParameterInfo> parameters;
    std::vector<RepairInfo> repairs;
    std::vector<PropertyName> properties;
    // Makes the machine that the parameters describe: those of the protocol, and those of its surroundings
    // (setup_parameters). The error is one line for people.
    std::function<Result<std::unique_ptr<Machine>>(const Parameters&)> make;
    // Draws the parameters of a random run, with only such faults as the protocol is meant to survive.
    std::function<void(Draw&)> sample;
};

// What may be said of the surroundings of any protocol: requests, faults, links.
const std::vector<ParameterInfo>& setup_parameters();

// Reads the surroundings of `sites` sites out of `given`; what it knows is taken out.
// `anchor` is the one that nobody suspects unless the parameters say otherwise.
Result<Setup> take_setup(Parameters& given, std::uint32_t sites, Links links, std::optional<SiteId> anchor);

// A header line as scenario files have it: `protocol NAME key=value ...`.
std::string header_line(std::string_view protocol, const Parameters& given);

// Why a property that is to be judged does not exist, if one does not.
std::optional<std::string> unknown_property(const Entry& entry, const Setup& setup);

// The parameters that were left over belong to nobody: the error says which are known.
Error unknown_parameter(const Entry& entry, const Parameters& left);

}  // namespace allot::world
