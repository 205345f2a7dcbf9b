// The conditions of each protocol made of arbiters on its instance, and the instances for random runs.
#include "core/draw.hpp"
#include "protocols/neighborhood/composition.hpp"
#include "protocols/neighborhood/exclusion.hpp"
#include "protocols/neighborhood/inclusion.hpp"
#include "protocols/neighborhood/published/sidetrack.hpp"

namespace allot {

static_assert(Protocol<Inclusion> && Protocol<Exclusion> && Protocol<Composition> && Protocol<Sidetrack> &&
              Protocol<SidetrackPublished>);

namespace neighborhood {

namespace {

void set(ArbiterConfig& config, const char* graph, const char* bounds) {
    config.graph = *Graph::parse("graph", graph);
    config.bounds = Bounds::by_default(bounds);
}

std::string bounds_of_site(const Neighborhood& instance, SiteId site) {
    return "--bounds " + instance.bounds.text() + ": site " + std::to_string(site) + " ";
}

// Complete graphs with equal bounds, on which the protocols with both kinds of permissions are live.
void draw_complete(Draw& draw, std::uint32_t least, std::uint32_t most, std::uint32_t gap) {
    if (draw.knows("graph") || draw.knows("bounds")) return;
    std::vector<std::string> graphs;
    for (std::uint32_t n = least; n <= most; ++n) graphs.push_back("complete:" + std::to_string(n));
    const std::string graph = draw.choice("graph", graphs);
    const auto sites = static_cast<std::uint32_t>(graph.back() - '0');
    std::vector<std::string> bounds;
    for (std::uint32_t low = 0; low + gap <= sites; ++low)
        bounds.push_back(std::to_string(low) + "," + std::to_string(low + gap));
    draw.choice("bounds", bounds);
}

// The reserve must exist and leave something.
template <class Config>
std::optional<std::string> reserve_error(const Config& config) {
    if (config.leader >= config.sites)
        return "--leader " + std::to_string(config.leader) + ": the sites are 0 to " +
               std::to_string(config.sites - 1);
    const auto hops = config.distances(config.leader);
    const std::uint32_t reserve_within = config.repairs.two_hops ? 2 : 1;
    const auto near = [&](SiteId site) {
        return "is " + std::to_string(hops[site]) + " hops from the leader and needs ";
    };
    for (SiteId site = 0; site < config.sites; ++site)
        if (hops[site] <= reserve_within && config.ranges[site].high < config.ranges[site].low + 3)
            return bounds_of_site(config, site) + near(site) +
                   "l and k with k - l >= 3, to keep a reserve; write such bounds, or use escrow";
    if (config.repairs.start_margin && config.starts_in.empty())
        return "--bounds " + config.bounds.text() +
               (config.no_start ? ": no configuration keeps" : ": no configuration was found that keeps") +
               " to them and has a reserve near the leader; write others, or use escrow";
    for (SiteId site = 0; site < config.sites && config.repairs.start_margin; ++site) {
        if (hops[site] > reserve_within) continue;
        const auto [low, high] = config.ranges[site];
        const std::uint32_t count = count_in(config.closed[site], config.starts_in);
        if (count <= low || count >= high)
            return "--initial " + config.initial.text() + ": site " + std::to_string(site) + " " +
                   near(site) + std::to_string(low + 1) + " to " + std::to_string(high - 1) +
                   " in service at the start, to keep a reserve; there are " + std::to_string(count);
    }
    return std::nullopt;
}

}  // namespace

InclusionRules::Config::Config() {
    kinds = {true, false};
    set(*this, "path:3", "1,*");
}

std::optional<std::string> upper_bounds_error(const Neighborhood& instance) {
    for (SiteId site = 0; site < instance.sites; ++site)
        if (instance.ranges[site].high < instance.size(site))
            return bounds_of_site(instance, site) +
                   "has an upper bound, which this protocol does not keep; write l,* or use escrow";
    return std::nullopt;
}

std::optional<std::string> InclusionRules::config_error(const Config& config) {
    return upper_bounds_error(config);
}

void InclusionRules::sample(Draw& draw) {
    draw.choice("graph", {"path:2", "path:3", "path:5", "cycle:4", "cycle:5", "complete:4", "star:5"});
    draw.choice("bounds", {"0,*", "1,*"});
}

ExclusionRules::Config::Config() {
    kinds = {false, true};
    set(*this, "path:3", "0,1");
}

std::optional<std::string> ExclusionRules::config_error(const Config& config) {
    for (SiteId site = 0; site < config.sites; ++site)
        if (config.ranges[site].low > 0)
            return bounds_of_site(config, site) +
                   "has a lower bound, which this protocol does not keep; write 0,k or use escrow";
    return std::nullopt;
}

void ExclusionRules::sample(Draw& draw) {
    draw.choice("graph", {"path:2", "path:3", "path:5", "cycle:4", "cycle:5", "complete:4", "star:5"});
    draw.choice("bounds", {"0,1", "0,2", "0,*"});
}

CompositionRules::Config::Config() {
    set(*this, "complete:3", "1,2");
}

void CompositionRules::sample(Draw& draw) {
    draw_complete(draw, 3, 5, 2);
}

SidetrackRules::Config::Config() {
    set(*this, "complete:5", "1,4");
}

std::optional<std::string> SidetrackRules::config_error(const Config& config) {
    return reserve_error(config);
}

SidetrackPublishedRules::Config::Repairs::Repairs() {
    for_each_member(*this, [](std::string_view, bool& on) { on = false; });
}

SidetrackPublishedRules::Config::Config() {
    set(*this, "complete:5", "1,4");
}

std::optional<std::string> SidetrackPublishedRules::config_error(const Config& config) {
    return reserve_error(config);
}

void SidetrackRules::sample(Draw& draw) {
    draw_complete(draw, 3, 5, 3);
}

}  // namespace neighborhood

}  // namespace allot
