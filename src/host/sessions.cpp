#include "host/sessions.hpp"

#include <algorithm>
#include <utility>

#include "base/harmless.hpp"
#include "core/stamps.hpp"
#include "host/reading.hpp"
#include "host/resource_name.hpp"

namespace allot::host {

using session::Refusal;

namespace {

// Shown in the status.
constexpr std::size_t longest_command = 200;

// Longer than anybody waits, and short enough to be added to the time of day.
std::chrono::microseconds patience_of(const session::Acquire& want) {
    constexpr std::uint64_t year_us = std::uint64_t{365} * 86400 * 1'000'000;
    return std::chrono::microseconds(std::min(want.patience_us, year_us));
}

// Leaves a quarter for other users.
std::size_t share_of_one(std::size_t most) {
    return std::max<std::size_t>(1, most - most / 4);
}

Want want_of(const session::Acquire& asked) {
    Want want;
    want.locks.assign(asked.locks.begin(), asked.locks.end());
    for (const session::Permit& permit : asked.permits) want.permits[permit.semaphore] = permit.units;
    return want;
}

Mode mode_of(const SessionConfig& config, const std::string& name) {
    const auto mode = std::ranges::find_if(config.modes, [&](const Mode& one) {
        return std::ranges::any_of(one.names,
                                   [&](const std::string& pattern) { return matches(pattern, name); });
    });
    return mode == config.modes.end() ? Mode() : *mode;
}

template <class Predicate>
bool all_modes(const SessionConfig& config, const session::Acquire& want, Predicate predicate) {
    return std::ranges::all_of(want.locks,
                               [&](const std::string& lock) { return predicate(mode_of(config, lock)); }) &&
           std::ranges::all_of(want.permits, [&](const session::Permit& permit) {
               return predicate(mode_of(config, permit.semaphore));
           });
}

// Of one request, all is sticky or nothing.
std::optional<std::string> mixed_modes(const SessionConfig& config, const session::Acquire& want) {
    if (config.modes.empty()) return std::nullopt;
    const auto is_sticky = [](const Mode& mode) { return mode.sticky; };
    const auto is_other = [](const Mode& mode) { return !mode.sticky; };
    if (all_modes(config, want, is_sticky) || all_modes(config, want, is_other)) return std::nullopt;
    return "some of these are sticky, others are not; ask for them apart";
}

// Tells sticky units apart that have no order.
std::uint64_t number_of(const agreement::ValueId& id) {
    return std::uint64_t{id.incarnation} << 32 | id.host << 20 | id.number;
}

// Whether one of the caller's allowances names the resource in this list.
bool may_use(const SessionConfig& config, const Caller& caller, std::vector<std::string> Allowance::*list,
             const std::string& name) {
    return std::ranges::any_of(caller.allowances, [&](std::uint32_t place) {
        return std::ranges::any_of(config.allow[place].*list,
                                   [&](const std::string& pattern) { return matches(pattern, name); });
    });
}

std::optional<std::string> forbidden(const SessionConfig& config, const Caller& caller,
                                     const session::Acquire& want) {
    if (config.allow.empty()) return std::nullopt;
    const std::size_t longest = config.limits.name_length;
    for (const std::string& lock : want.locks)
        if (!may_use(config, caller, &Allowance::locks, lock))
            return identity_of(caller) + " may not take lock " + harmless(lock, longest);
    for (const session::Permit& permit : want.permits)
        if (!may_use(config, caller, &Allowance::semaphores, permit.semaphore))
            return identity_of(caller) + " may not use semaphore " + harmless(permit.semaphore, longest);
    return std::nullopt;
}

// Most requests are granted in the step in which they are made.
void disarm(const Key& key, SessionEffects& fx) {
    const bool is_new = !fx.alarms.empty() && fx.alarms.back().session == key.session &&
                        fx.alarms.back().ticket == key.ticket;
    if (is_new)
        fx.alarms.pop_back();
    else
        fx.alarms.push_back({key.session, key.ticket, {}});
}

std::optional<std::string> wrong_name(const std::string& of, const Limits& limits, const std::string& name) {
    if (name.empty()) return "the name of " + of + " is empty; name each " + of.substr(of.find(' ') + 1);
    if (const std::string why = objection_to_name(name); !why.empty()) return "the name of " + of + " " + why;
    if (name.size() <= limits.name_length) return std::nullopt;
    return "a name of " + std::to_string(name.size()) + " characters is too long; write at most " +
           std::to_string(limits.name_length);
}

std::optional<std::string> wrong_locks(const Limits& limits, const session::Acquire& want) {
    if (want.locks.empty() && want.permits.empty()) return "name at least one lock or semaphore";
    if (want.locks.size() > limits.locks_per_request)
        return std::to_string(want.locks.size()) + " locks at once are too many; name at most " +
               std::to_string(limits.locks_per_request);
    std::set<std::string_view> seen;
    for (const std::string& lock : want.locks) {
        if (auto why = wrong_name("a lock", limits, lock)) return why;
        if (want.locks.size() > 1 && !seen.insert(lock).second)
            return lock + " is named twice; name each lock once";
    }
    return std::nullopt;
}

// A user who may read nothing does not hear the names of others, either.
std::string unknown_semaphore(const agreement::Settings& settings, const std::string& name,
                              bool tells_names) {
    if (!tells_names) return name + ": no such semaphore";
    if (settings.semaphores.empty()) return name + ": no semaphore is declared here";
    std::string known;
    for (const auto& [semaphore, size] : settings.semaphores)
        known += (known.empty() ? "" : ", ") + semaphore.name();
    return name + ": no such semaphore; there is " + known;
}

// A host that does not know the settings yet lets requests wait; it judges them when it has joined.
std::optional<std::string> wrong_permits(const SessionConfig& config, const Host& host, const Caller& caller,
                                         const session::Acquire& want) {
    const Limits& limits = config.limits;
    const agreement::Settings& settings = host.settings();
    std::set<std::string_view> seen;
    for (const session::Permit& permit : want.permits) {
        if (want.permits.size() > 1 && !seen.insert(permit.semaphore).second)
            return harmless(permit.semaphore, limits.name_length) +
                   " is named twice; name each semaphore once";
        if (!host.known().settings && !settings.semaphores.contains(permit.semaphore)) {
            if (permit.units < 1) return "write at least 1 unit of each semaphore";
            if (auto why = wrong_name("a semaphore", limits, permit.semaphore)) return why;
            continue;
        }
        const auto place = settings.semaphores.find(permit.semaphore);
        if (place == settings.semaphores.end())
            return unknown_semaphore(settings, harmless(permit.semaphore, limits.name_length),
                                     reading_of(config.allow, caller.allowances) != Reading::none);
        if (permit.units < 1 || permit.units > place->second.max_request)
            return permit.semaphore + "=" + std::to_string(permit.units) + ": write a number from 1 to " +
                   std::to_string(place->second.max_request);
    }
    return std::nullopt;
}

std::uint32_t names_of(const session::Acquire& want) {
    return static_cast<std::uint32_t>(want.locks.size() + want.permits.size());
}

// A refused request may name anything, and the audit log has a line for it.
std::vector<session::Held> names_in(const session::Acquire& want, const Limits& limits) {
    std::vector<session::Held> names;
    const auto add = [&](const std::string& name) {
        if (names.size() < limits.locks_per_request) names.push_back({harmless(name, limits.name_length)});
    };
    for (const std::string& lock : want.locks) add(lock);
    for (const session::Permit& permit : want.permits) add(permit.semaphore);
    return names;
}

}  // namespace

std::string identity_of(const Caller& caller) {
    return caller.is_local || caller.user == uncertified ? caller.user : "cert:" + caller.user;
}

// A certificate and a user of this system may have the same name.
bool is_same_user(const Caller& one, const Caller& other) {
    return one.is_local == other.is_local && one.user == other.user;
}

void Sessions::count(const Caller& caller, std::uint64_t Usage::*what, std::int64_t more) {
    used_.*what += static_cast<std::uint64_t>(more);
    const auto [place, fresh] = used_by_.try_emplace(identity_of(caller));
    place->second.*what += static_cast<std::uint64_t>(more);
    if (place->second == Usage()) used_by_.erase(place);
}

Usage Sessions::used_by(const Caller& caller) const {
    const auto place = used_by_.find(identity_of(caller));
    return place == used_by_.end() ? Usage() : place->second;
}

const Session* Sessions::find(SessionId session) const {
    const auto place = sessions_.find(session);
    return place == sessions_.end() ? nullptr : &place->second;
}

// --- Beginning.

// A name resumes a session only for the user who began it. The guardian stops the process that began a
// stoppable session, so no other process resumes that.
Result<SessionId> Sessions::hello(const Self& self, Guest guest, const session::Hello& hello,
                                  SessionEffects& fx) {
    const auto known = std::ranges::find_if(sessions_, [&](const auto& one) {
        return !hello.resume.empty() && one.second.name == hello.resume &&
               is_same_user(one.second.caller, guest.caller) &&
               (!one.second.stoppable || one.second.caller.process == guest.caller.process);
    });
    const bool resumed = known != sessions_.end();
    if (!resumed)
        if (auto why = no_place_for(self, guest.caller)) return Error{std::move(*why)};
    const SessionId id = resumed ? known->first : guest.number;
    Session& session = sessions_[id];
    session.caller = std::move(guest.caller);
    if (!resumed) {
        session.name = std::move(guest.name);
        session.stoppable = hello.stoppable && session.caller.is_local && session.caller.process.is_whole();
        count(session.caller, &Usage::sessions, 1);
    }
    session.command = harmless(hello.command, longest_command);
    session.connected = true;
    if (resumed) fx.alarms.push_back({id, std::nullopt, {}});
    greet(self, id, resumed, fx);
    return id;
}

// Sessions that hold leases without a connection count, too: their programs may reconnect.
std::optional<std::string> Sessions::no_place_for(const Self& self, const Caller& caller) const {
    const Limits& limits = self.config.limits;
    if (sessions_.size() >= limits.sessions)
        return "there are " + std::to_string(limits.sessions) +
               " sessions, which is the limit; try again later";
    const std::size_t most =
        limits.sessions_per_user > 0 ? limits.sessions_per_user : share_of_one(limits.sessions);
    if (used_by(caller).sessions < most) return std::nullopt;
    return identity_of(caller) + " has " + std::to_string(most) +
           " sessions, which is the limit for one user; try again later";
}

void Sessions::greet(const Self& self, SessionId id, bool resumed, SessionEffects& fx) const {
    const auto in_us = [](auto time) {
        return static_cast<std::uint64_t>(std::chrono::microseconds(time).count());
    };
    const Session& session = sessions_.at(id);
    session::Welcome welcome{.session = session.name,
                             .host = self.config.host,
                             .stop_within_us = in_us(self.config.lease),
                             .resume_within_us = in_us(self.config.limits.resume_within),
                             .resumed = resumed};
    for (const auto& [ticket, open] : session.open) welcome.open.push_back(ticket);
    fx.told.push_back({id, std::move(welcome)});
    for (const auto& [ticket, open] : session.open)
        if (const auto* request = self.host.find({id, ticket}); request != nullptr && request->told)
            fx.told.push_back({id, grant_of(session, *request)});
}

// --- Requests.

void Sessions::hear(const Self& self, SessionId id, const session::Acquire& want, SessionEffects& fx) {
    Session& session = sessions_.at(id);
    const Key key{id, want.ticket};
    if (auto refused = objection(self, session, want)) {
        Ended ended{.key = key, .resources = names_in(want, self.config.limits), .since_ms = self.now_ms};
        return fx.told.push_back({id, std::move(*refused), std::move(ended)});
    }
    const std::uint32_t names = names_of(want);
    session.open[want.ticket] = {.since_ms = self.now_ms, .names = names};
    count(session.caller, &Usage::names, names);
    if (want.patience_us > 0) fx.alarms.push_back({id, want.ticket, patience_of(want)});
    fx.asks.push_back({key, want_of(want), terms_of(self, session, want)});
}

// An owner is a user on one host.
std::string Sessions::owner_of(const SessionConfig& config, const Caller& caller) {
    return (caller.is_local ? "" : "cert:") + caller.user + "@" + config.host;
}

Terms Sessions::terms_of(const Self& self, const Session& session, const session::Acquire& want) {
    if (self.config.modes.empty()) return {};
    const bool fenced = all_modes(self.config, want, [](const Mode& one) { return one.fence || one.sticky; });
    if (!all_modes(self.config, want, [](const Mode& one) { return one.sticky; })) return {.fenced = fenced};
    return {.fenced = true, .owner = owner_of(self.config, session.caller), .since_ms = self.now_ms};
}

// The register carries all that is sticky with every change. One owner has three quarters of it.
std::optional<std::string> Sessions::no_room_to_keep(const Self& self, const Session& session,
                                                     const session::Acquire& want) {
    const std::string owner = terms_of(self, session, want).owner;
    if (owner.empty()) return std::nullopt;
    const Limits& limits = self.config.limits;
    if (want.locks.size() + want.permits.size() > limits.sticky_names)
        return "a sticky request has at most " + std::to_string(limits.sticky_names) + " names";
    std::size_t all = 0;
    std::size_t own = 0;
    const auto count = [&](const agreement::Ownership& one) {
        ++all;
        own += one.owner == owner;
    };
    for (const agreement::Kept& one : self.host.known().kept) count(one.ownership);
    for (const auto& request : self.host.requests())
        if (request && request->ownership && !request->told) count(*request->ownership);
    if (all >= limits.sticky)
        return "the register keeps " + std::to_string(limits.sticky) +
               " sticky requests, which is the limit; give some back";
    if (own < share_of_one(limits.sticky)) return std::nullopt;
    return owner + " has " + std::to_string(own) +
           " sticky requests, which is the limit for one owner; give some back";
}

// One user leaves a quarter for others.
std::optional<std::string> Sessions::no_room_for_names(const Self& self, const Caller& caller,
                                                       std::uint32_t names) const {
    const std::uint32_t most = self.config.limits.open_names;
    if (used_.names + names > most)
        return "the open requests of this host name " + std::to_string(used_.names) + " of at most " +
               std::to_string(most) + " locks and semaphores; try again later";
    if (used_by(caller).names + names <= share_of_one(most)) return std::nullopt;
    return "the open requests of " + identity_of(caller) + " name " + std::to_string(used_by(caller).names) +
           " of at most " + std::to_string(share_of_one(most)) + " locks and semaphores; try again later";
}

std::optional<session::Refused> Sessions::objection(const Self& self, const Session& session,
                                                    const session::Acquire& want) const {
    const auto refused = [&](Refusal why, std::string reason) {
        return session::Refused{want.ticket, why, std::move(reason)};
    };
    if (auto why = forbidden(self.config, session.caller, want))
        return refused(Refusal::forbidden, std::move(*why));
    if (session.open.contains(want.ticket))
        return refused(Refusal::wrong, "ticket " + std::to_string(want.ticket) + " is in use");
    if (std::string why = self.host.closed(self.number); !why.empty())
        return refused(Refusal::unavailable, std::move(why));
    if (auto why = wrong_locks(self.config.limits, want)) return refused(Refusal::wrong, std::move(*why));
    if (auto why = wrong_permits(self.config, self.host, session.caller, want))
        return refused(Refusal::wrong, std::move(*why));
    const bool must_be_stoppable =
        !self.config.modes.empty() &&
        !all_modes(self.config, want, [](const Mode& mode) { return !mode.strict; });
    if (must_be_stoppable && !session.stoppable)
        return refused(Refusal::forbidden,
                       "only programs that can be stopped may use it (strict): use `allot run` on a host, or "
                       "the option `stoppable` of the library");
    if (auto why = mixed_modes(self.config, want)) return refused(Refusal::wrong, std::move(*why));
    if (auto why = no_room_to_keep(self, session, want)) return refused(Refusal::limit, std::move(*why));
    if (auto why = no_room_for_names(self, session.caller, names_of(want)))
        return refused(Refusal::limit, std::move(*why));
    const std::uint32_t most = self.config.limits.requests_per_session;
    if (session.open.size() >= most)
        return refused(Refusal::limit,
                       "this session has " + std::to_string(most) + " open requests, which is the limit");
    return std::nullopt;
}

// An unknown request is released already.
void Sessions::hear(const Self& self, SessionId id, const session::Release& release, SessionEffects& fx) {
    const Request* request = self.host.find({id, release.ticket});
    if (request != nullptr && request->told && request->ownership)
        fx.returns.push_back(request->key);
    else if (sessions_.at(id).open.contains(release.ticket))
        end({id, release.ticket}, session::Released{release.ticket}, fx);
    else
        fx.told.push_back({id, session::Released{release.ticket}});
}

void Sessions::hear(const Self&, SessionId id, const session::Ping& ping, SessionEffects& fx) {
    fx.told.push_back({id, session::Pong{ping.number}});
}

// --- Answers of the host.

void Sessions::answer(const Self& self, Answer answer, SessionEffects& fx) {
    const Key key = answer.key;
    if (answer.kind == Answer::Kind::granted) return granted(self, key, fx);
    const Open open = close(key).value_or(Open());
    session::DaemonMessage message = session::Released{key.ticket};
    if (answer.kind == Answer::Kind::lost) message = session::Lost{key.ticket, std::move(answer.reason)};
    if (answer.kind == Answer::Kind::refused)
        message = session::Refused{key.ticket, Refusal::unavailable, std::move(answer.reason)};
    tell_end(std::move(message), answer.request, open, fx);
    forget_if_done(key.session, fx);
}

void Sessions::granted(const Self& self, const Key& key, SessionEffects& fx) {
    // A program that goes may leave something behind that another request of its own waits for, which is
    // about to end as well.
    const auto place = sessions_.find(key.session);
    if (place == sessions_.end() || !place->second.open.contains(key.ticket)) return;
    const Session& session = place->second;
    Open& open = place->second.open.at(key.ticket);
    const Request& request = *self.host.find(key);
    const std::uint64_t asked_ms = std::exchange(open.since_ms, self.now_ms);
    if (std::ranges::find(request.fences, Fence()) != request.fences.end()) open.unordered = self.unordered;
    disarm(key, fx);
    fx.told.push_back({.session = key.session, .message = grant_of(session, request), .asked_ms = asked_ms});
}

session::Ending Sessions::ending_of(const Session& session, const Request& request) {
    if (request.ownership) return session::Ending::kept;
    if (request.fenced) return session::Ending::nothing;
    return session.stoppable ? session::Ending::stopped : session::Ending::told;
}

session::Granted Sessions::grant_of(const Session& session, const Request& request) const {
    const Ticket ticket = request.key.ticket;
    return {ticket, held_by(request, session.open.at(ticket)), ending_of(session, request), {}};
}

std::vector<session::Held> Sessions::held_by(const Request& request, const Open& open) {
    const std::uint64_t unordered = request.ownership ? number_of(request.ownership->id) : open.unordered;
    std::vector<session::Held> held;
    auto next = request.fences.begin();
    for (const ResourceId lock : request.want.locks)
        held.push_back({lock.name(), StampAccess::value(*next++)});
    for (const auto& [semaphore, units] : request.want.permits) {
        const std::uint64_t fence = StampAccess::value(*next++);
        held.push_back({semaphore.name(), fence > 0 ? fence : unordered});
    }
    return held;
}

void Sessions::tell_end(session::DaemonMessage message, const std::optional<Request>& request,
                        const Open& open, SessionEffects& fx) const {
    if (!request) return;
    Ended ended{.key = request->key,
                .was_granted = request->told,
                .since_ms = open.since_ms,
                .evicted = open.evicted};
    if (request->told) {
        ended.resources = held_by(*request, open);
    } else {
        for (const ResourceId lock : request->want.locks) ended.resources.push_back({lock.name()});
        for (const auto& [semaphore, units] : request->want.permits)
            ended.resources.push_back({semaphore.name()});
    }
    fx.told.push_back({request->key.session, std::move(message), std::move(ended)});
}

// --- Ends.

void Sessions::end(const Key& key, session::DaemonMessage message, SessionEffects& fx, bool abandoned) {
    if (const auto open = close(key)) {
        disarm(key, fx);
        fx.ends.push_back({key, std::move(message), *open, abandoned && !open->evicted});
    }
    forget_if_done(key.session, fx);
}

std::optional<Open> Sessions::close(const Key& key) {
    const auto session = sessions_.find(key.session);
    if (session == sessions_.end()) return std::nullopt;
    stop_following(session->second, key.ticket);
    const auto ended = session->second.open.extract(key.ticket);
    if (!ended) return std::nullopt;
    count(session->second.caller, &Usage::names, -std::int64_t{ended.mapped().names});
    return ended.mapped();
}

void Sessions::forget_if_done(SessionId id, SessionEffects& fx) {
    const auto session = sessions_.find(id);
    if (session == sessions_.end() || session->second.connected || !session->second.open.empty()) return;
    count(session->second.caller, &Usage::sessions, -1);
    fx.forgotten.emplace_back(id, std::move(session->second));
    sessions_.erase(session);
}

// A program that holds something is told, and gives it back itself: nobody else stops it.
void Sessions::lose(const Self& self, const Key& key, const std::string& why, SessionEffects& fx) {
    const Request* request = self.host.find(key);
    if (request == nullptr) return;
    if (request->told)
        fx.told.push_back({key.session, session::Lost{key.ticket, why}});
    else
        end(key, session::Refused{key.ticket, Refusal::unavailable, why}, fx);
}

void Sessions::expired(const Self& self, SessionId id, std::optional<Ticket> ticket, SessionEffects& fx) {
    if (!ticket) return vanished(id, fx);
    const Session* session = find(id);
    if (session == nullptr || !session->open.contains(*ticket)) return;
    const Request* request = self.host.find({id, *ticket});
    const bool is_granted = request != nullptr && request->told;
    if (is_granted && session->open.at(*ticket).evicted)
        end({id, *ticket}, session::Lost{*ticket, "it did not give it back in time"}, fx);
    else if (!is_granted)
        end({id, *ticket}, session::Refused{*ticket, Refusal::timed_out, "not granted in time"}, fx);
}

namespace {

// Units of a semaphore may share a fence, so an order means all who hold some.
bool is_meant(const Request& request, ResourceId name, std::uint64_t fence) {
    if (fence == 0) return request.want.permits.contains(name);
    const auto place = std::ranges::find(request.want.locks, name);
    if (place == request.want.locks.end()) return false;
    const auto part = static_cast<std::size_t>(place - request.want.locks.begin());
    return StampAccess::value(request.fences[part]) == fence;
}

}  // namespace

std::vector<Key> Sessions::evict(const Self& self, ResourceId lock, std::uint64_t fence,
                                 const std::string& why, SessionEffects& fx) {
    fx.freed.push_back({lock.name(), fence});
    std::vector<Key> stopped;
    for (const auto& request : self.host.requests()) {
        if (!request || !request->told) continue;
        if (request->is_of_host()) {
            const auto held = held_by(*request, {});
            if (std::ranges::find(held, session::Held{lock.name(), fence}) != held.end())
                fx.returns.push_back(request->key);
            continue;
        }
        if (!is_meant(*request, lock, fence)) continue;
        const auto [id, ticket] = request->key;
        Session& session = sessions_.at(id);
        session.open.at(ticket).evicted = true;
        fx.told.push_back({id, session::Lost{ticket, why}});
        if (session.stoppable || session.followed.contains(ticket))
            stopped.push_back(request->key);
        else
            fx.alarms.push_back({id, ticket, self.config.lease});
    }
    return stopped;
}

std::size_t Sessions::return_left(const Self& self, const Caller& caller, const std::string& resource,
                                  SessionEffects& fx) {
    std::size_t count = 0;
    for (const auto& request : self.host.requests()) {
        if (!request || !request->is_of_host() || request->returned) continue;
        const Want& want = request->want;
        const bool is_named = std::ranges::find(want.locks, ResourceId(resource)) != want.locks.end() ||
                              want.permits.contains(resource);
        if (!is_named || request->ownership->owner != owner_of(self.config, caller)) continue;
        fx.returns.push_back(request->key);
        ++count;
    }
    return count;
}

void Sessions::end_all(const Self&, SessionEffects& fx) {
    std::vector<Key> all;
    for (const auto& [id, session] : sessions_)
        for (const auto& [ticket, open] : session.open) all.push_back({id, ticket});
    for (const Key& key : all) end(key, session::Released{key.ticket}, fx, true);
}

// --- Programs that go away and come back.

void Sessions::disconnected(const Self& self, SessionId id, SessionEffects& fx) {
    Session& session = sessions_.at(id);
    session.connected = false;
    if (session.caller.is_local || session.open.empty()) return vanished(id, fx);
    fx.alarms.push_back({id, std::nullopt, self.config.lease});
}

void Sessions::ended(const Self&, SessionId id, SessionEffects& fx) {
    const auto session = sessions_.find(id);
    if (session == sessions_.end()) return;
    session->second.connected = false;
    vanished(id, fx);
}

// The program is not connected: it has ended, or does not come back.
void Sessions::vanished(SessionId id, SessionEffects& fx) {
    const Session* session = find(id);
    if (session == nullptr || session->connected) return;
    fx.alarms.push_back({id, std::nullopt, {}});
    std::vector<Ticket> left;
    for (const auto& [ticket, open] : session->open)
        if (!session->followed.contains(ticket)) left.push_back(ticket);
    for (const Ticket ticket : left) end({id, ticket}, session::Released{ticket}, fx, true);
    forget_if_done(id, fx);
}

// A lease that follows a process ends with it. All others are valid for at most the time of a lease from the
// end of the earlier daemon on, unless their program comes back.
bool Sessions::adopt(const Self& self, const Lease& lease, SessionEffects& fx) {
    const SessionId id = lease.key.session;
    const auto [place, fresh] =
        sessions_.try_emplace(id, Session{.name = lease.session,
                                          .caller = lease.caller,
                                          .command = harmless(lease.command, longest_command),
                                          .stoppable = lease.stoppable});
    Session& session = place->second;
    if (fresh) count(session.caller, &Usage::sessions, 1);
    const bool was_awaited = session.open.size() > session.followed.size();
    Open& open = session.open[lease.key.ticket] = lease.open;
    open.names = static_cast<std::uint32_t>(lease.want.locks.size() + lease.want.permits.size());
    count(session.caller, &Usage::names, open.names);
    if (lease.follows) start_following(session, lease.key.ticket);
    if (lease.follows || was_awaited) return false;
    fx.alarms.push_back({id, std::nullopt, std::max(self.config.limits.resume_within, self.config.lease)});
    return true;
}

std::optional<std::string> Sessions::follow(const Self& self, const Key& key) {
    const auto place = sessions_.find(key.session);
    if (place == sessions_.end() || !place->second.open.contains(key.ticket))
        return "ticket " + std::to_string(key.ticket) + " is not open";
    Session& session = place->second;
    const std::size_t most = self.config.limits.followed;
    if (used_.followed >= most)
        return "the daemon watches " + std::to_string(most) + " processes, which is the limit";
    if (used_by(session.caller).followed >= share_of_one(most))
        return "the daemon watches " + std::to_string(share_of_one(most)) + " processes for " +
               identity_of(session.caller) + ", which is the limit for one user";
    start_following(session, key.ticket);
    return std::nullopt;
}

void Sessions::start_following(Session& session, Ticket ticket) {
    if (session.followed.insert(ticket).second) count(session.caller, &Usage::followed, 1);
}

void Sessions::stop_following(Session& session, Ticket ticket) {
    if (session.followed.erase(ticket) > 0) count(session.caller, &Usage::followed, -1);
}

void Sessions::follower_ended(const Self& self, const Key& key, SessionEffects& fx) {
    const auto session = sessions_.find(key.session);
    if (session == sessions_.end()) return;
    stop_following(session->second, key.ticket);
    const auto open = session->second.open.find(key.ticket);
    if (open == session->second.open.end()) return;
    if (session->second.connected && !open->second.evicted) return;
    const Request* request = self.host.find(key);
    const bool may_be_returned = request != nullptr && request->ownership && !open->second.evicted;
    if (may_be_returned)  // by the program, if it comes back
        return fx.alarms.push_back(
            {key.session, std::nullopt, std::max(self.config.limits.resume_within, self.config.lease)});
    end(key, session::Released{key.ticket}, fx, true);
}

}  // namespace allot::host
