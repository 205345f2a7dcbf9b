#include "core/stamps.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <utility>
#include <vector>

#include "core/arbitrary_example.hpp"
#include "core/bytes.hpp"

namespace allot {
namespace {

using namespace reflect_example;

static_assert(has_stamps<Stamp> && has_stamps<const Ask> && has_stamps<Everything>);
static_assert(has_stamps<Message> && has_stamps<std::map<Stamp, int>> && has_stamps<std::pair<int, Stamp>>);
static_assert(!has_stamps<Ping> && !has_stamps<std::uint64_t> && !has_stamps<std::map<int, std::string>>);

std::vector<std::uint64_t> stamps_of(const Everything& value) {
    std::vector<std::uint64_t> found;
    for_each_stamp(value, [&](const Stamp& stamp) { found.push_back(StampAccess::value(stamp)); });
    return found;
}

void add(Everything& value, std::uint64_t distance) {
    for_each_stamp(value,
                   [&](Stamp& stamp) { stamp = StampAccess::make(StampAccess::value(stamp) + distance); });
}

TEST(StampsTest, Every_stamp_is_visited_once_in_order) {
    // stamp; asked; ticket; queue; asks; keys of moods; values of seen; last; Reply and Ask of inbox.
    EXPECT_EQ(stamps_of(full_example()),
              (std::vector<std::uint64_t>{2, 1, 2, 2, 1, 1, 2, 1, 2, 2, 1, 2, 1, 2, 0}));
}

TEST(StampsTest, Stamps_can_be_renamed_everywhere) {
    Everything value = full_example();
    add(value, 10);
    EXPECT_EQ(stamps_of(value),
              (std::vector<std::uint64_t>{12, 11, 12, 12, 11, 11, 12, 11, 12, 12, 11, 12, 11, 12, 10}));
    EXPECT_EQ(value.asked, (Ask{StampAccess::make(11), 2}));
    EXPECT_EQ(value.asks, (std::set<Ask>{{StampAccess::make(11), 1}, {StampAccess::make(12), 0}}));
    EXPECT_EQ(value.moods.at(StampAccess::make(11)), Mood::eager);
    EXPECT_EQ(value.moods.at(StampAccess::make(12)), Mood::calm);
    EXPECT_EQ(value.seen.at(7), StampAccess::make(11));
    EXPECT_EQ(std::get<Ask>(value.last).stamp, StampAccess::make(12));
}

TEST(StampsTest, What_is_no_stamp_stays) {
    Everything value = full_example();
    for_each_stamp(value, [](Stamp& stamp) { stamp = stamp.next(); });
    Everything back = value;
    for_each_stamp(back, [](Stamp& stamp) { stamp = StampAccess::make(StampAccess::value(stamp) - 1); });
    EXPECT_NE(value, full_example());
    EXPECT_EQ(back, full_example());
}

TEST(StampsTest, Keys_stay_sorted_even_if_the_order_is_turned_round) {
    std::map<Stamp, int> map{{StampAccess::make(1), 10}, {StampAccess::make(2), 20}};
    for_each_stamp(map, [](Stamp& stamp) { stamp = StampAccess::make(9 - StampAccess::value(stamp)); });
    EXPECT_EQ(map, (std::map<Stamp, int>{{StampAccess::make(7), 20}, {StampAccess::make(8), 10}}));

    boost::container::flat_set<Stamp> set{StampAccess::make(1), StampAccess::make(2)};
    for_each_stamp(set, [](Stamp& stamp) { stamp = StampAccess::make(9 - StampAccess::value(stamp)); });
    EXPECT_EQ(set, (boost::container::flat_set<Stamp>{StampAccess::make(7), StampAccess::make(8)}));
}

RC_GTEST_PROP(StampsTest, A_visit_that_changes_nothing_changes_nothing, (const Everything& value)) {
    Everything visited = value;
    for_each_stamp(visited, [](Stamp&) {});
    RC_ASSERT(visited == value);
    RC_ASSERT(to_bytes(visited) == to_bytes(value));
}

}  // namespace
}  // namespace allot
