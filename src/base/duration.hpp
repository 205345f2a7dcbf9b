// Times as people write them: `250ms`, `0.6ms`, `2m`.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace allot {

// About nine years, so that sums of a few durations do not overflow.
constexpr std::chrono::nanoseconds longest_duration{std::int64_t{1} << 58};

// A number with ns, us, ms, s, m or h; or 0. Nothing for other text, or from longest_duration on.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

}  // namespace allot
