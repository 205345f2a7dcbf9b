// Labels: a program asks for devices by their names, or for any devices of a kind whose labels match:
//     scope1,psu2          these two
//     board:2              any two boards
//     board[arch=arm64]:2  any two boards with this label
// `choose` turns that into a set of names, which a protocol then grants all at once or not at all. Devices
// that are free come first, then those in whose lines the fewest requests wait.
//
// Nothing is held while choosing: the choice is a function of what is known at that moment, and may be wrong
// a moment later. A request that waits for its choice chooses again (choose_again) when other devices that
// match are free. It then cancels before it asks, so it never holds devices of one choice for another.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace allot::labels {

constexpr std::size_t most_devices = 64;  // of one request

// Of any kind, by its settings, and as this request finds it.
struct Device {
    std::string name;
    std::string kind;
    boost::container::flat_map<std::string, std::string> labels{};
    bool in_service = true;     // its host is there, and its check succeeds
    bool free = true;           // no other request has it
    std::uint32_t waiting = 0;  // other requests in its line
};

// One part of a request: the device of this name, or so many of this kind.
struct Wish {
    std::string name;
    bool is_kind = false;
    boost::container::flat_map<std::string, std::string> labels{};
    std::uint32_t count = 1;

    bool matches(const Device& device) const;
    std::string text() const;
    bool operator==(const Wish&) const = default;
};

// `flag` is what the error names. Errors have one line.
Result<std::vector<Wish>> parse(std::string_view flag, std::string_view text);

using Choice = boost::container::flat_set<std::string>;

// The best devices in service that fulfil all wishes together, each device for one wish; or why there are
// none. Best: the choice has as few as possible that are not free, and of those the shortest lines. Of equal
// ones the first by name.
Result<Choice> choose(const std::vector<Device>& devices, const std::vector<Wish>& wishes);

// The devices to ask for instead of `now`, for which the request waits; nothing: it goes on waiting. Only
// devices that are all free are better, so that no request moves from line to line in vain; and `now` is
// worse only if one of its devices is not free, or not in service any more.
std::optional<Choice> choose_again(const std::vector<Device>& devices, const std::vector<Wish>& wishes,
                                   const Choice& now);

}  // namespace allot::labels
