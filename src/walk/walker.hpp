// The steps of a world: which may happen, what each leads to, which are fair. One Walker per thread; it
// remembers what the machine answered, so that a step is a few look-ups.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "walk/machine.hpp"
#include "walk/spacing.hpp"
#include "world/axioms.hpp"

namespace allot::walk {

enum class MoveKind : std::uint8_t {
    input,         // a site does `input`
    crash,         // a site stops between two steps
    crash_inside,  // a site stops inside the step `input`: only the messages in `sent` left it
    duplicate,     // the network copies `envelope`
    drop,          // the network loses `envelope`
    cut,           // the channel from `site` to the site `input.argument` delivers nothing until it heals
    heal,
    tick,   // the clock of `site` ticks; or all clocks, where they tick at once
    agree,  // on a view that differs by `input.argument`, a ViewChange, of `site`
};

struct Move {
    MoveKind kind = MoveKind::input;
    SiteId site = 0;
    Input input;
    EnvelopeId envelope = 0;  // the message delivered, copied or lost
    std::uint32_t sent = 0;   // crash_inside: one bit per message of the step
    bool fair = false;
    bool operator==(const Move&) const = default;
};

// Two moves with the same key are the same action as far as weak fairness goes: a channel's head where
// links are FIFO, a message's content where they are not.
using ActionKey = std::uint64_t;

// The reaction of a local state to each message: a plain hash table, because every step asks it.
class Deliveries {
public:
    // Null where it is not known yet.
    const Reaction* find(LocalId local, EnvelopeId envelope) const {
        return slots_[slot_of(key_of(local, envelope))].reaction;
    }
    void add(LocalId local, EnvelopeId envelope, const Reaction& reaction);

private:
    struct Slot {
        std::uint64_t key = 0;
        const Reaction* reaction = nullptr;  // null: free
    };
    static std::uint64_t key_of(LocalId local, EnvelopeId envelope) {
        return std::uint64_t{local} << 32 | envelope;
    }
    // Where the key is, or would be.
    std::size_t slot_of(std::uint64_t key) const {
        std::size_t i = (key * 0x9E3779B97F4A7C15u) >> shift_;
        while (slots_[i].key != key && slots_[i].reaction != nullptr) i = (i + 1) & (slots_.size() - 1);
        return i;
    }
    void grow();

    unsigned shift_ = 64 - 10;
    std::vector<Slot> slots_ = std::vector<Slot>(std::size_t{1} << 10);
    std::size_t count_ = 0;
};

class Walker {
public:
    // Stamps are ranked as the machine says, unless the caller knows better.
    explicit Walker(Machine& machine, std::optional<bool> ranked = std::nullopt);

    // Visits every step of `world`: visit(move, world after it, report of the step). Prompt messages have
    // been received in the world after it; `trail` says which. A visitor in a hurry may have a second
    // function, visit.quickly(move, reaction, index of the message received): where it returns true it has
    // dealt with the step itself, and the world after it is not built.
    template <class F>
    void for_each_step(const World& world, F&& visit);
    static constexpr std::size_t nothing_received = ~std::size_t{0};
    bool takes_prompt_messages() const { return prompt_; }
    bool keeps_messages() const { return lossy_; }

    // The messages received at once after the step being visited, in order.
    const std::vector<EnvelopeId>& trail() const { return trail_; }

    // Takes one step, without receiving prompt messages. The move must be possible.
    World apply(const World& world, const Move& move, Report& report);
    // Every step that is no fault, without taking any; crashes, copies, losses and cuts are left out.
    std::vector<Move> inputs(const World& world);
    // The crashes of a site between two steps, with each way that its disk may fare.
    std::vector<Move> crashes(const World& world, SiteId site) const;
    // The channels that may be cut, or that may heal.
    std::vector<Move> channel_changes(const World& world, MoveKind kind) const;
    // The views on which the sites may agree next.
    std::vector<Move> view_changes(const World& world) const;
    // The state in which a crash inside a step finds the site: before the step, unless the step begins an
    // incarnation or may have written to the disk.
    LocalId crashing(const World& world, const Move& move, const Reaction& whole) const;
    // Whether a crash inside a step may let just these of its messages out.
    bool may_be_cut_short(std::uint32_t sent, const Reaction& reaction) const;

    // The action of a fair move, for weak fairness.
    ActionKey action(const Move& move) const;

