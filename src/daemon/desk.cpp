#include "daemon/desk.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <random>
#include <utility>

#include "base/log.hpp"
#include "base/processes.hpp"
#include "core/bytes.hpp"
#include "daemon/redaction.hpp"

namespace allot::daemon {

using host::Key;
using host::Member;
using host::SessionEffects;
using host::Sessions;
using host::ToProgram;

namespace {

// A program that knows this name can take over the leases of the session, so it must not be guessable.
std::string secret_name() {
    std::random_device device;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

// Why a lease cannot follow that process, if it cannot.
std::optional<std::string> why_unwatched(const host::Request& lease, const Descriptor& process,
                                         bool is_visible) {
    // The kernel drops descriptors for which there is no room.
    if (!process) return "the daemon cannot watch the process: it may open no more files; raise its limit";
    if (!lease.told) return fmt::format("cannot follow ticket {}: it is not granted yet", lease.key.ticket);
    if (is_visible) return std::nullopt;
    return "the daemon cannot watch the process, because its /proc does not show it; run both in one PID "
           "namespace, with /proc mounted";
}

// A session, though it may be forgotten by now.
const host::Session* session_in(const Sessions& sessions, const SessionEffects& fx, SessionId id) {
    if (const host::Session* known = sessions.find(id)) return known;
    const auto place = std::ranges::find(fx.forgotten, id, &std::pair<SessionId, host::Session>::first);
    return place == fx.forgotten.end() ? nullptr : &place->second;
}

}  // namespace

Desk::Desk(boost::asio::io_context& loop, const Config& config, Member& member, Ways ways)
    : loop_(loop),
      config_(config),
      member_(member),
      ways_(std::move(ways)),
      auditor_(config),
      wards_(loop, config,
             {.refused = [this](const Key& key, const std::string& why) { lose(key, why); },
              .unadopted = [this](const std::string& why) { note_unadopted(why); }}),
      connections_(loop, config, events()) {}

std::optional<std::string> Desk::open() {
    if (auto why = auditor_.open()) return why;
    return wards_.open();
}

template <class Action>
void Desk::converse(Action&& action) {
    ways_.wake();
    // Effects may lead to the next input before they are all carried out.
    auto fx = spare_ ? std::move(spare_) : std::make_unique<Member::Effects>();
    member_.converse(ways_.self(), *fx, action);
    ways_.carry_out(*fx);
    for (const SessionId session : fx->unfinished) want_turn(session);
    fx->clear();
    spare_ = std::move(fx);
}

// --- Turns.

void Desk::want_turn(SessionId session) {
    const host::Session* known = member_.sessions().find(session);
    if (known == nullptr) return;
    turns_.want(session, host::identity_of(known->caller));
    serve_soon();
}

// After what is ready now.
void Desk::serve_soon() {
    if (std::exchange(serving_, true)) return;
    boost::asio::post(loop_, [this] {
        serving_ = false;
        serve();
    });
}

void Desk::serve() {
    for (const host::Cost until = work_ + at_once; !turns_.empty() && work_ < until;) {
        const SessionId session = *turns_.next();
        const host::Cost before = work_++;
        serve(session);
        const bool more = member_.sessions().is_ending(session) || connections_.has_unheard(session);
        turns_.served(session, work_ - before, more);
    }
    free_until_ = work_ + at_once;
    if (!turns_.empty()) serve_soon();
}

// One message, or a part of its end.
void Desk::serve(SessionId session) {
    if (!member_.sessions().is_ending(session)) return connections_.hear_next(session);
    converse([&](Sessions& sessions, const Sessions::Self& self, SessionEffects& fx) {
        work_ += sessions.go_on(self, session, fx);
    });
}

// --- Messages of programs.

Connections::Events Desk::events() {
    return {
        .hello =
            [this](host::Caller caller, const session::Hello& said,
                   const Connections::Events::LetIn& let_in) {
                return hello(std::move(caller), said, let_in);
            },
        .said = [this](SessionId session, const session::ClientMessage& message) { hear(session, message); },
        .follow = [this](SessionId session, const net::Identity& who, session::Ticket ticket,
                         Descriptor process) { return follow(session, who, ticket, std::move(process)); },
        .disconnected =
            [this](SessionId session) {
                converse([&](Sessions& sessions, const Sessions::Self& self, SessionEffects& fx) {
                    sessions.disconnected(self, session, fx);
                });
            },
        .is_free = [this] { return turns_.empty() && work_ < free_until_; },
        .waits = [this](SessionId session) { want_turn(session); },
        .has_requests = [this](SessionId session) { return !member_.sessions().find(session)->open.empty(); },
    };
}

std::optional<std::string> Desk::hello(host::Caller caller, session::Hello hello,
                                       const std::function<void(SessionId)>& let_in) {
    hello.command = redacted(hello.command, config_.redact);
    ways_.wake();
    Member::Effects fx;
    Result<SessionId> session = Error{""};
    member_.converse(
        ways_.self(), fx, [&](Sessions& sessions, const Sessions::Self& self, SessionEffects& out) {
            session = sessions.hello(self, {next_session_, secret_name(), std::move(caller)}, hello, out);
        });
    if (!session) return session.error();
    if (*session == next_session_) ++next_session_;
    const host::Session& now = member_.sessions().all().at(*session);
    if (now.caller.is_local) watch_program(*session);
    // The next daemon looks for the process that has the session now.
    for (const auto& [ticket, open] : now.open)
        if (const auto* lease = member_.host().find({*session, ticket}); lease != nullptr && lease->told)
            wards_.rewrite(*lease, now);
    let_in(*session);
    ways_.carry_out(fx);
    return std::nullopt;
}

void Desk::hear(SessionId session, const session::ClientMessage& message) {
    // A status has a line for each of many requests, at all hosts.
    constexpr host::Cost status_cost = 1024;
    work_ += std::holds_alternative<session::StatusQuery>(message)
                 ? status_cost
                 : member_.sessions().cost_of(session, message);
    if (const auto* query = std::get_if<session::StatusQuery>(&message))
        return ways_.status(query->whole, connections_.reader(member_.sessions().find(session)->caller),
                            [this, session](const session::Status& status) {
                                connections_.say(session, session::StatusAnswer{status});
                            });
    if (const auto* order = std::get_if<session::Order>(&message)) return obey(session, *order);
    converse([&](Sessions& sessions, const Sessions::Self& self, SessionEffects& fx) {
        if (const auto* want = std::get_if<session::Acquire>(&message))
            sessions.hear(self, session, *want, fx);
        if (const auto* release = std::get_if<session::Release>(&message))
            sessions.hear(self, session, *release, fx);
        if (const auto* ping = std::get_if<session::Ping>(&message)) sessions.hear(self, session, *ping, fx);
    });
}

// A copy of the caller: an order takes steps, which may change sessions.
void Desk::obey(SessionId session, const session::Order& order) {
    const host::Caller by = member_.sessions().find(session)->caller;
    ways_.obey(order, by,
               [this, session](const session::OrderAnswer& answer) { connections_.say(session, answer); });
}

// A program that is not connected gets its rights when it comes back.
void Desk::reconsider() {
    std::map<SessionId, host::Caller> callers = connections_.callers();
    converse([&](Sessions& sessions, const Sessions::Self&, SessionEffects&) {
        sessions.reconsider([&](SessionId id, host::Session& session) {
            session.caller.allowances = std::move(callers[id].allowances);
            session.command = redacted(session.command, config_.redact);
        });
    });
}

bool Desk::evict(const std::string& lock, std::uint64_t fence, const std::string& why) {
    std::vector<Key> stopped;
    bool is_here = false;
    converse([&](Sessions& sessions, const Sessions::Self& self, SessionEffects& fx) {
        stopped = sessions.evict(self, lock, fence, why, fx);
        is_here = !fx.told.empty() || !fx.returns.empty();
    });
    for (const Key& key : stopped)
        if (const host::Request* lease = member_.host().find(key))
            wards_.evict(*lease, *member_.sessions().find(key.session));
    note_evicted();
    return is_here;
}

// The notes of leases whose programs have time to give them back: the next daemon ends them in time, too.
void Desk::note_evicted() {
    for (const auto& [id, session] : member_.sessions().all())
        for (const auto& [ticket, open] : session.open)
            if (const host::Request* lease = member_.host().find({id, ticket}); open.evicted && lease)
                wards_.rewrite(*lease, session);
}

std::size_t Desk::return_left(const std::string& resource, const host::Caller& by) {
    std::size_t count = 0;
    converse([&](Sessions&, const Sessions::Self& self, SessionEffects& fx) {
        count = Sessions::return_left(self, by, resource, fx);
    });
    return count;
}

void Desk::lose(const Key& key, const std::string& why) {
    converse([&](Sessions& sessions, const Sessions::Self& self, SessionEffects& fx) {
        sessions.lose(self, key, why, fx);
    });
}

// --- Processes.

std::optional<std::string> Desk::follow(SessionId session, const net::Identity& who, session::Ticket ticket,
                                        Descriptor process) {
    const Key key{session, ticket};
    ways_.wake();  // the lease may end with the time that has passed
    const host::Request* lease = member_.host().find(key);
    if (lease == nullptr) return std::nullopt;
    const auto pid = process ? process_number(process) : std::nullopt;
    const bool is_visible = pid && net::mark_of(*pid);
    // If the process has ended already the lease just follows the connection.
    if (process && lease->told && !is_visible && process_ended(process)) return std::nullopt;
    std::optional<std::string> why = why_unwatched(*lease, process, is_visible);
    if (!why && !Permissions::may_follow(who, *pid))
        return fmt::format(
            "process {} belongs to another user; a lease follows processes of its own user, and "
            "descendants of its program",
            *pid);
    if (!why)
        converse([&](Sessions& sessions, const Sessions::Self& self, SessionEffects&) {
            why = sessions.follow(self, key);
        });
    if (why) {
        lose(key, *why);
        return std::nullopt;
    }
    lease = member_.host().find(key);  // the step may have ended it
    const host::Session* owner = member_.sessions().find(session);
    if (lease == nullptr || owner == nullptr || !owner->open.contains(ticket)) return std::nullopt;
    why = wards_.follow(*lease, *owner, process);
    if (why) lose(key, *why);
    watch(key, std::move(process));
    return std::nullopt;
}

void Desk::watch(const Key& key, Descriptor process) {
    auto watch = net::watch_descriptor(loop_, std::move(process), [this, key] {
        followed_.erase(key);
        converse([&](Sessions& sessions, const Sessions::Self& self, SessionEffects& fx) {
            sessions.follower_ended(self, key, fx);
        });
    });
    if (watch) followed_[key] = std::move(watch);
}

// A session belongs to the process that began it. When that has ended, nobody else who has its connection has
// leases.
void Desk::watch_program(SessionId session) {
    const auto self = net::mark_of_this_process();
    if (!self) return;
    const ProcessMark& process = member_.sessions().find(session)->caller.process;
    auto watch = net::watch_process(loop_, *self, process, [this, session] {
        connections_.drop(session);
        converse([&](Sessions& sessions, const Sessions::Self& inner, SessionEffects& fx) {
            sessions.ended(inner, session, fx);
        });
    });
    if (watch)
        programs_[session] = std::move(watch);
    else
        programs_.erase(session);  // that of another process, which had the session before
}

void Desk::note_unadopted(const std::string& why) {
    log_error(why);
    auditor_.note("unadopted", why);
}

void Desk::adopt(std::vector<Wards::Ward> wards, Member::Effects& fx) {
    for (Wards::Ward& ward : wards) {
        const Key key = ward.lease.key;
        ward.lease.command = redacted(ward.lease.command, config_.redact);
        next_session_ = std::max(next_session_, key.session + 1);
        ward.lease.follows = static_cast<bool>(ward.command);
        // Nobody knows how much of its time is over, so its program has all of it again.
        if (ward.lease.open.evicted && !ward.lease.follows)
            fx.alarms.push_back({key.session, key.ticket, ways_.self().config.sessions.lease});
        const bool is_awaited = member_.adopt(ways_.self(), std::move(ward.lease), wards_.keeper(), fx);
        if (ward.command) watch(key, std::move(ward.command));
        if (is_awaited) watch_program(key.session);
        guard(key);
    }
}

// The guardian keeps each lease of a stoppable session: that is what the session is told.
void Desk::guard(const Key& key) {
    const host::Request* lease = member_.host().find(key);
    const host::Session* session = member_.sessions().find(key.session);
    if (lease == nullptr || session == nullptr || !session->stoppable || wards_.guards(key)) return;
    if (const auto why = wards_.follow(*lease, *session, {}))
        boost::asio::post(loop_, [this, key, reason = *why] { lose(key, reason); });
}

// --- Messages to programs.

void Desk::stop_lost(const Member::Effects& fx) {
    for (const ToProgram& told : fx.told)
        if (told.ended && std::holds_alternative<session::Lost>(told.message)) wards_.stop(told.ended->key);
}

void Desk::tell(Member::Effects& fx) {
    for (const host::Alarm& alarm : fx.alarms) alarms_.set(alarm);
    for (ToProgram& told : fx.told) {
        const host::Session* session = session_in(member_.sessions(), fx, told.session);
        if (told.asked_ms) begin(told, session);
        if (told.ended) end(told, session);
        const auto* lost = told.ended ? nullptr : std::get_if<session::Lost>(&told.message);
        if (lost != nullptr && member_.host().find({told.session, lost->ticket}) != nullptr)
            losing_[{told.session, lost->ticket}] = lost->reason;
        set_validity(told.message);
        connections_.say(told.session, told.message);
    }
    for (const auto& [id, session] : fx.forgotten) {
        programs_.erase(id);
        turns_.forget(id);
    }
}

// The next daemon can know of the lease before its program does. A lease that began and ended while this
// daemon slept is not there any more.
void Desk::begin(const ToProgram& told, const host::Session* session) {
    const auto& granted = std::get<session::Granted>(told.message);
    ++grants_;
    auditor_.granted(session, granted.held, *told.asked_ms);
    const host::Request* lease = member_.host().find({told.session, granted.ticket});
    if (lease == nullptr) return;
    wards_.begin(*lease, *session);
    guard(lease->key);
}

void Desk::end(const ToProgram& told, const host::Session* session) {
    auditor_.ended(session, *told.ended, told.message, why_lost(*told.ended));
    if (!told.ended->was_granted) return;
    followed_.erase(told.ended->key);
    wards_.end(told.ended->key, std::holds_alternative<session::Lost>(told.message));
}

// Empty if its program gave it back, or ended, of its own accord. The next daemon knows of an order, but not
// whose it was.
std::string Desk::why_lost(const host::Ended& ended) {
    if (const auto told = losing_.extract(ended.key)) return told.mapped();
    if (ended.evicted) return "an operator ordered its release";
    return wards_.is_stopping(ended.key) ? "its lease ended: the guardian stopped its program" : "";
}

// Programs count this time from the moment in which they asked.
void Desk::set_validity(session::DaemonMessage& message) const {
    const auto valid_us = [&] {
        const auto left = std::chrono::floor<std::chrono::microseconds>(wards_.deadline() - BootClock::now());
        return static_cast<std::uint64_t>(std::max<std::int64_t>(0, left.count()));
    };
    if (auto* welcome = std::get_if<session::Welcome>(&message)) welcome->valid_us = valid_us();
    if (auto* granted = std::get_if<session::Granted>(&message)) granted->valid_us = valid_us();
    if (auto* pong = std::get_if<session::Pong>(&message)) pong->valid_us = valid_us();
}

// --- The rest.

bool Desk::holds_anything() const {
    return std::ranges::any_of(member_.host().requests(),
                               [](const auto& one) { return one && one->told && !one->is_of_host(); });
}

void Desk::end_all() {
    converse([&](Sessions& sessions, const Sessions::Self& self, SessionEffects& fx) {
        sessions.end_all(self, fx);
    });
}

void Desk::pass_time() {
    while (const auto due = alarms_.take(Alarms::Clock::now()))
        converse([&](Sessions& sessions, const Sessions::Self& self, SessionEffects& fx) {
            sessions.expired(self, due->first, due->second, fx);
        });
}

std::string Desk::trouble() const {
    if (const std::string gaps = auditor_.problem(); !gaps.empty()) return "the audit log has gaps: " + gaps;
    if (!wards_.problem().empty()) return "there is no guardian: " + wards_.problem();
    return "";
}

}  // namespace allot::daemon
