// The sessions of a host: which programs speak to it, what each of them may ask for, and how long it is
// patient. It takes what programs say and what the host answers, and returns what programs hear. The requests
// themselves are the host's (host.hpp).
//
// A session belongs to one program and outlives its connection. The leases of a program on this machine end
// with the connection, except those that follow a process which still runs. A program on another machine may
// not have noticed the end yet: its session waits for the time of a lease. A session that an earlier daemon
// left behind waits for its program to resume it.
//
// A session that ends may have much to give back. It does so in parts, the requests that wait first, so that
// nothing of it is granted to another request of the same session: `unfinished` asks for the next part.
//
// Complexity, with N requests of the host, and n names in the request at hand: a request, its grant, its
// release or its cancellation cost O(n log N) here, and a part of an end so much for each of its requests.
// A hello costs O(log N), and O(log N) for each request of a session that it resumes.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/process_mark.hpp"
#include "base/result.hpp"
#include "host/host.hpp"
#include "host/limits.hpp"
#include "host/turns.hpp"
#include "session/frames.hpp"

namespace allot::host {

using session::Ticket;

struct SessionConfig {
    std::string host;  // its name
    Limits limits;
    std::chrono::milliseconds lease{3000};
    std::vector<Allowance> allow;  // empty: everybody may use everything
    std::vector<Mode> modes;       // the first that names a resource counts
    Cost end_at_once = ~Cost{0};   // of the names that a session gives back when it ends
};

// A program, as the shell knows it.
struct Caller {
    std::string user;                       // its name on this system, or the one on its certificate
    bool is_local = true;                   // the kernel tells when it ends
    std::vector<std::uint32_t> allowances;  // those that name it, by their place in the configuration
    ProcessMark process;                    // without a number if it is on another machine
    bool operator==(const Caller&) const = default;
};
BOOST_DESCRIBE_STRUCT(Caller, (), (user, is_local, allowances, process))

// Stands for the user of a program on another machine that shows no certificate.
inline constexpr const char* uncertified = "a program without a certificate";
// The identity of a caller, as people read it: a user of this system, or cert:NAME. These are never the same.
std::string identity_of(const Caller& caller);
bool is_same_user(const Caller& one, const Caller& other);
// The number under which the host knows a user.
Line::User user_of(const Caller& caller);

// A request or a lease, besides what the host knows of it.
struct Open {
    std::uint64_t since_ms = 0;   // when it was asked for, or granted, since the epoch
    std::uint64_t unordered = 0;  // the fence of units that have no order
    bool evicted = false;         // it ends with the process that it follows, not with its program
    // The next daemon finds these out by itself.
    std::uint32_t names = 0;  // of the locks and semaphores that it asks for
    std::uint64_t bytes = 0;  // of memory that it counts with (limits.hpp)
    bool sticky = false;
    bool granted = false;  // the program has been told so
    bool ending = false;   // the program is gone, and this is given back soon
    bool operator==(const Open&) const = default;
};
BOOST_DESCRIBE_STRUCT(Open, (), (since_ms, unordered, evicted, names, bytes, sticky, granted, ending))

// The share of this host that sessions take up.
struct Usage {
    std::uint64_t sessions = 0;
    std::uint64_t followed = 0;  // processes
    std::uint64_t bytes = 0;     // of memory, for open requests
    std::uint64_t wishes = 0;    // sticky requests that are not granted yet
    bool operator==(const Usage&) const = default;
};
BOOST_DESCRIBE_STRUCT(Usage, (), (sessions, followed, bytes, wishes))

struct Session {
    std::string name;  // to resume it by: a secret
    Caller caller;
    std::string command;
    bool stoppable = false;  // the guardian may kill the program; never changes
    bool connected = false;
    std::map<Ticket, Open> open;
    std::set<Ticket> followed;   // leases that follow a process as well
    std::vector<Ticket> ending;  // to be given back, the last one first
    std::uint64_t bytes = 0;     // of memory, for its open requests
    bool operator==(const Session&) const = default;
};
BOOST_DESCRIBE_STRUCT(Session, (),
                      (name, caller, command, stoppable, connected, open, followed, ending, bytes))

// A lease as a daemon leaves it to the next one.
struct Lease {
    Key key;
    Want want;
    std::vector<Fence> fences;
    Open open;
    std::string session{};  // its name
    Caller caller{};
    std::string command{};
    bool stoppable = false;
    bool fenced = false;
    std::optional<agreement::Ownership> ownership{};
    bool follows = false;  // a process as well
    bool operator==(const Lease&) const = default;
};
BOOST_DESCRIBE_STRUCT(Lease, (),
                      (key, want, fences, open, session, caller, command, stoppable, fenced, ownership,
                       follows))

// --- Effects.

// A request that is over, or was refused.
struct Ended {
    Key key;
    bool was_granted = false;
    std::vector<session::Held> resources;  // with fences, if it was granted
    std::uint64_t since_ms = 0;
    bool evicted = false;  // an operator had ordered it
};

// A message to a program, if it is connected.
struct ToProgram {
    SessionId session = 0;
    session::DaemonMessage message;
    std::optional<Ended> ended;             // the request that ends with it
    std::optional<std::uint64_t> asked_ms;  // a lease begins with it, which was asked for at this time
};

// To be told `expired` after so long; zero: not any more. Without a ticket: the session itself.
struct Alarm {
    SessionId session = 0;
    std::optional<Ticket> ticket;
    std::chrono::microseconds after{};
};

struct SessionEffects {
    // For the host.
    struct Ask {
        Key key;
        Want want;
        Terms terms;
    };
    struct End {
        Key key;
        session::DaemonMessage message;  // for the program
        Open open;
        bool abandoned = false;  // the program is gone, and has given nothing back
    };
    std::vector<Ask> asks;
    std::vector<End> ends;
    std::vector<Key> returns;          // sticky requests that are given back; they end later
    std::vector<session::Held> freed;  // the same for those that the host does not hold yet
    // For the shell.
    std::vector<ToProgram> told;
    std::vector<Alarm> alarms;
    std::vector<std::pair<SessionId, Session>> forgotten;
    std::vector<SessionId> unfinished;  // to be told to `go_on`, when others have been served

