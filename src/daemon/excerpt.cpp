#include "daemon/excerpt.hpp"

#include <algorithm>
#include <array>

#include "core/bytes.hpp"

namespace allot::daemon {

namespace {

using session::Party;
using session::ResourceStatus;
using session::Status;

// Nobody reads thousands of lines.
constexpr std::size_t most_resources = 1000;
constexpr std::array<std::size_t, 6> ever_fewer{100, 30, 10, 3, 1, 0};

void shorten(ResourceStatus& resource, std::size_t most) {
    while (resource.holders.size() > most) {
        ++resource.more_holders;
        resource.more_units += resource.holders.back().units;
        resource.holders.pop_back();
    }
    while (resource.waiters.size() > most) {
        ++resource.more_waiters;
        resource.waiters.pop_back();
    }
}

bool is_idle(const ResourceStatus& resource) {
    return resource.holders.empty() && resource.waiters.empty() && resource.more_holders == 0 &&
           resource.more_waiters == 0 && resource.note.empty();
}

void drop_resources(Status& status, std::size_t most) {
    if (status.resources.size() <= most) return;
    std::stable_partition(status.resources.begin(), status.resources.end(),
                          [](const ResourceStatus& one) { return !is_idle(one); });
    status.more_resources += status.resources.size() - most;
    status.resources.resize(most);
}

}  // namespace

Status excerpt(Status status, std::size_t most_bytes) {
    const auto fits = [&] { return to_bytes(status).size() <= most_bytes; };
    drop_resources(status, most_resources);
    for (const std::size_t most : ever_fewer) {
        for (ResourceStatus& resource : status.resources) shorten(resource, most);
        if (fits()) return status;
    }
    // A large cluster has many links; list only those that are not up.
    for (session::HostStatus& host : status.hosts)
        std::erase_if(host.links, [](const session::LinkView& link) { return link.state == "up"; });
    while (!fits() && !status.resources.empty()) drop_resources(status, status.resources.size() / 2);
    if (!fits())
        for (session::HostStatus& host : status.hosts) host.links.clear();
    return status;
}

}  // namespace allot::daemon
