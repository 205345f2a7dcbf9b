#include "walk/walker.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/ensure.hpp"
#include "world/axioms.hpp"

namespace allot::walk {

using namespace world;

namespace {

// More prompt messages than this after one step are taken for an endless chain.
constexpr std::size_t longest_trail = 100'000;

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
      lossy_(machine.setup().lossy()),
      prompt_(machine.facts().has_prompt && machine.setup().takes_prompt_messages()),
      ranked_(ranked.value_or(machine.ranks())),
      normalises_(machine.facts().normalises && machine.setup().normalises()),
      deletes_ignored_(machine.deletes_ignored()),
      strays_(machine.setup().strays),
      pauses_(machine.setup().pauses > 0) {
    ensure(!ranked_ || !machine.keeps_exact_stamps(), "a machine that keeps exact stamps cannot rank them");
}

void Walker::forget_states_but(World& world) {
    deliveries_ = {};
    ignored_.clear();
    reactions_.clear();
    renamed_.clear();
    machine_.forget_states_but(world);
}

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
    constexpr std::array kinds{&Budget::crashes,     &Budget::restarts,       &Budget::leaves,
                               &Budget::duplicate,   &Budget::lose,           &Budget::lies,
                               &Budget::lost_disks,  &Budget::restored_disks, &Budget::cuts,
                               &Budget::expulsions,  &Budget::lapses,         &Budget::pauses,
                               &Budget::false_claims};
    const auto kind = static_cast<std::uint64_t>(std::find(kinds.begin(), kinds.end(), what) - kinds.begin());
    const auto [place, fresh] = spent_.try_emplace(MemoKey{ledger, kind});
    if (fresh) place->second = machine_.spend(ledger, what);
    return place->second;
}

LedgerId Walker::changed(LedgerId ledger, const Move& move) {
    const auto what = std::uint64_t{move.input.incarnation} << 40 |
                      static_cast<std::uint64_t>(move.kind) << 32 | move.input.argument;
    const auto [place, fresh] = changed_.try_emplace(MemoKey{ledger | std::uint64_t{move.site} << 32, what});
    if (fresh)
        place->second =
            machine_.with_conditions(ledger, conditions_after(machine_.ledger(ledger).conditions, move));
    return place->second;
}

Conditions Walker::conditions_after(const Conditions& before, const Move& move) const {
    Conditions after = before;
    if (move.kind == MoveKind::agree) {
        after.views.push_back(changed_view(before.views.back(), static_cast<ViewChange>(move.input.argument),
                                           {move.site, move.input.incarnation}));
        return after;
    }
    if (move.kind != MoveKind::tick) {
        after.cut ^= Conditions::bit(move.site, move.input.argument);
        return after;
    }
    if (machine_.setup().skew == 0) return after;
    after.ahead.resize(machine_.setup().sites);
    ++after.ahead[move.site];
    const std::uint32_t slowest = std::ranges::min(after.ahead);
    for (std::uint32_t& ahead : after.ahead) ahead -= slowest;
    if (std::ranges::max(after.ahead) == 0) after.ahead.clear();
    return after;
}

void Walker::put(World& world, EnvelopeId envelope) const {
    const std::uint64_t order = machine_.envelope(envelope).order;
    auto place = world.flight.end();
    while (place != world.flight.begin() && machine_.envelope(*(place - 1)).order > order) --place;
    if (lossy_ && place != world.flight.begin() && *(place - 1) == envelope) return;
    world.flight.insert(place, envelope);
}

void Walker::advance(const World& world, SiteId site, const Reaction& reaction, std::size_t received,
                     std::uint32_t sent_mask) {
    const std::uint32_t incarnation = machine_.local(world.sites[site]).incarnation;
    if (&world != &after_) {
        after_.ledger = world.ledger;
        after_.sites = world.sites;
        after_.flight = world.flight;
    }
    if (!reaction.report.clean() || !report_.clean()) report_ = reaction.report;
    if (received != nothing_received && !lossy_)
        after_.flight.erase(after_.flight.begin() + static_cast<std::ptrdiff_t>(received));
    after_.sites[site] = reaction.after;
    for (std::size_t i = 0; i < reaction.sent.size(); ++i) {
        if (i < 32 && ((sent_mask >> i) & 1u) == 0) continue;  // later messages of a step are never cut off
        const EnvelopeId id = reaction.sent[i];
        if (machine_.receives(after_.sites[machine_.envelope(id).to])) put(after_, id);
    }
    const LocalInfo& now = machine_.local(reaction.after);
    if (!now.up() || now.incarnation != incarnation) fall(after_, site);
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
        case InputKind::see:
            return forget_views(after_);
        case InputKind::crash:
            forget_views(after_);
            after_.ledger = spend(after_.ledger, &Budget::crashes);
            if (move.input.argument == static_cast<std::uint32_t>(Disk::lost))
                after_.ledger = spend(after_.ledger, &Budget::lost_disks);
            if (move.input.argument == static_cast<std::uint32_t>(Disk::restored))
                after_.ledger = spend(after_.ledger, &Budget::restored_disks);
            return;
        case InputKind::dead:
            if (!peer_state(before, move.input.argument).is_over(move.input.incarnation))
                after_.ledger = spend(after_.ledger, &Budget::lies);
            return;
        case InputKind::lapse:
            if (machine_.ledger(before.ledger)
                    .conditions.is_member({move.site, machine_.local(before.sites[move.site]).incarnation}))
                after_.ledger = spend(after_.ledger, &Budget::lapses);
            return;
        case InputKind::pause:
            after_.ledger = spend(after_.ledger, &Budget::pauses);
            return;
        case InputKind::claim:
            after_.ledger = spend(after_.ledger, &Budget::false_claims);
            return;
        default:
            return;
    }
}

