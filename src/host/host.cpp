#include "host/host.hpp"

#include <algorithm>
#include <utility>

#include "base/ensure.hpp"

namespace allot::host {

using agreement::Claim;
using agreement::Holdings;
using agreement::Value;

void Host::start(const Self& self, bool knows_programs, bool first) {
    knows_programs_ = knows_programs;
    known_.quiet = first;
    for (const auto& [name, config] : self.config.semaphores) semaphores_[name];
}

// --- Requests of programs.

void Host::ask(const Self& self, const Key& key, const Want& want, Effects& fx) {
    if (auto why = objection(self, key, want))
        return fx.answers.push_back({key, Answer::Kind::refused, {}, std::move(*why)});
    const RequestId id = free_id();
    requests_[id] = Request{.key = key, .want = want};
    ids_[key] = id;
    if (want.parts() > 1) fx.reached("several-kinds");
    if (!views_.works()) fx.reached("deferred-ask");
    ask_next(self, id);
    settle(self, fx);
}

std::optional<std::string> Host::objection(const Self& self, const Key& key, const Want& want) const {
    if (ids_.contains(key)) return "ticket " + std::to_string(key.ticket) + " is in use";
    if (want.parts() == 0) return "name at least one lock or semaphore";
    for (const auto& [name, units] : want.permits) {
        const auto semaphore = self.config.semaphores.find(name);
        if (semaphore == self.config.semaphores.end()) return name.name() + ": no such semaphore";
        if (units < 1 || units > semaphore->second.permits)
            return name.name() + "=" + std::to_string(units) + ": write a number from 1 to " +
                   std::to_string(semaphore->second.permits);
    }
    return std::nullopt;
}

RequestId Host::free_id() {
    const auto free = std::ranges::find_if(requests_, [](const auto& one) { return !one; });
    const auto id = static_cast<RequestId>(free - requests_.begin());
    if (free == requests_.end()) requests_.emplace_back();
    return id;
}

void Host::ask_next(const Self& self, RequestId id) {
    const Request& request = *requests_[id];
    const std::uint32_t part = request.part(request.taken, takes_locks_first(self));
    const ResourceId kind = request.want.kind(part);
    const Demand demand = request.want.demand(part);
    if (kind == ResourceId())
        locks_.ask(id, demand);
    else
        semaphores_.at(kind).ask(id, demand.units);
}

void Host::release(const Self& self, const Key& key, Effects& fx) {
    const auto place = ids_.find(key);
    if (place != ids_.end()) {
        if (!views_.works()) fx.reached("deferred-end");
        end(self, place->second);
    }
    fx.answers.push_back({key, Answer::Kind::released});
    settle(self, fx);
}

// The parts that were taken last are given back first.
void Host::end(const Self& self, RequestId id) {
    const Request request = std::move(*requests_[id]);
    requests_[id].reset();
    while (!requests_.empty() && !requests_.back()) requests_.pop_back();
    ids_.erase(request.key);
    const std::uint32_t asked = std::min(request.taken + 1, request.want.parts());
    const std::uint32_t first = self.config.rules.return_on_end ? 0 : asked - 1;
    for (std::uint32_t step = asked; step-- > first;) {
        const ResourceId kind = request.want.kind(request.part(step, takes_locks_first(self)));
        if (kind == ResourceId())
            locks_.end(self.config.locks, id);
        else
            semaphores_.at(kind).end(id);
    }
}

void Host::stop(const Self& self, RequestId id, const char* why, Effects& fx) {
    fx.answers.push_back({requests_[id]->key, Answer::Kind::lost, {}, why});
    end(self, id);
}

// A host that is frozen or has no lease lets no program begin.
bool Host::may_grant(const Self& self) const {
    return views_.works() && (lease_left_ > self.config.grace || !self.config.rules.grant_in_time);
}

void Host::granted(const Self& self, RequestId id, const std::vector<Fence>& fences, Effects& fx) {
    Request& request = *requests_[id];
    request.fences.insert(request.fences.end(), fences.begin(), fences.end());
    ++request.taken;
    if (!request.complete()) return ask_next(self, id);
    if (may_grant(self)) return tell(request, fx);
    fx.reached("withheld-grant");
}

void Host::tell(Request& request, Effects& fx) {
    request.told = true;
    fx.answers.push_back({request.key, Answer::Kind::granted, request.fences});
}

// Grants that waited for a lease, or for the next epoch.
void Host::tell_complete(const Self& self, Effects& fx) {
    if (!may_grant(self)) return;
    for (auto& request : requests_)
        if (request && request->complete() && !request->told) tell(*request, fx);
}

const Host::Request* Host::find(const Key& key) const {
    const auto place = ids_.find(key);
    return place == ids_.end() ? nullptr : &*requests_[place->second];
}

std::optional<SiteId> Host::site_of(const Self& self, const Key& key) const {
    const auto place = ids_.find(key);
    if (place == ids_.end()) return std::nullopt;
    return locks_.site_of(epoch(self), place->second);
}

std::vector<std::pair<Peer, Ticks>> Host::hold_offs(const Self& self) const {
    std::vector<std::pair<Peer, Ticks>> all;
    for (const auto& [peer, passed] : missing_)
        all.emplace_back(peer, self.config.hold_off - std::min(passed, self.config.hold_off));
    return all;
}

// --- Kinds.

Epoch Host::epoch(const Self& self) const {
    const auto place = views_.place_of(self.host);
    if (!views_.epoch() || !place) return {};
    return {*views_.epoch(), static_cast<std::uint32_t>(views_.members().size()), *place};
}

template <class F>
void Host::with_each_kind(const Self& self, F&& f) {
    const Epoch now = epoch(self);
    f(ResourceId(), locks_, Locks::Context{self.config.locks, now}, Locks::Effects());
    for (auto& [name, semaphore] : semaphores_)
        f(name, semaphore, Semaphore::Context{self.config.semaphores.at(name), now}, Semaphore::Effects());
}

// A grant of one kind may be followed by a request for the next.
void Host::settle(const Self& self, Effects& fx) {
    if (!views_.works()) return;
    for (bool more = true; more;) {
        more = false;
        with_each_kind(self, [&](ResourceId name, auto& kind, const auto& ctx, auto out) {
            kind.settle(ctx, out);
            more |= pass_on(self, name, out, fx);
        });
    }
}

// True if it granted anything.
template <class KindEffects>
bool Host::pass_on(const Self& self, ResourceId kind, KindEffects& out, Effects& fx) {
    for (auto& send : out.sends)
        fx.sends.push_back(
            {views_.members()[send.to].site, Frame{*views_.epoch(), kind, std::move(send.message)}});
    for (const auto& grant : out.grants) granted(self, grant.request, grant.fences, fx);
    return !out.grants.empty();
}

// --- Messages.

void Host::receive(const Self& self, SiteId from, const Message& message, Effects& fx) {
    silences_[from] = 0;
    std::visit([&](const auto& kind) { take(self, from, kind, fx); }, message);
}

void Host::take(const Self& self, SiteId from, const HostReport& report, Effects& fx) {
    if (views_.is_early(report)) fx.reached("early-report");
    views_.take(from, report);
    try_complete(self, fx);
}

void Host::take(const Self& self, SiteId from, const Frame& frame, Effects& fx) {
    switch (views_.fate(self.config.views, frame)) {
        case Views::Fate::over:
            return fx.reached("void-frame");
        case Views::Fate::early:
            fx.reached("early-frame");
            return views_.keep(from, frame);
        case Views::Fate::due:
            return handle(self, from, frame, fx);
    }
}

void Host::handle(const Self& self, SiteId from, const Frame& frame, Effects& fx) {
    const auto sender = views_.place_of(from);
    if (!sender) return;
    with_each_kind(self, [&](ResourceId name, auto& kind, const auto& ctx, auto out) {
        using Kind = std::remove_reference_t<decltype(kind)>;
        const auto* message = std::get_if<typename Kind::Message>(&frame.message);
        if (name != frame.kind || message == nullptr) return;
        kind.receive(ctx, *sender, *message, out);
        pass_on(self, name, out, fx);
    });
    settle(self, fx);
}

void Host::take(const Self& self, SiteId, const Learn& learn, Effects& fx) {
    see(self, learn.value, fx);
}

// --- Views.

Peer Host::myself(const Self& self) const {
    return {self.host, self.incarnation + life_};
}

bool Host::is_member(const Self& self, const Value& value) const {
    return std::ranges::find(value.members, myself(self)) != value.members.end();
}

void Host::see(const Self& self, const Value& value, Effects& fx) {
    if (value.version <= known_.version) return;
    known_ = value;
    if (!is_member(self, value)) {
        if (!first_seen_) return;
        if (leaving_) return part();
        fx.reached("next-life");
        return begin_life(self, fx);
    }
    const AgreedView view{value.view, value.members, value.certified};
    const AgreedView& last = views_.newest();
    if (views_.has_seen() && view.number > last.number + 1) fx.reached("skipped-view");
    if (views_.sent(self.host) && views_.epoch() != last.number) fx.reached("superseded-view");
    judge_adopted(self, view, fx);
    views_.see(self.config.views, view);
    if (value.quiet) views_.quiet();
    const auto held_off = std::exchange(missing_, {});
    for (const Peer& removed : views_.missing()) {
        const auto known = held_off.find(removed);
        missing_[removed] = known == held_off.end() ? 0 : known->second;
    }
    if (!first_seen_) first_seen_ = 0;
    try_report(self, fx);
}

// The successor of a member goes on with the programs of the incarnation that it replaces. Others may have
// got what programs of earlier incarnations held, or of one that was removed.
void Host::judge_adopted(const Self& self, const AgreedView& view, Effects& fx) {
    for (RequestId id = 0; id < requests_.size(); ++id) {
        if (!requests_[id] || !requests_[id]->keeper) continue;
        const Peer keeper{self.host, *requests_[id]->keeper};
        requests_[id]->keeper.reset();
        const bool replaces =
            std::ranges::any_of(view.certified, [&](const Peer& one) { return one.site == self.host; });
        const bool goes_on = view.certifies(keeper) || !self.config.adoption.refuse_late ||
                             (replaces && !self.config.adoption.refuse_stale);
        fx.reached(goes_on ? "adoption" : "late-adoption");
        if (!goes_on) stop(self, id, "its host was removed before the daemon came back", fx);
    }
}

void Host::try_report(const Self& self, Effects& fx) {
    if (!views_.report_is_due()) return;
    Parts mine;
    with_each_kind(self, [&](ResourceId name, auto& kind, const auto& ctx, auto) {
        if (Holdings holdings = kind.holdings(ctx); !holdings.empty()) mine.kinds[name] = std::move(holdings);
    });
    const HostReport report = views_.report(self.config.views, self.host, std::move(mine));
    if (views_.is_frozen() && self.config.views.stay_frozen)
        with_each_kind(self, [](ResourceId, auto& kind, const auto&, auto) { kind.forget_epoch(); });
    for (const Peer& member : views_.newest().members)
        if (member.site != self.host) fx.sends.push_back({member.site, report});
    try_complete(self, fx);
}

void Host::try_complete(const Self& self, Effects& fx) {
    if (!views_.is_complete(self.config.views)) return;
    begin_epoch(self, fx);
    settle(self, fx);
    tell_complete(self, fx);
    for (const auto& [from, frame] : views_.take_early_frames()) take(self, from, frame, fx);
}

void Host::begin_epoch(const Self& self, Effects& fx) {
    if (views_.all_fresh()) fx.reached("cold-start");
    if (views_.newest().members.size() == 1) fx.reached("single-member");
    std::vector<Parts> parts = views_.begin_epoch();
    with_each_kind(self, [&](ResourceId name, auto& kind, const auto& ctx, auto out) {
        std::vector<Holdings> hosts;
        for (Parts& part : parts) hosts.push_back(std::move(part.kinds[name]));
        kind.rebuild(ctx, agreement::claims_of(hosts), out);
        pass_on(self, name, out, fx);
    });
}

// The others go on without this host.
void Host::part() {
    views_ = {};
    missing_.clear();
    lease_left_ = 0;
}

// Requests that wait go on in the next life; programs that run are stopped. There is no lease yet.
void Host::begin_life(const Self& self, Effects& fx) {
    ++life_;
    const Value known = known_;
    const auto silences = silences_;
    std::vector<Request> waiting;
    for (RequestId id = 0; id < requests_.size(); ++id) {
        if (!requests_[id]) continue;
        if (requests_[id]->told && self.config.rules.stop_old_life)
            fx.answers.push_back(
                {requests_[id]->key, Answer::Kind::lost, {}, "the other hosts have removed this one"});
        else
            waiting.push_back(*requests_[id]);
    }
    Host next;
    next.life_ = life_;
    next.known_ = known;
    next.silences_ = silences;
    next.asked_ = asked_;
    next.ended_ = ended_;
    next.renewed_ = renewed_;
    next.beat_ = beat_;
    *this = std::move(next);
    for (const auto& [name, config] : self.config.semaphores) semaphores_[name];
    for (const Request& request : waiting) {
        const RequestId id = free_id();
        requests_[id] = Request{.key = request.key, .want = request.want};
        ids_[request.key] = id;
        ask_next(self, id);
    }
}

void Host::adopt(const Self& self, const Key& key, const Want& want, std::vector<Fence> fences,
                 std::uint32_t keeper, Effects& fx) {
    if (views_.has_seen()) {
        fx.reached("late-adoption");
        return fx.answers.push_back({key, Answer::Kind::lost, {}, "it came back too late"});
    }
    const RequestId id = free_id();
    requests_[id] = Request{.key = key,
                            .want = want,
                            .taken = want.parts(),
                            .fences = std::move(fences),
                            .told = true,
                            .keeper = keeper};
    ids_[key] = id;
    if (!self.config.adoption.report_adopted) return;
    for (std::uint32_t part = 0; part < want.parts(); ++part) {
        if (want.kind(part) == ResourceId())
            locks_.adopt(self.config.locks, id, want.demand(part));
        else
            semaphores_.at(want.kind(part)).adopt(id, want.demand(part).units);
    }
}

// --- Time.

void Host::tick(const Self& self, Effects& fx, bool late) {
    if (asked_) asked_ = std::min(*asked_ + 1, self.config.lease);
    pass_lease(self, fx);
    pass_hold_offs(self, fx);
    pass_silence(self, late, fx);
    renewed_ = std::min(renewed_ + 1, self.config.renew_every);
    if (!asked_ && (renewed_ == self.config.renew_every || wanted_change(self))) call_register(self, fx);
}

void Host::pass_silence(const Self& self, bool late, Effects& fx) {
    if (self.config.silence == 0) return;
    const Ticks longest = std::max(self.config.silence, self.config.return_within);
    const bool speaks = self.config.alive_every > 0 && ++beat_ >= self.config.alive_every;
    if (speaks) beat_ = 0;
    for (SiteId host = 0; host < self.config.hosts; ++host) {
        if (host == self.host) continue;
        silences_[host] = late ? 0 : std::min(silences_[host] + 1, longest);
        if (speaks) fx.sends.push_back({host, Alive{}});
    }
}

Ticks Host::due_in(const Self& self) const {
    const Config& config = self.config;
    const bool counts = !missing_.empty() || (first_seen_ && *first_seen_ < config.hold_off);
    if (counts || !views_.works() || (!asked_ && wanted_change(self))) return 1;
    Ticks due = config.renew_every - (asked_ ? 0 : renewed_);
    if (config.alive_every > 0) due = std::min(due, config.alive_every - beat_);
    if (lease_left_ > 0) due = std::min(due, lease_left_ - (lease_left_ > config.grace ? config.grace : 0));
    for (const auto& [host, silence] : silences_)
        if (silence < config.silence) due = std::min(due, config.silence - silence);
    return std::max<Ticks>(1, due);
}

void Host::ended(SiteId host, bool has_ended) {
    if (has_ended)
        ended_.insert(host);
    else
        ended_.erase(host);
}

// Programs are asked to stop while there is time, and have stopped when the lease ends.
void Host::pass_lease(const Self& self, Effects& fx) {
    if (lease_left_ == 0) return;
    --lease_left_;
    if (!self.config.rules.stop_in_time) return;
    for (auto& request : requests_) {
        if (!request || !request->told || request->stopping || lease_left_ > self.config.grace) continue;
        request->stopping = true;
        fx.answers.push_back({request->key, Answer::Kind::stop, {}, "the lease of this host ends"});
    }
    if (lease_left_ > 0) return;
    fx.reached("lease-ended");
    for (RequestId id = 0; id < requests_.size(); ++id)
        if (requests_[id] && requests_[id]->told) stop(self, id, "the lease of this host has ended", fx);
    settle(self, fx);
}

void Host::pass_hold_offs(const Self& self, Effects& fx) {
    const Ticks whole = self.config.hold_off - (self.config.rules.whole_hold_off ? 0 : 1);
    for (auto one = missing_.begin(); one != missing_.end();) {
        if (++one->second < whole) {
            ++one;
            continue;
        }
        views_.stopped(one->first);
        one = missing_.erase(one);
    }
    try_report(self, fx);
    if (!first_seen_ || *first_seen_ >= whole || ++*first_seen_ < whole) return;
    views_.quiet();
    try_complete(self, fx);
}

// --- The register.

void Host::call_register(const Self& self, Effects& fx) {
    asked_ = 0;
    renewed_ = 0;
    fx.call = Call{wanted_change(self)};
}

// The members of the view that this host would like to have; nothing if it likes the newest.
std::optional<agreement::Change> Host::wanted_change(const Self& self) const {
    std::optional<agreement::Change> change;
    if (!is_member(self, known_))
        change = entry(self);
    else if (leaving_)
        change = exit(self);
    const bool removes = is_member(self, known_) && (!leaving_ || self.config.rules.remove_until_gone);
    if (!change && removes) change = removal(self);
    if (change) change->quiet = !self.config.rules.prove_quiet || stays_quiet(*change);
    return change;
}

// Replaces the incarnation before this one, if that is still a member.
std::optional<agreement::Change> Host::entry(const Self& self) const {
    if (leaving_) return std::nullopt;
    agreement::Change change{.members = known_.members};
    for (const Peer& member : known_.members)
        if (member.site == self.host && knows_programs_) change.certified.push_back(member);
    std::erase_if(change.members, [&](const Peer& one) { return one.site == self.host; });
    change.members.push_back(myself(self));
    std::ranges::sort(change.members);
    return change;
}

// Only from an epoch that has begun: nobody waits for the report of this host, or for programs that it knows
// of.
std::optional<agreement::Change> Host::exit(const Self& self) const {
    if (!works_in_newest() || !ids_.empty()) return std::nullopt;
    agreement::Change change{.members = known_.members, .certified = {myself(self)}};
    std::erase(change.members, myself(self));
    return change;
}

std::optional<agreement::Change> Host::removal(const Self& self) const {
    if (!has_lease()) return std::nullopt;
    agreement::Change change{.members = known_.members};
    std::erase_if(change.members, [&](const Peer& one) {
        const bool removed =
            one.site != self.host &&
            (is_silent(self, one.site) || unwanted_.contains(one.site) || one.site >= self.config.hosts);
        if (removed && !self.config.rules.certify_own) change.certified.push_back(one);
        return removed;
    });
    const bool heavy = locks_.weight() > self.config.most_weight;
    if (change.members == known_.members && !heavy) return std::nullopt;
    return change;
}

bool Host::works_in_newest() const {
    return views_.works() && views_.epoch() == known_.view;
}

// A host that works in an epoch knows that nobody runs but under its members. Programs of members go on under
// a member, or their host is certified.
bool Host::stays_quiet(const agreement::Change& change) const {
    if (!known_.quiet && !works_in_newest()) return false;
    return std::ranges::all_of(known_.members, [&](const Peer& one) {
        return std::ranges::find(change.members, one) != change.members.end() ||
               std::ranges::find(change.certified, one) != change.certified.end();
    });
}

bool Host::is_silent(const Self& self, SiteId host) const {
    const auto silence = silences_.find(host);
    if (self.config.silence == 0 || silence == silences_.end()) return false;
    return silence->second >= (ended_.contains(host)
                                   ? std::max(self.config.return_within, self.config.silence)
                                   : self.config.silence);
}

void Host::returned(const Self& self, const Value& value, Effects& fx) {
    const Ticks age = asked_.value_or(0);
    asked_.reset();
    const bool is_new = value.version > known_.version;
    std::erase_if(unwanted_, [&](SiteId host) {
        return std::ranges::find(value.members, host, &Peer::site) == value.members.end();
    });
    if (is_member(self, value)) renew(self, self.config.rules.from_question ? age : 0);
    see(self, value, fx);
    tell_complete(self, fx);
    if (!is_member(self, value) && !leaving_ && is_new) call_register(self, fx);
    if (!is_new) return;
    for (SiteId host = 0; host < self.config.hosts; ++host)
        if (host != self.host) fx.sends.push_back({host, Learn{value}});
}

void Host::renew(const Self& self, Ticks age) {
    if (age < self.config.lease) lease_left_ = std::max(lease_left_, self.config.lease - age);
    if (lease_left_ <= self.config.grace) return;
    for (auto& request : requests_)
        if (request) request->stopping = false;
}

}  // namespace allot::host
