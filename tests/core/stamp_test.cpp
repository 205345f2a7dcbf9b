#include "core/stamp.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <type_traits>

namespace allot {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
    a + b;
};
template <class A, class B>
concept Subtractable = requires(A a, B b) {
    a - b;
};
template <class A>
concept Incrementable = requires(A a) {
    ++a;
};
template <class A, class B>
concept Comparable = requires(A a, B b) {
    a < b;
};

static_assert(!std::is_convertible_v<std::uint64_t, Stamp>);
static_assert(!std::is_convertible_v<int, Stamp>);
static_assert(!std::is_constructible_v<Stamp, std::uint64_t>);
static_assert(!std::is_constructible_v<Stamp, int>);
static_assert(!std::is_convertible_v<Stamp, std::uint64_t>);
static_assert(!std::is_constructible_v<std::uint64_t, Stamp>);
static_assert(!std::is_constructible_v<bool, Stamp>);
static_assert(!Addable<Stamp, Stamp> && !Addable<Stamp, int> && !Addable<int, Stamp>);
static_assert(!Subtractable<Stamp, Stamp> && !Subtractable<Stamp, int>);
static_assert(!Incrementable<Stamp>);
static_assert(Comparable<Stamp, Stamp> && !Comparable<Stamp, int>);

TEST(StampTest, A_default_stamp_comes_before_every_other) {
    EXPECT_LT(Stamp(), Stamp().next());
    EXPECT_EQ(Stamp(), StampAccess::make(0));
}

TEST(StampTest, The_next_stamp_is_later) {
    const Stamp stamp = StampAccess::make(41);
    EXPECT_LT(stamp, stamp.next());
    EXPECT_EQ(StampAccess::value(stamp.next()), 42u);
}

TEST(StampTest, The_maximum_is_the_later_stamp) {
    const Stamp early = StampAccess::make(1);
    const Stamp late = StampAccess::make(2);
    EXPECT_EQ(max(early, late), late);
    EXPECT_EQ(max(late, early), late);
    EXPECT_EQ(std::max(early, late), late);
}

}  // namespace
}  // namespace allot
