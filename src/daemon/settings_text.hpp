// The settings of the cluster as people write and read them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "daemon/config.hpp"
#include "protocols/agreement/settings.hpp"

namespace allot::daemon {

// The first of these changes that is wrong whatever the settings are, with what to write instead.
std::optional<std::string> wrong_changes(const std::vector<std::string>& changes);
// The settings after these changes: `NAME=PERMITS` makes or resizes a semaphore, `NAME=0` removes it, and
// `NAME.max_request=UNITS` says how many units one request may have; `admission=operator` lets only hosts
// join that operators expect. Names that settings have in the files become no semaphores. The error says what
// to write.
Result<agreement::Settings> changed(agreement::Settings settings, const std::vector<std::string>& changes);

// Those of the first view, if this host makes it.
agreement::Settings settings_of(const Config& config);

const char* standing_text(agreement::Standing standing);

// A line for each setting that differs and that no order changes: "lease: 3s -> 5s".
std::vector<std::string> founded_differences(const std::vector<agreement::Founded>& before,
                                             const std::vector<agreement::Founded>& after);
// A line for each other difference: "semaphore builds: 2 permits -> 5 permits".
std::vector<std::string> differences(const agreement::Settings& before, const agreement::Settings& after);

// A setting that is written in [bootstrap] of a file, and is another one in the cluster.
struct Contradiction {
    std::string name;  // as in bootstrap.lease or bootstrap.hosts.a
    std::string in_file;
    std::string in_cluster;
    bool operator==(const Contradiction&) const = default;
};
// Hosts and semaphores count one by one; the address of the file's own host never counts.
std::vector<Contradiction> contradictions(const Config& file, const agreement::Settings& cluster);

}  // namespace allot::daemon
