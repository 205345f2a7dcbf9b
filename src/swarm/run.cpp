#include "swarm/run.hpp"

#include <algorithm>
#include <set>

#include "base/stop.hpp"
#include "core/draw.hpp"
#include "swarm/closing.hpp"
#include "swarm/finding.hpp"
#include "swarm/step_weights.hpp"

namespace allot::swarm {

namespace {

using walk::Move;
using walk::MoveKind;
using world::InputKind;

constexpr int most_draws = 200;
// A run hardly ever comes back to a state, and a state may take kilobytes: it is faster if few are kept.
constexpr std::size_t steps_remembered = 64;

// The phase of a run in which any step and any fault may happen.
class FaultyPhase {
public:
    FaultyPhase(PartialRun& partial, Random& random, const Extent& least, Run& result)
        : run_(partial),
          random_(random),
          least_(least),
          faults_(result.faults),
          extent_(result.extent),
          ticks_(partial.sites()),
          weights_(random) {}

    void run() {
        // Short runs find defects that a late step would mend, long runs those that build up slowly.
        constexpr std::array<std::size_t, 4> lengths{30, 100, 200, 400};
        steps_ = 5 + random_(lengths[random_(lengths.size())]);
        weights_end_ = weights_.steps();
        for (std::size_t step = 0; (step < steps_ || must_go_on(step)) && !run_.broken(); ++step) {
            stop::poll();
            if (step % steps_remembered == steps_remembered - 1) run_.forget_earlier_states();
            if (spell_is_over(step)) draw_weights(step);
            if (!take_step(step)) return;
        }
        if (random_.coin()) ask_once_more();
    }

private:
    // A run whose faults are used up, or that starves its sites, must end as well.
    bool must_go_on(std::size_t step) const {
        constexpr std::size_t most_steps = 300'000;
        return step < most_steps && !extent_.covers(least_);
    }

    // A run that goes on for its extent alternates between short spells of any weights and mild ones, which
    // last until some are served.
    void draw_weights(std::size_t step) {
        constexpr std::uint32_t longest_spell = 60;
        const bool owes = step >= steps_;
        weights_ =
            owes && (is_flooded(step) || random_.coin()) ? StepWeights::mild(random_) : StepWeights(random_);
        weights_end_ = step + (owes ? std::min(weights_.steps(), longest_spell) : weights_.steps());
        enough_grants_.reset();
        if (weights_.is_mild() && extent_.grants < least_.grants) {
            weights_end_ = step + std::size_t{200} * run_.sites();
            enough_grants_ = extent_.grants + 1 + random_(8);
        }
    }

    bool spell_is_over(std::size_t step) const {
        return step >= weights_end_ || is_flooded(step) ||
               (enough_grants_ && extent_.grants >= *enough_grants_);
    }

    // Messages that pile up make every step slower and lead nowhere new.
    bool is_flooded(std::size_t step) const {
        const std::size_t most = 10 * std::size_t{run_.sites()};
        return step >= steps_ && run_.here().flight.size() > most && !weights_.is_mild();
    }

    // False if no step is left.
    bool take_step(std::size_t step) {
        const std::vector<Move> inputs = run_.walker().inputs(run_.here());
        if (random_(weights_.fault_every()) == 0)
            if (const auto fault = choose_fault(inputs)) {
                take(*fault);
                return true;
            }
        if (inputs.empty()) return false;
        if (const auto move = choose_input(inputs))
            take(*move);
        else
            draw_weights(step);  // every possible step has weight 0
        return true;
    }

    void take(const Move& move) {
        const walk::World before = run_.here();
        if (run_.take(move)) count(before, move);
    }

    // One of `count` by weight; nothing where all weights are 0.
    template <class Weight>
    std::optional<std::size_t> choose(std::size_t count, Weight weight) {
        sums_.clear();
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
            sum += weight(i);
            sums_.push_back(sum);
        }
        if (sum == 0) return std::nullopt;
        return static_cast<std::size_t>(std::upper_bound(sums_.begin(), sums_.end(), random_(sum)) -
                                        sums_.begin());
    }

    std::optional<Move> choose_input(const std::vector<Move>& inputs) {
        const auto chosen =
            choose(inputs.size(), [&](std::size_t i) { return weights_.weight(run_.machine(), inputs[i]); });
        if (!chosen) return std::nullopt;
        return inputs[*chosen];
    }

    std::optional<Move> choose_fault(const std::vector<Move>& inputs) {
        const walk::Budget& budget = run_.budget();
        const std::array<std::pair<MoveKind, std::uint32_t>, 5> kinds{
            {{MoveKind::crash, budget.crashes},
             {MoveKind::crash_inside, budget.crashes},
             {MoveKind::duplicate, budget.duplicate},
             {MoveKind::drop, budget.lose},
             {MoveKind::cut, budget.cuts}}};
        const auto chosen = choose(kinds.size(), [&](std::size_t i) {
            return kinds[i].second > 0 ? weights_.weight_of_fault(kinds[i].first) : 0;
        });
        if (!chosen) return std::nullopt;
        return make_fault(kinds[*chosen].first, inputs);
    }

