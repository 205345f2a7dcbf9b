// Sticky requests of a host. Each is kept by the register from before its grant until after its return, and
// one member at a time holds it in the protocols: the host that granted it, or, while that is no member, the
// first one. So it stays in use from epoch to epoch, whoever is gone.
#include <algorithm>
#include <utility>

#include "host/host.hpp"

namespace allot::host {

using agreement::Kept;
using agreement::ValueId;

namespace {

const ValueId& id_of(const Kept& kept) {
    return kept.ownership.id;
}

}  // namespace

const Kept* Host::find_kept(const ValueId& id) const {
    const auto place = std::ranges::lower_bound(known_.kept, id, {}, id_of);
    return place != known_.kept.end() && id_of(*place) == id ? &*place : nullptr;
}

bool Host::may_tell(const Self& self, const Request& request) const {
    const bool is_kept =
        !request.ownership || !self.config.rules.keep_first || find_kept(request.ownership->id) != nullptr;
    return may_grant(self) && is_kept;
}

// --- From the grant to the return.

// All parts are granted.
void Host::begin_keeping(const Self& self, RequestId id) {
    const Peer me = myself(self);
    requests_[id]->ownership->id = {me.site, me.incarnation, ++numbered_};
    sticky_.insert(id);
}

Key Host::own_key() const {
    Key key{host_session, 1};
    while (ids_.contains(key)) ++key.ticket;
    return key;
}

// The program is gone, and its request goes on.
void Host::hold_for_owner(RequestId id) {
    Request& request = *requests_[id];
    ids_.erase(request.key);
    withheld_.erase(id);
    request.key = own_key();
    ids_[request.key] = id;
}

std::optional<Request> Host::abandon(const Self& self, const Key& key, Effects& fx) {
    const auto place = ids_.find(key);
    if (place == ids_.end() || !sticky_.contains(place->second) || !requests_[place->second]->told)
        return release(self, key, fx);
    const RequestId id = place->second;
    Request request = *requests_[id];
    hold_for_owner(id);
    fx.reached("abandoned");
    serve_owner(self, id, fx);
    return request;
}

// The owner asks again for what a program left behind: it goes on with that.
bool Host::take_up(const Self& self, const Key& key, const Want& want, const Terms& terms, Effects& fx) {
    const auto mine = std::ranges::find_if(sticky_, [&](RequestId id) {
        const Request& one = *requests_[id];
        const bool is_own = one.ownership->id.host == self.host && one.ownership->owner == terms.owner;
        return is_own && one.is_of_host() && !one.returned && one.want == want;
    });
    if (mine == sticky_.end()) return false;
    hand_over(*mine, key);
    fx.reached("taken-up");
    tell_complete(self, fx);
    return true;
}

void Host::hand_over(RequestId id, const Key& key) {
    Request& request = *requests_[id];
    ids_.erase(request.key);
    ids_[key] = id;
    request.key = key;
    request.told = false;
    request.taken_up = true;
    withheld_.insert(id);
}

// Of the programs that wait for what this host holds for their owner, the first gets it.
void Host::serve_owner(const Self& self, RequestId id, Effects& fx) {
    const Request& held = *requests_[id];
    if (!self.config.rules.serve_owner || held.returned || held.ownership->id.host != self.host) return;
    std::optional<RequestId> first;
    for (RequestId one = 0; one < requests_.size(); ++one) {
        if (!requests_[one] || !requests_[one]->ownership || requests_[one]->complete()) continue;
        const Request& waiting = *requests_[one];
        if (waiting.ownership->owner != held.ownership->owner || waiting.want != held.want) continue;
        if (!first || waiting.ownership->since_ms < requests_[*first]->ownership->since_ms) first = one;
    }
    if (!first) return;
    const Key key = requests_[*first]->key;
    end(self, *first);
    hand_over(id, key);
    fx.reached("taken-up");
    tell_complete(self, fx);
}

void Host::give_back(const Self& self, const Key& key, Effects& fx) {
    if (const auto place = ids_.find(key); place != ids_.end()) let_forget(self, place->second);
    settle(self, fx);
}

void Host::disown(const Self& self, const ValueId& id, Effects& fx) {
    disowned_.insert(id);
    if (!asked_ && wants_to_keep(self)) call_register(self, fx);
}

void Host::let_forget(const Self& self, RequestId id) {
    if (self.config.rules.free_last) {
        requests_[id]->returned = true;
        return;
    }
    disowned_.insert(requests_[id]->ownership->id);
    end(self, id);
}

// Its program need not wait until the register has forgotten it: that happens in any case.
void Host::heard_of_return(RequestId id, Effects& fx) {
    Request& request = *requests_[id];
    const bool by_program = std::exchange(request.returned, true);
    if (request.is_of_host()) return;
    if (by_program)
        fx.answers.push_back({request.key, Answer::Kind::released, {}, request});
    else
        fx.answers.push_back({request.key, Answer::Kind::lost, "an operator has freed it", request});
    hold_for_owner(id);
}

// --- The register.

// Another member may still work in an epoch before the newest view, and hold the same request there. It would
// end it when it sees that the register has forgotten it, though this host has reported it.
bool Host::may_forget(const Self& self) const {
    return works_in_newest() || !self.config.rules.forget_at_work;
}

bool Host::wants_to_keep(const Self& self) const {
    if (!is_member(self, known_)) return false;
    const bool forgets = may_forget(self);
    const auto is_news = [&](const ValueId& id) {
        const Kept* kept = find_kept(id);
        return forgets || (kept != nullptr && !kept->returned);
    };
    return std::ranges::any_of(disowned_, is_news) || std::ranges::any_of(sticky_, [&](RequestId id) {
               const Request& one = *requests_[id];
               return one.returned ? is_news(one.ownership->id)
                                   : !one.told && find_kept(one.ownership->id) == nullptr;
           });
}

std::vector<Kept> Host::wanted_kept(const Self& self) const {
    std::vector<Kept> kept = known_.kept;
    std::set<ValueId> returned = disowned_;
    for (const RequestId id : sticky_) {
        const Request& one = *requests_[id];
        if (one.returned)
            returned.insert(one.ownership->id);
        else if (!one.told && find_kept(one.ownership->id) == nullptr)
            kept.push_back({*one.ownership, one.want, one.fences});
    }
    for (Kept& one : kept) one.returned |= returned.contains(id_of(one));
    if (may_forget(self)) std::erase_if(kept, [&](const Kept& one) { return returned.contains(id_of(one)); });
    std::ranges::sort(kept, {}, id_of);
    return kept;
}

// A newer value is known: what it does not keep is not kept by an earlier exchange of this host either, which
// nobody has answered yet.
void Host::compare_kept(const Self& self, Effects& fx) {
    std::erase_if(disowned_, [&](const ValueId& id) { return find_kept(id) == nullptr; });
    const std::vector<RequestId> all(sticky_.begin(), sticky_.end());
    for (const RequestId id : all) {
        const Request& one = *requests_[id];
        const Kept* kept = find_kept(one.ownership->id);
        const bool awaits = !one.told && !one.returned && !one.is_of_host();
        if (kept == nullptr && awaits && !one.taken_up) continue;
        if (kept == nullptr || kept->returned) heard_of_return(id, fx);
        if (kept == nullptr) end(self, id);
    }
    if (!all.empty()) settle(self, fx);
}

// --- From epoch to epoch.

SiteId Host::custodian(const Kept& kept) const {
    const auto owner = std::ranges::find(known_.members, id_of(kept).host, &Peer::site);
    return owner == known_.members.end() ? known_.members.front().site : owner->site;
}

std::vector<Kept> Host::unheld(const Self& self) const {
    std::vector<Kept> all;
    std::set<ValueId> held;
    for (const RequestId id : sticky_) held.insert(requests_[id]->ownership->id);
    if (!is_member(self, known_)) return all;
    for (const Kept& kept : known_.kept)
        if (custodian(kept) == self.host && !held.contains(id_of(kept))) all.push_back(kept);
    return all;
}

// To be called before the report to a view, which says for the first time who holds it.
void Host::take_custody(const Self& self, Effects& fx) {
    for (const RequestId id : std::vector<RequestId>(sticky_.begin(), sticky_.end())) {
        const Kept* kept = find_kept(requests_[id]->ownership->id);
        if (kept == nullptr || !requests_[id]->is_of_host() || custodian(*kept) == self.host) continue;
        if (requests_[id]->returned) disowned_.insert(id_of(*kept));
        end(self, id);
    }
    for (const Kept& kept : unheld(self)) {
        const bool is_absent = id_of(kept).host != self.host;
        if (is_absent && !self.config.rules.hold_for_absent) continue;
        fx.reached("custody");
        const RequestId id = hold(self, {.key = own_key(),
                                         .want = kept.want,
                                         .fences = kept.fences,
                                         .told = true,
                                         .fenced = true,
                                         .ownership = kept.ownership,
                                         .returned = kept.returned || disowned_.contains(id_of(kept))});
        serve_owner(self, id, fx);
    }
}

RequestId Host::hold(const Self& self, Request request) {
    request.taken = request.want.parts();
    const RequestId id = add(std::move(request));
    const Request& held = *requests_[id];
    if (held.ownership) sticky_.insert(id);
    if (!held.told) withheld_.insert(id);
    for (std::uint32_t part = 0; part < held.taken; ++part) {
        const ResourceId kind = held.want.kind(part);
        const Demand demand = held.want.demand(part);
        if (kind == ResourceId())
            locks_.adopt(self.config.locks, id, demand, held.user);
        else
            semaphores_[kind].adopt(id, demand.units);
    }
    return id;
}

}  // namespace allot::host
