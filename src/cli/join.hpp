// `allot cluster join`: a new host becomes one of a cluster.
#pragma once

#include <string>

namespace allot::cli {

// Asks the host at `address` to let the host of this configuration file join, and writes what that must know
// into its state folder; a dry run only says what would change. Prints what happened; the exit code.
int join_cluster(const std::string& address, const std::string& config_file, bool dry_run);

}  // namespace allot::cli
