// The environment of a command of `allot run`, and the text that others see of the command.
#pragma once

#include <string>
#include <vector>

#include "allot/client.hpp"
#include "cli/child.hpp"

namespace allot::cli {

// $ALLOT_HELD, as in db=17,gpu0=4, and the fence of each resource.
Environment environment_of(const std::vector<client::Held>& held);

// A command line in one text. Words with blanks or quotes are quoted, so that patterns of secrets
// (daemon/redaction.hpp) find where a word ends.
std::string command_text(const std::vector<std::string>& words);

}  // namespace allot::cli
