// Combines the reports of all hosts: holders, and waiters in order.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/lease_book.hpp"
#include "daemon/letters.hpp"
#include "daemon/sessions.hpp"
#include "net/mesh.hpp"

namespace allot::daemon {

// How far a request has come: the names of what it lacks, and its site in the protocol, if it has one.
struct Position {
    std::vector<std::string> waiting;
    std::optional<SiteId> site;
};
using PositionOf = std::function<Position(const LeaseBook::Lease& lease)>;

// The report of this host. `tokens` are those that are here, with the sites that wait for them.
Report report_of(const Config& config, const LeaseBook& book, const Sessions& sessions,
                 const PositionOf& position_of, std::vector<QueueReport> tokens);

// The same in the words of Prometheus.
std::string metrics_page(const Report& report, const LeaseBook& book);

// The status from all reports. `missing` are the hosts that have not answered, with what is known of them.
using Reports = std::map<net::HostId, Report>;
using Missing = std::map<net::HostId, session::HostStatus>;
session::Status overview(const Config& config, const Reports& reports, const Missing& missing);
}  // namespace allot::daemon
