#include "protocols/neighborhood/arbiter.hpp"

#include <algorithm>
#include <limits>

#include "base/ensure.hpp"

namespace allot::neighborhood {

namespace {

template <class Entries>
auto entry_of(Entries& entries, SiteId site) {
    return std::ranges::find(entries, site, &RankedRequest::site);
}

void erase_site(boost::container::flat_set<RankedRequest>& entries, SiteId site) {
    if (const auto place = entry_of(entries, site); place != entries.end()) entries.erase(place);
}

}  // namespace

// --- The configuration.

void ArbiterConfig::derive() {
    Neighborhood::derive();
    hard.clear();
    if (ranges.empty()) return;
    for (SiteId site = 0; site < sites; ++site)
        hard.push_back({size(site) - std::min(ranges[site].low, size(site)), ranges[site].high});
    soft = hard;
}

void ArbiterConfig::derive(SiteId leader, bool margin) {
    derive();
    if (leader >= sites || ranges.empty()) return;
    leads = leader;
    const auto hops = distances(leader);
    std::vector<Range> narrower = ranges;
    for (SiteId site = 0; site < sites; ++site) {
        if (hops[site] > 2) continue;
        for (std::uint32_t& cap : soft[site]) cap -= std::min(cap, 1u);
        narrower[site] = {ranges[site].low + 1, ranges[site].high - std::min(ranges[site].high, 1u)};
    }
    if (margin) Neighborhood::derive(narrower);
}

std::vector<std::uint32_t> ArbiterConfig::distances(SiteId from) const {
    constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> hops(sites, unknown);
    std::vector<SiteId> found{from};
    hops[from] = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        for (const SiteId next : closed[found[i]])
            if (hops[next] == unknown) {
                hops[next] = hops[found[i]] + 1;
                found.push_back(next);
            }
    return hops;
}

// --- The requesting site.

void Arbiter::start(const Here& here) {
    const Configuration& in = here.config.starts_in;
    phase_ = in[here.self] ? Phase::holding : Phase::idle;
    for (const SiteId site : here.config.closed[here.self]) {
        const bool has_out = here.repairs.start_out ? !in[site] : in[site];
        if (here.config.uses(Kind::out) && has_out)
            permissions(Kind::out).granted.insert(RankedRequest{.site = site});
        if (here.config.uses(Kind::in) && in[site])
            permissions(Kind::in).granted.insert(RankedRequest{.site = site});
        if (here.config.uses_both() && in[site]) seen_.insert(site);
    }
}

void Arbiter::begin(const Here& here, Phase phase, Effects& fx) {
    phase_ = phase;
    if (!here.config.uses(wanted())) return turn_round(here, fx);
    if (wanted() == Kind::out || here.repairs.fresh_tags) clock_ = clock_.next();
    tag_ = clock_;
    send_all(here, Request{wanted(), *tag_}, fx);
}

bool Arbiter::is_open(const Here& here, Kind kind, Stamp tag) const {
    if (!here.repairs.tags) return kind == wanted();
    return tag_ == tag && kind == wanted();
}

void Arbiter::receive(const Here& here, SiteId from, const Grant& grant, Effects& fx) {
    clock_ = max(clock_, grant.clock);
    if (!tag_ || !is_open(here, grant.kind, grant.tag)) return;
    got_.insert(from);
    if (got_.size() == here.config.size(here.self)) turn_round(here, fx);
}

// Ignore a question about an ended request: the permission is on its way back, or in use.
void Arbiter::receive(const Here& here, SiteId from, const Preempt& preempt, Effects& fx) {
    if (!is_open(here, preempt.kind, preempt.tag)) return;
    got_.erase(from);
    fx.send(from, Relinquish{preempt.kind, preempt.tag});
}

void Arbiter::turn_round(const Here& here, Effects& fx) {
    const Kind used = wanted();
    if (used == Kind::in) {
        phase_ = Phase::holding;
        fx.granted();
    } else {
        phase_ = Phase::idle;
        fx.released();
    }
    tag_.reset();
    got_.clear();
    if (here.config.uses(other(used))) send_all(here, Release{other(used)}, fx);
}

void Arbiter::receive(const Here& here, SiteId, const Trigger& trigger, Effects& fx) {
    const bool waits = tag_ && trigger.kind == wanted();
    if (!waits || trigger.tag != (here.repairs.own_stamp ? *tag_ : clock_))
        return fx.reached("trigger-too-late");
    clock_ = clock_.next();
    tag_ = clock_;
    got_.clear();
    send_all(here, RequestByTrigger{trigger.kind, *tag_}, fx);
}

template <class Letter>
void Arbiter::send_all(const Here& here, const Letter& letter, Effects& fx) {
    for (const SiteId site : here.config.closed[here.self]) fx.send(site, letter);
}

// --- The arbiter.

void Arbiter::receive(const Here& here, SiteId from, const Request& request, Effects& fx) {
    clock_ = max(clock_, request.tag);
    const RankedRequest entry{.tag = request.tag, .site = from};
    permissions(request.kind).pending.insert(entry);
    if (here.repairs.reconsider) return schedule(here, request.kind, fx);
    grant_pending(here, request.kind, fx);
    if (permissions(request.kind).pending.contains(entry)) ask_back(here, request.kind, entry, fx);
}

void Arbiter::receive(const Here& here, SiteId from, const Release& release, Effects& fx) {
    PermissionLists& returned = permissions(release.kind);
    forget(release.kind, from);
    if (here.config.uses_both()) {
        if (release.kind == Kind::out)
            seen_.insert(from);
        else
            seen_.erase(from);
        if (here.repairs.spare_users) note_use(other(release.kind), from);
        if (nominee_ == from) nominee_.reset();
    }
    if (!here.repairs.pay_back && !returned.pending.empty())
        grant(release.kind, *returned.pending.begin(), fx);
    schedule(here, release.kind, fx);
    if (here.config.uses_both()) schedule(here, other(release.kind), fx);
}

void Arbiter::receive(const Here& here, SiteId from, const Relinquish& relinquish, Effects& fx) {
    PermissionLists& own = permissions(relinquish.kind);
    const auto entry = entry_of(own.granted, from);
    if (entry == own.granted.end()) return;
    if (here.repairs.tags && (own.preempting != *entry || entry->tag != relinquish.tag)) return;
    own.preempting.reset();
    own.pending.insert(*entry);
    own.granted.erase(entry);
    if (!here.repairs.pay_back) grant(relinquish.kind, *own.pending.begin(), fx);
    schedule(here, relinquish.kind, fx);
}

void Arbiter::receive(const Here& here, SiteId from, const RequestByTrigger& request, Effects& fx) {
    clock_ = max(clock_, request.tag);
    PermissionLists& own = permissions(request.kind);
    if (here.repairs.forget_asked) {
        forget(request.kind, from);
    } else {
        erase_site(own.granted, from);
    }
    erase_site(own.pending, from);
    const RankedRequest entry{RankedRequest::Rank::nominated, request.tag, from};
    own.pending.insert(entry);
    if (!here.repairs.hard_caps) grant(request.kind, entry, fx);
    schedule(here, request.kind, fx);
}

bool Arbiter::in_use(const Here& here, Kind kind, SiteId site) const {
    if (!here.config.uses_both() || !here.repairs.spare_users) return false;
    return seen_.contains(site) == (kind == Kind::in);
}

// A permission in use is not asked back, so the time of its request does not matter any more.
void Arbiter::note_use(Kind kind, SiteId site) {
    PermissionLists& own = permissions(kind);
    if (own.preempting && own.preempting->site == site) own.preempting.reset();
    const auto place = entry_of(own.granted, site);
    if (place == own.granted.end()) return;
    RankedRequest used = *place;
    used.tag = Stamp{};
    own.granted.erase(place);
    own.granted.insert(used);
}

void Arbiter::grant(Kind kind, const RankedRequest& entry, Effects& fx) {
    const RankedRequest granted = entry;
    permissions(kind).pending.erase(granted);
    permissions(kind).granted.insert(granted);
    fx.send(granted.site, Grant{kind, granted.tag, clock_});
}

void Arbiter::schedule(const Here& here, Kind kind, Effects& fx) {
    grant_pending(here, kind, fx);
    const auto& pending = permissions(kind).pending;
    if (here.repairs.reconsider && !pending.empty()) ask_back(here, kind, *pending.begin(), fx);
}

void Arbiter::grant_pending(const Here& here, Kind kind, Effects& fx) {
    const PermissionLists& own = permissions(kind);
    while (!own.pending.empty()) {
        const RankedRequest& first = *own.pending.begin();
        if (own.granted.size() >= here.config.cap(here.self, kind, first.rank)) return;
        grant(kind, first, fx);
    }
}

// Asks the latest site that has a permission and does not use it to return it, if `first` comes before it.
void Arbiter::ask_back(const Here& here, Kind kind, const RankedRequest& first, Effects& fx) {
    PermissionLists& own = permissions(kind);
    if (own.preempting) return;
    const auto& granted = own.granted;
    const auto last = std::find_if(granted.rbegin(), granted.rend(), [&](const RankedRequest& entry) {
        return !in_use(here, kind, entry.site);
    });
    if (last == granted.rend() || *last < first) return;
    own.preempting = *last;
    fx.send(last->site, Preempt{kind, last->tag});
}

void Arbiter::forget(Kind kind, SiteId site) {
    PermissionLists& own = permissions(kind);
    erase_site(own.granted, site);
    if (own.preempting && own.preempting->site == site) own.preempting.reset();
}

// --- The leader.

void Arbiter::nominate(const Here& here, Effects& fx) {
    if (!here.repairs.nominate_any) return nominate_as_printed(here, fx);
    if (here.repairs.one_nominee && nominee_) return;
    const auto nominee = best_nominee(here);
    if (!nominee) return;
    fx.reached("nominated");
    nominee_ = nominee->entry.site;
    fx.send(*nominee_, Trigger{nominee->kind, nominee->entry.tag});
}

// If the whole neighbourhood waits: the earliest request of the kind with more room. The lists stay as they
// are; the nominee's next request replaces its entry everywhere.
std::optional<Arbiter::Nominee> Arbiter::best_nominee(const Here& here) const {
    std::array<std::optional<RankedRequest>, 2> earliest;
    for (const SiteId site : here.config.closed[here.self]) {
        const Kind kind = seen_.contains(site) ? Kind::out : Kind::in;
        const PermissionLists& list = permissions(kind);
        auto entry = entry_of(list.pending, site);
        if (entry == list.pending.end()) {
            entry = entry_of(list.granted, site);
            if (entry == list.granted.end()) return std::nullopt;
        }
        auto& best = earliest[static_cast<std::size_t>(kind)];
        if (!best || *entry < *best) best = *entry;
    }
    const auto [low, high] = here.config.ranges[here.self];
    const auto count = static_cast<std::uint32_t>(seen_.size());
    const std::uint32_t room_in = high - std::min(high, count);
    const std::uint32_t room_out = count - std::min(low, count);
    const auto choice = [&](Kind kind, std::uint32_t room) -> std::optional<Nominee> {
        const auto& best = earliest[static_cast<std::size_t>(kind)];
        if (room == 0 || !best) return std::nullopt;
        return Nominee{kind, *best};
    };
    const auto in = choice(Kind::in, room_in);
    const auto out = choice(Kind::out, room_out);
    if (in && out) return room_in >= room_out ? in : out;
    return in ? in : out;
}

}  // namespace allot::neighborhood
