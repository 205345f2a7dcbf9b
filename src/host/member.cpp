#include "host/member.hpp"

#include <algorithm>
#include <iterator>

#include "host/objection.hpp"
#include "protocols/agreement/succession.hpp"

namespace allot::host {

void Member::start(const Self& self, bool first, Effects& fx) {
    if (self.config.council)
        consult(self, fx, [&](const auto& inner, auto& out) { council_.start(inner, first, out); });
}

Member Member::after_crash(Disk disk) const {
    Member next;
    next.council_ = council_.after_crash(disk);
    return next;
}

// Units that have no order are told apart by the view and the host.
Sessions::Self Member::sessions_self(const Self& self) const {
    return {self.config.sessions, host_, self.host, self.now_ms,
            std::uint64_t{host_.views().epoch().value_or(0)} << 40 | self.host};
}

// The council starts before the host knows the settings of a view.
agreement::Council::Self Member::council_self(const Self& self) const {
    const agreement::Settings& newest = host_.settings();
    return {*self.config.council, self.host, self.incarnation,
            newest.hosts.empty() ? self.config.host.settings : newest, self.fresh_disk};
}

bool Member::adopt(const Self& self, Lease lease, std::uint32_t keeper, Effects& fx) {
    const bool awaited = sessions_.adopt(sessions_self(self), lease, fx);
    const Line::User user = user_of(lease.caller);
    act(self, fx, [&](Host& host, const Host::Self& inner, host::Effects& out) {
        host.adopt(inner,
                   {.key = lease.key,
                    .want = std::move(lease.want),
                    .fences = std::move(lease.fences),
                    .fenced = lease.fenced,
                    .ownership = std::move(lease.ownership),
                    .keeper = keeper,
                    .user = user},
                   out);
    });
    return awaited;
}

// Fences begin with the number of the view.
void Member::returned(const Self& self, const agreement::Value& value, Effects& fx) {
    forgotten_view_.reset();
    const bool has_tried = std::exchange(changes_voters_, false);
    if (value.view < self.config.least_view) {
        forgotten_view_ = value.view;
        return host_.forget_call();
    }
    act(self, fx,
        [&](Host& host, const Host::Self& inner, host::Effects& out) { host.returned(inner, value, out); });
    if (!has_tried) change_voters(self, fx);
}

// The lease has just been renewed, so there is time for a change that others may contest.
void Member::change_voters(const Self& self, Effects& fx) {
    const bool may = self.config.council && self.config.council->succeeds && !host_.is_asking();
    if (!may || !succession(self, false)) return;
    changes_voters_ = true;
    act(self, fx,
        [](Host& host, const Host::Self& inner, host::Effects& out) { host.call_register(inner, out); });
}

void Member::learned(const Self& self, const agreement::Value& value, Effects& fx) {
    if (value.view < self.config.least_view) return;
    act(self, fx,
        [&](Host& host, const Host::Self& inner, host::Effects& out) { host.learn(inner, value, out); });
}

void Member::receive(const Self& self, SiteId from, const Message& message, Effects& fx) {
    std::visit(
        [&](const auto& one) {
            using Kind = std::remove_cvref_t<decltype(one)>;
            if constexpr (std::is_constructible_v<host::Message, const Kind&>)
                receive_as_host(self, from, one, fx);
            else if (self.config.council)
                receive_as_council(self, from, one, fx);
        },
        message);
}

void Member::receive_as_host(const Self& self, SiteId from, const auto& message, Effects& fx) {
    if constexpr (std::is_same_v<decltype(message), const Learn&>) {
        if (message.value.view < self.config.least_view) return;
        if (!objection(host_.edge(host_self(self)), from, message)) council_.learn(message.value);
    }
    act(self, fx, [&](Host& host, const Host::Self& inner, host::Effects& out) {
        host.receive(inner, from, message, out);
    });
}

void Member::receive_as_council(const Self& self, SiteId from, const agreement::CouncilMessage& message,
                                Effects& fx) {
    const Host::Self inner = host_self(self);
    if (auto why = objection(host_.edge(inner), from, message))
        return host_.refuse_message(inner, from, std::move(*why), fx);
    consult(self, fx, [&](const auto& council, auto& out) { council_.receive(council, from, message, out); });
}

void Member::met(const Self& self, SiteId host, Effects& fx) {
    host_.met(host_self(self), host, fx);
    if (self.config.council)
        consult(self, fx, [&](const auto& inner, auto& out) { council_.met(inner, host, out); });
}

void Member::synced(const Self& self, Effects& fx) {
    consult(self, fx, [&](const auto& inner, auto& out) { council_.synced(inner, out); });
}

void Member::tick(const Self& self, Effects& fx, std::uint32_t passed, bool late) {
    const bool council_waits = self.config.council && council_.is_restless();
    host_.stay(must_stay(self));
    act(self, fx, [&](Host& host, const Host::Self& inner, host::Effects& out) {
        for (std::uint32_t tick = 0; tick < passed; ++tick) {
            host.tick(inner, out, late);
            pass_answers(self, fx);
        }
    });
    if (council_waits) consult(self, fx, [&](const auto& inner, auto& out) { council_.tick(inner, out); });
}

Ticks Member::due_in(const Self& self) const {
    const bool is_restless = self.config.council && council_.is_restless();
    return is_restless ? 1 : host_.due_in(host_self(self));
}

void Member::pass_answers(const Self& self, Effects& fx) {
    for (Answer& answer : fx.answers) sessions_.answer(sessions_self(self), std::move(answer), fx);
    fx.answers.clear();
}

// All of them end before anybody is served: one must not get what another of them had.
void Member::end_requests(const Self& self, Effects& fx) {
    act(self, fx, [&](Host& host, const Host::Self& inner, host::Effects& out) {
        for (SessionEffects::End& end : fx.ends) {
            const auto request =
                end.abandoned ? host.abandon(inner, end.key, out) : host.release(inner, end.key, out);
            sessions_.tell_end(std::move(end.message), request, end.open, fx);
        }
        fx.ends.clear();
        host.settle(inner, out);
    });
}

void Member::free_unheld(const Self& self, Effects& fx) {
    for (const agreement::Kept& kept : host_.unheld(host_self(self))) {
        const auto held =
            Sessions::held_by({.want = kept.want, .fences = kept.fences, .ownership = kept.ownership}, {});
        const bool is_freed = std::ranges::any_of(
            fx.freed, [&](const session::Held& one) { return std::ranges::find(held, one) != held.end(); });
        if (!is_freed) continue;
        act(self, fx, [&](Host& host, const Host::Self& inner, host::Effects& out) {
            host.disown(inner, kept.ownership.id, out);
        });
    }
    fx.freed.clear();
}

// A host that goes for good, or the only voter that stops, votes until another one has its vote.
bool Member::hands_on(const Self& self, const agreement::Change& change) const {
    const Peer myself = host_.myself(host_self(self));
    const bool goes = std::ranges::find(change.members, myself) == change.members.end() && !change.same_view;
    const bool stops_alone =
        council_.inner().record().voters.size() == 1 && host_.is_leaving() && !change.members.empty();
    return goes && votes(self) && (goes_for_good(self) || stops_alone);
}

bool Member::votes(const Self& self) const {
    const auto& voters = council_.inner().record().voters;
    return std::ranges::find(voters, self.host, &agreement::VoterId::host) != voters.end();
}

bool Member::must_stay(const Self& self) const {
    return self.config.council && self.config.council->succeeds && goes_for_good(self) && votes(self) &&
           !succession(self, true);
}

// One host changes the voters: several would only refuse each other.
std::optional<agreement::Change> Member::succession(const Self& self, bool departs) const {
    const agreement::Value& known = host_.known();
    const bool is_first = !known.members.empty() && known.members.front() == host_.myself(host_self(self));
    if (!host_.has_lease() || !known.settings || !(is_first || departs)) return std::nullopt;
    agreement::Change change{.members = known.members, .kept = known.kept, .same_view = true};
    change.of = {known.id, known.version};
    std::vector<SiteId> heard;
    for (const Peer& one : known.members)
        if (host_.hears(host_self(self), one.site)) heard.push_back(one.site);
    change.next = agreement::next_voters({.settings = *known.settings,
                                          .record = council_.inner().record(),
                                          .heard = heard,
                                          .disks = council_.disks(),
                                          .departing = departs ? std::optional(self.host) : std::nullopt});
    if (change.next.empty()) return std::nullopt;
    return change;
}

void Member::hand_on(const Self& self, Effects& fx) {
    const bool departs = fx.call->change && hands_on(self, *fx.call->change);
    if (!departs && (fx.call->change || !changes_voters_)) return;
    auto next = succession(self, departs);
    // If nobody can have the vote, a host that only stops goes all the same: it will be back.
    if (next || !departs || goes_for_good(self)) fx.call->change = std::move(next);
}

void Member::call_council(const Self& self, Effects& fx) {
    if (self.config.council->succeeds) hand_on(self, fx);
    const Call call = *std::exchange(fx.call, std::nullopt);
    consult(self, fx, [&](const auto& inner, auto& out) {
        if (call.change)
            council_.begin(inner, agreement::Operation::exchange, *call.change, out);
        else
            council_.begin(inner, agreement::Operation::quick, {}, out);
    });
}

template <class Action>
void Member::consult(const Self& self, Effects& fx, Action&& action) {
    agreement::CouncilEffects out;
    action(council_self(self), out);
    std::ranges::move(out.sends, std::back_inserter(fx.council_sends));
    fx.persist |= out.persist;
    fx.probes.insert(fx.probes.end(), out.probes.begin(), out.probes.end());
    if (out.returned) returned(self, *out.returned, fx);
}

}  // namespace allot::host
