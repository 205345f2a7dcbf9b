// Times as people write them: `250ms`, `0.6ms`, `2m`.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace allot {

// About nine years: so times may be added without a second thought.
constexpr std::chrono::nanoseconds longest_duration{std::int64_t{1} << 58};

// A number with ns, us, ms, s, m or h; or 0. Nothing if it is none of these, or as long as the longest.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

}  // namespace allot
