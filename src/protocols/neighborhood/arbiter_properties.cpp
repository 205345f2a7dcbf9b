// The invariants of arbiters and requesting sites: those of section 6, by their numbers.
#include <algorithm>
#include <set>

#include "core/view.hpp"
#include "protocols/neighborhood/arbiter.hpp"

namespace allot::neighborhood {

struct ArbiterProperties {
    const ArbiterConfig& config;
    std::span<const Arbiter* const> sites;
    Report& report;

    static std::string named(SiteId site) { return "site " + std::to_string(site); }
    static bool lists(const boost::container::flat_set<RankedRequest>& entries, SiteId site) {
        return std::ranges::any_of(entries, [&](const RankedRequest& entry) { return entry.site == site; });
    }

    void check_bounds(SiteId self) const {  // I1
        const auto& around = config.closed[self];
        const auto count = static_cast<std::uint32_t>(
            std::ranges::count_if(around, [&](SiteId site) { return sites[site]->in(); }));
        if (!config.ranges[self].contains(count))
            report.violated("within-bounds", std::to_string(count) + " of " + named(self) +
                                                 " and its neighbours are in service");
    }

    void check_desk(SiteId self, Kind kind) const {
        const PermissionLists& own = sites[self]->permissions(kind);
        const auto usual = static_cast<std::size_t>(
            std::ranges::count(own.granted, RankedRequest::Rank::usual, &RankedRequest::rank));
        if (own.granted.size() > config.cap(self, kind, RankedRequest::Rank::nominated) ||
            usual > config.cap(self, kind, RankedRequest::Rank::usual))  // I2
            report.violated("caps-kept", named(self) + " has given away " +
                                             std::to_string(own.granted.size()) + " permissions");
        std::set<SiteId> seen;
        for (const auto* list : {&own.granted, &own.pending})
            for (const RankedRequest& entry : *list)
                if (!seen.insert(entry.site).second)  // I4
                    report.violated("one-entry", named(self) + " keeps two requests of " + named(entry.site));
        if (own.preempting && !own.granted.contains(*own.preempting))  // I5
            report.violated("asked-back-is-granted",
                            named(self) + " asks back what " + named(own.preempting->site) + " has not got");
        if (!own.pending.empty() &&
            own.granted.size() < config.cap(self, kind, own.pending.begin()->rank))  // I8
            report.violated("none-kept-back",
                            named(self) + " lets " + named(own.pending.begin()->site) + " wait");
    }

    void check_permissions(SiteId self) const {
        const Arbiter& site = *sites[self];
        const Kind used = site.in() ? Kind::in : Kind::out;
        for (const SiteId arbiter : config.closed[self])
            if (config.uses(used) && !lists(sites[arbiter]->permissions(used).granted, self))  // I3
                report.violated("used-with-permission",
                                named(self) + " has no permission of " + named(arbiter) + " to be as it is");
        for (const SiteId arbiter : site.got_) {  // I6
            const auto& granted = sites[arbiter]->permissions(site.wanted()).granted;
            if (std::ranges::none_of(granted, [&](const RankedRequest& entry) {
                    return entry.site == self && entry.tag == site.tag_;
                }))
                report.violated("grants-known", named(self) + " counts on a permission of " + named(arbiter) +
                                                    " that it has not got");
        }
    }

    // The sites that are told that they are the nominee, or ask as the nominee, and still wait.
    void check_nominees(std::span<const Nomination> under_way) const {  // I7
        std::set<SiteId> nominees;
        for (const Nomination& one : under_way)
            if (sites[one.site]->tag_ == one.tag) nominees.insert(one.site);
        for (const Arbiter* arbiter : sites)
            for (const PermissionLists& own : arbiter->permissions_)
                for (const auto* list : {&own.granted, &own.pending})
                    for (const RankedRequest& entry : *list)
                        if (entry.rank == RankedRequest::Rank::nominated &&
                            sites[entry.site]->tag_ == entry.tag)
                            nominees.insert(entry.site);
        if (nominees.size() > 1)
            report.violated("one-nominee", std::to_string(nominees.size()) + " nominees wait");
    }
};

void check_arbiters(const ArbiterConfig& config, std::span<const Arbiter* const> sites,
                    std::span<const Nomination> under_way, Report& report) {
    const ArbiterProperties properties{config, sites, report};
    for (SiteId self = 0; self < sites.size(); ++self) {
        properties.check_bounds(self);
        properties.check_permissions(self);
        for (const Kind kind : {Kind::out, Kind::in}) properties.check_desk(self, kind);
    }
    if (config.leads) properties.check_nominees(under_way);
}

}  // namespace allot::neighborhood