void Walker::advance_clocks(const World& world, const Move& move) {
    after_ = world;
    after_.ledger = changed(world.ledger, move);
    report_ = Report{};
    for (SiteId site = 0; site < world.sites.size() && report_.clean(); ++site)
        if ((machine_.setup().skew == 0 || site == move.site) && counts_ticks(after_.sites[site]))
            advance(after_, site, react(after_.sites[site], {InputKind::tick}), nothing_received,
                    everything_sent);
}

// An orphan grows older though its site is down.
bool Walker::counts_ticks(LocalId site) const {
    const LocalInfo& info = machine_.local(site);
    return info.up() || (info.abandoned && machine_.setup().orphan_ticks > 0);
}

// A pause lasts no longer than so many ticks.
bool Walker::clock_stands_still(LocalId site) const {
    const auto& missed = machine_.local(site).missed;
    return missed && *missed >= machine_.setup().pause_ticks;
}

// A clock ticks unless it is as far ahead of the slowest as it may be.
std::vector<Move> Walker::ticks(const World& world) const {
    if (!machine_.facts().ticks || !backlog_allows(world)) return {};
    const Move tick{.kind = MoveKind::tick, .input = {InputKind::tick}, .fair = true};
    const auto stands_still = [&](LocalId site) { return pauses_ && clock_stands_still(site); };
    std::vector<Move> moves;
    const std::uint32_t skew = machine_.setup().skew;
    if (skew == 0) {
        if (std::ranges::none_of(world.sites, stands_still)) moves.push_back(tick);
        return moves;
    }
    const std::vector<std::uint32_t>& ahead = machine_.ledger(world.ledger).conditions.ahead;
    for (SiteId site = 0; site < world.sites.size(); ++site)
        if ((ahead.empty() || ahead[site] < skew) && !stands_still(world.sites[site])) {
            moves.push_back(tick);
            moves.back().site = site;
        }
    return moves;
}

