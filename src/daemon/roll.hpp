// Who takes part in which semaphore. A newcomer is taken in by somebody who takes part; where nobody is left
// who does, all would wait for ever.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "net/mesh.hpp"

namespace allot::daemon {

class Roll {
public:
    using Spaces = std::vector<std::uint32_t>;  // those that a host takes part in, in order

    explicit Roll(const Config& config) : config_(config) {}

    void heard(net::HostId host, Spaces spaces) { spaces_[host] = std::move(spaces); }
    void forget(net::HostId host) { spaces_.erase(host); }
    // In all semaphores, as far as is known.
    bool takes_part(net::HostId host, std::size_t semaphores) const {
        const auto place = spaces_.find(host);
        return place != spaces_.end() && place->second.size() == semaphores;
    }

    enum class Prospect : std::uint8_t { good, needs_absent, hopeless };
    // Whether a host that does not take part in a semaphore can expect to be taken in. `needs_absent`: not by
    // who is there, but perhaps by who is not.
    Prospect prospect(std::uint32_t space) const;
    // In words; empty if it is good.
    std::string obstacle(std::uint32_t space) const;

private:
    const Config& config_;
    std::map<net::HostId, Spaces> spaces_;  // by host, of those that are connected, and of this one
};

}  // namespace allot::daemon
