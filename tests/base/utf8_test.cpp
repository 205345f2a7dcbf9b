#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace allot {
namespace {

TEST(Utf8, Text_is_text) {
    EXPECT_TRUE(is_utf8(""));
    EXPECT_TRUE(is_utf8("db"));
    EXPECT_TRUE(is_utf8("Schl\xC3\xBCssel \xE2\x82\xAC \xF0\x9F\x94\x92"));
    EXPECT_TRUE(is_utf8("\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF"));
}

// Unicode, table 3-7: the well-formed sequences and no others.
TEST(Utf8, Other_bytes_are_not) {
    for (const char* bytes :
         {"\xFF", "\x80", "a\xC3", "\xC0\xAF", "\xC1\xBF", "\xE0\x9F\xBF", "\xE2\x82", "\xED\xA0\x80",
          "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3\x28"})
        EXPECT_FALSE(is_utf8(bytes));
}

TEST(Utf8, The_first_character_has_its_code) {
    EXPECT_EQ(first_character("db").code, U'd');
    EXPECT_EQ(first_character("\xC3\xBC").code, U'\u00fc');
    EXPECT_EQ(first_character("\xE2\x82\xAC").code, U'\u20ac');
    EXPECT_EQ(first_character("\xF0\x9F\x94\x92").code, U'\U0001f512');
    EXPECT_EQ(first_character("\xC3").length, 0u);
    EXPECT_EQ(first_character("").length, 0u);
}

}  // namespace
}  // namespace allot
