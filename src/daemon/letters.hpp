// Letters of daemons to each other over a link (net/mesh.hpp), in canonical bytes: one letter per payload,
// or one piece of a long letter.
#pragma once

#include <boost/describe.hpp>
#include <boost/mp11/list.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/types.hpp"
#include "host/member.hpp"
#include "session/frames.hpp"

namespace allot::daemon {

struct ReportQuery {
    std::uint64_t number = 0;
    bool operator==(const ReportQuery&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReportQuery, (), (number))

// What one host knows: of its own programs, and in which order sites wait for the tokens that are there.
struct QueueReport {
    std::string resource;
    std::vector<SiteId> waiters;
    bool operator==(const QueueReport&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueueReport, (), (resource, waiters))

struct PartyReport {
    session::Party party;
    std::vector<session::Held> held;
    std::vector<std::string> waiting;            // names of what it lacks
    std::map<std::string, std::uint32_t> units;  // of each semaphore it asked for
    bool seated = false;
    SiteId site = 0;  // if it is seated
    bool operator==(const PartyReport&) const = default;
};
BOOST_DESCRIBE_STRUCT(PartyReport, (), (party, held, waiting, units, seated, site))

// Of one resource, those who are not listed.
struct UnlistedReport {
    std::string resource;
    bool semaphore = false;
    std::uint64_t holders = 0;
    std::uint64_t units = 0;  // that these hold
    std::uint64_t waiters = 0;
    bool operator==(const UnlistedReport&) const = default;
};
BOOST_DESCRIBE_STRUCT(UnlistedReport, (), (resource, semaphore, holders, units, waiters))

// What cannot be used here.
struct TroubleReport {
    std::string semaphore;  // empty: any lock
    std::string why;
    bool operator==(const TroubleReport&) const = default;
};
BOOST_DESCRIBE_STRUCT(TroubleReport, (), (semaphore, why))

inline constexpr std::size_t most_parties = 500;

// It must fit into a letter: of very many programs and resources the rest is counted only.
struct Report {
    session::HostStatus host;
    std::vector<QueueReport> queues;  // of locks
    std::vector<PartyReport> parties;
    std::vector<UnlistedReport> unlisted;
    std::vector<TroubleReport> troubles;
    std::uint64_t more_resources = 0;  // not even named
    bool operator==(const Report&) const = default;
};
BOOST_DESCRIBE_STRUCT(Report, (), (host, queues, parties, unlisted, troubles, more_resources))

struct ReportAnswer {
    std::uint64_t number = 0;
    Report report;
    bool operator==(const ReportAnswer&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReportAnswer, (), (number, report))

// An operator orders that the holder with this fence stops and gives the lock back; fence 0: that all holders
// of a semaphore do.
struct Evict {
    std::string lock;
    std::uint64_t fence = 0;
    std::string why;
    bool operator==(const Evict&) const = default;
};
BOOST_DESCRIBE_STRUCT(Evict, (), (lock, fence, why))

// A host that does not reach the register, which is outside of the hosts, asks another one to read it. The
// read must begin after the question has come: the lease of the host that asks counts from before.
struct RegisterQuery {
    std::uint64_t number = 0;
    bool operator==(const RegisterQuery&) const = default;
};
BOOST_DESCRIBE_STRUCT(RegisterQuery, (), (number))

struct RegisterAnswer {
    std::uint64_t number = 0;
    agreement::Value value;
    bool operator==(const RegisterAnswer&) const = default;
};
BOOST_DESCRIBE_STRUCT(RegisterAnswer, (), (number, value))

// A piece of an encoded letter that is too long for one payload (parcels.hpp).
struct Piece {
    bool last = false;
    std::string bytes;
    bool operator==(const Piece&) const = default;
};
BOOST_DESCRIBE_STRUCT(Piece, (), (last, bytes))

// Why another host cannot have sent this: what the host machine does not judge itself (host/objection.hpp).
std::optional<std::string> objection(std::string_view sender, const ReportAnswer& answer);
std::optional<std::string> objection(const Evict& evict);

using Letter = boost::mp11::mp_push_back<host::Member::Message, ReportQuery, ReportAnswer, Piece, Evict,
                                         RegisterQuery, RegisterAnswer>;

}  // namespace allot::daemon
