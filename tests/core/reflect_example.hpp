// A described struct with every kind of member that is reflectable. The tests of everything derived from
// descriptions share it; arbitrary_example.hpp has RapidCheck generators for it.
#pragma once

#include <array>
#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <boost/describe.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/stamp.hpp"

namespace allot::reflect_example {

enum class Mood : std::uint8_t { calm, eager = 3, tired };
BOOST_DESCRIBE_ENUM(Mood, calm, eager, tired)

// Not described, so it may take any value of its underlying type.
enum class Level : std::int16_t {};

struct Ping {
    friend bool operator==(const Ping&, const Ping&) = default;
};
BOOST_DESCRIBE_STRUCT(Ping, (), ())

struct Ask {
    Stamp stamp;
    std::uint32_t units = 0;

    friend auto operator<=>(const Ask&, const Ask&) = default;
};
BOOST_DESCRIBE_STRUCT(Ask, (), (stamp, units))

// A message as protocols nest it: described from outside, at namespace scope.
struct Server {
    struct Reply {
        std::vector<Stamp> stamps{};

        friend bool operator==(const Reply&, const Reply&) = default;
    };
};
BOOST_DESCRIBE_STRUCT(Server::Reply, (), (stamps))

using Message = std::variant<Ping, Ask, Server::Reply>;

struct Everything {
    bool flag = false;
    std::int8_t tiny = 0;
    std::uint32_t clock = 0;
    std::int64_t balance = 0;
    std::uint64_t big = 0;
    Mood mood = Mood::calm;
    Level level{};
    Stamp stamp;
    std::string name;
    std::optional<Ask> asked;
    std::pair<Stamp, std::uint8_t> ticket;
    std::array<std::uint16_t, 3> triple{};
    std::vector<Ask> queue;
    std::vector<bool> bits;
    std::deque<std::string> words;
    std::set<Ask> asks;
    std::map<std::string, std::int32_t> named;
    std::map<Stamp, Mood> moods;
    boost::container::flat_set<std::uint32_t> peers;
    boost::container::flat_map<std::uint32_t, Stamp> seen;
    Message last;
    std::vector<Message> inbox;

    friend bool operator==(const Everything&, const Everything&) = default;
};
BOOST_DESCRIBE_STRUCT(Everything, (),
                      (flag, tiny, clock, balance, big, mood, level, stamp, name, asked, ticket, triple,
                       queue, bits, words, asks, named, moods, peers, seen, last, inbox))

// A value in which no member has its default.
Everything full_example();

}  // namespace allot::reflect_example
