// Puts together what all hosts report: who holds what, and who waits in which order.
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

// Of this host alone.
Report report_of(const Config& config, Desk& desk, const Sessions& sessions);

// Adds where these locks are, and those that seem to be at absent hosts: as many as a report may hold.
void add_places(Report& report, const Space& locks, const std::vector<std::string>& asked,
                const std::set<net::HostId>& absent);

// The same in the words of Prometheus.
std::string metrics_page(const Report& report, const Desk& desk);

// Of all that have answered. `missing` are those that have not, with what is known of them.
using Reports = std::map<net::HostId, Report>;
using Missing = std::map<net::HostId, session::HostStatus>;
session::Status overview(const Config& config, const Reports& reports, const Missing& missing);
// Locks of which everybody should be asked first: they seem to be at none of the hosts that have answered.
std::vector<std::string> unclear_locks(const Config& config, const Reports& reports, const Missing& missing);

}  // namespace allot::daemon
