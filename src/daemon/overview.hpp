// Puts together what all hosts report: who holds what, and who waits in which order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/desk.hpp"
#include "daemon/letters.hpp"
#include "daemon/sessions.hpp"

namespace allot::daemon {

// Of this host alone.
Report report_of(const Config& config, Desk& desk, const Sessions& sessions);

// The same in the words of Prometheus.
std::string metrics_page(const Report& report, const Desk& desk);

// Of all that have answered. `missing` are those that have not, with what is known of them.
session::Status overview(const Config& config, const std::map<net::HostId, Report>& reports,
                         const std::vector<session::HostStatus>& missing);

}  // namespace allot::daemon
