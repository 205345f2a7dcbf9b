// Lines of the audit log about what operators do with commands, beside those of the daemon.
#pragma once

#include <string>

#include "daemon/config.hpp"

namespace allot::cli {

// One line about this user, if the configuration has an audit log. The action is done already, so a log that
// cannot be written is only reported.
void note_operator(const daemon::Config& config, const std::string& event, const std::string& reason);

}  // namespace allot::cli
