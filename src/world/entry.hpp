// A protocol in the registry: what the command line knows about it, and how to make an instance of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.hpp"
#include "world/instance.hpp"
#include "world/setup.hpp"

namespace allot {
class Draw;
}

namespace allot::world {

struct Entry : Facts {
    std::vector<ParameterInfo> parameters;
    std::vector<RepairInfo> repairs;
    // Makes the instance that the parameters describe, and takes those that it knows out of them. The error
    // is one line for people.
    Result<std::unique_ptr<Instance>> (*make_instance)(Parameters& given) = nullptr;
    // Null where the protocol has no rules of its own for random runs.
    void (*draw_parameters)(Draw&) = nullptr;

    bool takes(std::string_view parameter) const;
    // Draws the parameters of a random run, with only such faults as the protocol is meant to survive.
    void sample(Draw& draw) const;
};

// A header line as scenario files have it: `protocol NAME key=value ...`.
std::string header_line(std::string_view protocol, const Parameters& given);

// Why a property that is to be judged does not exist, if one does not.
std::optional<std::string> unknown_property(const Entry& entry, const NameList& judged);

// The parameters that were left over belong to nobody: the error says which are known.
Error unknown_parameter(const Entry& entry, const Parameters& left);

}  // namespace allot::world
