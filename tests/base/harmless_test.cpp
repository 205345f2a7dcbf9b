#include "base/harmless.hpp"

#include <gtest/gtest.h>

namespace allot {
namespace {

TEST(Harmless, Control_characters_become_escapes) {
    EXPECT_EQ(harmless("two\nlines\ttab\r"), "two\\nlines\\ttab\\r");
    EXPECT_EQ(harmless("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
    EXPECT_EQ(harmless(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Harmless, Other_text_stays_as_it_is) {
    EXPECT_EQ(harmless("--sites 3: \\n, größer"), "--sites 3: \\n, größer");
}

}  // namespace
}  // namespace allot
