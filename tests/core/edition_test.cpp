// Editions: bytes of the edition before are read and written, and lose nothing that it has.
#include "core/edition.hpp"

#include <boost/describe.hpp>
#include <gtest/gtest.h>
#include <vector>

#include "core/bytes.hpp"
#include "protocols/agreement/register.hpp"

namespace {

// As it was two editions ago, and what the newest one has made of it.
struct Former {
    std::uint32_t first = 0;
    std::string last;
    bool operator==(const Former&) const = default;
};
BOOST_DESCRIBE_STRUCT(Former, (), (first, last))

struct Grown {
    std::uint32_t first = 0;
    std::uint32_t middle = 7;
    std::string last;
    bool operator==(const Grown&) const = default;
};
BOOST_DESCRIBE_STRUCT(Grown, (), (first, middle, last))

// Knows its edition, whatever surrounds it.
struct Agreed {
    allot::Edition own = allot::newest_edition;
    Grown grown;
    allot::Edition edition() const { return own; }
    bool operator==(const Agreed&) const = default;
};
BOOST_DESCRIBE_STRUCT(Agreed, (), (own, grown))

}  // namespace

template <>
inline constexpr allot::Edition allot::since<&Grown::middle> = allot::newest_edition;

namespace allot {
namespace {

TEST(Edition, Before_a_member_came_it_is_not_written) {
    const Grown value{1, 2, "x"};
    EXPECT_EQ(to_bytes(value, former_edition), to_bytes(Former{1, "x"}));
    EXPECT_EQ(to_bytes(value, newest_edition), to_bytes(value));
    EXPECT_NE(to_bytes(value, newest_edition), to_bytes(value, former_edition));
}

TEST(Edition, Before_a_member_came_it_has_its_default_value) {
    const auto read = from_bytes<Grown>(to_bytes(Former{1, "x"}), former_edition);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, (Grown{1, 7, "x"}));
    EXPECT_FALSE(from_bytes<Grown>(to_bytes(Former{1, "x"}), newest_edition));
    // A value that is read into has had another one before.
    Grown used{1, 2, "y"};
    const std::string bytes = to_bytes(Former{1, "x"});
    std::string_view in = bytes;
    ASSERT_TRUE(decode(in, used, former_edition));
    EXPECT_EQ(used, (Grown{1, 7, "x"}));
}

TEST(Edition, Of_what_was_agreed_on_is_its_own) {
    const std::vector<Agreed> values{{newest_edition, {1, 2, "x"}}, {former_edition, {1, 7, "x"}}};
    for (const Edition around : {former_edition, newest_edition}) {
        const std::string bytes = to_bytes(values, around);
        EXPECT_EQ(from_bytes<std::vector<Agreed>>(bytes, around), values);
    }
}

TEST(Edition, Of_what_was_agreed_on_has_one_form) {
    std::string bytes;
    encode(newest_edition, bytes);
    encode(former_edition, bytes);
    encode(Grown{1, 2, "x"}, bytes, newest_edition);
    EXPECT_FALSE(from_bytes<Agreed>(bytes, newest_edition));
    const Agreed unknown{newest_edition + 1, {}};
    EXPECT_FALSE(from_bytes<Agreed>(to_bytes(unknown, newest_edition), newest_edition));
}

TEST(Edition, Is_told_by_dated_bytes) {
    for (const Edition edition : {former_edition, newest_edition}) {
        std::string bytes;
        encode_dated(Grown{1, 7, "x"}, bytes, edition);
        EXPECT_EQ(from_dated_bytes<Grown>(bytes), (Grown{1, 7, "x"}));
    }
    std::string later;
    encode_dated(Grown{}, later, newest_edition + 1);
    EXPECT_FALSE(from_dated_bytes<Grown>(later));
}

TEST(Edition, Of_a_greeting_is_the_first_one) {
    EXPECT_TRUE(can_greet(first_edition));
    EXPECT_TRUE(can_greet(newest_edition + 5)) << "a later program speaks ours";
    EXPECT_FALSE(can_greet(first_edition - 1));
    EXPECT_EQ(spoken_by_both(newest_edition + 5), newest_edition);
    EXPECT_EQ(spoken_by_both(first_edition), first_edition);
}

// Voters keep the value that sealed the generation before for as long as they vote, and jobs their leases.
TEST(Edition, Of_long_ago_is_read_and_written) {
    const Agreed old{first_edition, {1, 7, "x"}};
    for (const Edition around : {former_edition, newest_edition})
        EXPECT_EQ(from_bytes<Agreed>(to_bytes(old, around), around), old);
    std::string bytes;
    encode_dated(Grown{1, 7, "x"}, bytes, first_edition);
    EXPECT_EQ(from_dated_bytes<Grown>(bytes), (Grown{1, 7, "x"}));
}

TEST(Edition, Of_a_value_is_that_of_its_settings) {
    agreement::Value value;
    EXPECT_EQ(value.edition(), 0u);
    for (const Edition around : {former_edition, newest_edition})
        EXPECT_EQ(from_bytes<agreement::Value>(to_bytes(value, around), around), value);
    value.settings.emplace();
    EXPECT_EQ(value.edition(), newest_edition);
    value.settings->agreed_edition = former_edition;
    EXPECT_EQ(value.edition(), former_edition);
    EXPECT_EQ(from_bytes<agreement::Value>(to_bytes(value, newest_edition), newest_edition), value);
}

}  // namespace
}  // namespace allot
