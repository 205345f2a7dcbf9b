// The register in a key of etcd, as the configuration names it: how it is reached, and what the key means.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "daemon/config.hpp"
#include "etcd/client.hpp"
#include "protocols/agreement/register.hpp"

namespace allot::daemon {

// The error names the file of [register.tls] that cannot be used.
Result<etcd::Client::Settings> etcd_settings(const Config& config);
// One question may take so long, with all tries, before the next one is due.
inline std::chrono::milliseconds time_of_call(const Config& config) {
    return config.agreed.lease / 3;
}

// The value of the register; the first of all if the key is absent.
Result<agreement::Value> value_in(const etcd::Found& found, const std::string& key);

// Makes the register, for `allot cluster init`: no program runs, and views begin after `above`. If there is
// one, `above` must not be 0; and it must keep nothing that is sticky, unless that shall be forgotten. The
// former content is kept under another key. It waits for etcd.
struct FoundInEtcd {
    std::string aside;      // the key of the former content; empty: there was none
    std::string forgotten;  // its sticky resources
};
struct Founding {
    std::uint32_t above = 0;
    bool forget_sticky = false;
    bool dry_run = false;  // everything but the change itself
};
Result<FoundInEtcd> found_in_etcd(const Config& config, const Founding& how);

}  // namespace allot::daemon
