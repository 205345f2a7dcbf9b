#include "protocols/multilock/path.hpp"

namespace allot::multilock {

namespace {

// The end of the way up from a site; nothing if there is none.
std::optional<SiteId> top(const std::vector<std::optional<SiteId>>& up, SiteId site) {
    for (std::size_t steps = 0; steps < up.size(); ++steps) {
        if (!up[site]) return site;
        site = *up[site];
    }
    return std::nullopt;
}

}  // namespace

// Other sites may stand in line behind an asker already. Its request then counts for them all: it is the way
// on from the end of their line.
std::optional<std::string> not_a_tree(std::vector<std::optional<SiteId>> last,
                                      std::span<const Climber> climbers) {
    for (const Climber& climber : climbers) {
        const auto end = top(last, climber.asker);
        if (!end) return "the way up from site " + std::to_string(climber.asker) + " is a circle";
        last[*end] = climber.to;
    }
    std::optional<SiteId> root;
    for (SiteId site = 0; site < last.size(); ++site) {
        const auto end = top(last, site);
        if (!end) return "the way up from site " + std::to_string(site) + " is a circle";
        if (root && root != end)
            return "sites " + std::to_string(*root) + " and " + std::to_string(*end) + " both end the line";
        root = end;
    }
    return std::nullopt;
}

}  // namespace allot::multilock