    // Renames stamps to small ones and lets the protocol normalise, as the setup says.
    void canonical(World& world);
    // The same for a world that is a step after a canonical one. That does not say how far apart distant
    // stamps are; so these are all the worlds it may stand for. Overwritten by the next call.
    std::span<const World> canonical_forms(const World& world);
    bool canonicalises() const { return ranked_ || normalises_ || deletes_ignored_; }
    // Whether the receiver of a message in flight will never act on it.
    bool is_ignored(const World& world, EnvelopeId envelope);
    bool is_paused(const World& world, SiteId site) const {
        return pauses_ && machine_.local(world.sites[site]).paused();
    }
    // False while a channel that is not cut holds too many messages for timers and clocks.
    bool backlog_allows(const World& world) const;
    // How many more worlds there were than steps that led to them.
    std::uint64_t guesses() const { return guesses_; }
    // Whether a step ever made stamps so far ahead that the names of stamps do not tell what it did.
    bool leapt() const { return leapt_; }
    // Whether a loop from one world to the other can repeat without end: they have the same canonical form,
    // and no distance that this leaves open has become shorter, to be used up in the end.
    bool recurs(World before, World after);

    // Puts a message where it belongs in the canonical order of messages in flight.
    void put(World& world, EnvelopeId envelope) const;

    Machine& machine() const { return machine_; }
    // See Machine.
    void forget_states_but(World& world);

private:
    struct MemoKey {
        std::uint64_t place;  // local state or ledger, and the kind of input
        std::uint64_t what;
        bool operator==(const MemoKey&) const = default;
    };
    struct MemoHash {
        using is_avalanching = void;
        std::size_t operator()(const MemoKey& key) const noexcept {
            std::uint64_t x = key.place * 0x9E3779B97F4A7C15u ^ key.what * 0xC2B2AE3D27D4EB4Fu;
            x ^= x >> 32;
            x *= 0xD6E8FEB86659FD93u;
            return x ^ (x >> 29);
        }
    };
    struct Observed {
        LedgerId ledger;
        Report report;
    };

    const Reaction& react(LocalId local, const Input& input) {
        // Deliveries are nearly all there is.
        if (input.kind == InputKind::deliver)
            if (const Reaction* known = deliveries_.find(local, input.argument)) return *known;
        return react_otherwise(local, input);
    }
    const Reaction& react_otherwise(LocalId local, const Input& input);
    const Observed& observe(LedgerId ledger, EventsId events);
    LedgerId spend(LedgerId ledger, std::uint32_t Budget::*what);
    LedgerId changed(LedgerId ledger, const Move& move);
    Conditions conditions_after(const Conditions& before, const Move& move) const;
    bool offered(const World& world, SiteId self, const LocalInfo& info, Offer& offer) const;
    bool membership_offered(const World& world, SiteId self, const LocalInfo& info, Offer& offer) const;
    bool others_stopped(const World& world, const LocalInfo& info) const;
    std::vector<Move> views_to_see(const World& world, SiteId site, const LocalInfo& info) const;
    world::PeerState peer_state(const World& world, SiteId site) const;
    bool expels(const World& world, const Move& move) const;
    bool may_see(const World& world, const AgreedView& view) const;
    void forget_views(World& world);
    // Whether a step may happen as far as the bounds on timers go.
    bool in_time(const World& world, const Input& input, const Reaction& reaction) const {
        if (input.kind != InputKind::timeout) return true;
        return copies_allow(world, input.argument) && (reaction.sent.empty() || backlog_allows(world));
    }
    bool copies_allow(const World& world, std::uint32_t timer) const;
    bool counts_ticks(LocalId site) const;
    bool clock_stands_still(LocalId site) const;

    // Builds `after_` from `world` and a reaction of `site`; `sent` masks its messages.
    void advance(const World& world, SiteId site, const Reaction& reaction, std::size_t received,
                 std::uint32_t sent_mask);
    void fall(World& world, SiteId site);
    void interrupt(World& world, const EnvelopeInfo& lost);
    void pay(const World& before, const Move& move);
    void advance_clocks(const World& world, const Move& move);
    std::vector<Move> ticks(const World& world) const;
    static constexpr std::uint32_t everything_sent = ~0u;

