// The content of a program's request to a host, which may name resources of several kinds.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace allot {

// Locks, taken as one set, and then permits of semaphores, by name.
struct Want {
    std::vector<ResourceId> locks;
    boost::container::flat_map<ResourceId, std::uint32_t> permits;  // units of each semaphore

    std::uint32_t parts() const {
        return static_cast<std::uint32_t>(permits.size()) + (locks.empty() ? 0 : 1);
    }
    // The kind of a part: the name of a semaphore; empty: locks.
    ResourceId kind(std::uint32_t part) const {
        if (!locks.empty() && part == 0) return {};
        return permits.nth(part - (locks.empty() ? 0 : 1))->first;
    }
    Demand demand(std::uint32_t part) const {
        if (!locks.empty() && part == 0) return {1, locks};
        return {permits.nth(part - (locks.empty() ? 0 : 1))->second, {}};
    }
    bool operator==(const Want&) const = default;
};
BOOST_DESCRIBE_STRUCT(Want, (), (locks, permits))

}  // namespace allot
