#include "daemon/auditor.hpp"

#include <algorithm>

#include "daemon/epoch.hpp"

namespace allot::daemon {

namespace {

// The event, and the reason if there is one.
void describe(const session::DaemonMessage& message, bool was_granted, const std::string& why_lost,
              audit::Entry& entry) {
    if (std::holds_alternative<session::Released>(message)) {
        entry.event = !was_granted ? "withdrawn" : why_lost.empty() ? "released" : "lost";
        entry.reason = why_lost;
    }
    if (const auto* lost = std::get_if<session::Lost>(&message)) {
        entry.event = "lost";
        entry.reason = why_lost.empty() ? lost->reason : why_lost + "; " + lost->reason;
    }
    if (const auto* refused = std::get_if<session::Refused>(&message)) {
        entry.event = "refused";
        entry.reason = refused->reason;
    }
}

}  // namespace

std::optional<std::string> Auditor::open() {
    if (!config_.audit.is_on()) return std::nullopt;
    auto log = audit::Log::open(config_.audit);
    if (!log) return log.error();
    log_ = std::move(*log);
    return std::nullopt;
}

audit::Entry Auditor::entry(const host::Session* session, std::vector<session::Held> resources,
                            std::uint64_t since_ms) const {
    audit::Entry entry{.time_ms = epoch_ms(), .host = config_.host, .resources = std::move(resources)};
    entry.after_ms = entry.time_ms - std::min(since_ms, entry.time_ms);
    if (session == nullptr) return entry;
    entry.user = host::identity_of(session->caller);
    entry.pid = session->caller.process.pid;
    entry.command = session->command;
    return entry;
}

void Auditor::granted(const host::Session* session, std::vector<session::Held> resources,
                      std::uint64_t since_ms) {
    if (!log_) return;
    audit::Entry line = entry(session, std::move(resources), since_ms);
    line.event = "granted";
    log_->add(line);
}

void Auditor::ended(const host::Session* session, const host::Ended& ended,
                    const session::DaemonMessage& message, const std::string& why_lost) {
    if (!log_) return;
    audit::Entry line = entry(session, ended.resources, ended.since_ms);
    describe(message, ended.was_granted, why_lost, line);
    log_->add(line);
}

void Auditor::note(const std::string& event, const std::string& reason) {
    if (log_) log_->add({.time_ms = epoch_ms(), .host = config_.host, .event = event, .reason = reason});
}

void Auditor::ordered(const std::string& user, const session::Held& resource, const std::string& order) {
    if (!log_) return;
    audit::Entry line{
        .time_ms = epoch_ms(), .host = config_.host, .event = "order", .user = user, .reason = order};
    if (!resource.name.empty()) line.resources = {resource};
    log_->add(line);
}

}  // namespace allot::daemon
