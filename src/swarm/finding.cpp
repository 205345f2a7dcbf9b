#include "swarm/finding.hpp"

#include "world/properties.hpp"

namespace allot::swarm {

namespace {

using walk::Move;
using world::InputKind;

// A finite run judges neither property, but a user who asks for one wants to know which site was not served.
bool judges_service(const world::Setup& setup) {
    return setup.judges(world::starvation.name) || setup.judges(world::servable.name);
}

// The messages of the step whose receivers are up.
std::uint32_t reachable(const PartialRun& partial, const Move& inside) {
    const auto& reaction = partial.machine().react(partial.here().sites[inside.site], inside.input);
    std::uint32_t mask = 0;
    for (std::size_t i = 0; i < reaction.sent.size() && i < 31; ++i) {
        const SiteId to = partial.machine().envelope(reaction.sent[i]).to;
        if (to != inside.site && partial.site(to).up()) mask |= 1u << i;
    }
    return mask;
}

}  // namespace

std::optional<Finding> finding_of(const walk::Machine& machine, const Report& report) {
    // An assertion ends a run even if the user did not ask for it.
    if (report.clean() || !machine.setup().judges(report.property())) return std::nullopt;
    return Finding{report.property(), report.detail(), std::nullopt};
}

std::optional<Finding> finding_of(const PartialRun& partial, const Closing& closing) {
    const world::Setup& setup = partial.machine().setup();
    const std::string site = "site " + std::to_string(closing.site);
    switch (closing.ending) {
        case Ending::served:
            return std::nullopt;
        case Ending::broken:
            return finding_of(partial.machine(), partial.report());
        case Ending::stuck:
            if (!setup.judges(world::deadlock.name)) return std::nullopt;
            return Finding{std::string(world::deadlock.name), site + " waits, and nothing more will happen",
                           closing.site};
        case Ending::unserved:
            if (!judges_service(setup)) return std::nullopt;
            return Finding{std::string(unserved_property),
                           site + " is not served by " + std::to_string(closing.steps) + " fair steps",
                           closing.site};
    }
    return std::nullopt;
}

std::uint32_t may_leave(const PartialRun& partial, const Move& inside) {
    const auto& reaction = partial.machine().react(partial.here().sites[inside.site], inside.input);
    std::uint32_t sent = inside.sent & reachable(partial, inside);
    // Drop the last message first: those before it are still a prefix.
    for (std::uint32_t i = 31; i-- > 0 && !partial.walker().may_be_cut_short(sent, reaction);)
        sent &= ~(1u << i);
    return sent;
}

bool can_be_cut_short(const PartialRun& partial, const Move& inside) {
    const auto& reaction = partial.machine().react(partial.here().sites[inside.site], inside.input);
    const walk::LocalId crashing = partial.walker().crashing(partial.here(), inside, reaction);
    const bool leaves_a_trace = crashing != partial.here().sites[inside.site];
    const std::uint32_t all = reachable(partial, inside);
    return partial.budget().crashes > 0 && partial.machine().local(crashing).may_crash &&
           (inside.sent & ~all) == 0 && inside.sent != all && (inside.sent != 0 || leaves_a_trace) &&
           partial.walker().may_be_cut_short(inside.sent, reaction);
}

}  // namespace allot::swarm
