#include "host/host.hpp"

#include <algorithm>
#include <utility>

#include "base/ensure.hpp"
#include "core/bytes.hpp"
#include "host/objection.hpp"

namespace allot::host {

using agreement::Claim;
using agreement::Holdings;
using agreement::Value;

void Host::start(const Self& self, bool knows_programs, bool first) {
    knows_programs_ = knows_programs;
    known_.quiet = first;
    settings_ = self.config.settings;
}

// --- Requests of programs.

void Host::ask(const Self& self, const Key& key, const Want& want, Effects& fx, Terms terms) {
    ensure(!ids_.contains(key), "a program asks twice with one ticket");
    ensure(want.parts() > 0, "a program asks for nothing");
    if (take_up(self, key, want, terms, fx)) return;
    Request request{.key = key, .want = want, .fenced = terms.fenced, .user = terms.user};
    if (!terms.owner.empty())
        request.ownership = {.id = {}, .owner = std::move(terms.owner), .since_ms = terms.since_ms};
    const RequestId id = add(std::move(request));
    if (want.parts() > 1) fx.reached("several-kinds");
    if (!views_.works()) fx.reached("deferred-ask");
    ask_next(self, id);
    settle(self, fx);
}

// Its number is the smallest that is free.
RequestId Host::add(Request request) {
    if (free_ids_.empty()) {
        free_ids_.insert(static_cast<RequestId>(requests_.size()));
        requests_.emplace_back();
    }
    const RequestId id = free_ids_.extract(free_ids_.begin()).value();
    ids_[request.key] = id;
    requests_[id] = std::move(request);
    return id;
}

void Host::ask_next(const Self& self, RequestId id) {
    const Request& request = *requests_[id];
    const std::uint32_t part = request.part(request.taken, takes_locks_first(self));
    const ResourceId kind = request.want.kind(part);
    const Demand demand = request.want.demand(part);
    if (kind == ResourceId()) return locks_.ask(id, demand, request.user);
    semaphores_[kind].ask(id, demand.units);
    note_work(kind);
}

std::optional<Request> Host::release(const Self& self, const Key& key, Effects& fx) {
    const auto place = ids_.find(key);
    if (place == ids_.end()) return std::nullopt;
    if (!views_.works()) fx.reached("deferred-end");
    const RequestId id = place->second;
    if (!sticky_.contains(id)) return end(self, id);
    Request request = *requests_[id];
    hold_for_owner(id);
    let_forget(self, id);
    return request;
}

// The parts that were taken last are given back first.
Request Host::end(const Self& self, RequestId id) {
    Request request = std::move(*requests_[id]);
    requests_[id].reset();
    free_ids_.insert(id);
    withheld_.erase(id);
    sticky_.erase(id);
    while (!requests_.empty() && !requests_.back()) {
        requests_.pop_back();
        free_ids_.erase(static_cast<RequestId>(requests_.size()));
    }
    ids_.erase(request.key);
    const std::uint32_t asked = std::min(request.taken + 1, request.want.parts());
    const std::uint32_t first = self.config.rules.return_on_end ? 0 : asked - 1;
    for (std::uint32_t step = asked; step-- > first;) {
        const ResourceId kind = request.want.kind(request.part(step, takes_locks_first(self)));
        if (kind == ResourceId()) {
            locks_.end(self.config.locks, id);
        } else {
            semaphores_.at(kind).end(id);
            note_work(kind);
        }
    }
    return request;
}

void Host::stop(const Self& self, RequestId id, const char* why, Effects& fx) {
    Request request = end(self, id);
    fx.answers.push_back({request.key, Answer::Kind::lost, why, std::move(request)});
}

// A host that is frozen, or whose lease ends too soon, lets no program begin.
bool Host::may_grant(const Self& self) const {
    const Ticks too_late = self.config.grace + self.config.least_use;
    return views_.works() && (lease_left_ > too_late || !self.config.rules.grant_in_time);
}

// True if the request needs more, and has asked for it.
bool Host::granted(const Self& self, RequestId id, const std::vector<Fence>& fences, Effects& fx) {
    Request& request = *requests_[id];
    request.fences.insert(request.fences.end(), fences.begin(), fences.end());
    note_numbers(self, fences);
    ++request.taken;
    if (!request.complete()) {
        ask_next(self, id);
        if (!can_be_served(self, request)) refuse(self, id, fx);
        return true;
    }
    if (request.ownership) begin_keeping(self, id);
    if (may_tell(self, request)) {
        tell(request, fx);
    } else {
        withheld_.insert(id);
        fx.reached("withheld-grant");
    }
    return false;
}

void Host::note_numbers(const Self& self, const std::vector<Fence>& fences) {
    for (const Fence fence : fences)
        numbers_run_out_ |= number_within_epoch(fence) > self.config.most_numbers;
}

void Host::tell(Request& request, Effects& fx) {
    request.told = true;
    fx.answers.push_back({request.key, Answer::Kind::granted});
}

// Grants that waited for a lease, or for the next epoch.
void Host::tell_complete(const Self& self, Effects& fx) {
    if (!may_grant(self)) return;
    for (const RequestId id : std::exchange(withheld_, {})) {
        if (may_tell(self, *requests_[id]))
            tell(*requests_[id], fx);
        else
            withheld_.insert(id);
    }
}

const Request* Host::find(const Key& key) const {
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

std::vector<Peer> Host::held_off() const {
    std::vector<Peer> all;
    for (const auto& [peer, passed] : missing_) all.push_back(peer);
    return all;
}

// --- Kinds.

Epoch Host::epoch(const Self& self) const {
    const auto place = views_.place_of(self.host);
    if (!views_.epoch() || !place) return {};
    const std::uint32_t number = *views_.epoch();
    return {.number = number,
            .members = static_cast<std::uint32_t>(views_.members().size()),
            .place = *place,
            .fence = self.config.rules.fence_by_view ? number : 0};
}

template <class F>
void Host::with_kind(const Self& self, ResourceId name, F&& f) {
    const Epoch now = epoch(self);
    if (name == ResourceId())
        return f(name, locks_, Locks::Context{self.config.locks, now}, Locks::Effects());
    const auto place = semaphores_.find(name);
    if (place == semaphores_.end()) return;
    f(name, place->second, Semaphore::Context{self.config.semaphores, now, settings_.permits_of(name)},
      Semaphore::Effects());
    note_work(name);
}

template <class F>
void Host::with_each_kind(const Self& self, F&& f) {
    with_kind(self, ResourceId(), f);
    // A grant of one semaphore may be followed by the first request for another.
    std::vector<ResourceId> names;
    for (const auto& [name, semaphore] : semaphores_) names.push_back(name);
    for (const ResourceId name : names) with_kind(self, name, f);
}

void Host::note_work(ResourceId name) {
    if (semaphores_.at(name).has_work())
        unsettled_.insert(name);
    else
        unsettled_.erase(name);
}

// A grant of one kind may be followed by a request for the next.
void Host::settle(const Self& self, Effects& fx) {
    if (!views_.works()) return;
    for (bool more = true; more;) {
        more = false;
        const auto settle_one = [&](ResourceId name, auto& kind, const auto& ctx, auto out) {
            kind.settle(ctx, out);
            more |= pass_on(self, name, out, fx);
        };
        with_kind(self, ResourceId(), settle_one);
        for (auto next = unsettled_.begin(); next != unsettled_.end();) {
            const ResourceId name = *next;
            with_kind(self, name, settle_one);
            next = unsettled_.upper_bound(name);
        }
    }
    if (!asked_ && wants_to_keep(self)) call_register(self, fx);
}

// True if what it granted leads to something else that must be asked for.
template <class KindEffects>
bool Host::pass_on(const Self& self, ResourceId kind, KindEffects& out, Effects& fx) {
    for (auto& send : out.sends)
        fx.sends.push_back(
            {views_.members()[send.to].site, Frame{*views_.epoch(), kind, std::move(send.message)}});
    bool more = false;
    for (const auto& grant : out.grants) more |= granted(self, grant.request, grant.fences, fx);
    return more;
}

// --- Messages.

void Host::receive(const Self& self, SiteId from, const Message& message, Effects& fx) {
    if (auto why = objection_to(self, from, message)) return refuse_message(self, from, std::move(*why), fx);
    heard(self, from, fx);
    std::visit([&](const auto& kind) { take(self, from, kind, fx); }, message);
}

Edge Host::edge(const Self& self) const {
    return {self.config, self.host, hosts(self), known_, views_};
}

std::optional<std::string> Host::objection_to(const Self& self, SiteId from, const Message& message) const {
    if (from == self.host) return "a message of this host itself";
    if (const auto* frame = std::get_if<Frame>(&message)) return objection_to(self, from, *frame);
    return std::visit(
        [&](const auto& one) -> std::optional<std::string> {
            if constexpr (std::is_same_v<decltype(one), const Frame&>)
                return std::nullopt;
            else
                return objection(edge(self), from, one);
        },
        message);
}

// A message of an epoch that has not begun here is judged when it begins.
std::optional<std::string> Host::objection_to(const Self& self, SiteId from, const Frame& frame) const {
    switch (views_.fate(self.config.views, frame)) {
        case Views::Fate::over:
            return std::nullopt;
        case Views::Fate::early: {
            if (!views_.is_awaited(from)) return "a message of an epoch of which the sender is no member";
            const auto kept = early_bytes_.find(from);
            const std::uint64_t before = kept == early_bytes_.end() ? 0 : kept->second;
            if (before + weight_of(frame) <= self.config.most_early_bytes) return std::nullopt;
            return "more messages of an epoch that has not begun here than are kept";
        }
        case Views::Fate::due:
            return objection_to_due(self, from, frame);
    }
    return std::nullopt;
}

// Somebody may still use a semaphore that this host has forgotten.
std::optional<std::string> Host::objection_to_due(const Self& self, SiteId from, const Frame& frame) const {
    const auto sender = views_.place_of(from);
    if (!sender) return "a message of an epoch of which the sender is no member";
    const Epoch now = epoch(self);
    if (const auto* message = std::get_if<Locks::Message>(&frame.message)) {
        if (frame.kind != ResourceId()) return "a message about locks for a semaphore";
        if (auto why = objection_to_content(*message)) return why;
        return locks_.objection({self.config.locks, now}, *sender, *message);
    }
    const auto& message = std::get<Semaphore::Message>(frame.message);
    if (frame.kind == ResourceId()) return "a message about permits for a lock";
    const auto place = semaphores_.find(frame.kind);
    if (place == semaphores_.end()) return std::nullopt;
    const std::uint32_t permits = settings_.permits_of(frame.kind);
    if (auto why = objection_to_content(message, permits)) return why;
    if (place->second.weight_of(*sender) >= self.config.most_unanswered &&
        std::holds_alternative<HostPermits::Request>(message))
        return "more requests for permits than a host can have made";
    return place->second.objection({self.config.semaphores, now, permits}, message);
}

// With what it takes in memory: short messages take more there than on a link.
std::uint64_t Host::weight_of(const Frame& frame) {
    return sizeof(std::pair<SiteId, Frame>) + to_bytes(frame).size();
}

// A member of an epoch that has lost a message may wait for a token for ever: a new epoch makes all tokens
// again.
void Host::refuse_message(const Self&, SiteId from, std::string why, Effects& fx) {
    const auto member = std::ranges::find(known_.members, from, &Peer::site);
    erring_[member == known_.members.end() ? Peer{from} : *member] = Misdeed::message;
    frame_lost_in_ = views_.newest().number;
    fx.dropped.push_back({from, std::move(why)});
}

void Host::heard(const Self& self, SiteId host, Effects& fx) {
    hearing_.heard(host);
    if (std::ranges::find(told_misses_, host) != told_misses_.end()) tell_misses(self, fx);
}

void Host::met(const Self& self, SiteId host, Effects& fx) const {
    fx.sends.push_back({host, Learn{known_}});
    if (self.config.silence > 0) fx.sends.push_back({host, Alive{told_misses_}});
}

void Host::take(const Self&, SiteId from, const Alive& alive, Effects&) {
    hearing_.told(from, alive.misses);
}

void Host::take(const Self& self, SiteId from, const HostReport& report, Effects& fx) {
    if (views_.is_early(report)) {
        fx.reached("early-report");
        if (!self.config.rules.keep_reports) return;
    }
    views_.take(from, report);
    try_complete(self, fx);
}

void Host::take(const Self& self, SiteId from, const Frame& frame, Effects& fx) {
    switch (views_.fate(self.config.views, frame)) {
        case Views::Fate::over:
            return fx.reached("void-frame");
        case Views::Fate::early:
            fx.reached("early-frame");
            if (!self.config.rules.keep_early) return;
            early_bytes_[from] += weight_of(frame);
            return views_.keep(from, frame);
        case Views::Fate::due:
            return handle(self, from, frame, fx);
    }
}

void Host::handle(const Self& self, SiteId from, const Frame& frame, Effects& fx) {
    const auto sender = views_.place_of(from);
    if (!sender) return;
    with_kind(self, frame.kind, [&](ResourceId name, auto& kind, const auto& ctx, auto out) {
        using Kind = std::remove_reference_t<decltype(kind)>;
        const auto* message = std::get_if<typename Kind::Message>(&frame.message);
        if (message == nullptr) return;
        kind.receive(ctx, *sender, *message, out);
        pass_on(self, name, out, fx);
    });
    settle(self, fx);
}

void Host::take(const Self& self, SiteId, const Learn& learn, Effects& fx) {
    if (!self.config.rules.returned_only && is_member(self, learn.value)) renew(self, 0);
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
    if (value.settings != known_.settings) proposed_.reset();
    known_ = value;
    if (!is_member(self, value)) {
        if (!first_seen_) return;
        if (leaving_) return part();
        fx.reached("next-life");
        return begin_life(self, fx);
    }
    forget_erring(value);
    compare_kept(self, fx);
    const AgreedView& last = views_.newest();
    if (views_.has_seen() && value.view == last.number) return tell_complete(self, fx);
    const AgreedView view{value.view, value.members, value.certified};
    if (views_.has_seen() && view.number > last.number + 1) fx.reached("skipped-view");
    if (views_.sent(self.host) && views_.epoch() != last.number) fx.reached("superseded-view");
    judge_adopted(self, view, fx);
    views_.see(self.config.views, view);
    early_bytes_.clear();
    if (value.quiet) views_.quiet();
    const auto held_off = std::exchange(missing_, {});
    for (const Peer& removed : views_.missing()) {
        const auto known = held_off.find(removed);
        missing_[removed] = known == held_off.end() ? 0 : known->second;
    }
    if (!first_seen_) first_seen_ = 0;
    try_report(self, fx);
}

void Host::forget_erring(const Value& value) {
    for (auto one = erring_.begin(); one != erring_.end();) {
        const bool is_member = std::ranges::find(value.members, one->first) != value.members.end();
        one = is_member ? one + 1 : erring_.erase(one);
    }
}

// The successor of a member goes on with the programs of the incarnation that it replaces. Others may have
// got what programs of earlier incarnations held, or of one that was removed.
void Host::judge_adopted(const Self& self, const AgreedView& view, Effects& fx) {
    for (RequestId id = 0; id < requests_.size(); ++id) {
        if (!requests_[id] || !requests_[id]->keeper) continue;
        const Peer keeper{self.host, *requests_[id]->keeper};
        requests_[id]->keeper.reset();
        if (requests_[id]->ownership) continue;  // the register says what becomes of it
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
    take_custody(self, fx);
    Parts mine;
    with_each_kind(self, [&](ResourceId name, auto& kind, const auto& ctx, auto) {
        if (Holdings holdings = kind.holdings(ctx); !holdings.empty()) mine.kinds[name] = std::move(holdings);
    });
    if (const auto locks = mine.kinds.find(ResourceId()); locks != mine.kinds.end())
        add_fences(locks->second);
    const HostReport report = views_.report(self.config.views, self.host, std::move(mine));
    awaited_ = 0;
    if (views_.is_frozen() && self.config.views.stay_frozen)
        with_each_kind(self, [](ResourceId, auto& kind, const auto&, auto) { kind.forget_epoch(); });
    for (const Peer& member : views_.newest().members)
        if (member.site != self.host) fx.sends.push_back({member.site, report});
    try_complete(self, fx);
}

// Each request has the fences of its locks first.
void Host::add_fences(Holdings& locks) const {
    for (agreement::Holding& one : locks) {
        const auto id = locks_.request_at(one.seat);
        if (one.phase != Phase::holding || !id) continue;
        const std::vector<Fence>& known = requests_[*id]->fences;
        const std::size_t count = std::min(known.size(), one.demand.resources.size());
        one.fences.assign(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(count));
    }
}

void Host::try_complete(const Self& self, Effects& fx) {
    if (!views_.is_complete(self.config.views)) return;
    begin_epoch(self, fx);
    settle(self, fx);
    tell_complete(self, fx);
    early_bytes_.clear();
    for (const auto& [from, frame] : views_.take_early_frames()) {
        if (auto why = objection_to(self, from, frame))
            refuse_message(self, from, std::move(*why), fx);
        else
            take(self, from, frame, fx);
    }
}

void Host::begin_epoch(const Self& self, Effects& fx) {
    if (views_.all_fresh()) fx.reached("cold-start");
    if (views_.newest().members.size() == 1) fx.reached("single-member");
    std::vector<Parts> parts = views_.begin_epoch();
    numbers_run_out_ = false;
    take_settings(parts, fx);
    std::vector<RequestId> refused;
    with_each_kind(self, [&](ResourceId name, auto& kind, const auto& ctx, auto out) {
        std::vector<Holdings> hosts;
        for (Parts& part : parts) {
            const auto mine = part.kinds.find(name);
            hosts.push_back(mine == part.kinds.end() ? Holdings() : std::move(mine->second));
        }
        std::vector<Claim> claims = agreement::claims_of(hosts);
        for (const Claim& claim : agreement::take_refuted(claims)) refute(self, claim, fx);
        kind.rebuild(ctx, std::move(claims), out);
        pass_on(self, name, out, fx);
        refused.insert(refused.end(), out.refusals.begin(), out.refusals.end());
    });
    for (const RequestId id : refused) refuse(self, id, fx);
    drop_unused_semaphores();
    weigh(self);
}

// Programs may still use a semaphore that is gone from the settings.
void Host::take_settings(const std::vector<Parts>& reports, Effects& fx) {
    if (known_.settings && settings_ != *known_.settings) fx.reached("resized");
    if (known_.settings) settings_ = *known_.settings;
    for (const auto& [name, size] : settings_.semaphores) semaphores_[name];
    for (const Parts& part : reports)
        for (const auto& [name, holdings] : part.kinds)
            if (name != ResourceId()) semaphores_[name];
}

void Host::drop_unused_semaphores() {
    for (auto one = semaphores_.begin(); one != semaphores_.end();) {
        const bool is_needed = settings_.semaphores.contains(one->first) || !one->second.is_unused();
        if (!is_needed) unsettled_.erase(one->first);
        one = is_needed ? one + 1 : semaphores_.erase(one);
    }
}

// Whether there are as many units as the next part needs, with the newest settings.
bool Host::can_be_served(const Self& self, const Request& request) const {
    const std::uint32_t part = request.part(request.taken, takes_locks_first(self));
    const ResourceId kind = request.want.kind(part);
    return kind == ResourceId() || request.want.demand(part).units <= settings().permits_of(kind);
}

void Host::refuse(const Self& self, RequestId id, Effects& fx) {
    fx.reached("refused");
    Request request = end(self, id);
    const std::uint32_t part = request.part(request.taken, takes_locks_first(self));
    const ResourceId kind = request.want.kind(part);
    const std::uint32_t permits = settings().permits_of(kind);
    const std::string why = permits == 0
                                ? "there is no semaphore " + kind.name() + " any more"
                                : "semaphore " + kind.name() + " has only " + std::to_string(permits) +
                                      (permits == 1 ? " permit now" : " permits now");
    fx.answers.push_back({request.key, Answer::Kind::refused, why, std::move(request)});
}

// A host that errs, or lies, claims a lock that another one uses.
void Host::refute(const Self& self, const Claim& claim, Effects& fx) {
    const Peer liar = views_.newest().members[claim.host];
    erring_[liar] = Misdeed::claim;
    if (liar.site != self.host) return;
    const auto id = locks_.request_at(claim.seat);
    if (!id) return;
    if (requests_[*id]->is_of_host())
        end(self, *id);
    else
        stop(self, *id, "another host uses this lock with a larger fence", fx);
}

// Each epoch keeps the names that are used or waited for. If these are many, a view that follows at once
// would forget little.
void Host::weigh(const Self& self) {
    const std::size_t now = weight();
    kept_weight_ = now > self.config.most_weight / 2 ? now : 0;
}

std::size_t Host::weight() const {
    std::size_t sum = locks_.weight();
    for (const auto& [name, semaphore] : semaphores_) sum += semaphore.weight();
    return sum;
}

// The others go on without this host.
void Host::part() {
    views_ = {};
    early_bytes_.clear();
    missing_.clear();
    lease_left_ = 0;
}

// There is no lease yet.
void Host::begin_life(const Self& self, Effects& fx) {
    Host next;
    next.life_ = life_ + 1;
    next.known_ = known_;
    next.settings_ = settings_;
    next.proposed_ = proposed_;
    next.disowned_ = disowned_;
    next.hearing_ = hearing_;
    next.told_misses_ = told_misses_;
    next.asked_ = asked_;
    next.certified_ = certified_;
    next.renewed_ = renewed_;
    next.beat_ = beat_;
    const auto before = std::exchange(requests_, {});
    *this = std::move(next);
    for (const auto& request : before)
        if (request) carry_over(self, *request, fx);
}

// From the life before. Requests that wait go on, and so do programs that use what is sticky; all others are
// stopped. A request that was held for its owner is held again when the host has seen who shall hold it.
void Host::carry_over(const Self& self, const Request& request, Effects& fx) {
    const bool is_kept = request.ownership && !request.returned && (request.told || request.taken_up);
    if (is_kept && !request.is_of_host()) return void(hold(self, request));
    if (request.ownership && !is_kept && find_kept(request.ownership->id) != nullptr)
        disowned_.insert(request.ownership->id);
    if (request.is_of_host()) return;
    if (request.returned) return fx.answers.push_back({request.key, Answer::Kind::released, {}, request});
    if (request.told && self.config.rules.stop_old_life)
        return fx.answers.push_back(
            {request.key, Answer::Kind::lost, "the other hosts have removed this one", request});
    if (!self.config.rules.keep_waiting) return;
    Request again{.key = request.key, .want = request.want, .fenced = request.fenced, .user = request.user};
    again.ownership = request.ownership;
    ask_next(self, add(std::move(again)));
}

void Host::adopt(const Self& self, Request request, Effects& fx) {
    const Key key = request.key;
    request.taken = request.want.parts();
    request.told = true;
    if (views_.has_seen()) {
        fx.reached("late-adoption");
        return fx.answers.push_back({key, Answer::Kind::lost, "it came back too late", std::move(request)});
    }
    if (self.config.adoption.report_adopted)
        hold(self, std::move(request));
    else
        add(std::move(request));
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
    hearing_.tick(here(self), hosts(self), late);
    const bool awaits = views_.sent(self.host) != nullptr;
    awaited_ = awaits && !late ? std::min(awaited_ + 1, report_patience(self)) : 0;
    const bool speaks = self.config.alive_every > 0 && ++beat_ >= self.config.alive_every;
    if (speaks) beat_ = 0;
    tell_misses(self, fx, speaks);
}

// The others hear of every change at once.
void Host::tell_misses(const Self& self, Effects& fx, bool also_unchanged) {
    std::vector<SiteId> missed = hearing_.missed(here(self));
    if (missed == told_misses_ && !also_unchanged) return;
    told_misses_ = std::move(missed);
    for (SiteId host = 0; host < hosts(self); ++host)
        if (host != self.host) fx.sends.push_back({host, Alive{told_misses_}});
}

Hearing::Here Host::here(const Self& self) const {
    return {.self = self.host,
            .members = known_.members,
            .silence = self.config.silence,
            .return_within = self.config.return_within,
            .confirm = self.config.rules.confirm_deaths};
}

Ticks Host::due_in(const Self& self) const {
    const Config& config = self.config;
    if (!missing_.empty() || !views_.works() || (!asked_ && wanted_change(self))) return 1;
    Ticks due = config.renew_every - (asked_ ? 0 : renewed_);
    // A host that works knows already that no earlier program runs; its first hold-off only ends.
    if (first_seen_ && *first_seen_ < config.hold_off) due = std::min(due, config.hold_off - *first_seen_);
    if (config.alive_every > 0) due = std::min(due, config.alive_every - beat_);
    if (lease_left_ > 0) due = std::min(due, lease_left_);
    if (config.silence > 0) due = hearing_.due_in(here(self), due);
    return std::max<Ticks>(1, due);
}

// Programs know when the lease ends and stop before, or the guardian stops them; except those for whom fences
// are enough.
void Host::pass_lease(const Self& self, Effects& fx) {
    if (lease_left_ == 0) return;
    --lease_left_;
    if (!self.config.rules.stop_in_time || lease_left_ > 0) return;
    fx.reached("lease-ended");
    for (RequestId id = 0; id < requests_.size(); ++id)
        if (requests_[id] && requests_[id]->told && !requests_[id]->fenced)
            stop(self, id, "the lease of this host has ended", fx);
    settle(self, fx);
}

// Nobody waits for programs that have ended for certain, even if that was not known when their host was
// removed.
void Host::pass_hold_offs(const Self& self, Effects& fx) {
    const Ticks whole = self.config.hold_off - (self.config.rules.whole_hold_off ? 0 : 1);
    for (auto one = missing_.begin(); one != missing_.end();) {
        if (++one->second < whole && !certified_.contains(one->first)) {
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

void Host::returned(const Self& self, const Value& value, Effects& fx) {
    const Ticks age = asked_.value_or(0);
    asked_.reset();
    const bool is_new = value.version > known_.version;
    std::erase_if(unwanted_, [&](SiteId host) {
        return std::ranges::find(value.members, host, &Peer::site) == value.members.end();
    });
    const bool renews = is_member(self, value) || !self.config.rules.members_only;
    if (renews) renew(self, self.config.rules.from_question ? age : 0);
    see(self, value, fx);
    std::erase_if(certified_, [&](const Peer& one) {
        return std::ranges::find(known_.members, one) == known_.members.end() && !missing_.contains(one);
    });
    tell_complete(self, fx);
    if (!is_member(self, value) && !leaving_ && is_new) call_register(self, fx);
    if (!is_new) return;
    for (SiteId host = 0; host < hosts(self); ++host)
        if (host != self.host) fx.sends.push_back({host, Learn{value}});
}

void Host::renew(const Self& self, Ticks age) {
    if (age < self.config.lease) lease_left_ = std::max(lease_left_, self.config.lease - age);
}

}  // namespace allot::host
