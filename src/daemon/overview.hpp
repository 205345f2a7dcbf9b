// Combines the reports of all hosts: holders, and waiters in order.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/desk.hpp"
#include "daemon/letters.hpp"
#include "daemon/sessions.hpp"

namespace allot::daemon {

// The report of this host.
Report report_of(const Config& config, Desk& desk, const Sessions& sessions);

// Adds the places of these locks, and of those that seem to be at absent hosts: as many as a report may hold.
void add_places(Report& report, const Space& locks, const std::vector<std::string>& asked,
                const std::set<net::HostId>& absent);

// The same in the words of Prometheus.
std::string metrics_page(const Report& report, const Desk& desk);

// The status from all reports. `missing` are the hosts that have not answered, with what is known of them.
using Reports = std::map<net::HostId, Report>;
using Missing = std::map<net::HostId, session::HostStatus>;
session::Status overview(const Config& config, const Reports& reports, const Missing& missing);
// Locks for which all hosts should be asked first: they seem to be at none of the hosts that have answered.
std::vector<std::string> unclear_locks(const Config& config, const Reports& reports, const Missing& missing);

}  // namespace allot::daemon
