#include <gtest/gtest.h>

#include "allot/client.hpp"

namespace allot::client {
namespace {

using namespace std::chrono_literals;

TEST(Demand, Keeps_the_order_in_which_it_was_written) {
    const Demand demand = Demand().lock("gpu0").lock("db").permit("builds", 2).permit("net");
    EXPECT_EQ(demand.locks(), (std::vector<std::string>{"gpu0", "db"}));
    ASSERT_EQ(demand.permits().size(), 2U);
    EXPECT_EQ(demand.permits()[0].units, 2U);
    EXPECT_EQ(demand.permits()[1].units, 1U);
    EXPECT_FALSE(demand.objection());
}

TEST(Demand, Objects_to_what_nobody_could_grant) {
    EXPECT_TRUE(Demand().objection());
    EXPECT_TRUE(Demand().lock("").objection());
    EXPECT_TRUE(Demand().lock("db").lock("db").objection());
    EXPECT_TRUE(Demand().permit("builds", 0).objection());
    EXPECT_TRUE(Demand().permit("").objection());
    EXPECT_TRUE(Demand().permit("builds").permit("builds", 2).objection());
    EXPECT_FALSE(Demand().lock("a").permit("a").objection()) << "a lock and a semaphore of the same name";
}

TEST(Deadline, Is_a_time_from_now_or_never) {
    EXPECT_TRUE(Deadline().never());
    EXPECT_TRUE(Deadline(std::chrono::hours::max()).never()) << "too far away to be counted";
    const auto before = Clock::now();
    const Deadline deadline(5s);
    EXPECT_GE(deadline.at(), before + 5s);
    EXPECT_LE(deadline.at(), Clock::now() + 5s);
    EXPECT_LT(Deadline(-1s).at(), Clock::now());
}

TEST(Lease, One_that_holds_nothing_is_not_valid) {
    Lease none;
    EXPECT_FALSE(none.valid());
    EXPECT_TRUE(none.held().empty());
    EXPECT_THROW(none.fence(), std::logic_error);
    EXPECT_THROW(none.fence("db"), std::logic_error);
    none.release();
}

}  // namespace
}  // namespace allot::client
