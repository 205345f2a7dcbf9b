// Nomination by the leader in the published listing (Algorithm 6): errata 5, 6, 10, 11 and 12.
#include "protocols/neighborhood/arbiter.hpp"

#include <algorithm>

#include "base/ensure.hpp"

namespace allot::neighborhood {

namespace {

bool lists(const boost::container::flat_set<RankedRequest>& entries, SiteId site, Stamp tag) {
    return std::ranges::any_of(
        entries, [&](const RankedRequest& entry) { return entry.site == site && entry.tag == tag; });
}

}  // namespace

// The leader looks only while it waits itself, and after each look it waits until fewer sites wait. A nominee
// represents that inner wait here; it is the leader itself if the look found none.
void Arbiter::nominate_as_printed(const Here& here, Effects& fx) {
    const PermissionLists& out = permissions(Kind::out);
    const PermissionLists& in = permissions(Kind::in);
    const auto both = std::ranges::count_if(in.granted, [&](const RankedRequest& entry) {
        return std::ranges::count(out.granted, entry.site, &RankedRequest::site) > 0;
    });
    const std::size_t waiting = out.pending.size() + in.pending.size() + static_cast<std::size_t>(both);
    if (waiting < here.config.size(here.self)) {
        if (!here.repairs.one_nominee) nominee_.reset();
        return;
    }
    if (nominee_ || !tag_) return;
    nominee_ = here.self;
    const auto nominee = nominee_as_printed(here);
    if (!nominee) return fx.reached("nobody-nominated");
    fx.reached("nominated");
    nominee_ = nominee->entry.site;
    if (!here.repairs.one_nominee) permissions(nominee->kind).pending.erase(nominee->entry);
    fx.send(nominee->entry.site, Trigger{nominee->kind, nominee->entry.tag});
}

std::optional<Arbiter::Nominee> Arbiter::nominee_as_printed(const Here& here) const {
    const std::size_t short_of = here.repairs.thresholds ? 0 : 1;
    const auto full = [&](Kind kind) {
        return permissions(kind).granted.size() + short_of ==
               here.config.cap(here.self, kind, RankedRequest::Rank::usual);
    };
    if (!full(Kind::out) && !full(Kind::in)) return std::nullopt;
    const Kind kind = full(Kind::out) ? Kind::in : Kind::out;
    if (!permissions(kind).pending.empty()) return Nominee{kind, *permissions(kind).pending.begin()};
    // The sites with permissions of both kinds that asked for one right after the other.
    for (const RankedRequest& entry : permissions(Kind::in).granted) {
        const Stamp asked_to_leave = kind == Kind::in ? entry.tag : entry.tag.next();
        if (lists(permissions(Kind::out).granted, entry.site, asked_to_leave)) return Nominee{kind, entry};
    }
    ensure(false, "the least of no candidates is nominated");
    return std::nullopt;
}

}  // namespace allot::neighborhood
