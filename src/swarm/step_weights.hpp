// The weights of steps, which a run draws and keeps for a while: some kinds of steps are frequent, some rare,
// some excluded, and the same holds for sites and channels. Equal weights would lead every run to the same
// ordinary worlds; a starved channel, a late detector or a burst of requests leads to rare ones.
#pragma once

#include <array>
#include <cstdint>

#include "core/random.hpp"
#include "walk/walker.hpp"

namespace allot::swarm {

class StepWeights {
public:
    explicit StepWeights(Random& random);
    // Messages are delivered sooner than new ones are caused, and no channel is starved, so that a run gets
    // on.
    static StepWeights mild(Random& random);
    bool is_mild() const { return mild_; }

    // The weight of a step relative to others; 0: never.
    std::uint32_t weight(const walk::Machine& machine, const walk::Move& move) const;
    // The weight of a crash of this site. It is higher if the site waits, holds or has an orphan.
    std::uint32_t weight_of_crash(const walk::LocalInfo& site) const;
    // One step in this many is a fault, while faults are left.
    std::uint32_t fault_every() const { return fault_every_; }
    std::uint32_t weight_of_fault(walk::MoveKind kind) const {
        return faults_[static_cast<std::size_t>(kind)];
    }
    // Number of steps for which the weights are kept.
    std::uint32_t steps() const { return steps_; }

private:
    std::uint32_t preference(SiteId site, std::uint32_t peer) const;
    static constexpr std::uint32_t crash = ~0u;  // number of no peer

    std::array<std::uint32_t, 32> kinds_{};  // by InputKind
    std::array<std::uint32_t, 8> faults_{};  // by MoveKind
    std::uint32_t fault_every_ = 0;
    std::uint32_t steps_ = 0;
    std::uint64_t salt_ = 0;
    bool mild_ = false;
};

}  // namespace allot::swarm
