// What daemons say to each other over a link (net/mesh.hpp), one letter per payload, in canonical bytes.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/types.hpp"
#include "daemon/place.hpp"
#include "session/frames.hpp"

namespace allot::daemon {

// A message of a protocol, from seat to seat.
struct SiteLetter {
    std::uint32_t space = 0;
    SiteId from = 0;
    SiteId to = 0;
    std::string message;
    bool operator==(const SiteLetter&) const = default;
};
BOOST_DESCRIBE_STRUCT(SiteLetter, (), (space, from, to, message))

// The seats that hear of deaths are in this life here; all earlier ones are over. A sign of life, which is
// answered with Known, or Buried.
struct Alive {
    std::uint32_t life = 0;
    std::uint64_t sent = 0;  // by the clock of who sends it
    bool operator==(const Alive&) const = default;
};
BOOST_DESCRIBE_STRUCT(Alive, (), (life, sent))

struct Known {
    std::uint32_t life = 0;
    std::uint64_t sent = 0;
    bool operator==(const Known&) const = default;
};
BOOST_DESCRIBE_STRUCT(Known, (), (life, sent))

// I do not answer that life of yours any more, nor any before it; over: because it is, and not just for my
// part.
struct Buried {
    std::uint32_t life = 0;
    bool over = false;
    bool operator==(const Buried&) const = default;
};
BOOST_DESCRIBE_STRUCT(Buried, (), (life, over))

// Host `by` does not answer that life of another host any more; buried: because it is over, and not just for
// its part. It may be told to the one who said so, and has forgotten.
struct Refused {
    std::uint32_t by = 0;
    std::uint32_t host = 0;
    std::uint32_t life = 0;
    bool buried = false;
    bool operator==(const Refused&) const = default;
};
BOOST_DESCRIBE_STRUCT(Refused, (), (by, host, life, buried))

// The semaphores that the writer takes part in: those it can take others into. The epoch of its fences. And
// whether nobody uses locks any more that an earlier process of the writer gave out and knows nothing of.
struct Membership {
    std::vector<std::uint32_t> spaces;
    std::uint32_t epoch = 0;
    bool settled = false;
    bool operator==(const Membership&) const = default;
};
BOOST_DESCRIBE_STRUCT(Membership, (), (spaces, epoch, settled))

struct ReportQuery {
    std::uint64_t number = 0;
    std::vector<std::string> locks;  // whose places are asked for
    bool operator==(const ReportQuery&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReportQuery, (), (number, locks))

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
    bool closed = false;  // and waiting does not help
    bool operator==(const TroubleReport&) const = default;
};
BOOST_DESCRIBE_STRUCT(TroubleReport, (), (semaphore, why, closed))

// It must fit into a letter: of very many programs and resources the rest is counted only.
struct Report {
    session::HostStatus host;
    bool locks_lost = false;          // with an earlier process of its daemon
    std::vector<QueueReport> queues;  // of locks
    std::vector<PartyReport> parties;
    std::vector<UnlistedReport> unlisted;
    std::vector<TroubleReport> troubles;
    std::vector<Place> places;          // of the locks asked for, and of those that went to absent hosts
    std::uint64_t places_left_out = 0;  // how many more of these there are
    std::uint64_t more_resources = 0;   // not even named
    bool operator==(const Report&) const = default;
};
BOOST_DESCRIBE_STRUCT(Report, (),
                      (host, locks_lost, queues, parties, unlisted, troubles, places, places_left_out,
                       more_resources))

struct ReportAnswer {
    std::uint64_t number = 0;
    Report report;
    bool operator==(const ReportAnswer&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReportAnswer, (), (number, report))

using Letter = std::variant<SiteLetter, Alive, Known, Buried, Refused, ReportQuery, ReportAnswer, Membership>;

}  // namespace allot::daemon
