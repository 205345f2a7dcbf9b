#include "miniatures/one_in.hpp"

#include <gtest/gtest.h>

#include "miniatures/support.hpp"

namespace allot::miniatures {
namespace {

TEST(OneIn, One_of_both_is_always_in) {
    expect_holds(judge("one-in", {{"requests", "any"}}), 82);
}

TEST(OneIn, A_site_may_be_born_out_of_service) {
    expect_holds(judge("one-in", {{"requests", "any"}, {"initial", "first-out"}}), 81);
    expect_holds(judge("one-in", {{"requests", "any"}, {"initial", "second-out"}}), 81);
}

TEST(OneIn, Who_comes_back_waits_for_a_next_request_that_must_come) {
    const Parameters finite{{"requests", "1"}};
    expect_violated("one-in", finite, "deadlock");
    const auto result = judge("one-in", finite, {"one-in", "permitted", "contract", "assertion"});
    expect_holds(result, 70);
}

TEST(OneIn, Who_gives_permission_back_before_it_is_in_leaves_nobody_in) {
    expect_violated("one-in", {{"requests", "any"}, {"without", "free-when-in"}}, "one-in");
}

TEST(OneIn, Two_that_ask_themselves_first_block_each_other) {
    expect_violated("one-in", {{"requests", "any"}, {"without", "one-order"}}, "deadlock");
}

}  // namespace
}  // namespace allot::miniatures
