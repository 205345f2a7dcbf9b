#include "play/stage.hpp"

#include <algorithm>

namespace allot::play {

using walk::EnvelopeId;
using walk::Move;
using walk::MoveKind;
using walk::World;
using world::InputKind;

namespace {

// The log of a simulation has millions of steps and hardly ever comes back to a state.
constexpr std::uint64_t steps_remembered = 1 << 15;

}  // namespace

Stage::Stage(std::unique_ptr<walk::Machine> machine)
    : machine_(std::move(machine)), walker_(*machine_), world_(machine_->initial(birth_)) {
    order_ = world_.flight;
    count(order_);
}

namespace {

std::vector<EnvelopeId> sent_by_ticks(walk::Machine& machine, const World& before, const Move& move) {
    std::vector<EnvelopeId> sent;
    for (SiteId site = 0; site < before.sites.size(); ++site) {
        if (machine.setup().skew > 0 && site != move.site) continue;
        if (!machine.local(before.sites[site]).up()) continue;
        const auto& reaction = machine.react(before.sites[site], move.input);
        sent.insert(sent.end(), reaction.sent.begin(), reaction.sent.end());
    }
    return sent;
}

std::vector<EnvelopeId> sent_by(walk::Machine& machine, const World& before, const Move& move) {
    if (move.kind == MoveKind::tick) return sent_by_ticks(machine, before, move);
    if (move.kind != MoveKind::input && move.kind != MoveKind::crash_inside) return {};
    const auto& reaction = machine.react(before.sites[move.site], move.input);
    std::vector<EnvelopeId> sent(reaction.sent.begin(), reaction.sent.end());
    if (move.kind == MoveKind::input) return sent;
    std::vector<EnvelopeId> left;
    for (std::size_t i = 0; i < sent.size(); ++i)
        if (i < 32 && ((move.sent >> i) & 1u) != 0) left.push_back(sent[i]);
    return left;
}

// The message that the step removes from flight.
std::optional<EnvelopeId> consumed_by(const Move& move) {
    const bool input = move.kind == MoveKind::input || move.kind == MoveKind::crash_inside;
    if (move.kind == MoveKind::drop || (input && move.input.kind == InputKind::deliver)) return move.envelope;
    return std::nullopt;
}

}  // namespace

// Only the present world is needed, unless it must be compared with those of a loop.
void Stage::forget_states() {
    walker_.forget_states_but(world_);
    ranking_walker_.reset();  // it remembers states by ids that now mean others
}

Taken Stage::take(const Move& move) {
    if (++steps_ % steps_remembered == 0 && !loop_) forget_states();
    Taken taken;
    taken.before = world_;
    taken.sent = sent_by(*machine_, world_, move);
    if (move.kind == MoveKind::input)
        taken.refused = machine_->react(world_.sites[move.site], move.input).refused;
    world_ = walker_.apply(world_, move, taken.report);
    count(taken.sent);
    note_order(consumed_by(move), taken.sent);
    const bool counts = taken.report.has(world::assertion.name) || binding(taken.before);
    if (!counts) taken.report = Report{};
    if (taken.report.clean()) taken.report = judge();
    before_last_step_ = taken.before;
    if (loop_) {
        loop_->moves.push_back(move);
        loop_->worlds.push_back(world_);
    }
    return taken;
}

void Stage::rewrite(World world) {
    world_ = std::move(world);
    note_order(std::nullopt, {});
    before_last_step_.reset();
    arbitrary_ = machine_->facts().says_legal;
}

Report Stage::judge() const {
    Report report;
    if (binding(world_)) machine_->check_state(world_, report);
    return report;
}

void Stage::count(const std::vector<EnvelopeId>& sent) {
    for (const EnvelopeId id : sent) ++sent_[std::string(machine_->kind(id))];
}

// A world on unordered links does not know the order of sending, so it is kept here.
void Stage::note_order(const std::optional<EnvelopeId>& consumed, const std::vector<EnvelopeId>& sent) {
    if (consumed) {
        const auto place = std::find(order_.begin(), order_.end(), *consumed);
        if (place != order_.end()) order_.erase(place);
    }
    std::map<EnvelopeId, std::size_t> there;
    for (const EnvelopeId id : world_.flight) ++there[id];
    std::vector<EnvelopeId> order;
    const auto keep = [&](EnvelopeId id) {
        if (there[id] == 0) return;
        --there[id];
        order.push_back(id);
    };
    for (const EnvelopeId id : order_) keep(id);
    for (const EnvelopeId id : sent) keep(id);
    for (const EnvelopeId id : world_.flight) keep(id);  // copies, and messages that the scenario put there
    order_ = std::move(order);
}

std::vector<EnvelopeId> Stage::in_flight() const {
    if (fifo()) return world_.flight;
    std::vector<EnvelopeId> list = order_;
    std::stable_sort(list.begin(), list.end(), [this](EnvelopeId a, EnvelopeId b) {
        const auto& first = machine_->envelope(a);
        const auto& second = machine_->envelope(b);
        return std::pair(first.from, first.to) < std::pair(second.from, second.to);
    });
    return list;
}

std::vector<EnvelopeId> Stage::in_flight(SiteId from, SiteId to) const {
    std::vector<EnvelopeId> list;
    for (const EnvelopeId id : in_flight())
        if (machine_->envelope(id).from == from && machine_->envelope(id).to == to) list.push_back(id);
    return list;
}

}  // namespace allot::play
