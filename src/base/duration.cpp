#include "base/duration.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace allot {

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr std::array<std::pair<std::string_view, nanoseconds>, 6> units{
    {{"ns", 1ns}, {"us", 1us}, {"ms", 1ms}, {"s", 1s}, {"m", 1min}, {"h", 1h}}};

}  // namespace

std::optional<nanoseconds> parse_duration(std::string_view text) {
    if (text == "0") return nanoseconds(0);
    double number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || !(number >= 0)) return std::nullopt;
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    for (const auto& [name, length] : units)
        if (name == unit) {
            const double time = std::round(number * static_cast<double>(length.count()));
            if (time >= static_cast<double>(longest_duration.count())) return std::nullopt;
            return nanoseconds(static_cast<nanoseconds::rep>(time));
        }
    return std::nullopt;
}

}  // namespace allot
