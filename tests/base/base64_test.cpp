// The examples are those of RFC 4648, section 10.
#include "base/base64.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace allot {
namespace {

TEST(Base64, Is_that_of_the_standard) {
    const std::pair<const char*, const char*> examples[]{{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : examples) {
        EXPECT_EQ(to_base64(bytes), text);
        EXPECT_EQ(from_base64(text), bytes);
    }
}

TEST(Base64, Refuses_what_it_does_not_write) {
    for (const char* text :
         {"Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9v\n", " Zm9v", "Zm9v=", "=", "Zm=v", "Zm9-", "Zg==Zg=="})
        EXPECT_FALSE(from_base64(text)) << text;
}

RC_GTEST_PROP(Base64, Gives_all_bytes_back, (const std::string& bytes)) {
    RC_ASSERT(from_base64(to_base64(bytes)) == bytes);
}

}  // namespace
}  // namespace allot
