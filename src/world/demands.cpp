#include "world/demands.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "core/parameters.hpp"
#include "world/instance.hpp"

namespace allot::world {

namespace {

// The contents of the demands that a protocol lists for a site.
struct Offer {
    std::uint32_t units_min = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t units_max = 0;
    std::set<ResourceId> resources;
    std::uint32_t numbered = 0;  // resources r0, r1 and so on, which are too many to list
    bool resources_only = true;

    bool names(ResourceId resource) const {
        if (numbered == 0) return resources.contains(resource);
        const std::string& name = resource.name();
        return name.starts_with('r') && parse_number("", name.substr(1), 0, numbered - 1);
    }
    bool allows(const Demand& demand) const {
        if (demand.units < units_min || demand.units > units_max) return false;
        if (demand.resources.empty()) return !resources_only;
        const std::set<ResourceId> distinct(demand.resources.begin(), demand.resources.end());
        return distinct.size() == demand.resources.size() &&
               std::ranges::all_of(distinct, [&](ResourceId one) { return names(one); });
    }
    std::string text() const;
};

std::string Offer::text() const {
    std::string text;
    if (units_max > 1 || units_min == 0)
        text = (units_min < units_max ? std::to_string(units_min) + " to " : "") + std::to_string(units_max) +
               " units";
    std::vector<std::string> known;
    for (const ResourceId resource : resources) known.push_back(resource.name());
    if (numbered > 0) known = {"r0"};
    if (numbered == 2) known.emplace_back("r1");
    if (known.empty()) return text.empty() ? "1 unit" : text;
    text += text.empty() ? "resources, each once, out of " : " of resources out of ";
    return text + (numbered > 2 ? "r0 to r" + std::to_string(numbered - 1) : enumerated(known));
}

Offer offer_of(const Instance& instance, SiteId site) {
    if (instance.facts().names_resources && instance.facts().draws_demands)
        return {.units_min = 1, .units_max = 1, .numbered = instance.resources()};
    Offer offer;
    for (const Demand& demand : instance.demands(site)) {
        offer.units_min = std::min(offer.units_min, demand.units);
        offer.units_max = std::max(offer.units_max, demand.units);
        offer.resources.insert(demand.resources.begin(), demand.resources.end());
        offer.resources_only = offer.resources_only && !demand.resources.empty();
    }
    return offer;
}

}  // namespace

std::optional<std::string> demand_error(const Instance& instance, SiteId site, const Demand& demand) {
    if (auto why = instance.demand_error(demand)) return why;
    const Offer offer = offer_of(instance, site);
    if (offer.units_max == 0) return "site " + std::to_string(site) + " never asks";
    if (offer.allows(demand)) return std::nullopt;
    return "site " + std::to_string(site) + " may ask for " + offer.text();
}

std::optional<std::string> demand_error(const Instance& instance, const Demand& demand) {
    std::optional<std::string> first;
    for (SiteId site = 0; site < instance.sites(); ++site) {
        if (offer_of(instance, site).units_max == 0) continue;
        auto error = demand_error(instance, site, demand);
        if (!error) return std::nullopt;
        if (!first) first = std::move(error);
    }
    return first;
}

}  // namespace allot::world
