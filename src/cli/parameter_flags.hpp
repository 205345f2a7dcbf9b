// The flags of an instance: one for every parameter of the protocols and of their surroundings.
#pragma once

#include <set>
#include <string>

#include "cli/flags.hpp"
#include "core/parameters.hpp"

namespace allot::cli {

// Adds a flag for every parameter of every protocol and of the surroundings; `given` collects the values.
void add_parameter_flags(Command& command, Parameters& given);
// The same for every parameter of every protocol only, without those that are known already.
void add_protocol_flags(Command& command, Parameters& given, std::set<std::string> known);
// One such flag; given several times, its values are joined by commas.
Argument add_parameter_flag(Command& command, Parameters& given, const std::string& name,
                            const std::string& meaning, const std::string& group);
// The same for a parameter that means the same in all protocols; its explanation is known here.
Argument add_explained_flag(Command& command, Parameters& given, std::string_view name);

}  // namespace allot::cli
