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

}  // namespace allot::world
