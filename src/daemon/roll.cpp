#include "daemon/roll.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace allot::daemon {

Roll::Prospect Roll::prospect(std::uint32_t space) const {
    const auto takes_part = [&](const auto& host) { return std::ranges::binary_search(host.second, space); };
    const bool alone = config_.hosts.size() == 1;  // then it needs nobody
    if (alone || std::ranges::any_of(spaces_, takes_part)) return Prospect::good;
    return spaces_.size() < config_.hosts.size() ? Prospect::needs_absent : Prospect::hopeless;
}

std::string Roll::obstacle(std::uint32_t space) const {
    constexpr const char* cure = "stop all hosts, then start each with --fresh";
    switch (prospect(space)) {
        case Prospect::good:
            return "";
        case Prospect::hopeless:
            return fmt::format(
                "no host takes part in it any more: all were killed or declared dead at the same time; {}",
                cure);
        case Prospect::needs_absent:
            break;
    }
    std::vector<std::string> absent;
    for (net::HostId host = 0; host < config_.hosts.size(); ++host)
        if (!spaces_.contains(host)) absent.push_back(config_.hosts[host].name);
    return fmt::format("no reachable host takes part in it; if {} cannot come back, {}",
                       fmt::join(absent, " and "), cure);
}

}  // namespace allot::daemon