    std::optional<Move> make_fault(MoveKind kind, const std::vector<Move>& inputs) {
        if (kind == MoveKind::crash) return make_crash();
        if (kind == MoveKind::cut) return any_of(run_.walker().channel_changes(run_.here(), kind));
        std::vector<Move> suitable = inputs;
        std::erase_if(suitable, [&](const Move& move) {
            if (move.kind != MoveKind::input) return true;
            if (kind == MoveKind::crash_inside) return !may_crash(move);
            return move.input.kind != InputKind::deliver;
        });
        if (suitable.empty()) return std::nullopt;
        const Move& move = suitable[random_(suitable.size())];
        if (kind == MoveKind::crash_inside) return cut_short(move);
        return Move{.kind = kind, .envelope = move.envelope};
    }

    bool may_crash(const Move& move) const {
        return run_.site(move.site).may_crash || move.input.kind == InputKind::start;
    }

    std::optional<Move> make_crash() {
        const auto site = choose(run_.sites(), [this](std::size_t one) {
            return weights_.weight_of_crash(run_.site(static_cast<SiteId>(one)));
        });
        if (!site) return std::nullopt;
        return any_of(run_.walker().crashes(run_.here(), static_cast<SiteId>(*site)));
    }

    std::optional<Move> any_of(const std::vector<Move>& moves) {
        if (moves.empty()) return std::nullopt;
        return moves.size() == 1 ? moves.front() : moves[random_(moves.size())];
    }

    // The step with some of its messages; the whole step if it sends none that can be lost.
    Move cut_short(const Move& step) {
        Move inside = step;
        inside.kind = MoveKind::crash_inside;
        inside.fair = false;
        const auto& reaction = run_.machine().react(run_.here().sites[step.site], step.input);
        for (std::size_t i = 0; i < std::min<std::size_t>(31, reaction.sent.size()); ++i)
            if (random_.coin()) inside.sent |= 1u << i;
        inside.sent = may_leave(run_, inside);
        return can_be_cut_short(run_, inside) ? inside : step;
    }

    // Lets every site ask once more, so that a lost token or permit does not stay unnoticed.
    void ask_once_more() {
        for (SiteId site = 0; site < run_.sites() && !run_.broken(); ++site) {
            stop::poll();
            std::vector<Move> requests = run_.walker().inputs(run_.here());
            std::erase_if(requests, [site](const Move& move) {
                return move.site != site || move.input.kind != InputKind::request;
            });
            if (!requests.empty()) take(requests[random_(requests.size())]);
        }
    }

    void count(const walk::World& before, const Move& move) {
        count_faults(before, move);
        const Faults& all = faults_;
        extent_.faults = all.crashes + all.crashes_inside + all.duplicates + all.losses + all.lies +
                         all.false_suspicions + all.cuts + all.lapses + all.pauses + all.expulsions +
                         all.false_claims;
        if (least_ == Extent{}) return;
        for (SiteId site = 0; site < run_.sites(); ++site)
            extent_.grants += run_.site(site).phase == Phase::holding &&
                              run_.machine().local(before.sites[site]).phase != Phase::holding;
        if (move.kind != MoveKind::tick) return;
        const bool all_clocks = run_.machine().setup().skew == 0;
        for (SiteId site = 0; site < run_.sites(); ++site) ticks_[site] += all_clocks || site == move.site;
        extent_.ticks = *std::ranges::min_element(ticks_);
    }

    void count_faults(const walk::World& before, const Move& move) {
        const walk::Machine& machine = run_.machine();
        faults_.crashes += move.kind == MoveKind::crash;
        faults_.crashes_inside += move.kind == MoveKind::crash_inside;
        faults_.duplicates += move.kind == MoveKind::duplicate;
        faults_.losses += move.kind == MoveKind::drop;
        faults_.cuts += move.kind == MoveKind::cut;
        faults_.views += move.kind == MoveKind::agree;
        faults_.expulsions += paid(before, &walk::Budget::expulsions);
        faults_.lapses += paid(before, &walk::Budget::lapses);
        if (move.kind == MoveKind::crash) {
            faults_.lost_disks += static_cast<Disk>(move.input.argument) == Disk::lost;
            faults_.restored_disks += static_cast<Disk>(move.input.argument) == Disk::restored;
        }
        if (move.kind != MoveKind::input) return;
        const bool absent = machine.local(before.sites[move.site]).standing == Standing::absent;
        faults_.joins += move.input.kind == InputKind::start && absent;
        faults_.restarts += move.input.kind == InputKind::start && !absent;
        faults_.leaves += move.input.kind == InputKind::leave;
        faults_.cancels += move.input.kind == InputKind::cancel;
        faults_.false_claims += move.input.kind == InputKind::claim;
        faults_.pauses += move.input.kind == InputKind::pause;
        faults_.lies += move.input.kind == InputKind::dead && !move.fair;
        faults_.false_suspicions += move.input.kind == InputKind::suspected && !move.fair;
    }