    template <class F>
    void visit_reaction(const World& world, const Move& move, std::size_t received, F& visit);
    template <class F>
    void for_each_input(const World& world, F&& f);
    template <class F>
    void visit_crashes_inside(const World& world, const Move& move, F& visit);
    template <class F>
    void visit_conditions(const World& world, F& visit);
    template <class F>
    void visit_faults(const World& world, F& visit);
    template <class F>
    void visit_applied(const World& world, const Move& move, F& visit);
    template <class F>
    void hand_over(const Move& move, F& visit);

    template <class F>
    void for_each_deliverable(const World& world, F&& f) const;
    void take_prompt_messages();
    void normalise(World& world);
    // The facts that decide the names of stamps. Without large stamps, a renaming is remembered.
    struct Naming {
        std::uint64_t stamps = 0;  // a set; nothing if some are large
        std::uint64_t clock = 0;   // the earliest
        std::uint64_t way = 0;     // of real stamps, else 1 + the form
    };
    // The stamps as a set, nothing if some are large; and ascending.
    std::pair<std::uint64_t, std::vector<std::uint64_t>> stamps_in(const World& world) const;
    Naming measure(const World& world, Spacing::Of what);
    void rename(World& world, const StampNames& names, const Naming& naming);

    Machine& machine_;
    const bool fifo_;
    const bool lossy_;  // messages stay in flight: each may come again, or never
    const bool prompt_;
    const bool ranked_;
    const bool normalises_;
    const bool deletes_ignored_;
    const bool strays_;
    const bool pauses_;
    Deliveries deliveries_;
    boost::unordered_flat_map<MemoKey, bool, MemoHash> ignored_;
    boost::unordered_flat_map<MemoKey, const Reaction*, MemoHash> reactions_;
    boost::unordered_flat_map<MemoKey, Observed, MemoHash> observed_;
    boost::unordered_flat_map<MemoKey, LedgerId, MemoHash> spent_;
    boost::unordered_flat_map<MemoKey, LedgerId, MemoHash> changed_;
    boost::unordered_flat_map<MemoKey, LedgerId, MemoHash> forgotten_;
    boost::unordered_flat_map<MemoKey, std::uint32_t, MemoHash> renamed_;
    World after_;
    Report report_;
    std::vector<EnvelopeId> trail_;
    Spacing spacing_;
    std::vector<World> forms_;
    std::uint64_t guesses_ = 0;
    std::vector<std::uint64_t> known_;  // the stamps of the world whose steps are visited
    bool leapt_ = false;
};

// Everything below is the body of for_each_step: a template, so that the checker's visitor is inlined.

template <class F>
void Walker::for_each_step(const World& world, F&& visit) {
    if (ranked_) known_ = stamps_in(world).second;
    const auto take = [&](const Move& move, std::size_t received) {
        visit_reaction(world, move, received, visit);
    };
    for_each_input(world, take);
    visit_conditions(world, visit);
    visit_faults(world, visit);
    // Last, so that of two equally short ways to a world the one with plain crashes is found first.
    // On lossy links a message that does not leave is one that never comes.
    if (machine_.ledger(world.ledger).budget.crashes > 0 && !lossy_)
        for_each_input(world,
                       [&](const Move& move, std::size_t) { visit_crashes_inside(world, move, visit); });
}

// Everything a site may be given: f(move, index of the message received).
template <class F>
void Walker::for_each_input(const World& world, F&& f) {
    for_each_deliverable(world, [&](std::size_t i, const EnvelopeInfo& envelope) {
        const EnvelopeId id = world.flight[i];
        f(Move{.site = envelope.to, .input = {InputKind::deliver, id, 0}, .envelope = id, .fair = !lossy_},
          i);
    });
    for (SiteId site = 0; site < world.sites.size(); ++site) {
        const LocalInfo& info = machine_.local(world.sites[site]);
        for (Offer offer : info.offers)
            if (offered(world, site, info, offer))
                f(Move{.site = site, .input = offer.input, .fair = offer.fair}, nothing_received);
        if (machine_.facts().sees_views && info.up() && !info.paused())
            for (const Move& see : views_to_see(world, site, info)) f(see, nothing_received);
    }
}

template <class F>
void Walker::visit_reaction(const World& world, const Move& move, std::size_t received, F& visit) {
    const Reaction& reaction = react(world.sites[move.site], move.input);
    if (!in_time(world, move.input, reaction)) return;
    bool done = false;
    if constexpr (requires { visit.quickly(move, reaction, received); })
        done = visit.quickly(move, reaction, received);
    if (!done) {
        advance(world, move.site, reaction, received, everything_sent);
        pay(world, move);
        hand_over(move, visit);
    }
}

template <class F>
void Walker::visit_crashes_inside(const World& world, const Move& move, F& visit) {
    const Reaction& reaction = react(world.sites[move.site], move.input);
    // A site that starts has begun an incarnation, and one with a disk may have written, even if none of the
    // messages left.
    const LocalId crashed = crashing(world, move, reaction);
    const bool leaves_a_trace = crashed != world.sites[move.site];
    if (!machine_.local(crashed).may_crash) return;
    if (!in_time(world, move.input, reaction)) return;
    // None sent is a crash before the step, all sent a crash after it, and what goes to the dead is lost
    // anyway.
    std::uint32_t reachable = 0;
    for (std::size_t i = 0; i < reaction.sent.size(); ++i) {
        const SiteId to = machine_.envelope(reaction.sent[i]).to;
        if (i < 31 && to != move.site && machine_.receives(world.sites[to])) reachable |= 1u << i;
    }
    for (std::uint32_t rest = reachable; rest != 0; rest = (rest - 1) & reachable) {
        const std::uint32_t sent = (rest - 1) & reachable;
        if ((sent == 0 && !leaves_a_trace) || !may_be_cut_short(sent, reaction)) continue;
        Move inside = move;
        inside.kind = MoveKind::crash_inside;
        inside.sent = sent;
        inside.fair = false;
        visit_applied(world, inside, visit);
    }
}

// Clocks tick, channels heal, and the sites agree on views. Most protocols have none of these.
template <class F>
void Walker::visit_conditions(const World& world, F& visit) {
    const Conditions& conditions = machine_.ledger(world.ledger).conditions;
    const auto take_each = [&](const std::vector<Move>& moves) {
        for (const Move& move : moves) visit_applied(world, move, visit);
    };
    if (machine_.facts().ticks) take_each(ticks(world));
    if (conditions.cut != 0) take_each(channel_changes(world, MoveKind::heal));
    if (!conditions.views.empty()) take_each(view_changes(world));
}

template <class F>
void Walker::visit_applied(const World& world, const Move& move, F& visit) {
    Report report;
    after_ = apply(world, move, report);
    report_ = std::move(report);
    hand_over(move, visit);
}

template <class F>
void Walker::visit_faults(const World& world, F& visit) {
    const Budget& budget = machine_.ledger(world.ledger).budget;
    const auto take = [&](const Move& move) { visit_applied(world, move, visit); };
    if (budget.crashes > 0)
        for (SiteId site = 0; site < world.sites.size(); ++site)
            for (const Move& crash : crashes(world, site)) take(crash);
    if (budget.cuts > 0)
        for (const Move& cut : channel_changes(world, MoveKind::cut)) take(cut);
    if (budget.duplicate + budget.lose == 0) return;
    for_each_deliverable(world, [&](std::size_t i, const EnvelopeInfo&) {
        if (budget.duplicate > 0) take({.kind = MoveKind::duplicate, .envelope = world.flight[i]});
        if (budget.lose > 0) take({.kind = MoveKind::drop, .envelope = world.flight[i]});
    });
}

template <class F>
void Walker::hand_over(const Move& move, F& visit) {
    trail_.clear();
    if (prompt_ && report_.clean()) take_prompt_messages();
    visit(move, std::as_const(after_), std::as_const(report_));
}

// The oldest message of each channel where links are FIFO, else one of each kind: f(index, message).
template <class F>
void Walker::for_each_deliverable(const World& world, F&& f) const {
    const Conditions& conditions = machine_.ledger(world.ledger).conditions;
    const EnvelopeInfo* last = nullptr;
    for (std::size_t i = 0; i < world.flight.size(); ++i) {
        const EnvelopeInfo& envelope = machine_.envelope(world.flight[i]);
        const bool first = last == nullptr || last->order != envelope.order;
        if (strays_ && !machine_.local(world.sites[envelope.to]).up()) continue;
        if (first && !conditions.is_cut(envelope.from, envelope.to) && !is_paused(world, envelope.to))
            f(i, envelope);
        last = &envelope;
    }
}

}  // namespace allot::walk
