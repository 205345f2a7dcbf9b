// The session protocol (docs/session-protocol.md): the messages between a program and a daemon. Each frame
// (base/frame.hpp) holds one message in canonical bytes (core/bytes.hpp).
//
// A session begins with Hello and Welcome; then several requests may be open at the same time, each with a
// ticket that the client chose. A ticket ends with Released, Refused or Lost.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/edition.hpp"
#include "session/status.hpp"

namespace allot::session {

constexpr std::size_t frame_limit = std::size_t{1} << 20;

using Ticket = std::uint64_t;

// --- From the client.

struct Hello {
    Edition newest = newest_edition;  // that the program knows
    std::string command;              // the command line, for `allot status`
    std::string resume;               // the name of a session to resume; empty: a new session
    bool stoppable = false;           // the guardian may kill the program when its lease ends
    bool operator==(const Hello&) const = default;
};
BOOST_DESCRIBE_STRUCT(Hello, (), (newest, command, resume, stoppable))

struct Permit {
    std::string semaphore;
    std::uint32_t units = 1;
    bool operator==(const Permit&) const = default;
};
BOOST_DESCRIBE_STRUCT(Permit, (), (semaphore, units))

// Grants everything, or waits: first the locks as one set, then the permits by name.
struct Acquire {
    Ticket ticket = 0;
    std::vector<std::string> locks;
    std::vector<Permit> permits;
    std::uint64_t patience_us = 0;  // refuse as timed_out after this time; 0: no limit
    bool operator==(const Acquire&) const = default;
};
BOOST_DESCRIBE_STRUCT(Acquire, (), (ticket, locks, permits, patience_us))

// Releases a lease, or cancels a request.
struct Release {
    Ticket ticket = 0;
    bool operator==(const Release&) const = default;
};
BOOST_DESCRIBE_STRUCT(Release, (), (ticket))

// The lease now follows a process as well as the session: it ends when both have ended. The descriptor of the
// process (pidfd) is passed with the bytes of this message.
struct Follow {
    Ticket ticket = 0;
    std::int32_t pid = 0;
    bool operator==(const Follow&) const = default;
};
BOOST_DESCRIBE_STRUCT(Follow, (), (ticket, pid))

struct Ping {
    std::uint64_t number = 0;
    bool operator==(const Ping&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ping, (), (number))

// Asks for the status of the cluster, or of this host.
struct StatusQuery {
    bool whole = true;  // false: this host only
    bool operator==(const StatusQuery&) const = default;
};
BOOST_DESCRIBE_STRUCT(StatusQuery, (), (whole))

// The order of an operator: a verb and its words. `release LOCK FENCE`: the holder with this fence must stop
// and give the lock back. `set SEMAPHORE=PERMITS...`: the cluster changes its settings.
struct Order {
    std::string verb;
    std::vector<std::string> words;
    bool dry_run = false;  // only says what it would do
    bool operator==(const Order&) const = default;
};
BOOST_DESCRIBE_STRUCT(Order, (), (verb, words, dry_run))

using ClientMessage = std::variant<Hello, Acquire, Release, Follow, Ping, StatusQuery, Order>;

// --- From the daemon.

// The time for which the leases of this session are valid without further contact. The program counts it from
// the moment in which it asked: Hello, Acquire or Ping. The desk of the daemon fills it in.
using Validity = std::optional<std::uint64_t>;

// If the session was not resumed, it is new: its leases are lost, and its requests must be sent again. If it
// was resumed, `open` lists the tickets that the daemon knows, and Granted follows again for each lease; the
// client then repeats each Acquire that is not in `open` and each Release that was not answered.
struct Welcome {
    Edition edition = newest_edition;  // of this session: the newest one that both ends know
    std::string session;               // name for resuming
    std::string host;
    std::uint64_t stop_within_us = 0;  // time that a program has to stop using a lost permit
    std::uint64_t resume_within_us =
        0;  // time after a restart within which a program keeps its leases by resuming
    bool resumed = false;
    std::vector<Ticket> open;  // of a resumed session: tickets of requests and leases
    Validity valid_us;
    bool operator==(const Welcome&) const = default;
};
BOOST_DESCRIBE_STRUCT(Welcome, (),
                      (edition, session, host, stop_within_us, resume_within_us, resumed, open, valid_us))

struct Held {
    std::string name;
    std::uint64_t fence = 0;
    bool operator==(const Held&) const = default;
};
BOOST_DESCRIBE_STRUCT(Held, (), (name, fence))

// The end of a lease, for its program. stopped: it is stopped before others get what it held. told: it must
// stop by itself, since nobody can stop it. nothing: it may go on (mode `fence`). kept: there is no end
// before it is given back (mode `sticky`). With `told` and `nothing` only fences keep it apart from the next
// holder.
enum class Ending : std::uint8_t { stopped, told, nothing, kept };
BOOST_DESCRIBE_ENUM(Ending, stopped, told, nothing, kept)

struct Granted {
    Ticket ticket = 0;
    std::vector<Held> held;  // locks in the order of the request, then permits by name
    Ending ending = Ending::stopped;
    Validity valid_us;
    bool operator==(const Granted&) const = default;
};
BOOST_DESCRIBE_STRUCT(Granted, (), (ticket, held, ending, valid_us))

// timed_out: patience_us is over. wrong: the request is malformed or names an undeclared resource. forbidden:
// not for this user. unavailable: not now, and waiting does not help. limit: too many.
enum class Refusal : std::uint8_t { timed_out, wrong, forbidden, unavailable, limit };
BOOST_DESCRIBE_ENUM(Refusal, timed_out, wrong, forbidden, unavailable, limit)

struct Refused {
    Ticket ticket = 0;
    Refusal why = Refusal::wrong;
    std::string reason;  // one line of text
    bool operator==(const Refused&) const = default;
};
BOOST_DESCRIBE_STRUCT(Refused, (), (ticket, why, reason))

struct Released {
    Ticket ticket = 0;
    bool operator==(const Released&) const = default;
};
BOOST_DESCRIBE_STRUCT(Released, (), (ticket))

// The lease is lost; the program must stop using it.
struct Lost {
    Ticket ticket = 0;
    std::string reason;
    bool operator==(const Lost&) const = default;
};
BOOST_DESCRIBE_STRUCT(Lost, (), (ticket, reason))

struct Pong {
    std::uint64_t number = 0;
    Validity valid_us;
    bool operator==(const Pong&) const = default;
};
BOOST_DESCRIBE_STRUCT(Pong, (), (number, valid_us))

struct StatusAnswer {
    Status status;
    bool operator==(const StatusAnswer&) const = default;
};
BOOST_DESCRIBE_STRUCT(StatusAnswer, (), (status))

// The outcome of an order, in one line.
struct OrderAnswer {
    bool done = false;
    std::string text;
    bool operator==(const OrderAnswer&) const = default;
};
BOOST_DESCRIBE_STRUCT(OrderAnswer, (), (done, text))

// The daemon ends the session and closes the connection.
struct Farewell {
    std::string reason;
    bool operator==(const Farewell&) const = default;
};
BOOST_DESCRIBE_STRUCT(Farewell, (), (reason))

using DaemonMessage =
    std::variant<Welcome, Granted, Refused, Released, Lost, Pong, StatusAnswer, Farewell, OrderAnswer>;

}  // namespace allot::session
