// Combines the reports of all hosts: holders, and waiters in order.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/letters.hpp"
#include "net/mesh.hpp"

namespace allot::daemon {

// The report of a host: its requests, and `tokens` that are here, with the sites that wait for them. They are
// listed as far as there is room for them.
Report report_of(const Config& config, std::vector<PartyReport> parties, std::vector<QueueReport> tokens);

// The same in the words of Prometheus.
// `shunned`: how often the link to each host was closed because of what it sent.
std::string metrics_page(const Report& report, const host::Host& host,
                         const std::optional<net::TlsCondition>& certificates,
                         const std::map<std::string, std::uint64_t>& shunned);

// The status from all reports. `missing` are the hosts that have not answered, with what is known of them.
using Reports = std::map<net::HostId, Report>;
using Missing = std::map<net::HostId, session::HostStatus>;
session::Status overview(const Config& config, const agreement::Settings& settings, const Reports& reports,
                         const Missing& missing);
}  // namespace allot::daemon
