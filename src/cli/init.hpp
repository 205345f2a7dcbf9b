// `allot cluster init`: makes the register of a cluster, or lets it begin again, while its hosts are stopped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace allot::cli {

struct InitOptions {
    std::string config;               // the file of this host
    std::uint32_t above = 0;          // views begin after this number; 0: there must be no register yet
    std::vector<std::string> voters;  // that form it alone; empty: all
    bool bootstrap = false;           // times, seats and modes are read again from the file
    bool forget_sticky = false;       // sticky resources of the former register become free
    bool dry_run = false;             // only says what would change
};

int init_cluster(const InitOptions& options);

}  // namespace allot::cli
