// The audit log in the systemd journal. The line of JSON is the message, and its parts are fields as well:
// `journalctl ALLOT_EVENT=lost` finds all losses.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "audit/entry.hpp"
#include "base/result.hpp"

namespace allot::audit {

// Returns why journald did not get the line, if it did not. It never waits for a journald that does not read.
std::optional<std::string> send_to_journal(const Entry& entry);

// Calls `f` for each line of that host in the journal of this machine, the oldest first, until it returns
// false.
Result<bool> read_journal(const std::string& host, const std::function<bool(const Entry&)>& f);

}  // namespace allot::audit
