// A vector whose equal parts share memory is like any other vector.
#include "core/shared_vector.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <utility>

#include "core/bytes.hpp"
#include "core/json.hpp"

namespace {

using namespace allot;
using Shared = SharedVector<std::uint32_t>;

std::vector<std::uint32_t> elements(const Shared& vector) {
    return {vector.begin(), vector.end()};
}

// The elements 32 apart lie at the same place if their parts share memory.
bool share_memory(const Shared& vector, std::size_t one, std::size_t other) {
    return &vector[one] == &vector[other];
}

RC_GTEST_PROP(SharedVector, Does_what_a_vector_does, ()) {
    Shared shared;
    std::vector<std::uint32_t> plain;
    std::vector<std::pair<Shared, std::vector<std::uint32_t>>> copies;
    const auto steps = *rc::gen::inRange(0, 40);
    for (int step = 0; step < steps; ++step) {
        const auto number = *rc::gen::inRange<std::uint32_t>(0, 3);
        switch (*rc::gen::inRange(0, 5)) {
            case 0: {
                const auto size = *rc::gen::inRange<std::size_t>(0, 200);
                shared.resize(size);
                plain.resize(size);
                break;
            }
            case 1:
                shared.push_back(number);
                plain.push_back(number);
                break;
            case 2:
                copies.emplace_back(shared, plain);
                break;
            case 3:
                shared.share();
                break;
            default:
                if (plain.empty()) break;
                const auto index = *rc::gen::inRange<std::size_t>(0, plain.size());
                shared[index] = plain[index] = number;
        }
        RC_ASSERT(elements(shared) == plain);
    }
    for (const auto& [copy, then] : copies) {
        RC_ASSERT(elements(copy) == then);
        RC_ASSERT((copy == shared) == (then == plain));
    }
    RC_ASSERT(to_bytes(shared) == to_bytes(plain));
    RC_ASSERT(to_json(shared) == to_json(plain));
    Shared decoded;
    const std::string bytes = to_bytes(plain);
    std::string_view left = bytes;
    RC_ASSERT(decode(left, decoded));
    RC_ASSERT(decoded == shared);
}

TEST(SharedVector, Equal_parts_share_their_memory) {
    Shared vector;
    vector.resize(100);
    EXPECT_TRUE(share_memory(vector, 0, 32));
    EXPECT_TRUE(share_memory(vector, 0, 64));

    // One that differs does not keep its neighbours apart, and shares again once it is equal.
    for (std::size_t i = 0; i < 96; ++i) {
        vector[i] = i == 40 ? 8 : 7;
        vector.share();
    }
    EXPECT_FALSE(share_memory(vector, 0, 32));
    EXPECT_TRUE(share_memory(vector, 0, 64));
    vector[40] = 7;
    vector.share();
    EXPECT_TRUE(share_memory(vector, 0, 32));
}

TEST(SharedVector, Copies_share_their_memory_until_one_changes) {
    Shared one;
    one.resize(3);
    Shared other = one;
    EXPECT_EQ(&std::as_const(one)[0], &std::as_const(other)[0]);
    other[1] = 5;
    EXPECT_EQ(std::as_const(one)[1], 0u);
    EXPECT_NE(one, other);
}

}  // namespace
