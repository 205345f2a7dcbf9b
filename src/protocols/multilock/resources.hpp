// Shared by the protocols with several named resources: demands and holders.
//
// A protocol accepts any name of a resource. In the laboratory (check, sim, swarm) there are `--resources` of
// them, r0, r1 and so on, and a request is for at most `--max-request` of them (0: for any number).
#pragma once

#include <boost/container/flat_map.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "core/view.hpp"

namespace allot::multilock {

struct Resources {
    std::uint32_t count = 0;
    std::uint32_t largest = 0;  // demand
};

template <class Config>
Resources resources_of(const Config& config) {
    return {config.resources, config.max_request == 0 ? config.resources : config.max_request};
}

std::optional<std::string> resources_error(std::uint32_t resources, std::uint32_t max_request);

// Every set of resources up to the largest size, if there are few; else each one alone. Odd sites name them
// in reverse: only the order of the fences may depend on the caller's order.
std::vector<Demand> demands(const Resources& resources, SiteId self);
// Draws first a size, then a set of that size, each uniformly.
Demand draw_demand(const Resources& resources, Random& random);
// Why this demand cannot be granted.
std::optional<std::string> demand_error(const Demand& demand);

// No resource is held by two sites.
template <class P>
void check_one_holder(const View<P>& view, Report& report) {
    boost::container::flat_map<ResourceId, SiteId> holders;
    for (SiteId site = 0; site < view.sites.size(); ++site) {
        const Demand* const used = view.site(site).in_use();
        if (used == nullptr) continue;
        for (ResourceId resource : used->resources) {
            const auto [place, first] = holders.emplace(resource, site);
            if (!first)
                report.violated("one-holder", "sites " + std::to_string(place->second) + " and " +
                                                  std::to_string(site) + " hold " + resource.name());
        }
    }
}

// A site that holds a resource has its token: `has(site, resource)`.
template <class P, class Has>
void check_used_with_token(const View<P>& view, Report& report, Has&& has) {
    for (SiteId site = 0; site < view.sites.size(); ++site) {
        if (!view.site(site).holding()) continue;
        for (ResourceId resource : view.site(site).application.demand.resources)
            if (!has(site, resource))
                report.violated("used-with-token", "site " + std::to_string(site) + " uses " +
                                                       resource.name() + " without its token");
    }
}

// The facts about a token that moves on a tree of fathers.
struct Trail {
    std::vector<SiteId> places;  // where it is, or will arrive: exactly one, if the protocol is right
    // For each site that knows the token, in order: its father; without meaning at the site with the token.
    std::vector<std::pair<SiteId, SiteId>> fathers;
    SiteId origin = 0;  // where it was first: the father of all other sites

    bool knows(SiteId site) const;
    SiteId father(SiteId site) const;
};

// There is one token, and fathers lead to it.
void check_trail(ResourceId resource, const Trail& trail, Report& report);

}  // namespace allot::multilock
