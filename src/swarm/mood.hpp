// What a run prefers for a while: some kinds of steps often, some hardly, some not at all, and the same for
// sites and channels. Steps that are all equally likely would lead to the same ordinary worlds in every run;
// a starved channel, a late detector or a rush of requests is where the rare ones are.
#pragma once

#include <array>
#include <cstdint>

#include "core/random.hpp"
#include "world/walker.hpp"

namespace allot::swarm {

class Mood {
public:
    explicit Mood(Random& random);

    // How likely a step is, compared with the others; 0 for never.
    std::uint32_t weight(const world::Machine& machine, const world::Move& move) const;
    // The same for a crash of this site. Who waits or holds takes more with it.
    std::uint32_t weight_of_crash(const world::LocalInfo& site) const;
    // One step in so many is a fault, where faults are left.
    std::uint32_t fault_every() const { return fault_every_; }
    std::uint32_t weight_of_fault(world::MoveKind kind) const {
        return faults_[static_cast<std::size_t>(kind)];
    }
    // Steps until the mood changes.
    std::uint32_t steps() const { return steps_; }

private:
    std::uint32_t preference(SiteId site, std::uint32_t peer) const;
    static constexpr std::uint32_t crash = ~0u;  // nobody's number

    std::array<std::uint32_t, 32> kinds_{};  // by InputKind
    std::array<std::uint32_t, 8> faults_{};  // by MoveKind
    std::uint32_t fault_every_ = 0;
    std::uint32_t steps_ = 0;
    std::uint64_t salt_ = 0;
};

}  // namespace allot::swarm
