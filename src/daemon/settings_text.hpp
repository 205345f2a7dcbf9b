// The settings of the cluster as people write and read them.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "daemon/config.hpp"
#include "protocols/agreement/settings.hpp"

namespace allot::daemon {

// The settings after these changes: `NAME=PERMITS` makes or resizes a semaphore, `NAME=0` removes it, and
// `NAME.max_request=UNITS` says how many units one request may have; `cluster.admission=operator` lets only
// hosts join that operators expect. The error says what to write.
Result<agreement::Settings> changed(agreement::Settings settings, const std::vector<std::string>& changes);

// Those of the first view, if this host makes it.
agreement::Settings settings_of(const Config& config);

const char* standing_text(agreement::Standing standing);

// A line for each setting that differs and that no order changes: "lease: 3s -> 5s".
std::vector<std::string> founded_differences(const agreement::Settings& before,
                                             const agreement::Settings& after);
// A line for each other difference: "semaphore builds: 2 permits -> 5 permits".
std::vector<std::string> differences(const agreement::Settings& before, const agreement::Settings& after);

}  // namespace allot::daemon
