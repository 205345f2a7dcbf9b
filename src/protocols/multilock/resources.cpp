#include "protocols/multilock/resources.hpp"

#include <algorithm>
#include <bit>
#include <boost/container/flat_set.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

namespace allot::multilock {

namespace {

constexpr std::uint32_t few = 4;

std::string name_of(std::uint32_t resource) {
    return "r" + std::to_string(resource);
}

}  // namespace

std::optional<std::string> resources_error(std::uint32_t resources, std::uint32_t max_request) {
    constexpr std::uint32_t most = 100'000;
    if (resources < 1 || resources > most)
        return "--resources " + std::to_string(resources) + ": write a number from 1 to " +
               std::to_string(most);
    if (max_request > resources)
        return "--max-request " + std::to_string(max_request) + ": with --resources " +
               std::to_string(resources) + " write a number from 0 (any) to " + std::to_string(resources);
    return std::nullopt;
}

std::vector<Demand> demands(const Resources& resources, SiteId self) {
    std::vector<Demand> list;
    if (resources.count > few) {
        for (std::uint32_t resource = 0; resource < resources.count; ++resource)
            list.push_back({1, {name_of(resource)}});
        return list;
    }
    for (std::uint32_t set = 1; set < 1u << resources.count; ++set) {
        if (static_cast<std::uint32_t>(std::popcount(set)) > resources.largest) continue;
        Demand demand;
        for (std::uint32_t resource = 0; resource < resources.count; ++resource)
            if ((set >> resource & 1) != 0) demand.resources.emplace_back(name_of(resource));
        if (self % 2 == 1) std::ranges::reverse(demand.resources);
        list.push_back(std::move(demand));
    }
    return list;
}

Demand draw_demand(const Resources& resources, Random& random) {
    const std::uint64_t size = 1 + random(resources.largest);
    // Shuffles the first places of a list of all resources; stores only the places that changed.
    boost::unordered_flat_map<std::uint32_t, std::uint32_t> moved;
    const auto at = [&](std::uint32_t place) {
        const auto found = moved.find(place);
        return found == moved.end() ? place : found->second;
    };
    Demand demand;
    for (std::uint32_t i = 0; i < size; ++i) {
        const std::uint32_t drawn = i + static_cast<std::uint32_t>(random(resources.count - i));
        demand.resources.emplace_back(name_of(at(drawn)));
        moved[drawn] = at(i);
    }
    return demand;
}

std::optional<std::string> demand_error(const Demand& demand) {
    auto names = demand.resources;
    std::ranges::sort(names);
    if (names.empty()) return "a demand names at least one resource";
    if (std::ranges::adjacent_find(names) != names.end()) return "a demand names each resource once";
    return std::nullopt;
}

namespace {

auto place_of(const Trail& trail, SiteId site) {
    return std::ranges::lower_bound(trail.fathers, site, {}, [](const auto& one) { return one.first; });
}

}  // namespace

bool Trail::knows(SiteId site) const {
    const auto place = place_of(*this, site);
    return place != fathers.end() && place->first == site;
}

SiteId Trail::father(SiteId site) const {
    return knows(site) ? place_of(*this, site)->second : origin;
}

void check_trail(ResourceId resource, const Trail& trail, Report& report) {
    const std::string& name = resource.name();
    if (trail.places.size() != 1)
        return report.violated("one-token",
                               "there are " + std::to_string(trail.places.size()) + " tokens of " + name);
    boost::container::flat_set<SiteId> good{trail.places.front()};  // a way leads from them to the token
    const auto follow = [&](SiteId start) {
        std::vector<SiteId> way;
        SiteId at = start;
        for (; !good.contains(at) && way.size() <= trail.fathers.size() + 1; at = trail.father(at))
            way.push_back(at);
        if (good.contains(at))
            good.insert(way.begin(), way.end());
        else
            report.violated("way-to-token",
                            "from site " + std::to_string(start) + " no way leads to the token of " + name);
    };
    follow(trail.origin);
    for (const auto& [site, father] : trail.fathers) follow(site);
}

}  // namespace allot::multilock
