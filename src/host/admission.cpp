// Judges requests of programs: rights, names, modes, and shares of this host.
#include <algorithm>
#include <utility>

#include "base/harmless.hpp"
#include "host/reading.hpp"
#include "host/resource_name.hpp"
#include "host/sessions.hpp"

namespace allot::host {

using session::Refusal;

namespace {

// Longer than anybody waits, and short enough to be added to the time of day.
std::chrono::microseconds patience_of(const session::Acquire& want) {
    constexpr std::uint64_t year_us = std::uint64_t{365} * 86400 * 1'000'000;
    return std::chrono::microseconds(std::min(want.patience_us, year_us));
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

std::uint64_t memory_for(const session::Acquire& want) {
    std::uint64_t letters = 0;
    for (const std::string& lock : want.locks) letters += lock.size();
    for (const session::Permit& permit : want.permits) letters += permit.semaphore.size();
    return memory_of_request(names_of(want), letters);
}

std::string bytes_text(std::uint64_t bytes) {
    return std::to_string(bytes) + " bytes";
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

// --- Shares.

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

// --- Requests.

void Sessions::hear(const Self& self, SessionId id, const session::Acquire& want, SessionEffects& fx) {
    Session& session = sessions_.at(id);
    const Key key{id, want.ticket};
    if (auto refused = objection(self, session, want)) {
        Ended ended{.key = key, .resources = names_in(want, self.config.limits), .since_ms = self.now_ms};
        return fx.told.push_back({id, std::move(*refused), std::move(ended)});
    }
    Terms terms = terms_of(self, session, want);
    note_open(session, want.ticket,
              {.since_ms = self.now_ms,
               .names = names_of(want),
               .bytes = memory_for(want),
               .sticky = !terms.owner.empty()});
    if (want.patience_us > 0) fx.alarms.push_back({id, want.ticket, patience_of(want)});
    fx.asks.push_back({key, want_of(want), std::move(terms)});
}

void Sessions::note_open(Session& session, Ticket ticket, const Open& open) {
    session.open[ticket] = open;
    session.bytes += open.bytes;
    count(session.caller, &Usage::bytes, static_cast<std::int64_t>(open.bytes));
    if (open.sticky && !open.granted) count(session.caller, &Usage::wishes, 1);
}

// From now on the register keeps it, if it is sticky.
void Sessions::note_granted(const Caller& caller, Open& open) {
    if (open.sticky && !open.granted) count(caller, &Usage::wishes, -1);
    open.granted = true;
}

// An owner is a user on one host.
std::string Sessions::owner_of(const SessionConfig& config, const Caller& caller) {
    return (caller.is_local ? "" : "cert:") + caller.user + "@" + config.host;
}

Terms Sessions::terms_of(const Self& self, const Session& session, const session::Acquire& want) {
    Terms terms{.user = user_of(session.caller)};
    if (self.config.modes.empty()) return terms;
    terms.fenced = all_modes(self.config, want, [](const Mode& one) { return one.fence || one.sticky; });
    if (!all_modes(self.config, want, [](const Mode& one) { return one.sticky; })) return terms;
    terms.owner = owner_of(self.config, session.caller);
    terms.since_ms = self.now_ms;
    return terms;
}

// The register carries all that is sticky with every change. One owner has three quarters of it.
std::optional<std::string> Sessions::no_room_to_keep(const Self& self, const Session& session,
                                                     const session::Acquire& want) const {
    const std::string owner = terms_of(self, session, want).owner;
    if (owner.empty()) return std::nullopt;
    const Limits& limits = self.config.limits;
    if (want.locks.size() + want.permits.size() > limits.sticky_names)
        return "a sticky request has at most " + std::to_string(limits.sticky_names) + " names";
    const auto& kept = self.host.known().kept;
    const auto is_own = [&](const agreement::Kept& one) { return one.ownership.owner == owner; };
    const std::size_t all = kept.size() + used_.wishes;
    const std::size_t own =
        static_cast<std::size_t>(std::ranges::count_if(kept, is_own)) + used_by(session.caller).wishes;
    if (all >= limits.sticky)
        return "the register keeps " + std::to_string(limits.sticky) +
               " sticky requests, which is the limit; give some back";
    if (own < share_of_one(limits.sticky)) return std::nullopt;
    return owner + " has " + std::to_string(own) +
           " sticky requests, which is the limit for one owner; give some back";
}

// One user leaves a quarter for others.
std::optional<std::string> Sessions::no_memory_for(const Self& self, const Session& session,
                                                   const session::Acquire& want) const {
    const Limits& limits = self.config.limits;
    const std::uint64_t more = memory_for(want);
    const auto refusal = [&](const std::string& whose, std::uint64_t used, std::uint64_t most,
                             const char* setting) {
        return "the open requests of " + whose + " take " + bytes_text(used) + ", and this one " +
               bytes_text(more) + ", of at most " + bytes_text(most) + " (limits." + setting +
               "); ask again when some have ended";
    };
    if (session.bytes + more > limits.session_memory)
        return refusal("this session", session.bytes, limits.session_memory, "session_megabytes");
    if (used_.bytes + more > limits.memory)
        return refusal("this host", used_.bytes, limits.memory, "memory_megabytes");
    const std::uint64_t used = used_by(session.caller).bytes;
    if (used + more <= share_of_one(limits.memory)) return std::nullopt;
    return refusal(identity_of(session.caller), used, share_of_one(limits.memory), "memory_megabytes");
}

// Less than the sixteenth part is left. Names of users are not for everybody's eyes.
std::string Sessions::crowding(const Limits& limits) const {
    const auto is_full = [](std::uint64_t used, std::uint64_t most) { return used > most - most / 16; };
    const auto text = [](const std::string& whose, const char* setting) {
        return "the open requests of " + whose + " take nearly all the memory that they may take (limits." +
               setting + "); more of them are refused until some have ended";
    };
    if (is_full(used_.bytes, limits.memory)) return text("this host", "memory_megabytes");
    for (const auto& [user, used] : used_by_)
        if (is_full(used.bytes, share_of_one(limits.memory))) return text("one user", "memory_megabytes");
    return "";
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
    if (auto why = no_memory_for(self, session, want)) return refused(Refusal::limit, std::move(*why));
    const std::uint32_t most = self.config.limits.requests_per_session;
    if (session.open.size() >= most)
        return refused(Refusal::limit,
                       "this session has " + std::to_string(most) + " open requests, which is the limit");
    return std::nullopt;
}

}  // namespace allot::host
