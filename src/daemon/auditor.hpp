// Writes the audit log of a daemon: one line per grant, release, loss and refusal, and for what the daemon
// itself does.
#pragma once

#include <memory>
#include <string>

#include "audit/log.hpp"
#include "daemon/config.hpp"
#include "host/sessions.hpp"

namespace allot::daemon {

class Auditor {
public:
    explicit Auditor(const Config& config) : config_(config) {}

    // Opens the log, if the configuration has one. The error, if there is one.
    std::optional<std::string> open();
    // The session may be unknown.
    void granted(const host::Session* session, std::vector<session::Held> resources, std::uint64_t since_ms);
    // `why_lost`: its program did not give it back of its own accord, whatever the message says; or empty.
    void ended(const host::Session* session, const host::Ended& ended, const session::DaemonMessage& message,
               const std::string& why_lost);
    void note(const std::string& event, const std::string& reason = "");
    // An order about this resource, which that user gave.
    void ordered(const std::string& user, const session::Held& resource, const std::string& order);
    // Why the log has gaps; empty if it has none.
    std::string problem() const { return log_ ? log_->problem() : ""; }

private:
    audit::Entry entry(const host::Session* session, std::vector<session::Held> resources,
                       std::uint64_t since_ms) const;

    const Config& config_;
    std::unique_ptr<audit::Log> log_;  // none unless it is asked for
};

}  // namespace allot::daemon
