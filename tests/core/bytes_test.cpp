#include "core/bytes.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/arbitrary_example.hpp"
#include "core/random.hpp"

namespace allot {
namespace {

using namespace reflect_example;

// Takes its characters as they are, zeros included.
template <std::size_t N>
std::string raw(const char (&literal)[N]) {
    return std::string(literal, N - 1);
}

template <class T>
bool accepted(std::string_view bytes) {
    return from_bytes<T>(bytes).has_value();
}

// Hostile input must be refused, or be exactly what its value encodes to.
template <class T>
void expect_total(std::string_view bytes) {
    if (const auto value = from_bytes<T>(bytes)) {
        ASSERT_EQ(to_bytes(*value), bytes);
    }
}

TEST(BytesTest, The_full_example_survives) {
    EXPECT_EQ(from_bytes<Everything>(to_bytes(full_example())), full_example());
}

RC_GTEST_PROP(BytesTest, Every_value_survives, (const Everything& value)) {
    const auto back = from_bytes<Everything>(to_bytes(value));
    RC_ASSERT(back.has_value());
    RC_ASSERT(*back == value);
}

RC_GTEST_PROP(BytesTest, Values_are_equal_exactly_if_their_bytes_are, (const Message& a, const Message& b)) {
    RC_ASSERT((a == b) == (to_bytes(a) == to_bytes(b)));
}

RC_GTEST_PROP(BytesTest, Pairs_of_strings_keep_their_border, (const std::string& a, const std::string& b)) {
    using Strings = std::pair<std::string, std::string>;
    const Strings whole{a + b, ""};
    RC_ASSERT((Strings{a, b} == whole) == (to_bytes(Strings{a, b}) == to_bytes(whole)));
}

TEST(BytesTest, A_change_of_any_member_changes_the_bytes) {
    Everything value = full_example();
    std::size_t members = 0;
    for_each_member(value, [&](std::string_view name, auto& member) {
        const auto before = member;
        member = {};
        EXPECT_NE(to_bytes(value), to_bytes(full_example())) << name;
        member = before;
        ++members;
    });
    EXPECT_EQ(members, 22u);
}

// The wire format is a promise to other versions, so it is pinned byte for byte.
TEST(BytesTest, The_format_is_pinned) {
    EXPECT_EQ(to_bytes(std::uint32_t{0}), raw("\0"));
    EXPECT_EQ(to_bytes(std::uint32_t{127}), raw("\x7f"));
    EXPECT_EQ(to_bytes(std::uint32_t{300}), raw("\xac\x02"));
    EXPECT_EQ(to_bytes(std::int32_t{-1}), raw("\x01"));
    EXPECT_EQ(to_bytes(std::int32_t{1}), raw("\x02"));
    EXPECT_EQ(to_bytes(true), raw("\x01"));
    EXPECT_EQ(to_bytes(Mood::eager), raw("\x03"));
    EXPECT_EQ(to_bytes(std::string("ab")), raw("\x02"
                                               "ab"));
    EXPECT_EQ(to_bytes(std::optional<std::uint8_t>{}), raw("\0"));
    EXPECT_EQ(to_bytes(std::optional<std::uint8_t>{5}), raw("\x01\x05"));
    EXPECT_EQ(to_bytes(std::vector<bool>{true, false}), raw("\x02\x01\0"));
    EXPECT_EQ(to_bytes(std::array<std::uint8_t, 2>{3, 4}), raw("\x03\x04"));
    EXPECT_EQ(to_bytes(std::map<std::uint8_t, bool>{{2, true}, {1, false}}), raw("\x02\x01\0\x02\x01"));
    EXPECT_EQ(to_bytes(Message(Ask{StampAccess::make(9), 2})), raw("\x01\x09\x02"));
    EXPECT_EQ(to_bytes(Ping{}), "");
}

TEST(BytesTest, The_extremes_of_integers_survive) {
    using Big = std::numeric_limits<std::int64_t>;
    EXPECT_EQ(from_bytes<std::int64_t>(to_bytes(Big::min())), Big::min());
    EXPECT_EQ(from_bytes<std::int64_t>(to_bytes(Big::max())), Big::max());
    EXPECT_EQ(from_bytes<std::int8_t>(to_bytes(std::int8_t{-128})), std::int8_t{-128});
    EXPECT_EQ(from_bytes<std::uint64_t>(to_bytes(~std::uint64_t{0})), ~std::uint64_t{0});
}

TEST(BytesTest, Overlong_numbers_are_refused) {
    EXPECT_TRUE(accepted<std::uint32_t>(raw("\0")));
    EXPECT_FALSE(accepted<std::uint32_t>(raw("\x80\0")));
    EXPECT_FALSE(accepted<std::uint32_t>(raw("\x81\x80\0")));
    EXPECT_FALSE(accepted<std::string>(raw("\x80\0")));
}

TEST(BytesTest, Numbers_beyond_their_type_are_refused) {
    EXPECT_FALSE(accepted<std::uint8_t>(to_bytes(std::uint32_t{256})));
    EXPECT_FALSE(accepted<std::int8_t>(to_bytes(std::int32_t{128})));
    EXPECT_FALSE(accepted<std::int8_t>(to_bytes(std::int32_t{-129})));
    EXPECT_TRUE(accepted<std::uint64_t>(raw("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")));
    EXPECT_FALSE(accepted<std::uint64_t>(raw("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02")));
    EXPECT_FALSE(accepted<std::uint64_t>(raw("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x01")));
}

TEST(BytesTest, Bools_other_than_0_and_1_are_refused) {
    EXPECT_FALSE(accepted<bool>(raw("\x02")));
    EXPECT_FALSE(accepted<bool>(raw("\xff")));
    EXPECT_FALSE(accepted<std::optional<bool>>(raw("\x02\x01")));
}

TEST(BytesTest, Unnamed_enumerators_are_refused) {
    EXPECT_TRUE(accepted<Mood>(raw("\x04")));
    EXPECT_FALSE(accepted<Mood>(raw("\x01")));
    EXPECT_FALSE(accepted<Mood>(raw("\x83\x02")));
    EXPECT_TRUE(accepted<Level>(raw("\x01")));
}

TEST(BytesTest, Unknown_alternatives_are_refused) {
    EXPECT_TRUE(accepted<Message>(raw("\0")));
    EXPECT_FALSE(accepted<Message>(raw("\x03")));
}

TEST(BytesTest, Sets_and_maps_must_be_strictly_ascending) {
    using Set = std::set<std::uint8_t>;
    using Map = std::map<std::uint8_t, bool>;
    EXPECT_TRUE(accepted<Set>(raw("\x02\x01\x02")));
    EXPECT_FALSE(accepted<Set>(raw("\x02\x02\x01")));
    EXPECT_FALSE(accepted<Set>(raw("\x02\x01\x01")));
    EXPECT_TRUE(accepted<Map>(raw("\x02\x01\x01\x02\0")));
    EXPECT_FALSE(accepted<Map>(raw("\x02\x02\x01\x01\0")));
    EXPECT_FALSE(accepted<Map>(raw("\x02\x01\x01\x01\0")));
    EXPECT_FALSE(accepted<boost::container::flat_set<std::uint32_t>>(raw("\x02\x02\x01")));
}

TEST(BytesTest, Ascending_means_the_order_of_the_set_itself) {
    const std::set<int, std::greater<>> falling{1, 2, 3};
    EXPECT_EQ((from_bytes<std::set<int, std::greater<>>>(to_bytes(falling))), falling);
}

TEST(BytesTest, Bytes_left_over_are_refused_by_from_bytes_and_left_by_decode) {
    EXPECT_FALSE(accepted<bool>(raw("\x01\x01")));
    const std::string bytes = raw("\x01\x07");
    std::string_view rest = bytes;
    bool value = false;
    EXPECT_TRUE(decode(rest, value));
    EXPECT_TRUE(value);
    EXPECT_EQ(rest, raw("\x07"));
}

TEST(BytesTest, Counts_that_the_rest_cannot_justify_are_refused) {
    const std::string huge = to_bytes(~std::uint64_t{0});
    EXPECT_FALSE(accepted<std::string>(huge + "abc"));
    EXPECT_FALSE(accepted<std::vector<Ask>>(huge + "abc"));
    EXPECT_FALSE(accepted<std::set<std::uint8_t>>(huge + "abc"));
    EXPECT_FALSE((accepted<std::map<std::uint8_t, std::string>>(huge + "abc")));
    EXPECT_FALSE(accepted<std::vector<bool>>(to_bytes(std::uint64_t{1} << 40) + std::string(100, '\1')));
}

TEST(BytesTest, Every_truncation_is_refused) {
    const std::string bytes = to_bytes(full_example());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_FALSE(accepted<Everything>(std::string_view(bytes).substr(0, size))) << size;
    }
}

TEST(BytesTest, Every_mutation_of_one_byte_is_refused_or_canonical) {
    const std::string bytes = to_bytes(full_example());
    for (std::size_t place = 0; place < bytes.size(); ++place) {
        for (int byte = 0; byte < 256; ++byte) {
            std::string mutated = bytes;
            mutated[place] = static_cast<char>(byte);
            expect_total<Everything>(mutated);
        }
    }
}

RC_GTEST_PROP(BytesTest, Values_with_random_mutations_are_refused_or_canonical, (const Everything& value)) {
    std::string bytes = to_bytes(value);
    const auto mutations = *rc::gen::inRange(1, 5);
    for (int i = 0; i < mutations; ++i) {
        bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
    }
    expect_total<Everything>(bytes);
}

// Mostly small bytes, because those get furthest into a decoder.
TEST(BytesTest, Random_bytes_are_refused_or_canonical) {
    Random random(20240501);
    for (int run = 0; run < 20'000; ++run) {
        std::string bytes(static_cast<std::size_t>(random(40)), '\0');
        for (char& byte : bytes) byte = static_cast<char>(random.coin() ? random(4) : random(256));
        expect_total<Everything>(bytes);
        expect_total<Message>(bytes);
        expect_total<std::vector<Message>>(bytes);
        expect_total<std::map<std::string, std::set<std::int16_t>>>(bytes);
    }
}

}  // namespace
}  // namespace allot
