// Writes the audit log of a daemon: one line per grant, release, loss and refusal, and for what the daemon
// itself does.
#pragma once

#include <memory>
#include <string>

#include "audit/log.hpp"
#include "daemon/lease_book.hpp"
#include "daemon/sessions.hpp"

namespace allot::daemon {

class Auditor {
public:
    Auditor(const Config& config, const Sessions& sessions) : config_(config), sessions_(sessions) {}

    // Opens the log, if the configuration has one, and listens to the book. The error, if there is one.
    std::optional<std::string> open(LeaseBook& book);
    void note(const std::string& event, const std::string& reason = "");
    // Why the log has gaps; empty if it has none.
    std::string problem() const { return log_ ? log_->problem() : ""; }

private:
    void witness(const LeaseBook::Lease& lease, const session::DaemonMessage& message);

    const Config& config_;
    const Sessions& sessions_;
    std::unique_ptr<audit::Log> log_;  // none unless it is asked for
};

}  // namespace allot::daemon
