#include "walk/walker.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "world/axioms.hpp"

namespace allot::walk {

using namespace world;

namespace {

// More prompt messages than this after one step are taken for an endless chain.
constexpr std::size_t longest_trail = 100'000;

PeerState peer_state(const LocalInfo& peer) {
    return {peer.standing, peer.incarnation};
}

}  // namespace

void Deliveries::add(LocalId local, EnvelopeId envelope, const Reaction& reaction) {
    if (2 * ++count_ > slots_.size()) grow();
    const std::uint64_t key = key_of(local, envelope);
    slots_[slot_of(key)] = {key, &reaction};
}

void Deliveries::grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    --shift_;
    for (const Slot& slot : old)
        if (slot.reaction != nullptr) slots_[slot_of(slot.key)] = slot;
}

Walker::Walker(Machine& machine, std::optional<bool> ranked)
    : machine_(machine),
      fifo_(machine.setup().fifo()),
      prompt_(machine.facts().has_prompt && machine.setup().takes_prompt_messages()),
      ranked_(ranked.value_or(machine.setup().ranked())),
      normalises_(machine.facts().normalises && machine.setup().normalises()) {}

const Reaction& Walker::react_otherwise(LocalId local, const Input& input) {
    if (input.kind == InputKind::deliver) {
        const Reaction& reaction = machine_.react(local, input);
        deliveries_.add(local, input.argument, reaction);
        return reaction;
    }
    const MemoKey key{local | static_cast<std::uint64_t>(input.kind) << 32,
                      input.argument | static_cast<std::uint64_t>(input.incarnation) << 32};
    const Reaction*& known = reactions_[key];
    if (known == nullptr) known = &machine_.react(local, input);
    return *known;
}

const Walker::Observed& Walker::observe(LedgerId ledger, EventsId events) {
    const auto [place, fresh] = observed_.try_emplace(MemoKey{ledger, events});
    if (fresh) place->second.ledger = machine_.observe(ledger, events, place->second.report);
    return place->second;
}

LedgerId Walker::spend(LedgerId ledger, std::uint32_t Budget::*what) {
    constexpr std::array kinds{&Budget::crashes,   &Budget::restarts, &Budget::leaves,
                               &Budget::duplicate, &Budget::lose,     &Budget::lies};
    const auto kind = static_cast<std::uint64_t>(std::find(kinds.begin(), kinds.end(), what) - kinds.begin());
    const auto [place, fresh] = spent_.try_emplace(MemoKey{ledger, kind});
    if (fresh) place->second = machine_.spend(ledger, what);
    return place->second;
}

void Walker::put(World& world, EnvelopeId envelope) const {
    const std::uint64_t order = machine_.envelope(envelope).order;
    auto place = world.flight.end();
    while (place != world.flight.begin() && machine_.envelope(*(place - 1)).order > order) --place;
    world.flight.insert(place, envelope);
}

void Walker::advance(const World& world, SiteId site, const Reaction& reaction, std::size_t received,
                     std::uint32_t sent_mask) {
    if (&world != &after_) {
        after_.ledger = world.ledger;
        after_.sites = world.sites;
        after_.flight = world.flight;
    }
    if (!reaction.report.clean() || !report_.clean()) report_ = reaction.report;
    if (received != nothing_received)
        after_.flight.erase(after_.flight.begin() + static_cast<std::ptrdiff_t>(received));
    after_.sites[site] = reaction.after;
    for (std::size_t i = 0; i < reaction.sent.size(); ++i) {
        if (i < 32 && ((sent_mask >> i) & 1u) == 0) continue;  // later messages of a step are never cut off
        const EnvelopeId id = reaction.sent[i];
        if (machine_.local(after_.sites[machine_.envelope(id).to]).up()) put(after_, id);
    }
    if (!machine_.local(reaction.after).up()) fall(after_, site);
    if (reaction.events != 0) {
        const Observed& seen = observe(after_.ledger, reaction.events);
        after_.ledger = seen.ledger;
        if (report_.clean()) report_ = seen.report;
    }
}

// Joining is free, coming back is not; the truth is free, a lie is not.
void Walker::pay(const World& before, const Move& move) {
    switch (move.input.kind) {
        case InputKind::start:
            if (machine_.local(before.sites[move.site]).standing != Standing::absent)
                after_.ledger = spend(after_.ledger, &Budget::restarts);
            return;
        case InputKind::leave:
            after_.ledger = spend(after_.ledger, &Budget::leaves);
            return;
        case InputKind::dead:
            if (!peer_state(machine_.local(before.sites[move.input.argument]))
                     .is_over(move.input.incarnation))
                after_.ledger = spend(after_.ledger, &Budget::lies);
            return;
        default:
            return;
    }
}

// Messages to a site that is gone vanish.
void Walker::fall(World& world, SiteId site) {
    std::erase_if(world.flight, [&](EnvelopeId id) { return machine_.envelope(id).to == site; });
}