    // The lease of a site that is no member ends without a fault, and so does the membership of a dead one.
    bool paid(const walk::World& before, std::uint32_t walk::Budget::*what) const {
        return run_.budget().*what < run_.machine().ledger(before.ledger).budget.*what;
    }

    PartialRun& run_;
    Random& random_;
    const Extent& least_;
    Faults& faults_;
    Extent& extent_;
    std::vector<std::uint64_t> ticks_;  // by site
    StepWeights weights_;
    std::size_t weights_end_ = 0;
    std::optional<std::uint64_t> enough_grants_;  // for a mild spell of a run that owes some
    std::size_t steps_ = 0;                       // of the phase, unless its extent is too small then
    std::vector<std::uint64_t> sums_;             // of weights
};

// The parameter that says how many sites there are, if it is drawn.
std::optional<std::string> drawn_size(const Parameters& fixed, const Parameters& drawn) {
    for (const char* name : {"sites", "clients", "graph"})
        if (drawn.contains(name) && !fixed.contains(name)) return name;
    return std::nullopt;
}

// A run that must have so many grants asks without end.
Parameters lasting(Parameters fixed, const Extent& least) {
    if (least.grants > 0) fixed.try_emplace("requests", "any");
    return fixed;
}

// And everything that crashes may come back: without a majority nobody is served.
std::optional<std::string> enough_restarts(const Draw& draw, const Parameters& fixed, const Extent& least) {
    const Parameters& drawn = draw.drawn();
    const bool may_return = drawn.contains("restarts") && !fixed.contains("restarts");
    if (least.grants == 0 || !may_return || !drawn.contains("crashes")) return std::nullopt;
    return drawn.at("crashes");
}

std::uint64_t most_faults(const world::Entry& entry, const world::Setup& setup) {
    if (entry.listens(Detection::suspected)) return world::Amount::any_number;
    return std::uint64_t{setup.crashes} + setup.duplicate + setup.lose.value + setup.lies + setup.cuts +
           setup.expulsions + setup.lapses + setup.pauses + setup.false_claims;
}

Result<std::unique_ptr<walk::Machine>> draw_machine_once(const world::Entry& entry, const Parameters& fixed,
                                                         Random& random, const Extent& least,
                                                         Parameters& drawn) {
    Draw draw(lasting(fixed, least), random);
    entry.sample(draw);
    Parameters parameters = draw.parameters();
    drawn = draw.drawn();
    if (const auto restarts = enough_restarts(draw, fixed, least))
        parameters["restarts"] = drawn["restarts"] = *restarts;
    auto machine = walk::make_machine(entry, parameters);
    if (machine && most_faults(entry, (*machine)->setup()) < least.faults)
        return Error{"--faults " + std::to_string(least.faults) +
                     ": the runs that are drawn cannot have so many; allow more, as in --crashes " +
                     std::to_string(least.faults)};
    return machine;
}

// An error that changes from draw to draw is about a fixed parameter beside a drawn one.
Result<std::unique_ptr<walk::Machine>> draw_machine(const world::Entry& entry, const Parameters& fixed,
                                                    Random& random, const Extent& least, Parameters& drawn) {
    Result<std::unique_ptr<walk::Machine>> machine = Error{""};
    std::set<std::string> errors;
    for (int i = 0; i < most_draws && !machine; ++i) {
        machine = draw_machine_once(entry, fixed, random, least, drawn);
        if (!machine) errors.insert(machine.error());
    }
    const auto size = drawn_size(fixed, drawn);
    if (!machine && errors.size() > 1 && size)
        return Error{machine.error() + "; --" + *size + " is drawn in every run, so write it as well"};
    return machine;
}

}  // namespace

std::uint64_t seed_of(std::uint64_t campaign, std::uint64_t run) {
    return Random(Random(campaign)(0) + run)(0);
}

Result<Run> take_run(const world::Entry& entry, const Parameters& fixed, std::uint64_t seed,
                     const Extent& least) {
    Run run;
    Random random(seed);
    auto machine = draw_machine(entry, fixed, random, least, run.drawn);
    if (!machine) return Error{machine.error()};
    run.machine = std::move(*machine);
    if (const auto wrong = run.machine->instance().unlisted()) return Error{*wrong};
    // A step must mean the same when a shorter run repeats it.
    run.machine->keep_exact_stamps();
    walk::Walker walker(*run.machine);
    Report birth;
    run.start = run.machine->initial(birth);
    if (birth.clean()) run.machine->check_state(run.start, birth);
    if (!birth.clean()) {
        run.finding = finding_of(*run.machine, birth);
        return run;
    }

    PartialRun partial(walker, run.start);
    FaultyPhase(partial, random, least, run).run();
    run.closing = partial.moves().size();
    Closing closing{Ending::broken};
    if (!partial.broken()) closing = close(partial, &random);
    run.finding = finding_of(partial, closing);
    run.moves = partial.moves();
    run.probes = run.machine->probes_reached();
    return run;
}

}  // namespace allot::swarm
