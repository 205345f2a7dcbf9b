// Holders and waiters, as `allot status` shows them.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "core/edition.hpp"

namespace allot::session {

// A program that holds or waits.
struct Party {
    std::string host;
    std::int32_t pid = 0;  // 0: the program runs on another host, so its number is unknown
    std::string user;      // of the system, or the name on the certificate
    std::string command;
    std::uint32_t units = 1;
    std::uint64_t fence = 0;          // of a holder
    std::uint64_t since_ms = 0;       // since the grant, or since the request
    std::vector<std::string> wanted;  // everything that the request asks for
    bool fenced = false;              // a holder that nobody stops: only its fence tells it from the next
    bool sticky = false;              // a holder that keeps it until it gives it back
    bool gone = false;                // sticky, without a program; the user is its owner
    bool away = false;                // the same, and nobody knows whether a program runs at its host
    bool operator==(const Party&) const = default;
};
BOOST_DESCRIBE_STRUCT(Party, (),
                      (host, pid, user, command, units, fence, since_ms, wanted, fenced, sticky, gone, away))

struct ResourceStatus {
    std::string name;
    std::string kind;            // lock, semaphore
    std::uint32_t capacity = 1;  // number of units
    std::vector<Party> holders;
    std::vector<Party> waiters;      // in the order of service, as far as it is known
    std::uint64_t more_holders = 0;  // holders not listed,
    std::uint64_t more_units = 0;    // and their units;
    std::uint64_t more_waiters = 0;
    std::string place;  // of a lock: the host with its token
    std::string note;   // what is wrong, in one line
    // unknown: programs wait for a lock that nobody who answers has, and a host does not answer; unreachable:
    // nothing is granted as long as the note is true
    std::string state = "available";
    bool operator==(const ResourceStatus&) const = default;
};
BOOST_DESCRIBE_STRUCT(ResourceStatus, (),
                      (name, kind, capacity, holders, waiters, more_holders, more_units, more_waiters, place,
                       note, state))

inline std::uint64_t units_in_use(const ResourceStatus& resource) {
    std::uint64_t units = resource.more_units;
    for (const Party& holder : resource.holders) units += holder.units;
    return units;
}

struct LinkView {
    std::string to;
    std::string state;  // up, silent, down
    std::string problem;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t reconnects = 0;
    std::uint64_t unacknowledged_bytes = 0;
    bool operator==(const LinkView&) const = default;
};
BOOST_DESCRIBE_STRUCT(LinkView, (), (to, state, problem, sent, received, reconnects, unacknowledged_bytes))

struct HostStatus {
    std::string name;
    // up; joining: grants nothing yet; voteless: its vote is void for good; removed: no member of the newest
    // view; silent: suspected; unknown: no answer in time; unreachable: no link
    std::string state;
    std::uint32_t incarnation = 0;
    std::uint32_t sessions = 0;
    std::uint64_t grants = 0;
    std::vector<LinkView> links;
    std::string note;     // why it grants nothing, or not everything
    Edition edition = 0;  // the newest one that it knows; 0: there is no link to it
    bool operator==(const HostStatus&) const = default;
};
BOOST_DESCRIBE_STRUCT(HostStatus, (), (name, state, incarnation, sessions, grants, links, note, edition))

}  // namespace allot::session

template <>
inline constexpr allot::Edition allot::since<&allot::session::HostStatus::edition> = 10;

namespace allot::session {

struct Status {
    std::string host;  // the host that was asked
    std::vector<HostStatus> hosts;
    std::vector<ResourceStatus> resources;
    std::uint64_t more_resources = 0;  // not listed
    std::string note;                  // what else is not listed
    bool operator==(const Status&) const = default;
};
BOOST_DESCRIBE_STRUCT(Status, (), (host, hosts, resources, more_resources, note))

}  // namespace allot::session
