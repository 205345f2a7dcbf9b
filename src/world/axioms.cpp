#include "world/axioms.hpp"

#include <algorithm>

namespace allot::world {

bool may_be_cut_short(Links links, std::size_t count, FunctionRef<SiteId(std::size_t)> destination,
                      FunctionRef<bool(std::size_t)> left) {
    if (links == Links::unordered) return true;
    for (std::size_t later = 1; later < count; ++later)
        for (std::size_t earlier = 0; left(later) && earlier < later; ++earlier)
            if (destination(earlier) == destination(later) && !left(earlier)) return false;
    return true;
}

std::optional<std::uint32_t> next_incarnation(Detection detection, const Watch& heard, bool hears_trusted,
                                              Trust trust) {
    switch (detection) {
        case Detection::trusted:
            if (heard.reported < heard.trusted || trust == Trust::anchor) return std::nullopt;
            return heard.reported;
        case Detection::dead: {
            const std::uint32_t trusted = hears_trusted ? heard.trusted : heard.reported + 1;
            if (heard.reported >= trusted) return std::nullopt;
            return trusted - 1;
        }
        case Detection::reconnected:
            return heard.interrupted ? std::optional(0u) : std::nullopt;
        case Detection::stopped:  // of one incarnation after the other
            return heard.stopped;
        case Detection::suspected:
        case Detection::departed:
            return 0;
    }
    return std::nullopt;
}

std::uint32_t stopped_incarnations(const Site& site, bool is_member) {
    if (site.standing == Standing::absent) return 0;
    const bool ended = !site.up() || (site.lease_over() && !is_member);
    const std::uint32_t count = site.incarnation + (ended ? 1 : 0);
    if (!site.orphan || (is_member && site.has_taken_over())) return count;
    return std::min(count, site.orphan->incarnation);
}

std::optional<Statement> may_say(Detection detection, std::uint32_t incarnation, const PeerState& peer,
                                 bool is_anchor, bool may_lie) {
    switch (detection) {
        case Detection::trusted:  // at most once per incarnation; certain to come only if the peer stays up
            if (peer.standing == Standing::absent || peer.incarnation < incarnation) return std::nullopt;
            return Statement{peer.incarnation, peer.up()};
        case Detection::dead: {  // never of the living, unless it may lie
            const bool over = peer.is_over(incarnation);
            if (!over && !(may_lie && peer.up())) return std::nullopt;
            return Statement{incarnation, over, !over};
        }
        case Detection::suspected:  // may be wrong, but never about the anchor
            if (is_anchor || peer.standing == Standing::absent) return std::nullopt;
            return Statement{peer.incarnation, !peer.up()};
        case Detection::departed:
            if (!peer.gone()) return std::nullopt;
            return Statement{peer.incarnation, true};
        case Detection::stopped:
            if (incarnation >= peer.stopped) return std::nullopt;
            return Statement{incarnation, true};
        case Detection::reconnected:
            if (!peer.up()) return std::nullopt;
            return Statement{peer.incarnation, true};
    }
    return std::nullopt;
}

// --- Agreed views.

AgreedView changed_view(AgreedView view, ViewChange change, const Peer& peer) {
    ++view.number;
    view.certified.clear();
    const auto old = std::ranges::find(view.members, peer.site, &Peer::site);
    switch (change) {
        case ViewChange::remove:
            view.members.erase(old);
            break;
        case ViewChange::add:
            view.members.insert(std::ranges::lower_bound(view.members, peer), peer);
            break;
        case ViewChange::replace:
            for (Peer earlier = *old; earlier.incarnation < peer.incarnation; ++earlier.incarnation)
                view.certified.push_back(earlier);
            *old = peer;
            break;
    }
    return view;
}

bool is_member(std::span<const AgreedView> views, const Peer& peer, std::uint32_t from) {
    return std::ranges::any_of(views,
                               [&](const AgreedView& view) { return view.number >= from && view.has(peer); });
}

ViewChanges view_changes(std::span<const AgreedView> views, const Attendance& site, const PeerState& state) {
    ViewChanges changes;
    if (views.empty()) return changes;
    const std::vector<Peer>& members = views.back().members;
    const auto member = std::ranges::find(members, site.self.site, &Peer::site);
    if (member != members.end()) changes.remove = *member;
    changes.over = changes.remove && state.is_over(member->incarnation);
    const bool is_new = site.up && site.membership.seen == 0 && !is_member(views, site.self, 0);
    changes.add = is_new && !changes.remove;
    // A successor vouches for the programs of its predecessor: each has stopped, or is its own now.
    changes.replace = is_new && changes.over && !site.abandoned;
    return changes;
}

bool has_stopped(std::span<const AgreedView> views, const Attendance& site, std::uint32_t number) {
    const auto removed = [&](std::uint32_t incarnation) {
        return !is_member(views, {site.self.site, incarnation}, number);
    };
    if (site.orphan && removed(*site.orphan)) return false;
    // A site that was added and has not seen that yet may still do so, and let programs run.
    const bool added = site.membership.seen > 0 || is_member(views, site.self, 0);
    const bool runs = site.up && added && !site.lease_over;
    return !runs || !removed(site.self.incarnation);
}

}  // namespace allot::world
