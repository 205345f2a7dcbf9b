#include "base/harmless.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/utf8.hpp"
#include "support/any_text.hpp"

namespace allot {
namespace {

TEST(Harmless, Control_characters_become_escapes) {
    EXPECT_EQ(harmless("two\nlines\ttab\r"), "two\\nlines\\ttab\\r");
    EXPECT_EQ(harmless("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
    EXPECT_EQ(harmless(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Harmless, Bytes_that_are_no_characters_become_escapes) {
    EXPECT_EQ(harmless("a\xff\xc3"), "a\\xff\\xc3");
    EXPECT_FALSE(is_harmless("\xe2\x82"));
}

TEST(Harmless, Marks_that_turn_or_hide_text_become_escapes) {
    EXPECT_EQ(harmless("a\u202eb"), "a\\u202eb");
    EXPECT_EQ(harmless("\u2066x\u2069"), "\\u2066x\\u2069");
    EXPECT_EQ(harmless("\u0085\u200b\ufeff"), "\\u0085\\u200b\\ufeff");
    EXPECT_EQ(harmless("\U000e0041"), "\\U000e0041");
}

TEST(Harmless, Text_is_cut_between_two_characters) {
    EXPECT_EQ(harmless("gr\u00f6\u00dfer", 3), "gr");
    EXPECT_EQ(harmless("gr\u00f6\u00dfer", 4), "gr\u00f6");
    EXPECT_EQ(harmless("gr\u00f6\u00dfer", 100), "gr\u00f6\u00dfer");
    EXPECT_EQ(harmless("ab\n", 3), "ab\\");
}

TEST(Harmless, Other_text_stays_as_it_is) {
    EXPECT_EQ(harmless("--sites 3: \\n, größer"), "--sites 3: \\n, größer");
}

RC_GTEST_PROP(Harmless, Any_bytes_become_harmless_text_and_that_stays, ()) {
    const std::string bytes = *test::any_text();
    const std::string shown = harmless(bytes);
    RC_ASSERT(is_utf8(shown));
    RC_ASSERT(is_harmless(shown));
    RC_ASSERT(harmless(shown) == shown);
    RC_ASSERT(is_harmless(bytes) == (shown == bytes));
    const auto most = *rc::gen::inRange<std::size_t>(0, 40);
    const std::string beginning = harmless(bytes, most);
    RC_ASSERT(beginning.size() <= most);
    RC_ASSERT(is_harmless(beginning));
    RC_ASSERT(shown.starts_with(beginning));
    RC_ASSERT(shown.size() <= most || beginning.size() + 4 > most);
}

}  // namespace
}  // namespace allot
