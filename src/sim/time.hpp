// Simulated time, and the random durations of a plan. All of it is whole numbers, so one seed gives the same
// run on every host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/duration.hpp"
#include "base/result.hpp"
#include "core/random.hpp"

namespace allot::sim {

using Time = std::uint64_t;  // nanoseconds

constexpr Time microsecond = 1'000;
constexpr Time millisecond = 1'000'000;
constexpr Time second = 1'000'000'000;
// No event of a run is later than this.
constexpr Time longest_time = static_cast<Time>(longest_duration.count());

constexpr double in_ms(Time time) {
    return static_cast<double>(time) / static_cast<double>(millisecond);
}
constexpr double in_seconds(Time time) {
    return static_cast<double>(time) / static_cast<double>(second);
}

// `0.6ms`: a number with ns, us, ms, s, m or h; or 0.
std::string time_text(Time time);
Result<Time> parse_time(std::string_view name, std::string_view text);

// A time as a parameter.
struct Duration {
    Time value = 0;

    static Result<Duration> parse(std::string_view name, std::string_view text);
    std::string text() const { return time_text(value); }
    bool operator==(const Duration&) const = default;
};

// `0.6ms`, `uniform:0.2ms..1ms` or `exponential:0.6ms` (its mean).
struct Distribution {
    enum class Kind : std::uint8_t { constant, uniform, exponential };
    Kind kind = Kind::constant;
    Time low = 0;   // the constant, the lower end, the mean
    Time high = 0;  // of uniform: the upper end

    static constexpr Distribution constant(Time time) { return {Kind::constant, time, time}; }
    static constexpr Distribution uniform(Time low, Time high) { return {Kind::uniform, low, high}; }
    static constexpr Distribution exponential(Time mean) { return {Kind::exponential, mean, mean}; }

    static Result<Distribution> parse(std::string_view name, std::string_view text);
    std::string text() const;

    // At least a nanosecond, so that an endless chain of events takes endless time.
    Time draw(Random& random) const {
        switch (kind) {
            case Kind::constant:
                return std::max<Time>(low, 1);
            case Kind::uniform:
                return std::max<Time>(low + random(high - low + 1), 1);
            case Kind::exponential:
                return std::max<Time>(draw_exponential(random), 1);
        }
        return 1;
    }
    // True if a later draw may be smaller.
    bool varies() const { return kind != Kind::constant; }
    bool operator==(const Distribution&) const = default;

private:
    Time draw_exponential(Random& random) const;
};

// `sized:5ms..35ms~50%`: a larger demand takes longer. The lower end is for one unit, the upper end for all
// units, linear in between. The part above the lower end varies randomly by up to this percentage, but no
// time exceeds the upper end.
struct SizedTime {
    Time low = 0;
    Time high = 0;
    std::uint32_t spread_percent = 0;

    Time draw(Random& random, std::uint64_t size, std::uint64_t largest) const;
    // Of all draws for this size, in nanoseconds.
    double mean(std::uint64_t size, std::uint64_t largest) const;
    std::string text() const;
    bool operator==(const SizedTime&) const = default;

private:
    // The part above the lower end, before the variation.
    Time grown(std::uint64_t size, std::uint64_t largest) const;
};

// The time that a site holds a grant: a distribution, or one that depends on the size of the demand.
struct HoldTime {
    std::variant<Distribution, SizedTime> kind;

    HoldTime(Distribution distribution) : kind(distribution) {}  // NOLINT(google-explicit-constructor)
    HoldTime(SizedTime sized) : kind(sized) {}                   // NOLINT(google-explicit-constructor)

    static Result<HoldTime> parse(std::string_view name, std::string_view text);
    std::string text() const;
    Time draw(Random& random, std::uint64_t size, std::uint64_t largest) const;
    bool operator==(const HoldTime&) const = default;
};

}  // namespace allot::sim