std::vector<Move> Walker::channel_changes(const World& world, MoveKind kind) const {
    const LedgerInfo& ledger = machine_.ledger(world.ledger);
    std::vector<Move> moves;
    if (kind == MoveKind::cut ? ledger.budget.cuts == 0 : ledger.conditions.cut == 0) return moves;
    for (SiteId from = 0; from < world.sites.size(); ++from)
        for (SiteId to = 0; to < world.sites.size(); ++to)
            if (from != to && ledger.conditions.is_cut(from, to) == (kind == MoveKind::heal))
                moves.push_back({.kind = kind,
                                 .site = from,
                                 .input = {InputKind::interrupted, to},
                                 .fair = kind == MoveKind::heal});
    return moves;
}

std::vector<Move> Walker::crashes(const World& world, SiteId site) const {
    const LocalInfo& local = machine_.local(world.sites[site]);
    const Budget& budget = machine_.ledger(world.ledger).budget;
    std::vector<Move> moves;
    if (!local.may_crash || budget.crashes == 0) return moves;
    const auto add = [&](bool possible, Disk disk) {
        if (possible)
            moves.push_back({.kind = MoveKind::crash,
                             .site = site,
                             .input = {InputKind::crash, static_cast<std::uint32_t>(disk)}});
    };
    add(true, Disk::kept);
    add(local.unsynced, Disk::torn);
    add(budget.lost_disks > 0, Disk::lost);
    add(budget.restored_disks > 0 && local.copied, Disk::restored);
    return moves;
}

LocalId Walker::crashing(const World& world, const Move& move, const Reaction& whole) const {
    const LocalId before = world.sites[move.site];
    const auto holds = [&](LocalId id) { return machine_.local(id).phase == Phase::holding; };
    // A program that ends its use in this step is no orphan.
    const bool ends_use = machine_.setup().orphans && holds(before) && !holds(whole.after);
    const bool begun = move.input.kind == InputKind::start || machine_.facts().durable;
    return begun || ends_use ? whole.after : before;
}

// Messages to a site that is gone vanish, unless links outlive incarnations.
void Walker::fall(World& world, SiteId site) {
    if (strays_ && machine_.local(world.sites[site]).standing != Standing::left) return;
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
    const Conditions& conditions = machine_.ledger(world.ledger).conditions;
    boost::container::small_vector<std::uint64_t, 128> channels;
    for (const EnvelopeId id : world.flight) {
        const EnvelopeInfo& info = machine_.envelope(id);
        if (!conditions.is_cut(info.from, info.to) && !is_paused(world, info.to))
            channels.push_back(std::uint64_t{info.from} << 32 | info.to);
    }
    if (!fifo_) std::ranges::sort(channels);
    for (std::size_t i = most - 1; i < channels.size(); ++i)
        if (channels[i] == channels[i - (most - 1)]) return false;
    return true;
}

namespace {

// Copies that are never restored change nothing, so there are no more of them than may be restored.
bool may_copy_disk(const Machine& machine, const World& world) {
    const auto copied =
        std::ranges::count_if(world.sites, [&](LocalId id) { return machine.local(id).copied; });
    return machine.ledger(world.ledger).budget.restored_disks > 0 &&
           static_cast<std::size_t>(copied) < machine.setup().restored_disks;
}

}  // namespace

bool Walker::offered(const World& world, SiteId self, const LocalInfo& info, Offer& offer) const {
    const Budget& budget = machine_.ledger(world.ledger).budget;
    if (offer.input.kind == InputKind::start) return info.standing == Standing::absent || budget.restarts > 0;
    if (offer.input.kind == InputKind::leave) return budget.leaves > 0;
    if (offer.input.kind == InputKind::pause) return budget.pauses > 0;
    if (offer.input.kind == InputKind::claim) return budget.false_claims > 0;
    if (offer.input.kind == InputKind::copy) return may_copy_disk(machine_, world);
    const auto detection = detection_of(offer.input.kind);
    if (!detection) return membership_offered(world, self, info, offer);
    const SiteId peer = offer.input.argument;
    if (peer == self) return false;
    const auto statement = may_say(*detection, offer.input.incarnation, peer_state(world, peer),
                                   peer == machine_.setup().anchor.site, budget.lies > 0);
    if (!statement) return false;
    offer.input.incarnation = statement->incarnation;
    offer.fair = statement->fair;
    return true;
}

