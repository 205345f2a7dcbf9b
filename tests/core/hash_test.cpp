#include "core/hash.hpp"

#include <gtest/gtest.h>
#include <string>

#include "core/reflect_example.hpp"

namespace allot {
namespace {

using namespace reflect_example;

// The value for no input is one of the test vectors published with XXH3.
TEST(HashTest, It_is_the_published_XXH3) {
    EXPECT_EQ(hash_bytes(""), 0x2d06800538d394c2u);
}

TEST(HashTest, Both_overloads_agree) {
    const std::string bytes = to_bytes(full_example());
    EXPECT_EQ(hash_bytes(bytes), hash_bytes(bytes.data(), bytes.size()));
}

TEST(HashTest, Equal_values_have_equal_hashes_and_a_small_change_shows) {
    Everything changed = full_example();
    EXPECT_EQ(hash_of(changed), hash_of(full_example()));
    changed.stamp = changed.stamp.next();
    EXPECT_NE(hash_of(changed), hash_of(full_example()));
}

}  // namespace
}  // namespace allot
