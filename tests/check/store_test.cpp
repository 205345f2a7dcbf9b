// The store: tuples of ids in every length and size come back as they went in.
#include "check/store.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace {

using namespace allot;
using check::Packed;
using check::Store;
using check::StoreKind;
using check::Tuple;
using walk::World;

World some_world(Random& random, std::uint64_t largest_id) {
    World world;
    world.ledger = static_cast<std::uint32_t>(random(largest_id));
    for (int site = 0; site < 3; ++site)
        world.sites.push_back(static_cast<std::uint32_t>(random(largest_id)));
    for (auto count = random(9); count > 0; --count)
        world.flight.push_back(static_cast<std::uint32_t>(random(largest_id)));
    return world;
}

TEST(Store, Packing_keeps_small_and_large_ids) {
    Random random(1);
    for (const std::uint64_t largest : {10ull, 0x8000ull, 0x8001ull, 0x10001ull, 0x7FFF0000ull})
        for (int i = 0; i < 500; ++i) {
            const World world = some_world(random, largest);
            World again;
            check::unpack(Packed(world), world.sites.size(), again);
            ASSERT_EQ(again, world);
        }
}

TEST(Store, Equal_tuples_and_only_those_have_equal_hashes_and_compare_equal) {
    Random random(2);
    for (int i = 0; i < 2000; ++i) {
        const Packed a(some_world(random, 3));
        const Packed b(some_world(random, 3));
        const Tuple left = a;
        const Tuple right = b;
        const bool same = std::ranges::equal(left, right);
        ASSERT_EQ(check::equal(left, right), same);
        ASSERT_EQ(check::hash_of(left) == check::hash_of(right), same);
    }
}

TEST(Store, What_lies_behind_a_tuple_does_not_count) {
    std::vector<check::Unit> one{1, 2, 3, 4, 5, 111, 222, 333};
    std::vector<check::Unit> two{1, 2, 3, 4, 5, 444, 555, 666};
    EXPECT_TRUE(check::equal(Tuple(one.data(), 5), Tuple(two.data(), 5)));
    EXPECT_EQ(check::hash_of(Tuple(one.data(), 5)), check::hash_of(Tuple(two.data(), 5)));
    EXPECT_FALSE(check::equal(Tuple(one.data(), 6), Tuple(two.data(), 6)));
}

class StoreOfEachKind : public testing::TestWithParam<StoreKind> {};

TEST_P(StoreOfEachKind, Keeps_each_tuple_once_while_it_grows) {
    Store store(GetParam(), std::size_t{64} << 20);
    constexpr std::uint32_t count = 50'000;
    const auto tuple_of = [](std::uint32_t i) {
        return World{i % 7, {i, i / 3, i % 1000}, std::vector<std::uint32_t>(i % 5, i)};
    };
    for (std::uint32_t round = 0; round < 2; ++round)
        for (std::uint32_t i = 0; i < count; ++i) {
            const Packed packed(tuple_of(i));
            const auto [position, fresh] = store.insert(packed, check::hash_of(packed), i);
            ASSERT_EQ(fresh, round == 0) << i;
            ASSERT_EQ(store.parent(position), i);
            ASSERT_EQ(store.find(packed, check::hash_of(packed)), position);
        }
    EXPECT_EQ(store.size(), count);
    const Packed stranger(World{99, {1, 2, 3}, {}});
    EXPECT_EQ(store.find(stranger, check::hash_of(stranger)), 0u);

    std::uint32_t walked = 0;
    for (auto at = store.first(); at != store.end(); at = store.next(at))
        ASSERT_EQ(store.parent(at), walked++);
    EXPECT_EQ(walked, count);
}

INSTANTIATE_TEST_SUITE_P(Both, StoreOfEachKind, testing::Values(StoreKind::exact, StoreKind::fingerprint));

}  // namespace