// A member renews its lease in time, unless it pays for a lapse; the lease of any other site ends.
bool Walker::membership_offered(const World& world, SiteId self, const LocalInfo& info, Offer& offer) const {
    const LedgerInfo& ledger = machine_.ledger(world.ledger);
    const bool member = ledger.conditions.is_member({self, info.incarnation});
    switch (offer.input.kind) {
        case InputKind::lapse:
            offer.fair = !member;
            return !member || ledger.budget.lapses > 0;
        case InputKind::renew:
            offer.fair = true;
            return member;
        case InputKind::quiet:
            return others_stopped(world, info);
        default:
            return true;
    }
}

// Whether the programs of everybody who was removed before the first view of a site have stopped.
bool Walker::others_stopped(const World& world, const LocalInfo& info) const {
    const std::vector<AgreedView>& views = machine_.ledger(world.ledger).conditions.views;
    return std::ranges::all_of(world.sites, [&](LocalId id) {
        return has_stopped(views, machine_.local(id).attendance(), info.membership.first - 1);
    });
}

// First the view by which the site was added, for it asked for that itself; then every newer one.
std::vector<Move> Walker::views_to_see(const World& world, SiteId site, const LocalInfo& info) const {
    const LedgerInfo& ledger = machine_.ledger(world.ledger);
    std::vector<Move> moves;
    const auto add = [&](std::size_t i, bool fair) {
        moves.push_back({.site = site, .input = {InputKind::see, ledger.views[i]}, .fair = fair});
    };
    const bool fresh = info.membership.seen == 0;
    for (std::size_t i = 0; i < ledger.views.size(); ++i) {
        const AgreedView& view = ledger.conditions.views[i];
        if (fresh && !view.has({site, info.incarnation})) continue;
        if (view.number >= info.membership.seen) add(i, fresh || i + 1 == ledger.views.size());
        if (fresh) break;
    }
    return moves;
}

// At a price any member is removed.
std::vector<Move> Walker::view_changes(const World& world) const {
    std::vector<Move> moves;
    const LedgerInfo& ledger = machine_.ledger(world.ledger);
    if (ledger.conditions.views.empty()) return moves;  // most protocols have none
    const auto add = [&](SiteId site, ViewChange change, std::uint32_t incarnation, bool fair) {
        moves.push_back({.kind = MoveKind::agree,
                         .site = site,
                         .input = {InputKind::agree, static_cast<std::uint32_t>(change), incarnation},
                         .fair = fair});
    };
    for (SiteId site = 0; site < world.sites.size(); ++site) {
        const LocalInfo& info = machine_.local(world.sites[site]);
        const ViewChanges changes =
            world::view_changes(ledger.conditions.views, info.attendance(), peer_state(world, site));
        if (changes.over || (changes.remove && ledger.budget.expulsions > 0))
            add(site, ViewChange::remove, changes.remove->incarnation, changes.over);
        if (changes.add) add(site, ViewChange::add, info.incarnation, true);
        if (changes.replace) add(site, ViewChange::replace, info.incarnation, true);
    }
    return moves;
}

bool Walker::may_see(const World& world, const AgreedView& view) const {
    return std::ranges::any_of(world.sites, [&](LocalId id) {
        const LocalInfo& info = machine_.local(id);
        const bool added = info.membership.seen > 0 || view.has({info.site, info.incarnation});
        return info.up() && added && view.number >= info.membership.seen;
    });
}

