// The audit log: one line of JSON for each grant, release, loss and refusal, so that an operator can say
// later who had what, and when. This is one line.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "session/frames.hpp"

namespace allot::audit {

// Of programs, of the daemon itself, and of operators.
inline constexpr std::string_view events[]{
    "granted",  "released", "withdrawn", "lost",        "refused",  "started", "view", "stopped",
    "disowned", "order",    "unadopted", "initialised", "migrated", "joined",  "left", "reloaded"};

struct Entry {
    std::uint64_t time_ms = 0;  // since the epoch
    std::string host;
    std::string event;
    std::string user;
    std::int32_t pid = 0;  // 0: on another machine
    std::string command;
    std::vector<session::Held> resources;  // with fences, if they were granted
    std::string reason;
    std::uint64_t after_ms = 0;  // that it waited until then, or held it
    bool operator==(const Entry&) const = default;
};

// The same with texts that cannot break a line, a terminal or JSON (base/harmless.hpp).
Entry harmless_entry(Entry entry);
// With a line feed at the end.
std::string line_of(const Entry& raw);
Result<Entry> parse_line(std::string_view line);

// 2026-11-17T04:05:06.789Z
std::string time_text(std::uint64_t time_ms);

}  // namespace allot::audit
