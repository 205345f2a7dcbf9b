// How often is found out what many ask for.
#include "daemon/survey.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <thread>

namespace allot::daemon {
namespace {

struct SharedTest : testing::Test {
    // The questions that were asked so far are answered.
    void answer(int with) { std::exchange(under_way, nullptr)(with); }
    // Until that many were begun, or none is going to be.
    void run_until(int count) {
        loop.restart();
        while (begun < count && loop.run_one() > 0) {
        }
    }

    boost::asio::io_context loop;

    int begun = 0;
    Shared<int>::Done under_way;
    Shared<int> shared{loop, [this](Shared<int>::Done done) {
                           ++begun;
                           EXPECT_FALSE(under_way);
                           under_way = std::move(done);
                       }};
};

TEST_F(SharedTest, A_thousand_who_ask_at_once_cost_one_survey_and_no_answer_is_older_than_its_question) {
    std::vector<int> answers;
    for (int i = 0; i < 1000; ++i) shared.ask([&](int answer) { answers.push_back(answer); });
    EXPECT_EQ(begun, 0) << "there may be more to read";
    run_until(1);
    shared.ask([&](int answer) { answers.push_back(answer); });
    answer(7);
    EXPECT_EQ(answers, std::vector<int>(1000, 7));
    EXPECT_EQ(begun, 1);
    run_until(2);
    answer(8);
    EXPECT_EQ(answers.size(), 1001u);
    EXPECT_EQ(answers.back(), 8);
    run_until(3);
    EXPECT_EQ(begun, 2);
}

TEST_F(SharedTest, Who_asks_again_when_it_is_answered_waits_for_the_next) {
    int answered = 0;
    shared.ask([&](int) { shared.ask([&](int answer) { answered = answer; }); });
    run_until(1);
    answer(1);
    EXPECT_EQ(answered, 0);
    run_until(2);
    answer(2);
    EXPECT_EQ(answered, 2);
}

TEST_F(SharedTest, What_takes_long_is_followed_by_a_longer_rest) {
    shared.ask([](int) {});
    run_until(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    answer(1);
    const auto answered_at = std::chrono::steady_clock::now();
    shared.ask([](int) {});
    run_until(2);
    EXPECT_GE(std::chrono::steady_clock::now() - answered_at, std::chrono::milliseconds(79));
    answer(2);
}

}  // namespace
}  // namespace allot::daemon
