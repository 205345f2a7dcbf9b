// The settings that all hosts have agreed on. The register keeps them beside the view: the first view of all
// has those of the host that makes it, and later ones change by orders of operators.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/describe.hpp>
#include <cstdint>

#include "core/types.hpp"

namespace allot::agreement {

struct SemaphoreSettings {
    std::uint32_t permits = 1;
    std::uint32_t max_request = 1;  // units of one request
    bool operator==(const SemaphoreSettings&) const = default;
};
BOOST_DESCRIBE_STRUCT(SemaphoreSettings, (), (permits, max_request))

struct Settings {
    boost::container::flat_map<ResourceId, SemaphoreSettings> semaphores;

    // 0 for a semaphore that is not there: nobody may enter it, though programs may still use units of it.
    std::uint32_t permits_of(ResourceId semaphore) const {
        const auto place = semaphores.find(semaphore);
        return place == semaphores.end() ? 0 : place->second.permits;
    }
    bool operator==(const Settings&) const = default;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (semaphores))

}  // namespace allot::agreement
