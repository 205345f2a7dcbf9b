// A file of settings that has changed while the daemon runs: what it takes over, and what counts only after a
// restart.
#pragma once

#include <string>
#include <vector>

#include "daemon/config.hpp"

namespace allot::daemon {

// Names of settings that differ, as the file has them.
struct Differences {
    std::vector<std::string> taken;
    std::vector<std::string> after_restart;

    // For the log, in one line each; empty if there is nothing to say.
    std::string taken_text() const;
    std::string after_restart_text() const;
};

Differences differences(const Config& before, const Config& after);
// Everything that counts without a restart.
void take_over(const Config& file, Config& config);

}  // namespace allot::daemon
