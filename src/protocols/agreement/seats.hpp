// The programs of a host in the laboratory. The application has seat 0. The other seats stand for programs
// that act by themselves: a timer lets each of them ask, and let go. Their grants reach nobody; properties
// look at the seats.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace allot::seats {

inline constexpr std::uint32_t most_seats = 4;
inline constexpr std::uint32_t ticks_between_acts = 10;

// The next act of the program in the second, third or fourth seat.
enum class Act : std::uint8_t { second, third, fourth };
BOOST_DESCRIBE_ENUM(Act, second, third, fourth)

constexpr std::size_t seat_of(Act act) {
    return static_cast<std::size_t>(act) + 1;
}
constexpr Act act_of(std::size_t seat) {
    return static_cast<Act>(seat - 1);
}

// A number, or one for each host or view, the last for all further ones: `2,1,0`.
struct Counts {
    std::vector<std::uint32_t> counts{1};

    static Result<Counts> parse(std::string_view name, std::string_view text);
    std::string text() const;
    std::uint32_t of(std::uint32_t place) const {
        return place < counts.size() ? counts[place] : counts.back();
    }
    bool operator==(const Counts&) const = default;
};
BOOST_DESCRIBE_STRUCT(Counts, (), (counts))

// Counts of requests, each of which may be `any`.
struct Requests {
    static constexpr std::uint32_t any_number = 0xFFFFFFFF;
    Counts counts;

    static Result<Requests> parse(std::string_view name, std::string_view text);
    std::string text() const;
    std::uint32_t of(std::uint32_t host) const { return counts.of(host); }
    bool operator==(const Requests&) const = default;
};
BOOST_DESCRIBE_STRUCT(Requests, (), (counts))

}  // namespace allot::seats
