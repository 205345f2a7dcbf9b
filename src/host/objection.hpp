// The edge of a host: why a message of another host cannot be right. It is asked once for each message,
// before any handler sees it: every id, index, count and size is judged against the configuration for which
// the message is meant, and a host may speak only for itself. A message without an objection may still lie;
// but no handler fails on it.
//
// All hosts judge alike a message that may be passed on (an ask on its way to a token, a value of the
// register), so that no host is blamed for what another one has told it.
#pragma once

#include <optional>
#include <string>

#include "host/host.hpp"
#include "protocols/agreement/council.hpp"

namespace allot::host {

using Objection = std::optional<std::string>;

// Of a cluster, by their names; a number belongs to one name for ever.
inline constexpr std::uint32_t most_hosts = 250;
// Limits of a host, which each file may set lower.
inline constexpr std::size_t longest_name = 4096;
inline constexpr std::size_t most_names = 4096;

// The host that a message comes to.
struct Edge {
    const Config& config;
    SiteId self;
    std::uint32_t hosts = 1;        // that there are, as far as this one knows
    const agreement::Value& known;  // the newest value
    const Views& views;
};

// Not of a frame: only the kind can judge that (Locks, Semaphore), in its epoch.
Objection objection(const Edge& edge, SiteId from, const HostReport& report);
Objection objection(const Edge& edge, SiteId from, const Alive& alive);
Objection objection(const Edge& edge, SiteId from, const Learn& learn);
Objection objection(const Edge& edge, SiteId from, const agreement::CouncilMessage& message);
// A value of the register, whoever says it.
Objection objection(const Edge& edge, const agreement::Value& value);
// The names and stamps of a message of a kind; the kind judges the rest.
Objection objection_to_content(const Locks::Message& message);
Objection objection_to_content(const Semaphore::Message& message, std::uint32_t permits);

}  // namespace allot::host
