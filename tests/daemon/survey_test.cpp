// How often is found out what many ask for.
#include "daemon/survey.hpp"

#include <gtest/gtest.h>

namespace allot::daemon {
namespace {

struct SharedTest : testing::Test {
    // The questions that were asked so far are answered.
    void answer(int with) { std::exchange(under_way, nullptr)(with); }

    int begun = 0;
    Shared<int>::Done under_way;
    Shared<int> shared{[this](Shared<int>::Done done) {
        ++begun;
        EXPECT_FALSE(under_way);
        under_way = std::move(done);
    }};
};

TEST_F(SharedTest, A_thousand_who_ask_at_once_cost_two_surveys_and_no_answer_is_older_than_its_question) {
    std::vector<int> answers;
    for (int i = 0; i < 1000; ++i) shared.ask([&](int answer) { answers.push_back(answer); });
    EXPECT_EQ(begun, 1);
    answer(7);
    EXPECT_EQ(answers, std::vector<int>{7});
    EXPECT_EQ(begun, 2);
    answer(8);
    EXPECT_EQ(answers.size(), 1000u);
    EXPECT_EQ(answers.back(), 8);
    EXPECT_EQ(begun, 2);
}

TEST_F(SharedTest, Who_asks_again_when_it_is_answered_waits_for_the_next) {
    int answered = 0;
    shared.ask([&](int) { shared.ask([&](int answer) { answered = answer; }); });
    answer(1);
    EXPECT_EQ(answered, 0);
    answer(2);
    EXPECT_EQ(answered, 2);
}

}  // namespace
}  // namespace allot::daemon
