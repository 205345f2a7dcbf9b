// The flags of an instance: one for each parameter of the protocols and of the setup.
#pragma once

#include <set>
#include <string>

#include "cli/flags.hpp"
#include "core/parameters.hpp"

namespace allot::cli {

// Adds a flag for each parameter of every protocol and of the setup; `given` collects the values.
void add_parameter_flags(Command& command, Parameters& given);
// The same for the parameters of protocols only, except those in `known`.
void add_protocol_flags(Command& command, Parameters& given, std::set<std::string> known);
// Adds one flag; if it is repeated, its values are joined by commas.
Argument add_parameter_flag(Command& command, Parameters& given, const std::string& name,
                            const std::string& meaning, const std::string& group);
// The same for a parameter that all protocols share; its explanation is known here.
Argument add_explained_flag(Command& command, Parameters& given, std::string_view name);

}  // namespace allot::cli
