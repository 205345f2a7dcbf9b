#include "daemon/auditor.hpp"

#include <algorithm>

#include "daemon/epoch.hpp"

namespace allot::daemon {

namespace {

// The event, and the reason if there is one.
void describe(const session::DaemonMessage& message, bool was_granted, audit::Entry& entry) {
    if (std::holds_alternative<session::Granted>(message)) entry.event = "granted";
    if (std::holds_alternative<session::Released>(message))
        entry.event = was_granted ? "released" : "withdrawn";
    if (const auto* lost = std::get_if<session::Lost>(&message)) {
        entry.event = "lost";
        entry.reason = lost->reason;
    }
    if (const auto* refused = std::get_if<session::Refused>(&message)) {
        entry.event = "refused";
        entry.reason = refused->reason;
    }
}

}  // namespace

std::optional<std::string> Auditor::open(LeaseBook& book) {
    if (config_.audit.file.empty()) return std::nullopt;
    auto log = audit::Log::open(config_.audit);
    if (!log) return log.error();
    log_ = std::move(*log);
    book.set_witness([this](const LeaseBook::Lease& lease, const session::DaemonMessage& message) {
        witness(lease, message);
    });
    return std::nullopt;
}

void Auditor::witness(const LeaseBook::Lease& lease, const session::DaemonMessage& message) {
    const session::Party party = sessions_.party(lease.owner);
    audit::Entry entry{.time_ms = epoch_ms(),
                       .host = config_.host,
                       .user = party.user,
                       .pid = party.pid,
                       .command = party.command,
                       .resources = lease.held};
    entry.after_ms = entry.time_ms - std::min(lease.since_ms, entry.time_ms);
    if (!lease.granted) {
        entry.resources.clear();
        for (const std::string& lock : lease.want.locks) entry.resources.push_back({lock, 0});
        for (const session::Permit& permit : lease.want.permits)
            entry.resources.push_back({permit.semaphore, 0});
    }
    describe(message, lease.granted, entry);
    log_->add(entry);
}

void Auditor::note(const std::string& event, const std::string& reason) {
    if (log_) log_->add({.time_ms = epoch_ms(), .host = config_.host, .event = event, .reason = reason});
}

}  // namespace allot::daemon
