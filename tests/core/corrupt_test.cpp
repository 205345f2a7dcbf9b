#include "core/corrupt.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.hpp"
#include "core/random.hpp"
#include "core/reflect_example.hpp"

namespace allot {
namespace {

using namespace reflect_example;

std::optional<Domain> no_domain(std::string_view) {
    return std::nullopt;
}

std::optional<Domain> example_domain(std::string_view member) {
    static const std::map<std::string_view, Domain> domains = {
        {"clock", {5, 7}},   {"stamp", {2, 3}}, {"units", {1, 1}}, {"triple", {8, 9}},
        {"peers", {10, 12}}, {"named", {4, 5}}, {"mood", {3, 9}},  {"tiny", {0, 200}}};
    const auto found = domains.find(member);
    return found == domains.end() ? std::nullopt : std::optional<Domain>(found->second);
}

// What a projection of the corrupted full example shows over many draws.
template <class DomainOf, class F>
auto reached(DomainOf domain_of, F projection) {
    std::set<decltype(projection(full_example()))> values;
    Random random(99);
    for (int i = 0; i < 2'000; ++i) {
        Everything value = full_example();
        corrupt(value, random, domain_of);
        values.insert(projection(value));
    }
    return values;
}

TEST(CorruptTest, Numbers_reach_exactly_their_domain) {
    EXPECT_EQ(reached(example_domain, [](const Everything& value) { return value.clock; }),
              (std::set<std::uint32_t>{5, 6, 7}));
    EXPECT_EQ(
        reached(example_domain, [](const Everything& value) { return StampAccess::value(value.stamp); }),
        (std::set<std::uint64_t>{2, 3}));
}

TEST(CorruptTest, Numbers_without_a_domain_reach_0_to_3) {
    EXPECT_EQ(reached(no_domain, [](const Everything& value) { return value.clock; }),
              (std::set<std::uint32_t>{0, 1, 2, 3}));
    EXPECT_EQ(reached(no_domain, [](const Everything& value) { return value.balance; }),
              (std::set<std::int64_t>{0, 1, 2, 3}));
    EXPECT_EQ(reached(no_domain, [](const Everything& value) { return value.level; }),
              (std::set<Level>{Level{0}, Level{1}, Level{2}, Level{3}}));
}

TEST(CorruptTest, Bools_and_enums_reach_all_they_can_be) {
    EXPECT_EQ(reached(no_domain, [](const Everything& value) { return value.flag; }),
              (std::set<bool>{false, true}));
    EXPECT_EQ(reached(no_domain, [](const Everything& value) { return value.mood; }),
              (std::set<Mood>{Mood::calm, Mood::eager, Mood::tired}));
    EXPECT_EQ(reached(example_domain, [](const Everything& value) { return value.mood; }),
              (std::set<Mood>{Mood::eager, Mood::tired}));
}

TEST(CorruptTest, A_domain_is_clipped_to_the_type) {
    const auto tiny = reached(example_domain, [](const Everything& value) { return value.tiny; });
    EXPECT_EQ(*tiny.begin(), 0);
    EXPECT_EQ(*tiny.rbegin(), 127);
}

TEST(CorruptTest, A_leaf_with_nothing_to_draw_stays) {
    const auto none = [](std::string_view) { return std::optional<Domain>(Domain{300, 299}); };
    EXPECT_EQ(reached(none, [](const Everything& value) { return value.clock; }),
              (std::set<std::uint32_t>{300}));
    EXPECT_EQ(reached(none, [](const Everything& value) { return value.mood; }),
              (std::set<Mood>{Mood::tired}));
    EXPECT_EQ(reached(none, [](const Everything& value) { return value.peers.size(); }),
              (std::set<std::size_t>{0}));
}

TEST(CorruptTest, A_domain_of_all_numbers_works) {
    const auto all = [](std::string_view) {
        return std::optional<Domain>(Domain{0, std::numeric_limits<std::uint64_t>::max()});
    };
    Random random(3);
    std::uint64_t bits = 0;
    Ask value;
    for (int i = 0; i < 100; ++i) {
        corrupt(value, random, all);
        bits |= StampAccess::value(value.stamp);
    }
    EXPECT_EQ(bits, std::numeric_limits<std::uint64_t>::max());
}

TEST(CorruptTest, Sequences_keep_their_size_and_maps_their_keys) {
    EXPECT_EQ(reached(no_domain, [](const Everything& value) { return value.queue.size(); }),
              (std::set<std::size_t>{2}));
    EXPECT_EQ(reached(no_domain, [](const Everything& value) { return value.bits; }).size(), 8u);
    EXPECT_EQ(reached(example_domain, [](const Everything& value) { return value.named; }),
              (std::set<std::map<std::string, std::int32_t>>{{{"gpu0", 4}, {"gpu1", 4}},
                                                             {{"gpu0", 4}, {"gpu1", 5}},
                                                             {{"gpu0", 5}, {"gpu1", 4}},
                                                             {{"gpu0", 5}, {"gpu1", 5}}}));
}

TEST(CorruptTest, Elements_use_the_domain_of_their_member) {
    EXPECT_EQ(reached(example_domain, [](const Everything& value) { return value.triple; }).size(), 8u);
    for (const auto& triple : reached(example_domain, [](const Everything& value) { return value.triple; })) {
        EXPECT_TRUE(std::ranges::all_of(triple, [](auto number) { return number == 8 || number == 9; }));
    }
    const auto units = [](const Everything& value) { return value.queue[0].units; };
    EXPECT_EQ(reached(example_domain, units), (std::set<std::uint32_t>{1}));
}

TEST(CorruptTest, A_set_of_numbers_reaches_every_subset_of_its_domain) {
    const auto subsets = reached(example_domain, [](const Everything& value) { return value.peers; });
    EXPECT_EQ(subsets.size(), 8u);
    EXPECT_TRUE(subsets.contains({}));
    EXPECT_TRUE(subsets.contains({10, 11, 12}));
}

TEST(CorruptTest, A_set_of_structs_keeps_at_most_its_size) {
    const auto sizes = reached(no_domain, [](const Everything& value) { return value.asks.size(); });
    EXPECT_EQ(sizes, (std::set<std::size_t>{1, 2}));
}

TEST(CorruptTest, Optionals_and_variants_reach_all_they_can_be) {
    EXPECT_EQ(reached(no_domain, [](const Everything& value) { return value.asked.has_value(); }),
              (std::set<bool>{false, true}));
    EXPECT_EQ(reached(no_domain, [](const Everything& value) { return value.last.index(); }),
              (std::set<std::size_t>{0, 1, 2}));
}

TEST(CorruptTest, Strings_stay) {
    EXPECT_EQ(reached(no_domain, [](const Everything& value) { return value.name; }),
              (std::set<std::string>{"db \"one\""}));
}

TEST(CorruptTest, The_same_seed_corrupts_alike) {
    Everything one = full_example();
    Everything two = full_example();
    Random random_one(5);
    Random random_two(5);
    corrupt(one, random_one, example_domain);
    corrupt(two, random_two, example_domain);
    EXPECT_EQ(one, two);
    EXPECT_NE(one, full_example());
}

TEST(CorruptTest, A_corrupted_value_is_a_valid_one) {
    Random random(6);
    for (int i = 0; i < 1'000; ++i) {
        Everything value = full_example();
        corrupt(value, random, no_domain);
        EXPECT_EQ(from_bytes<Everything>(to_bytes(value)), value);
    }
}

constexpr std::uint32_t any_sites = 0xFFFFFFFF;

TEST(CorruptTest, What_was_drawn_is_within_its_domains) {
    EXPECT_EQ(value_error(full_example(), any_sites, no_domain), std::nullopt);
    Random random(7);
    for (int i = 0; i < 1'000; ++i) {
        Everything value = full_example();
        corrupt(value, random, example_domain);
        EXPECT_EQ(value_error(value, any_sites, example_domain), std::nullopt);
    }
}

TEST(CorruptTest, What_could_not_be_drawn_is_found_wherever_it_is) {
    const auto with = [](auto change) {
        Random random(8);
        Everything value = full_example();
        corrupt(value, random, example_domain);
        change(value);
        return value_error(value, any_sites, example_domain).value_or("");
    };
    EXPECT_EQ(with([](Everything& value) { value.clock = 8; }), "clock: write a whole number from 5 to 7");
    EXPECT_EQ(with([](Everything& value) { value.tiny = -1; }), "tiny: write a whole number from 0 to 127");
    EXPECT_EQ(with([](Everything& value) { value.mood = Mood::calm; }), "mood: write one of eager, tired");
    EXPECT_EQ(with([](Everything& value) { value.triple[2] = 7; }),
              "triple: write a whole number from 8 to 9");
    EXPECT_EQ(with([](Everything& value) { value.peers.insert(9); }),
              "peers: write a whole number from 10 to 12");
    EXPECT_EQ(with([](Everything& value) { value.named["gpu1"] = 6; }),
              "named: write a whole number from 4 to 5");
    EXPECT_EQ(with([](Everything& value) {
                  value.asked = Ask{StampAccess::make(2), 5};
              }),
              "units: write a whole number from 1 to 1");
    EXPECT_EQ(with([](Everything& value) {
                  value.inbox = {Ping{}, Ask{StampAccess::make(4), 1}};
              }),
              "stamp: write a whole number from 2 to 3");
    const auto two = [](std::string_view) { return std::optional<Domain>(Domain{0, 9, 2}); };
    EXPECT_EQ(value_error(Everything{.bits = {true, true}}, any_sites, two), std::nullopt);
    EXPECT_EQ(value_error(Everything{.bits = {true, true, true}}, any_sites, two),
              "bits: write no more than 2");
}

}  // namespace
}  // namespace allot
