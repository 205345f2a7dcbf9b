#include "miniatures/two_locks.hpp"

#include <gtest/gtest.h>

#include "miniatures/support.hpp"

namespace allot::miniatures {
namespace {

TEST(TwoLocks, Nobody_waits_in_a_circle) {
    expect_holds(judge("two-locks", {{"requests", "1"}}), 331);
    expect_holds(judge("two-locks", {{"requests", "2"}}), 5545);
    // With any number of requests the fences of a and b drift apart without end.
    expect_holds(judge("two-locks", {{"requests", "any"}}), 7503);
}

TEST(TwoLocks, A_request_may_be_cancelled_at_any_time) {
    expect_holds(judge("two-locks", {{"requests", "2,1"}, {"cancel", "on"}}), 22371);
    expect_holds(judge("two-locks", {{"sites", "3"}, {"requests", "1"}, {"cancel", "on"}}), 94410);
}

TEST(TwoLocks, A_lock_that_comes_too_late_must_be_sent_back) {
    const Parameters broken{{"requests", "1"}, {"cancel", "on"}, {"without", "return-late-lock"}};
    expect_violated("two-locks", broken, "lock-kept");
    expect_only_violated("two-locks", broken, "deadlock");
}

TEST(TwoLocks, A_fence_that_is_used_twice_is_noticed) {
    expect_violated("two-locks", {{"requests", "any"}, {"without", "number-every-loan"}}, "fences-grow");
}

}  // namespace
}  // namespace allot::miniatures
