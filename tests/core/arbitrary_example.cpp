#include "core/arbitrary_example.hpp"

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

Gen<allot::reflect_example::Message> Arbitrary<allot::reflect_example::Message>::arbitrary() {
    using namespace allot::reflect_example;
    return gen::oneOf(
        gen::just(Message(Ping{})),
        gen::map(gen::arbitrary<Ask>(), [](const Ask& ask) { return Message(ask); }),
        gen::map(gen::arbitrary<std::vector<allot::Stamp>>(),
                 [](const std::vector<allot::Stamp>& stamps) { return Message(Server::Reply{stamps}); }));
}

namespace {

using allot::reflect_example::Everything;

// RapidCheck knows neither std::optional nor flat containers, so these come from ones it knows.
Gen<std::optional<allot::reflect_example::Ask>> optional_ask() {
    using allot::reflect_example::Ask;
    return gen::map(gen::maybe(gen::arbitrary<Ask>()), [](const rc::Maybe<Ask>& maybe) {
        return maybe ? std::optional<Ask>(*maybe) : std::nullopt;
    });
}

Gen<boost::container::flat_set<std::uint32_t>> flat_set() {
    return gen::map(gen::arbitrary<std::set<std::uint32_t>>(), [](const std::set<std::uint32_t>& set) {
        return boost::container::flat_set<std::uint32_t>(set.begin(), set.end());
    });
}

Gen<boost::container::flat_map<std::uint32_t, allot::Stamp>> flat_map() {
    using Map = std::map<std::uint32_t, allot::Stamp>;
    return gen::map(gen::arbitrary<Map>(), [](const Map& map) {
        return boost::container::flat_map<std::uint32_t, allot::Stamp>(map.begin(), map.end());
    });
}

Gen<std::array<std::uint16_t, 3>> triple() {
    return gen::container<std::array<std::uint16_t, 3>>(gen::arbitrary<std::uint16_t>());
}

}  // namespace

Gen<Everything> Arbitrary<Everything>::arbitrary() {
    return gen::build<Everything>(
        gen::set(&Everything::flag), gen::set(&Everything::tiny), gen::set(&Everything::clock),
        gen::set(&Everything::balance), gen::set(&Everything::big), gen::set(&Everything::mood),
        gen::set(&Everything::level), gen::set(&Everything::stamp), gen::set(&Everything::name),
        gen::set(&Everything::asked, optional_ask()), gen::set(&Everything::ticket),
        gen::set(&Everything::triple, triple()), gen::set(&Everything::queue), gen::set(&Everything::bits),
        gen::set(&Everything::words), gen::set(&Everything::asks), gen::set(&Everything::named),
        gen::set(&Everything::moods), gen::set(&Everything::peers, flat_set()),
        gen::set(&Everything::seen, flat_map()), gen::set(&Everything::last), gen::set(&Everything::inbox));
}

}  // namespace rc
