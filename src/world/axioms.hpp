// The axioms of faults and failure detectors: what may happen, the same for walker, simulator and player.
#pragma once

#include <cstdint>
#include <optional>

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

}  // namespace allot::world