// Later messages than the mask has bits are never cut off.
bool Walker::may_be_cut_short(std::uint32_t sent, const Reaction& reaction) const {
    return world::may_be_cut_short(
        machine_.setup().order(), reaction.sent.size(),
        [&](std::size_t i) { return machine_.envelope(reaction.sent[i]).to; },
        [&](std::size_t i) { return i < 32 && ((sent >> i) & 1u) != 0; });
}

bool Walker::copies_allow(const World& world, std::uint32_t timer) const {
    const std::uint32_t most = machine_.setup().copies;
    if (most == 0) return true;
    const auto copies = std::count_if(world.flight.begin(), world.flight.end(), [&](EnvelopeId id) {
        return ((machine_.envelope(id).replaced_by >> timer) & 1u) != 0;
    });
    return copies < static_cast<std::ptrdiff_t>(most);
}

// Sites may pass on what a timer sends, so messages may pile up in any channel. Only a bound on every channel
// makes the worlds finite.
bool Walker::backlog_allows(const World& world) const {
    const std::uint32_t most = machine_.setup().backlog;
    if (most == 0) return true;
    return std::none_of(world.flight.begin(), world.flight.end(), [&](EnvelopeId id) {
        const EnvelopeInfo& mine = machine_.envelope(id);
        const auto waiting = std::count_if(world.flight.begin(), world.flight.end(), [&](EnvelopeId other) {
            const EnvelopeInfo& info = machine_.envelope(other);
            return info.from == mine.from && info.to == mine.to;
        });
        return waiting >= static_cast<std::ptrdiff_t>(most);
    });
}

bool Walker::offered(const World& world, SiteId self, const LocalInfo& info, Offer& offer) const {
    const Budget& budget = machine_.ledger(world.ledger).budget;
    if (offer.input.kind == InputKind::start) return info.standing == Standing::absent || budget.restarts > 0;
    if (offer.input.kind == InputKind::leave) return budget.leaves > 0;
    const auto detection = detection_of(offer.input.kind);
    if (!detection) return true;
    const SiteId peer = offer.input.argument;
    if (peer == self) return false;
    const auto statement =
        may_say(*detection, offer.input.incarnation, peer_state(machine_.local(world.sites[peer])),
                peer == machine_.setup().anchor.site, budget.lies > 0);
    if (!statement) return false;
    offer.input.incarnation = statement->incarnation;
    offer.fair = statement->fair;
    return true;
}

World Walker::apply(const World& world, const Move& move, Report& report) {
    const auto place = std::find(world.flight.begin(), world.flight.end(), move.envelope);
    const auto received = move.kind != MoveKind::crash && move.input.kind == InputKind::deliver
                              ? static_cast<std::size_t>(place - world.flight.begin())
                              : nothing_received;
    switch (move.kind) {
        case MoveKind::duplicate: {
            World next = world;
            next.flight.insert(next.flight.begin() + (place - world.flight.begin()), move.envelope);
            next.ledger = spend(next.ledger, &Budget::duplicate);
            return next;
        }
        case MoveKind::drop: {
            World next = world;
            next.flight.erase(next.flight.begin() + (place - world.flight.begin()));
            next.ledger = spend(next.ledger, &Budget::lose);
            interrupt(next, machine_.envelope(move.envelope));
            return next;
        }
        case MoveKind::crash:
            advance(world, move.site, react(world.sites[move.site], {InputKind::crash}), nothing_received, 0);
            after_.ledger = spend(after_.ledger, &Budget::crashes);
            break;
        case MoveKind::crash_inside: {
            const Reaction& whole = react(world.sites[move.site], move.input);
            const bool starting = move.input.kind == InputKind::start;  // it is the new life that ends
            Reaction cut = react(starting ? whole.after : world.sites[move.site], {InputKind::crash});
            cut.sent = whole.sent;
            advance(world, move.site, cut, received, move.sent);
            pay(world, move);
            after_.ledger = spend(after_.ledger, &Budget::crashes);
            break;
        }
        case MoveKind::input: {
            const Reaction& reaction = react(world.sites[move.site], move.input);
            advance(world, move.site, reaction, received, everything_sent);
            pay(world, move);
            break;
        }
    }
    report = report_;
    return after_;
}

// Both ends of a link that lost something will be told when it is there again.
void Walker::interrupt(World& world, const EnvelopeInfo& lost) {
    const auto note = [&](SiteId site, SiteId peer) {
        LocalId& local = world.sites[site];
        if (site != peer && machine_.local(local).up())
            local = react(local, {InputKind::interrupted, peer, 0}).after;
    };
    note(lost.from, lost.to);
    note(lost.to, lost.from);
}

std::vector<Move> Walker::inputs(const World& world) {
    std::vector<Move> moves;
    for_each_input(world, [&](const Move& move, std::size_t) {
        const bool timer = move.input.kind == InputKind::timeout;
        if (!timer || in_time(world, move.input, react(world.sites[move.site], move.input)))
            moves.push_back(move);
    });
    return moves;
}

