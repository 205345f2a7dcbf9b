// Decides whether a waiting site can still be served from one world: a search over fair steps only.

#include <deque>

#include "base/stop.hpp"
#include "check/checker.hpp"

namespace allot::check {

bool can_be_served(walk::Machine& machine, const walk::World& start, SiteId site) {
    walk::Walker walker(machine);
    Store seen(StoreKind::exact, std::size_t{4} << 30);
    bool served = false;
    const auto reach = [&](const walk::World& world) {
        served = served || !machine.local(world.sites[site]).pending();
        const Packed packed(world);
        seen.insert(packed, hash_of(packed), 0);
    };
    walk::World first = start;
    walker.canonical(first);
    reach(first);
    walk::World world;
    std::vector<walk::World> successors;
    for (Position at = seen.first(); at != seen.end() && !served && !seen.full(); at = seen.next(at)) {
        stop::poll();
        unpack(seen.tuple(at), machine.setup().sites, world);
        successors.clear();
        walker.for_each_step(world,
                             [&](const walk::Move& move, const walk::World& after, const Report& report) {
                                 if (move.fair && report.clean()) successors.push_back(after);
                             });
        for (const walk::World& after : successors)
            for (const walk::World& form : walker.canonical_forms(after)) reach(form);
    }
    return served || seen.full();
}

}  // namespace allot::check