// Worlds that differ only in views that nobody will see are the same.
void Walker::forget_views(World& world) {
    const LedgerInfo& ledger = machine_.ledger(world.ledger);
    const std::size_t count = ledger.views.size();
    if (count < 2 || count > 64) return;
    std::uint64_t kept = std::uint64_t{1} << (count - 1);
    for (std::size_t i = 0; i + 1 < count; ++i)
        if (may_see(world, ledger.conditions.views[i])) kept |= std::uint64_t{1} << i;
    if (std::popcount(kept) == static_cast<int>(count)) return;
    const auto [place, fresh] = forgotten_.try_emplace(MemoKey{world.ledger, kept});
    if (fresh) {
        Conditions left = ledger.conditions;
        left.views.clear();
        for (std::size_t i = 0; i < count; ++i)
            if ((kept >> i & 1) != 0) left.views.push_back(ledger.conditions.views[i]);
        place->second = machine_.with_conditions(world.ledger, left);
    }
    world.ledger = place->second;
}

bool Walker::expels(const World& world, const Move& move) const {
    return static_cast<ViewChange>(move.input.argument) == ViewChange::remove &&
           !peer_state(world, move.site).is_over(move.input.incarnation);
}

PeerState Walker::peer_state(const World& world, SiteId site) const {
    const LocalInfo& info = machine_.local(world.sites[site]);
    const bool is_member = machine_.ledger(world.ledger).conditions.is_member({site, info.incarnation});
    return {info.standing, info.incarnation, is_member ? info.stopped_as_member : info.stopped};
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
            advance(world, move.site, react(world.sites[move.site], move.input), nothing_received, 0);
            pay(world, move);
            break;
        case MoveKind::crash_inside: {
            const Reaction& whole = react(world.sites[move.site], move.input);
            Reaction cut = react(crashing(world, move, whole), {InputKind::crash});
            cut.sent = whole.sent;
            advance(world, move.site, cut, received, move.sent);
            pay(world, move);
            after_.ledger = spend(after_.ledger, &Budget::crashes);
            break;
        }
        case MoveKind::cut:
        case MoveKind::heal: {
            World next = world;
            next.ledger = changed(next.ledger, move);
            if (move.kind == MoveKind::cut) next.ledger = spend(next.ledger, &Budget::cuts);
            return next;
        }
        case MoveKind::tick:
            advance_clocks(world, move);
            break;
        case MoveKind::agree: {
            World next = world;
            next.ledger = changed(next.ledger, move);
            if (expels(world, move)) next.ledger = spend(next.ledger, &Budget::expulsions);
            forget_views(next);
            return next;
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
    for (const Move& tick : ticks(world)) moves.push_back(tick);
    for (const Move& heal : channel_changes(world, MoveKind::heal)) moves.push_back(heal);
    for (const Move& change : view_changes(world)) moves.push_back(change);
    return moves;
}

ActionKey Walker::action(const Move& move) const {
    const Input& input = move.input;  // of a cut or a tick, too, it has a kind of its own
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

bool Walker::is_ignored(const World& world, EnvelopeId envelope) {
    if (!deletes_ignored_) return false;
    const LocalId receiver = world.sites[machine_.envelope(envelope).to];
    const LocalId sender = world.sites[machine_.envelope(envelope).from];
    const auto [place, fresh] =
        ignored_.try_emplace(MemoKey{std::uint64_t{receiver} << 32 | envelope, sender});
    if (fresh) place->second = machine_.ignores(receiver, sender, envelope);
    return place->second;
}

void Walker::normalise(World& world) {
    if (deletes_ignored_) std::erase_if(world.flight, [&](EnvelopeId id) { return is_ignored(world, id); });
    if (normalises_) machine_.normalise(world);
}

void Walker::canonical(World& world) {
    normalise(world);
    if (!ranked_) return;
    const Naming naming = measure(world, Spacing::Of::real_stamps);
    rename(world, spacing_.names(0), naming);
}

std::span<const World> Walker::canonical_forms(const World& world) {
    if (forms_.empty()) forms_.emplace_back();
    forms_.front() = world;
    normalise(forms_.front());
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