    void clear() {
        asks.clear();
        ends.clear();
        returns.clear();
        freed.clear();
        told.clear();
        alarms.clear();
        forgotten.clear();
        unfinished.clear();
    }
};

class Sessions {
public:
    struct Self {
        const SessionConfig& config;
        const Host& host;
        SiteId number = 0;            // of the host
        std::uint64_t now_ms = 0;     // of the calendar, for people to see
        std::uint64_t unordered = 0;  // the fence of units that have no order, in this epoch
    };
    // A program that connects: it gets this number and this name, unless it resumes a session.
    struct Guest {
        SessionId number = 0;
        std::string name;
        Caller caller;
    };

    // The session of the program from now on, or why it has none.
    Result<SessionId> hello(const Self& self, Guest guest, const session::Hello& hello, SessionEffects& fx);
    void hear(const Self& self, SessionId id, const session::Acquire& want, SessionEffects& fx);
    void hear(const Self& self, SessionId id, const session::Release& release, SessionEffects& fx);
    void hear(const Self& self, SessionId id, const session::Ping& ping, SessionEffects& fx);
    // The work that such a message makes.
    Cost cost_of(SessionId id, const session::ClientMessage& message) const;
    // The session, whose program is gone, gives back more of what it had. Returns the work that this makes.
    Cost go_on(const Self& self, SessionId id, SessionEffects& fx);
    bool is_ending(SessionId id) const;
    // The lease follows a process from now on. Why it cannot, if so; in particular, it may have ended.
    std::optional<std::string> follow(const Self& self, const Key& key);
    void follower_ended(const Self& self, const Key& key, SessionEffects& fx);
    // The connection of the program has ended.
    void disconnected(const Self& self, SessionId id, SessionEffects& fx);
    // The process of the program has ended, though others may have its connection.
    void ended(const Self& self, SessionId id, SessionEffects& fx);
    void expired(const Self& self, SessionId id, std::optional<Ticket> ticket, SessionEffects& fx);
    // The rules have changed: calls `judge(id, session)` for each session, which may change what its program
    // may ask for from now on, and its command as others see it.
    template <class Judge>
    void reconsider(Judge&& judge) {
        for (auto& [id, session] : sessions_) judge(id, session);
    }
    // The program cannot use what it asked for: it is refused, or told to stop and to give it back.
    void lose(const Self& self, const Key& key, const std::string& why, SessionEffects& fx);
    // Tells the holder with this fence to give the lock back. Programs that nobody stops have the time of a
    // lease for that. Returns the leases whose programs must be stopped.
    std::vector<Key> evict(const Self& self, ResourceId lock, std::uint64_t fence, const std::string& why,
                           SessionEffects& fx);
    // The owner of what that caller takes of a sticky resource.
    static std::string owner_of(const SessionConfig& config, const Caller& caller);
    // The caller gives back what programs of its own left behind here, of a sticky resource. Returns the
    // number of these requests.
    static std::size_t return_left(const Self& self, const Caller& caller, const std::string& resource,
                                   SessionEffects& fx);
    // This host serves no program any more.
    void end_all(const Self& self, SessionEffects& fx);

