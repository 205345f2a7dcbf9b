// A described struct with every kind of member that is reflectable, and RapidCheck generators for it. The
// tests of everything derived from descriptions share it.
#pragma once

#include <array>
#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <boost/describe.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <rapidcheck.h>
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
struct Site {
    struct Reply {
        std::vector<Stamp> stamps{};

        friend bool operator==(const Reply&, const Reply&) = default;
    };
};
BOOST_DESCRIBE_STRUCT(Site::Reply, (), (stamps))

using Message = std::variant<Ping, Ask, Site::Reply>;

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
inline Everything full_example() {
    const Stamp one = Stamp().next();
    const Stamp two = one.next();
    Everything value;
    value.flag = true;
    value.tiny = -5;
    value.clock = 300;
    value.balance = -1'000'000'000'000;
    value.big = ~std::uint64_t{0};
    value.mood = Mood::tired;
    value.level = Level{-7};
    value.stamp = two;
    value.name = "db \"one\"";
    value.asked = Ask{one, 2};
    value.ticket = {two, std::uint8_t{9}};
    value.triple = {1, 2, 65535};
    value.queue = {{two, 1}, {one, 4}};
    value.bits = {true, false, true};
    value.words = {"a", ""};
    value.asks = {{one, 1}, {two, 0}};
    value.named = {{"gpu0", -1}, {"gpu1", 1}};
    value.moods = {{one, Mood::eager}, {two, Mood::calm}};
    value.peers = {1, 5};
    value.seen = {{0, two}, {7, one}};
    value.last = Ask{two, 3};
    value.inbox = {Ping{}, Site::Reply{{one, two}}, Ask{}};
    return value;
}

}  // namespace allot::reflect_example

namespace rc {

template <>
struct Arbitrary<allot::Stamp> {
    static Gen<allot::Stamp> arbitrary() {
        return gen::map(gen::arbitrary<std::uint64_t>(), &allot::StampAccess::make);
    }
};

template <>
struct Arbitrary<allot::reflect_example::Mood> {
    static Gen<allot::reflect_example::Mood> arbitrary() {
        using allot::reflect_example::Mood;
        return gen::element(Mood::calm, Mood::eager, Mood::tired);
    }
};

template <>
struct Arbitrary<allot::reflect_example::Level> {
    static Gen<allot::reflect_example::Level> arbitrary() {
        return gen::cast<allot::reflect_example::Level>(gen::arbitrary<std::int16_t>());
    }
};

template <>
struct Arbitrary<allot::reflect_example::Ask> {
    static Gen<allot::reflect_example::Ask> arbitrary() {
        using allot::reflect_example::Ask;
        return gen::build<Ask>(gen::set(&Ask::stamp), gen::set(&Ask::units));
    }
};

template <>
struct Arbitrary<allot::reflect_example::Message> {
    static Gen<allot::reflect_example::Message> arbitrary() {
        using namespace allot::reflect_example;
        return gen::oneOf(
            gen::just(Message(Ping{})),
            gen::map(gen::arbitrary<Ask>(), [](const Ask& ask) { return Message(ask); }),
            gen::map(gen::arbitrary<std::vector<allot::Stamp>>(),
                     [](const std::vector<allot::Stamp>& stamps) { return Message(Site::Reply{stamps}); }));
    }
};

template <>
struct Arbitrary<allot::reflect_example::Everything> {
    using Everything = allot::reflect_example::Everything;

    // RapidCheck knows neither std::optional nor flat containers, so these come from ones it knows.
    static Gen<std::optional<allot::reflect_example::Ask>> optional_ask() {
        using allot::reflect_example::Ask;
        return gen::map(gen::maybe(gen::arbitrary<Ask>()), [](const rc::Maybe<Ask>& maybe) {
            return maybe ? std::optional<Ask>(*maybe) : std::nullopt;
        });
    }

    static Gen<boost::container::flat_set<std::uint32_t>> flat_set() {
        return gen::map(gen::arbitrary<std::set<std::uint32_t>>(), [](const std::set<std::uint32_t>& set) {
            return boost::container::flat_set<std::uint32_t>(set.begin(), set.end());
        });
    }

    static Gen<boost::container::flat_map<std::uint32_t, allot::Stamp>> flat_map() {
        using Map = std::map<std::uint32_t, allot::Stamp>;
        return gen::map(gen::arbitrary<Map>(), [](const Map& map) {
            return boost::container::flat_map<std::uint32_t, allot::Stamp>(map.begin(), map.end());
        });
    }

    static Gen<std::array<std::uint16_t, 3>> triple() {
        return gen::container<std::array<std::uint16_t, 3>>(gen::arbitrary<std::uint16_t>());
    }

    static Gen<Everything> arbitrary() {
        return gen::build<Everything>(
            gen::set(&Everything::flag), gen::set(&Everything::tiny), gen::set(&Everything::clock),
            gen::set(&Everything::balance), gen::set(&Everything::big), gen::set(&Everything::mood),
            gen::set(&Everything::level), gen::set(&Everything::stamp), gen::set(&Everything::name),
            gen::set(&Everything::asked, optional_ask()), gen::set(&Everything::ticket),
            gen::set(&Everything::triple, triple()), gen::set(&Everything::queue),
            gen::set(&Everything::bits), gen::set(&Everything::words), gen::set(&Everything::asks),
            gen::set(&Everything::named), gen::set(&Everything::moods),
            gen::set(&Everything::peers, flat_set()), gen::set(&Everything::seen, flat_map()),
            gen::set(&Everything::last), gen::set(&Everything::inbox));
    }
};

}  // namespace rc
