// Which of those that wait on one host is seated next.
#include "host/line.hpp"

#include <gtest/gtest.h>

namespace allot::host {
namespace {

struct LineTest : testing::Test {
    void ask(Line::Claim claim, const std::vector<std::string>& names) {
        Demand demand;
        demand.resources.assign(names.begin(), names.end());
        line.append(claim, demand);
    }
    // The claim that may have a seat next; 0: none.
    Line::Claim next(std::uint32_t most_overtakes = Line::usual_overtakes) {
        const Line::Entry* entry = line.next({most_overtakes});
        return entry == nullptr ? 0 : entry->claim;
    }
    void seat(Line::Claim claim, std::uint32_t most_overtakes = Line::usual_overtakes) {
        ASSERT_EQ(next(most_overtakes), claim);
        line.seat(claim, {most_overtakes});
    }
    void hold(Line::Claim claim) {
        seat(claim);
        line.enter(claim);
    }

    Line line;
};

// Two seats for each user. Ann is 1, bob is 2.
struct SharedLine : LineTest {
    static constexpr Line::Bounds bounds{.most_of_user = 2};
    void ask(Line::User user, Line::Claim claim, const std::vector<std::string>& names) {
        Demand demand;
        demand.resources.assign(names.begin(), names.end());
        line.append(claim, demand, user);
    }
    // Seats all who may have a seat; they are granted what they want.
    std::vector<Line::Claim> serve() {
        std::vector<Line::Claim> served;
        while (const Line::Entry* entry = line.next(bounds)) {
            served.push_back(entry->claim);
            line.seat(served.back(), bounds);
            line.enter(served.back());
        }
        return served;
    }
    void leave(Line::Claim claim) { line.leave_seat(claim, bounds); }
    using Claims = std::vector<Line::Claim>;
};

TEST_F(SharedLine, One_user_leaves_seats_for_others) {
    for (Line::Claim claim = 1; claim <= 5; ++claim) ask(1, claim, {"a" + std::to_string(claim)});
    ask(2, 6, {"b"});
    EXPECT_EQ(serve(), (Claims{1, 2, 6}));
    EXPECT_TRUE(line.holds_back());
    leave(2);
    EXPECT_EQ(serve(), (Claims{3}));
    leave(6);
    EXPECT_EQ(serve(), (Claims{})) << "that seat was not ann's";
    leave(1);
    leave(3);
    EXPECT_EQ(serve(), (Claims{4, 5}));
    EXPECT_FALSE(line.holds_back());
}

TEST_F(SharedLine, A_request_that_stands_back_is_in_nobodys_way) {
    ask(1, 1, {"a"});
    ask(1, 2, {"b"});
    ask(1, 3, {"c", "d"});
    ask(2, 4, {"c"});
    EXPECT_EQ(serve(), (Claims{1, 2, 4}));
    for (Line::Claim claim = 5; claim < 25; ++claim) {  // more often than a request may be overtaken
        leave(claim - 1);
        ask(2, claim, {"d"});
        EXPECT_EQ(serve(), (Claims{claim}));
    }
    EXPECT_EQ(line.find(3)->overtaken, 0u);
    leave(1);
    EXPECT_EQ(serve(), (Claims{})) << "d is in use, and it waits for that as all others do";
    ask(2, 25, {"d"});
    leave(24);
    EXPECT_EQ(serve(), (Claims{3})) << "it comes before";
}

TEST_F(SharedLine, Those_behind_one_that_has_to_wait_come_back_too) {
    ask(2, 1, {"x"});
    ask(1, 2, {"a"});
    ask(1, 3, {"b"});
    EXPECT_EQ(serve(), (Claims{1, 2, 3}));
    leave(1);
    ask(1, 4, {"x"});
    ask(1, 5, {"y"});
    EXPECT_EQ(serve(), (Claims{}));
    ask(2, 6, {"x"});
    EXPECT_EQ(serve(), (Claims{6}));
    leave(2);
    EXPECT_EQ(serve(), (Claims{5})) << "x is in use";
}

TEST_F(SharedLine, A_request_that_stands_back_can_be_withdrawn) {
    for (Line::Claim claim = 1; claim <= 4; ++claim) ask(1, claim, {"a" + std::to_string(claim)});
    EXPECT_EQ(serve(), (Claims{1, 2}));
    EXPECT_EQ(line.names(), 2u);
    EXPECT_TRUE(line.withdraw(3, bounds));
    leave(1);
    EXPECT_TRUE(line.withdraw(4, bounds)) << "it has come back, and has no seat yet";
    leave(2);
    EXPECT_EQ(line, Line());
}

TEST_F(LineTest, A_lock_in_use_is_waited_for_in_the_line) {
    ask(1, {"a"});
    hold(1);
    ask(2, {"a"});
    EXPECT_EQ(next(), 0u);
    line.leave_seat(1, {});
    EXPECT_EQ(next(), 2u);
}

TEST_F(LineTest, A_single_lock_is_asked_for_at_once_though_a_set_waits_for_it_in_a_seat) {
    ask(1, {"a", "b"});
    seat(1);
    ask(2, {"a"});
    EXPECT_EQ(next(), 2u);
}

TEST_F(LineTest, A_single_lock_is_waited_for_behind_another_single_request) {
    ask(1, {"a"});
    seat(1);
    ask(2, {"a"});
    EXPECT_EQ(next(), 0u);
}

TEST_F(LineTest, A_set_waits_in_the_line_while_a_seat_waits_for_one_of_its_locks) {
    ask(1, {"a", "b"});
    seat(1);
    ask(2, {"b", "c"});
    EXPECT_EQ(next(), 0u);
    line.leave_seat(1, {});
    EXPECT_EQ(next(), 2u);
}

TEST_F(LineTest, A_set_in_a_seat_is_overtaken_no_more_often_than_it_may_be) {
    ask(1, {"a", "b"});
    seat(1, 2);
    for (const Line::Claim single : {2u, 3u}) {
        ask(single, {"a"});
        seat(single, 2);
        line.enter(single);
        line.leave_seat(single, {});
    }
    EXPECT_EQ(line.find(1)->overtaken, 2u);
    ask(4, {"a"});
    EXPECT_EQ(next(2), 0u);
    line.enter(1);
    line.leave_seat(1, {});
    EXPECT_EQ(next(2), 4u);
}

TEST_F(LineTest, A_request_that_was_overtaken_often_enough_gets_a_seat_though_a_lock_is_in_use) {
    ask(1, {"a"});
    hold(1);
    ask(2, {"a", "b"});
    EXPECT_EQ(next(1), 0u);
    ask(3, {"b"});
    seat(3, 1);
    EXPECT_EQ(next(1), 2u);
}

TEST_F(LineTest, A_request_that_is_owed_a_seat_waits_behind_an_earlier_one_that_is) {
    ask(1, {"a", "b"});
    seat(1, 1);
    ask(2, {"a"});
    seat(2, 1);
    ask(3, {"b", "c"});
    EXPECT_EQ(next(1), 0u);
    ask(4, {"c"});
    seat(4, 1);
    EXPECT_EQ(line.find(3)->overtaken, 1u);
    EXPECT_EQ(next(1), 0u);
    EXPECT_EQ(line.find(1)->overtaken, 1u);
    line.enter(1);
    EXPECT_EQ(next(1), 3u);
}

TEST_F(LineTest, A_request_that_is_withdrawn_makes_way_for_the_next) {
    ask(1, {"a"});
    hold(1);
    ask(2, {"a"});
    ask(3, {"a"});
    EXPECT_EQ(next(), 0u);
    line.leave_seat(1, {});
    EXPECT_TRUE(line.withdraw(2, {}));
    EXPECT_EQ(next(), 3u);
    EXPECT_FALSE(line.withdraw(2, {}));
}

TEST_F(LineTest, An_empty_line_keeps_nothing) {
    ask(1, {"a", "b"});
    hold(1);
    ask(2, {"a"});
    EXPECT_EQ(next(), 0u);
    EXPECT_TRUE(line.withdraw(2, {}));
    line.leave_seat(1, {});
    EXPECT_EQ(line, Line());
}

}  // namespace
}  // namespace allot::host
