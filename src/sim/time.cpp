#include "sim/time.hpp"

#include <charconv>
#include <fmt/format.h>
#include <optional>
namespace allot::sim {

namespace {

std::optional<Time> read_time(std::string_view text) {
    const auto time = parse_duration(text);
    if (!time) return std::nullopt;
    return static_cast<Time>(time->count());
}

struct Range {
    Time low = 0;
    Time high = 0;
};

// `5ms..35ms`
std::optional<Range> read_range(std::string_view text) {
    const auto dots = text.find("..");
    if (dots == std::string_view::npos) return std::nullopt;
    const auto low = read_time(text.substr(0, dots));
    const auto high = read_time(text.substr(dots + 2));
    if (!low || !high) return std::nullopt;
    return Range{*low, *high};
}

// The error for a range that is written backwards; nothing for any other text.
std::optional<std::string> backwards(std::string_view name, std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view kind = text.substr(0, colon + 1);
    const auto range = read_range(text.substr(colon + 1, text.find('~') - colon - 1));
    if (!range || range->low <= range->high) return std::nullopt;
    return fmt::format("--{} {}: the shorter time comes first; write {}{}..{}", name, text, kind,
                       time_text(range->high), time_text(range->low));
}

// `50%`
std::optional<std::uint32_t> read_percent(std::string_view text) {
    std::uint32_t percent = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), percent);
    const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (failure != std::errc{} || rest != "%" || percent > 100) return std::nullopt;
    return percent;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

std::optional<Distribution> read_distribution(std::string_view text) {
    if (take_prefix(text, "uniform:")) {
        const auto range = read_range(text);
        if (!range) return std::nullopt;
        return Distribution::uniform(range->low, range->high);
    }
    const bool exponential = take_prefix(text, "exponential:");
    const auto time = read_time(text);
    if (!time) return std::nullopt;
    return exponential ? Distribution::exponential(*time) : Distribution::constant(*time);
}

// The text after `sized:`.
std::optional<SizedTime> read_sized(std::string_view text) {
    const auto tilde = text.find('~');
    const auto range = read_range(text.substr(0, tilde));
    const auto spread = tilde == std::string_view::npos ? 0 : read_percent(text.substr(tilde + 1));
    if (!range || !spread) return std::nullopt;
    return SizedTime{range->low, range->high, *spread};
}

__extension__ using Wide = unsigned __int128;

}  // namespace

std::string time_text(Time time) {
    const auto in = [&](const char* unit, Time length) {
        return fmt::format("{}{}", static_cast<double>(time) / static_cast<double>(length), unit);
    };
    return time >= second || time == 0 ? in("s", second)
           : time >= 100 * microsecond ? in("ms", millisecond)
                                       : in("us", microsecond);
}

Result<Time> parse_time(std::string_view name, std::string_view text) {
    if (const auto time = read_time(text)) return *time;
    return Error{fmt::format("--{} {}: write a time, as in 10s, 0.6ms or 20us", name, text)};
}

Result<Duration> Duration::parse(std::string_view name, std::string_view text) {
    const auto time = parse_time(name, text);
    if (!time) return Error{time.error()};
    return Duration{*time};
}

Result<Distribution> Distribution::parse(std::string_view name, std::string_view text) {
    if (text.starts_with("uniform:"))
        if (auto error = backwards(name, text)) return Error{std::move(*error)};
    if (const auto found = read_distribution(text)) return *found;
    return Error{
        fmt::format("--{} {}: write a time, as in 0.6ms, uniform:0.2ms..1ms or exponential:0.6ms (the mean)",
                    name, text)};
}

std::string Distribution::text() const {
    switch (kind) {
        case Kind::constant:
            return time_text(low);
        case Kind::uniform:
            return fmt::format("uniform:{}..{}", time_text(low), time_text(high));
        case Kind::exponential:
            return "exponential:" + time_text(low);
    }
    return {};
}

// Von Neumann's method (1951): exact, and without the logarithm, which differs between libraries. It draws
// falling runs of uniform numbers until one has an odd length: the first number of that run is the fraction,
// and the number of runs before it is the whole part.
Time Distribution::draw_exponential(Random& random) const {
    for (Time whole = 0;; ++whole) {
        const std::uint64_t first = random(0);
        std::uint64_t last = first;
        bool odd = true;
        for (std::uint64_t next = random(0); next < last; next = random(0)) {
            last = next;
            odd = !odd;
        }
        if (!odd) continue;
        return low * whole + static_cast<Time>((static_cast<Wide>(low) * first) >> 64);
    }
}

Time SizedTime::grown(std::uint64_t size, std::uint64_t largest) const {
    if (size <= 1 || largest <= 1) return 0;
    return static_cast<Time>(static_cast<Wide>(high - low) * (std::min(size, largest) - 1) / (largest - 1));
}

Time SizedTime::draw(Random& random, std::uint64_t size, std::uint64_t largest) const {
    const Time usual = grown(size, largest);
    const auto part = [&](std::uint32_t percent) {
        return static_cast<Time>(static_cast<Wide>(usual) * percent / 100);
    };
    const Time least = part(100 - spread_percent);
    const Time most = part(100 + spread_percent);
    return std::max<Time>(std::min(low + least + random(most - least + 1), high), 1);
}

double SizedTime::mean(std::uint64_t size, std::uint64_t largest) const {
    const auto usual = static_cast<double>(grown(size, largest));
    const auto limit = static_cast<double>(high - low);
    const double spread = usual * spread_percent / 100;
    const double most = usual + spread;
    // Draws range from usual - spread to most; those above the limit are cut, by half of their excess on
    // average.
    const double excess = most > limit ? most - limit : 0;
    const double cut = excess > 0 ? excess * excess / (4 * spread) : 0;
    return static_cast<double>(low) + usual - cut;
}

std::string SizedTime::text() const {
    const std::string range = fmt::format("sized:{}..{}", time_text(low), time_text(high));
    return spread_percent == 0 ? range : fmt::format("{}~{}%", range, spread_percent);
}

Result<HoldTime> HoldTime::parse(std::string_view name, std::string_view text) {
    std::string_view rest = text;
    if (take_prefix(rest, "sized:")) {
        if (auto error = backwards(name, text)) return Error{std::move(*error)};
        if (const auto sized = read_sized(rest)) return HoldTime(*sized);
        return Error{
            fmt::format("--{} {}: write times for one unit and for all, as in sized:5ms..35ms, or "
                        "sized:5ms..35ms~50% if the part above the first varies by up to 50 %",
                        name, text)};
    }
    const auto distribution = Distribution::parse(name, text);
    if (!distribution)
        return Error{distribution.error() + ", or sized:5ms..35ms (from one unit to all of them)"};
    return HoldTime(*distribution);
}

std::string HoldTime::text() const {
    return std::visit([](const auto& one) { return one.text(); }, kind);
}

Time HoldTime::draw(Random& random, std::uint64_t size, std::uint64_t largest) const {
    if (const auto* sized = std::get_if<SizedTime>(&kind)) return sized->draw(random, size, largest);
    return std::get<Distribution>(kind).draw(random);
}

}  // namespace allot::sim
