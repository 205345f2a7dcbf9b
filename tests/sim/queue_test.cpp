#include "sim/queue.hpp"

#include <gtest/gtest.h>
#include <map>

#include "core/random.hpp"

namespace {

using namespace allot;
using namespace allot::sim;

// Pushes and pops at random, beside a map that is sorted by time and by order.
void compare_with_a_map(std::uint64_t seed, Time farthest) {
    Random random(seed);
    EventQueue queue;
    std::map<std::pair<Time, std::uint32_t>, std::uint32_t> expected;
    Time now = 0;
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        if (expected.empty() || random(5) < 3) {
            const Time at = now + random(farthest);
            queue.push({at, 0, i});
            expected.emplace(std::pair(at, i), i);
        } else {
            ASSERT_EQ(queue.next_time(), expected.begin()->first.first);
            const Scheduled event = queue.pop();
            now = event.at;
            ASSERT_EQ(std::pair(event.at, event.index), expected.begin()->first);
            expected.erase(expected.begin());
        }
        ASSERT_EQ(queue.size(), expected.size());
    }
}

TEST(EventQueue, Gives_the_earliest_event_and_of_equal_times_the_one_that_was_added_first) {
    for (const Time farthest : {Time{1}, Time{3}, Time{100}, millisecond, 10 * second, longest_time >> 16})
        for (std::uint64_t seed = 0; seed < 5; ++seed) compare_with_a_map(seed, farthest);
}

}  // namespace