ActionKey Walker::action(const Move& move) const {
    const Input& input = move.input;
    const auto kind = static_cast<std::uint64_t>(input.kind) << 58;
    if (input.kind == InputKind::deliver) {
        const EnvelopeInfo& envelope = machine_.envelope(move.envelope);
        if (fifo_) return kind | static_cast<std::uint64_t>(envelope.from) << 29 | envelope.to;
        return kind | (canonicalises() ? envelope.shape : move.envelope);
    }
    // Which demand is asked for is a choice, not an action of its own.
    const std::uint64_t argument = input.kind == InputKind::request ? 0 : input.argument;
    return kind | static_cast<std::uint64_t>(move.site) << 29 | argument;
}

void Walker::take_prompt_messages() {
    for (std::size_t i = 0; i < after_.flight.size() && report_.clean();) {
        const EnvelopeId id = after_.flight[i];
        const EnvelopeInfo& envelope = machine_.envelope(id);
        const bool deliverable = i == 0 || machine_.envelope(after_.flight[i - 1]).order != envelope.order;
        if (!envelope.prompt || !deliverable) {
            ++i;
            continue;
        }
        // The world between two prompt receptions is never stored, so it is checked here.
        machine_.check_state(after_, report_);
        if (!report_.clean()) return;
        const SiteId to = envelope.to;
        advance(after_, to, react(after_.sites[to], {InputKind::deliver, id, 0}), i, everything_sent);
        trail_.push_back(id);
        if (trail_.size() > longest_trail)
            report_.violated(assertion.name, "prompt messages cause prompt messages without end");
        i = 0;
    }
}

void Walker::canonical(World& world) {
    if (normalises_) machine_.normalise(world);
    if (!ranked_) return;
    const Naming naming = measure(world, Spacing::Of::real_stamps);
    rename(world, spacing_.names(0), naming);
}

std::span<const World> Walker::canonical_forms(const World& world) {
    if (forms_.empty()) forms_.emplace_back();
    forms_.front() = world;
    if (normalises_) machine_.normalise(forms_.front());
    if (!ranked_) return {forms_.data(), 1};
    Naming naming = measure(forms_.front(), Spacing::Of::named_stamps);
    leapt_ = leapt_ || spacing_.leaps(known_);
    const std::uint64_t count = spacing_.forms();
    guesses_ += count - 1;
    if (forms_.size() < count) forms_.resize(count);
    for (std::uint64_t form = count; form-- > 0;) {
        if (form > 0) forms_[form] = forms_.front();
        naming.way = 1 + form;
        rename(forms_[form], spacing_.names(form), naming);
    }
    return {forms_.data(), count};
}

bool Walker::recurs(World before, World after) {
    if (before == after) return true;
    canonical(before);
    const auto first = spacing_.wide_distances();
    canonical(after);
    const auto last = spacing_.wide_distances();
    return before == after && std::ranges::equal(first, last, std::ranges::less_equal());
}

std::pair<std::uint64_t, std::vector<std::uint64_t>> Walker::stamps_in(const World& world) const {
    StampSet all = machine_.ledger(world.ledger).stamps;
    const auto add = [&all](const StampSet& more) {
        all.values |= more.values;
        all.large |= more.large;
    };
    for (const LocalId id : world.sites) add(machine_.local(id).stamps);
    for (const EnvelopeId id : world.flight) add(machine_.envelope(id).stamps);
    if (all.large) return {0, machine_.stamps_of(world)};
    std::vector<std::uint64_t> stamps;
    for (std::uint64_t rest = all.values; rest != 0; rest &= rest - 1)
        stamps.push_back(static_cast<std::uint64_t>(std::countr_zero(rest)));
    return {all.values, std::move(stamps)};
}

Walker::Naming Walker::measure(const World& world, Spacing::Of what) {
    auto [set, stamps] = stamps_in(world);
    Naming naming{.stamps = set, .clock = machine_.local(world.sites.front()).clock};
    for (const LocalId id : world.sites) naming.clock = std::min(naming.clock, machine_.local(id).clock);
    spacing_.measure(std::move(stamps), naming.clock, what);
    return naming;
}

void Walker::rename(World& world, const StampNames& names, const Naming& naming) {
    if (names.empty()) return;
    const auto once = [&](std::uint32_t id, std::uint64_t sort, const StampSet& stamps, auto&& renamed) {
        if (stamps.values == 0 && !stamps.large) return id;
        if (naming.stamps == 0) return renamed(id);
        const std::uint64_t way = sort | naming.clock << 2 | naming.way << 8;
        const auto [place, fresh] = renamed_.try_emplace(MemoKey{id | way << 32, naming.stamps});
        if (fresh) place->second = renamed(id);
        return place->second;
    };
    world.ledger = once(world.ledger, 0, machine_.ledger(world.ledger).stamps,
                        [&](std::uint32_t id) { return machine_.rename_ledger(id, names); });
    for (LocalId& id : world.sites)
        id = once(id, 1, machine_.local(id).stamps,
                  [&](std::uint32_t local) { return machine_.rename_local(local, names); });
    for (EnvelopeId& id : world.flight)
        id = once(id, 2, machine_.envelope(id).stamps,
                  [&](std::uint32_t envelope) { return machine_.rename_envelope(envelope, names); });
    if (!fifo_) std::sort(world.flight.begin(), world.flight.end());
}

}  // namespace allot::walk
