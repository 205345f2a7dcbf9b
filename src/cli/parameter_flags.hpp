// The flags of an instance: one for each parameter of the protocols and of the setup. --help shows those of
// the protocol that the command line names.
#pragma once

#include <set>
#include <string>

#include "cli/flags.hpp"
#include "core/parameters.hpp"

namespace allot::cli {

// Adds the word that names the protocol.
void add_protocol_word(Command& command, const std::string& name, std::string& target);
// Beside --help, the word that names the protocol must name one, or several with commas.
void refuse_help_of_none(Command& command, const std::string& protocol);
// Adds a flag for each parameter of every protocol and of the setup; `given` collects the values.
void add_parameter_flags(Command& command, Parameters& given);
// The same for the parameters of protocols only, except those in `known`.
void add_protocol_flags(Command& command, Parameters& given, std::set<std::string> known);
// Adds one flag.
Argument add_parameter_flag(Command& command, Parameters& given, const std::string& name,
                            const std::string& meaning, const std::string& group);

}  // namespace allot::cli
