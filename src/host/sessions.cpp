#include "host/sessions.hpp"

#include <algorithm>
#include <utility>

#include "base/harmless.hpp"
#include "core/hash.hpp"
#include "core/stamps.hpp"

namespace allot::host {

using session::Refusal;

namespace {

// Shown in the status.
constexpr std::size_t longest_command = 200;

// Tells sticky units apart that have no order.
std::uint64_t number_of(const agreement::ValueId& id) {
    return std::uint64_t{id.incarnation} << 32 | id.host << 20 | id.number;
}

std::uint64_t memory_for(const Want& want) {
    std::uint64_t letters = 0;
    for (const ResourceId lock : want.locks) letters += lock.name().size();
    for (const auto& [semaphore, units] : want.permits) letters += semaphore.name().size();
    return memory_of_request(want.locks.size() + want.permits.size(), letters);
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

}  // namespace

std::string identity_of(const Caller& caller) {
    return caller.is_local || caller.user == uncertified ? caller.user : "cert:" + caller.user;
}

// A certificate and a user of this system may have the same name.
bool is_same_user(const Caller& one, const Caller& other) {
    return one.is_local == other.is_local && one.user == other.user;
}

// Two users with one number, if that should happen, only have one share together. Programs of the laboratory
// have no names.
Line::User user_of(const Caller& caller) {
    const std::string identity = identity_of(caller);
    return identity.empty() ? 0 : hash_bytes(identity);
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
    const std::optional<SessionId> known = known_as(guest, hello.resume);
    const bool resumed = known.has_value();
    if (!resumed)
        if (auto why = no_place_for(self, guest.caller)) return Error{std::move(*why)};
    const SessionId id = known.value_or(guest.number);
    Session& session = sessions_[id];
    session.caller = std::move(guest.caller);
    if (!resumed) {
        session.name = std::move(guest.name);
        named_[session.name].insert(id);
        session.stoppable = hello.stoppable && session.caller.is_local && session.caller.process.is_whole();
        count(session.caller, &Usage::sessions, 1);
    }
    session.command = harmless(hello.command, longest_command);
    session.connected = true;
    if (resumed) fx.alarms.push_back({id, std::nullopt, {}});
    greet(self, id, resumed, fx);
    return id;
}

bool Sessions::is_ending(SessionId id) const {
    const Session* session = find(id);
    return session != nullptr && !session->ending.empty();
}

// A session of which nothing goes on is over, though it has not given back all yet.
std::optional<SessionId> Sessions::known_as(const Guest& guest, const std::string& name) const {
    const auto place = named_.find(name);
    if (name.empty() || place == named_.end()) return std::nullopt;
    const auto known = std::ranges::find_if(place->second, [&](SessionId id) {
        const Session& session = sessions_.at(id);
        const bool goes_on = session.ending.empty() || session.ending.size() < session.open.size();
        return goes_on && is_same_user(session.caller, guest.caller) &&
               (!session.stoppable || session.caller.process == guest.caller.process);
    });
    if (known == place->second.end()) return std::nullopt;
    return *known;
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
    for (const auto& [ticket, open] : session.open)
        if (!open.ending) welcome.open.push_back(ticket);
    fx.told.push_back({id, std::move(welcome)});
    for (const auto& [ticket, open] : session.open)
        if (const auto* request = self.host.find({id, ticket});
            request != nullptr && request->told && !open.ending)
            fx.told.push_back({id, grant_of(session, *request)});
}

// --- Requests.

// An unknown request is released already. One that ends anyway will say so.
void Sessions::hear(const Self& self, SessionId id, const session::Release& release, SessionEffects& fx) {
    const Request* request = self.host.find({id, release.ticket});
    const auto& open = sessions_.at(id).open;
    const auto place = open.find(release.ticket);
    if (place != open.end() && place->second.ending) return;
    if (request != nullptr && request->told && request->ownership)
        fx.returns.push_back(request->key);
    else if (place != open.end())
        end({id, release.ticket}, session::Released{release.ticket}, fx);
    else
        fx.told.push_back({id, session::Released{release.ticket}});
}

void Sessions::hear(const Self&, SessionId id, const session::Ping& ping, SessionEffects& fx) {
    fx.told.push_back({id, session::Pong{ping.number}});
}

Cost Sessions::cost_of(SessionId id, const session::ClientMessage& message) const {
    if (const auto* want = std::get_if<session::Acquire>(&message))
        return 1 + want->locks.size() + want->permits.size();
    const auto* release = std::get_if<session::Release>(&message);
    const Session* session = find(id);
    if (release == nullptr || session == nullptr) return 1;
    const auto open = session->open.find(release->ticket);
    return open == session->open.end() ? 1 : 1 + open->second.names;
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
    if (open.ending) return;
    note_granted(session.caller, open);
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
                .was_granted = request->told && (open.granted || !open.ending),
                .since_ms = open.since_ms,
                .evicted = open.evicted};
    if (ended.was_granted) {
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
    const auto place = sessions_.find(key.session);
    if (place == sessions_.end()) return std::nullopt;
    Session& session = place->second;
    stop_following(session, key.ticket);
    const auto ended = session.open.extract(key.ticket);
    if (!ended) return std::nullopt;
    const Open& open = ended.mapped();
    session.bytes -= open.bytes;
    count(session.caller, &Usage::bytes, -static_cast<std::int64_t>(open.bytes));
    if (open.sticky && !open.granted) count(session.caller, &Usage::wishes, -1);
    return open;
}

void Sessions::forget_if_done(SessionId id, SessionEffects& fx) {
    const auto session = sessions_.find(id);
    if (session == sessions_.end() || session->second.connected || !session->second.open.empty()) return;
    count(session->second.caller, &Usage::sessions, -1);
    const auto same_name = named_.find(session->second.name);
    same_name->second.erase(id);
    if (same_name->second.empty()) named_.erase(same_name);
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
    if (!ticket) return vanished(self, id, fx);
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
    if (session.caller.is_local || session.open.empty()) return vanished(self, id, fx);
    fx.alarms.push_back({id, std::nullopt, self.config.lease});
}

void Sessions::ended(const Self& self, SessionId id, SessionEffects& fx) {
    const auto session = sessions_.find(id);
    if (session == sessions_.end()) return;
    session->second.connected = false;
    vanished(self, id, fx);
}

// The program is not connected: it has ended, or does not come back.
void Sessions::vanished(const Self& self, SessionId id, SessionEffects& fx) {
    const auto place = sessions_.find(id);
    if (place == sessions_.end() || place->second.connected) return;
    Session& session = place->second;
    fx.alarms.push_back({id, std::nullopt, {}});
    std::vector<Ticket> waiting;
    for (auto one = session.open.rbegin(); one != session.open.rend(); ++one) {
        if (one->second.ending || session.followed.contains(one->first)) continue;
        one->second.ending = true;
        (one->second.granted ? session.ending : waiting).push_back(one->first);
    }
    session.ending.insert(session.ending.end(), waiting.begin(), waiting.end());
    go_on(self, id, fx);
}

Cost Sessions::go_on(const Self& self, SessionId id, SessionEffects& fx) {
    Cost cost = 0;
    for (auto place = sessions_.find(id);
         place != sessions_.end() && !place->second.ending.empty() && cost < self.config.end_at_once;
         place = sessions_.find(id)) {
        const Ticket ticket = place->second.ending.back();
        place->second.ending.pop_back();
        const auto open = place->second.open.find(ticket);
        cost += open == place->second.open.end() ? 1 : 1 + open->second.names;
        end({id, ticket}, session::Released{ticket}, fx, true);
    }
    if (is_ending(id)) fx.unfinished.push_back(id);
    forget_if_done(id, fx);
    return cost;
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
    named_[session.name].insert(id);
    const bool was_awaited = session.open.size() > session.followed.size();
    Open open = lease.open;
    open.names = static_cast<std::uint32_t>(lease.want.locks.size() + lease.want.permits.size());
    open.bytes = memory_for(lease.want);
    open.sticky = lease.ownership.has_value();
    open.granted = true;
    note_open(session, lease.key.ticket, open);
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