    // A lease that an earlier daemon gave. True if its program is waited for from now on.
    bool adopt(const Self& self, const Lease& lease, SessionEffects& fx);
    // The host has answered.
    void answer(const Self& self, Answer answer, SessionEffects& fx);

    const std::map<SessionId, Session>& all() const { return sessions_; }
    // Why one who asks for more is refused soon; empty if there is room.
    std::string crowding(const Limits& limits) const;
    const Session* find(SessionId session) const;
    static bool is_fenced(const Session& session, const Request& request) {
        return ending_of(session, request) != session::Ending::stopped;
    }
    // The resources of a granted request, with their fences.
    static std::vector<session::Held> held_by(const Request& request, const Open& open);

    // Tells a program that the host has ended its request.
    void tell_end(session::DaemonMessage message, const std::optional<Request>& request, const Open& open,
                  SessionEffects& fx) const;

    bool operator==(const Sessions&) const = default;

private:
    std::optional<std::string> no_room_to_keep(const Self& self, const Session& session,
                                               const session::Acquire& want) const;
    static Terms terms_of(const Self& self, const Session& session, const session::Acquire& want);
    static session::Ending ending_of(const Session& session, const Request& request);
    session::Granted grant_of(const Session& session, const Request& request) const;
    void vanished(const Self& self, SessionId id, SessionEffects& fx);
    std::optional<SessionId> known_as(const Guest& guest, const std::string& name) const;
    std::optional<std::string> no_place_for(const Self& self, const Caller& caller) const;
    void greet(const Self& self, SessionId id, bool resumed, SessionEffects& fx) const;
    std::optional<session::Refused> objection(const Self& self, const Session& session,
                                              const session::Acquire& want) const;
    void granted(const Self& self, const Key& key, SessionEffects& fx);
    void end(const Key& key, session::DaemonMessage message, SessionEffects& fx, bool abandoned = false);
    std::optional<Open> close(const Key& key);
    void start_following(Session& session, Ticket ticket);
    void stop_following(Session& session, Ticket ticket);
    // So much more, or less, is used by a user, and by all together.
    void count(const Caller& caller, std::uint64_t Usage::*what, std::int64_t more);
    Usage used_by(const Caller& caller) const;
    std::optional<std::string> no_memory_for(const Self& self, const Session& session,
                                             const session::Acquire& want) const;
    void note_open(Session& session, Ticket ticket, const Open& open);
    void note_granted(const Caller& caller, Open& open);
    void forget_if_done(SessionId id, SessionEffects& fx);

    std::map<SessionId, Session> sessions_;
    std::map<std::string, std::set<SessionId>> named_;  // by their names
    Usage used_;
    std::map<std::string, Usage> used_by_;  // users, by identity

    BOOST_DESCRIBE_CLASS(Sessions, (), (), (), (sessions_, named_, used_, used_by_))
};

}  // namespace allot::host

// These stay in one process.
template <>
inline constexpr allot::Edition allot::since<&allot::host::Open::names> = allot::every_member;
template <>
inline constexpr allot::Edition allot::since<&allot::host::Open::bytes> = allot::every_member;
template <>
inline constexpr allot::Edition allot::since<&allot::host::Open::sticky> = allot::every_member;
template <>
inline constexpr allot::Edition allot::since<&allot::host::Open::granted> = allot::every_member;
template <>
inline constexpr allot::Edition allot::since<&allot::host::Open::ending> = allot::every_member;
