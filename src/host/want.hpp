// The content of a request of a program, and its name.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace allot::host {

// Names a request: the session of a program, and the number that the program gave it.
struct Key {
    std::uint64_t session = 0;
    std::uint64_t ticket = 0;
    auto operator<=>(const Key&) const = default;
};
BOOST_DESCRIBE_STRUCT(Key, (), (session, ticket))

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

}  // namespace allot::host
