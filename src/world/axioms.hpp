// The axioms of faults and failure detectors: what may happen, the same for walker, simulator and player.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/function_ref.hpp"
#include "core/view.hpp"
#include "world/setup.hpp"

namespace allot::world {

// Whether a crash inside a step may let just these of its first `count` messages out: left(i) says whether
// message i left, which goes to destination(i). On FIFO links no message of a channel leaves without those
// before it.
bool may_be_cut_short(Links links, std::size_t count, FunctionRef<SiteId(std::size_t)> destination,
                      FunctionRef<bool(std::size_t)> left);

// The state of a peer, as an observer knows it.
struct PeerState {
    Standing standing = Standing::absent;
    std::uint32_t incarnation = 0;
    std::uint32_t stopped =
        0;  // number of incarnations, from the first on, of which no program runs any more
    bool up() const { return standing == Standing::up; }
    bool gone() const { return standing == Standing::down || standing == Standing::left; }
    // Whether that incarnation has ended, by a crash or in order.
    bool is_over(std::uint32_t other) const { return incarnation > other || gone(); }
};

// A detector speaks to a site in two stages. The reports that the site has heard before decide whether it may
// hear this one now, and of which incarnation: `dead` of just this one, `trusted` of this one or a later one;
// the others do not look at it. Without a handler for `trusted`, every incarnation counts as trusted.
std::optional<std::uint32_t> next_incarnation(Detection detection, const Watch& heard, bool hears_trusted,
                                              Trust trust);

// The number of incarnations of a site, from the first on, of which no program runs any more. A member of the
// newest view may renew its lease, and an orphan that it has adopted is its own program.
std::uint32_t stopped_incarnations(const Site& site, bool is_member);

// The state of the peer says whether the detection may be made of it, of which incarnation, whether it is
// certain to come, and whether it is a lie.
struct Statement {
    std::uint32_t incarnation = 0;
    bool fair = false;
    bool lie = false;
};
std::optional<Statement> may_say(Detection detection, std::uint32_t incarnation, const PeerState& peer,
                                 bool is_anchor, bool may_lie);

// --- Agreed views.

// The view after `view`: `peer` goes, comes, or takes the place of an earlier incarnation. It certifies only
// those whom it replaces itself. A site that skips a replacement and sees the removal of the successor must
// wait, for a program that the successor has adopted may run.
AgreedView changed_view(AgreedView view, ViewChange change, const Peer& peer);

// Whether that peer is a member of any view from this number on.
bool is_member(std::span<const AgreedView> views, const Peer& peer, std::uint32_t from);

// The state of a site that matters to views.
struct Attendance {
    Peer self;
    bool up = false;
    bool lease_over = false;
    bool abandoned = false;               // nobody has adopted its orphan
    std::optional<std::uint32_t> orphan;  // the incarnation under whose lease an orphan runs
    Membership membership;
};

// The changes that may be agreed upon about a site. A member whose incarnation is over is removed, or
// replaced if its site is up again; a site that was in no view is added.
struct ViewChanges {
    std::optional<Peer> remove;  // may be removed at a price if it is not over
    bool over = false;
    bool add = false;
    bool replace = false;
};
ViewChanges view_changes(std::span<const AgreedView> views, const Attendance& site, const PeerState& state);

// Whether no program of this site runs that was removed before the view with that number.
bool has_stopped(std::span<const AgreedView> views, const Attendance& site, std::uint32_t number);

}  // namespace allot::world
