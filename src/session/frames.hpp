// What a program and the daemon of its host say to each other: the session protocol
// (docs/session-protocol.md). Each frame (base/frame.hpp) holds one message in canonical bytes
// (core/bytes.hpp).
//
// A session is one connection. It begins with Hello and Welcome; then requests, each with a ticket that the
// client chose, may be open at the same time. A ticket ends with Released, Refused or Lost.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "session/status.hpp"

namespace allot::session {

constexpr std::uint32_t version = 1;
constexpr std::size_t frame_limit = std::size_t{1} << 20;

using Ticket = std::uint64_t;

// --- The client says:

struct Hello {
    std::uint32_t version = session::version;
    std::string command;  // for `allot status`: what runs
    std::string resume;   // a session that the daemon, or its predecessor, gave out; empty: a new one
    bool operator==(const Hello&) const = default;
};
BOOST_DESCRIBE_STRUCT(Hello, (), (version, command, resume))

struct Permit {
    std::string semaphore;
    std::uint32_t units = 1;
    bool operator==(const Permit&) const = default;
};
BOOST_DESCRIBE_STRUCT(Permit, (), (semaphore, units))

// All of it, or wait: first the locks as one set, then the permits by name.
struct Acquire {
    Ticket ticket = 0;
    std::vector<std::string> locks;
    std::vector<Permit> permits;
    std::uint64_t patience_us = 0;  // refused as timed out after so long; 0: waits without bound
    bool operator==(const Acquire&) const = default;
};
BOOST_DESCRIBE_STRUCT(Acquire, (), (ticket, locks, permits, patience_us))

// Gives back what is held, or takes back what waits.
struct Release {
    Ticket ticket = 0;
    bool operator==(const Release&) const = default;
};
BOOST_DESCRIBE_STRUCT(Release, (), (ticket))

// From now on the lease follows a process as well as this connection: it ends when both have. The descriptor
// of the process (pidfd) is passed along with the bytes of this message.
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

// The whole cluster, as far as it answers in time.
struct StatusQuery {
    bool whole = true;  // not only this host
    bool operator==(const StatusQuery&) const = default;
};
BOOST_DESCRIBE_STRUCT(StatusQuery, (), (whole))

using ClientMessage = std::variant<Hello, Acquire, Release, Follow, Ping, StatusQuery>;

// --- The daemon says:

// A session that could not be resumed is a new one: what it held is lost, what it waited for must be asked
// for again. One that was resumed is told what the daemon knows of it, and Granted again for all that it
// holds; the client then repeats each Acquire that is not known here, and each Release that was not answered.
struct Welcome {
    std::uint32_t version = session::version;
    std::string session;  // to resume with
    std::string host;
    std::uint64_t stop_within_us = 0;    // who loses a permit has stopped using it after so long
    std::uint64_t resume_within_us = 0;  // who comes back so long after a restart still has what it held
    bool resumed = false;
    std::vector<Ticket> open;  // resumed: waiting or held
    bool operator==(const Welcome&) const = default;
};
BOOST_DESCRIBE_STRUCT(Welcome, (), (version, session, host, stop_within_us, resume_within_us, resumed, open))

struct Held {
    std::string name;
    std::uint64_t fence = 0;
    bool operator==(const Held&) const = default;
};
BOOST_DESCRIBE_STRUCT(Held, (), (name, fence))

struct Granted {
    Ticket ticket = 0;
    std::vector<Held> held;  // locks in the order of the request, then permits by name
    bool operator==(const Granted&) const = default;
};
BOOST_DESCRIBE_STRUCT(Granted, (), (ticket, held))

// timed_out: the patience is over. wrong: what was asked for makes no sense, or is not declared. forbidden:
// not for this user. unavailable: not now, and waiting does not help. limit: too many.
enum class Refusal : std::uint8_t { timed_out, wrong, forbidden, unavailable, limit };
BOOST_DESCRIBE_ENUM(Refusal, timed_out, wrong, forbidden, unavailable, limit)

struct Refused {
    Ticket ticket = 0;
    Refusal why = Refusal::wrong;
    std::string reason;  // one line, for people
    bool operator==(const Refused&) const = default;
};
BOOST_DESCRIBE_STRUCT(Refused, (), (ticket, why, reason))

struct Released {
    Ticket ticket = 0;
    bool operator==(const Released&) const = default;
};
BOOST_DESCRIBE_STRUCT(Released, (), (ticket))

// What was held is held no longer; who uses it must stop.
struct Lost {
    Ticket ticket = 0;
    std::string reason;
    bool operator==(const Lost&) const = default;
};
BOOST_DESCRIBE_STRUCT(Lost, (), (ticket, reason))

struct Pong {
    std::uint64_t number = 0;
    bool operator==(const Pong&) const = default;
};
BOOST_DESCRIBE_STRUCT(Pong, (), (number))

struct StatusAnswer {
    Status status;
    bool operator==(const StatusAnswer&) const = default;
};
BOOST_DESCRIBE_STRUCT(StatusAnswer, (), (status))

// The session is over, for this reason; the connection closes.
struct Farewell {
    std::string reason;
    bool operator==(const Farewell&) const = default;
};
BOOST_DESCRIBE_STRUCT(Farewell, (), (reason))

using DaemonMessage = std::variant<Welcome, Granted, Refused, Released, Lost, Pong, StatusAnswer, Farewell>;

}  // namespace allot::session
