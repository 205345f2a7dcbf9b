#include "swarm/step_weights.hpp"

namespace allot::swarm {

StepWeights::StepWeights(Random& random) {
    constexpr std::array<std::uint32_t, 8> weights{0, 0, 1, 2, 4, 8, 16, 32};
    for (auto& weight : kinds_) weight = weights[random(weights.size())];
    // An orphan runs for long, or no later incarnation would adopt it.
    kinds_[static_cast<std::size_t>(world::InputKind::stop)] /= 8;
    for (auto& weight : faults_) weight = static_cast<std::uint32_t>(random(4));
    // Frequent, because most steps send too few messages to be interrupted and are then taken whole.
    faults_[static_cast<std::size_t>(walk::MoveKind::crash_inside)] *= 4;
    fault_every_ = 4u << (2 * random(3));
    constexpr std::array<std::uint32_t, 4> lengths{20, 60, 120, 1000};
    steps_ = 5 + static_cast<std::uint32_t>(random(lengths[random(lengths.size())]));
    salt_ = random(0);
}

StepWeights StepWeights::mild(Random& random) {
    StepWeights weights(random);
    weights.kinds_.fill(4);
    weights.kinds_[static_cast<std::size_t>(world::InputKind::deliver)] = 16;
    using enum world::InputKind;
    for (const auto rare : {cancel, timeout, tick, stop}) weights.kinds_[static_cast<std::size_t>(rare)] = 1;
    // A request that takes many steps would never be granted beside steady cancels.
    if (random.coin()) weights.kinds_[static_cast<std::size_t>(cancel)] = 0;
    weights.mild_ = true;
    return weights;
}

// The same for the same site and peer until the weights are drawn again.
std::uint32_t StepWeights::preference(SiteId site, std::uint32_t peer) const {
    if (mild_) return 1;
    constexpr std::array<std::uint32_t, 8> preferences{0, 1, 4, 4, 4, 4, 4, 32};
    std::uint64_t x = (std::uint64_t{site} << 32 | peer) * 0x9E3779B97F4A7C15u ^ salt_;
    x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93u;
    return preferences[x >> 61];
}

std::uint32_t StepWeights::weight(const walk::Machine& machine, const walk::Move& move) const {
    const std::uint32_t kind = kinds_[static_cast<std::size_t>(move.input.kind)];
    if (kind == 0) return 0;
    if (move.input.kind != world::InputKind::deliver)
        return kind * preference(move.site, move.input.argument);
    const walk::EnvelopeInfo& envelope = machine.envelope(move.envelope);
    return kind * preference(envelope.to, envelope.from);
}

std::uint32_t StepWeights::weight_of_crash(const walk::LocalInfo& site) const {
    if (!site.may_crash) return 0;
    const bool rests = site.phase == Phase::idle && !site.orphan;
    return preference(site.site, crash) * (rests ? 1 : 4);
}

}  // namespace allot::swarm
