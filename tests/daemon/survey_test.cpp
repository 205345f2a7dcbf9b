// What is asked of other hosts, and how often is found out what many ask for.
#include "daemon/survey.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <gtest/gtest.h>

namespace allot::daemon {
namespace {

struct SharedAnswerTest : testing::Test {
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
    SharedAnswer<int>::Done under_way;
    SharedAnswer<int> shared{loop, [this](SharedAnswer<int>::Done done) {
                                 ++begun;
                                 EXPECT_FALSE(under_way);
                                 under_way = std::move(done);
                             }};
};

TEST_F(SharedAnswerTest,
       A_thousand_who_ask_at_once_cost_one_survey_and_no_answer_is_older_than_its_question) {
    std::vector<int> answers;
    for (int i = 0; i < 1000; ++i) shared.ask([&](int answer) { answers.push_back(answer); });
    EXPECT_EQ(begun, 0) << "there may be more to read";
    run_until(1);
    shared.ask([&](int answer) { answers.push_back(answer); });
    answer(7);
    EXPECT_EQ(answers.size(), 1u) << "others have their turn in between";
    loop.restart();
    while (answers.size() < 1000 && loop.run_one() > 0) {
    }
    EXPECT_EQ(answers, std::vector<int>(1000, 7));
    EXPECT_EQ(begun, 1);
    run_until(2);
    answer(8);
    EXPECT_EQ(answers.size(), 1001u);
    EXPECT_EQ(answers.back(), 8);
    run_until(3);
    EXPECT_EQ(begun, 2);
}

TEST_F(SharedAnswerTest, Who_asks_again_when_it_is_answered_waits_for_the_next) {
    int answered = 0;
    shared.ask([&](int) { shared.ask([&](int answer) { answered = answer; }); });
    run_until(1);
    answer(1);
    EXPECT_EQ(answered, 0);
    run_until(2);
    answer(2);
    EXPECT_EQ(answered, 2);
}

// The times that are measured here lie inside those that count, so however slow the machine is the rest that
// is demanded is never longer than the one that was due.
TEST_F(SharedAnswerTest, A_long_computation_is_followed_by_a_rest_four_times_as_long) {
    using Clock = std::chrono::steady_clock;
    shared.ask([](int) {});
    run_until(1);
    const auto asked_at = Clock::now();
    while (Clock::now() - asked_at < std::chrono::milliseconds(5)) {
    }
    const auto answered_at = Clock::now();
    answer(1);
    shared.ask([](int) {});
    run_until(2);
    const auto due = std::min<Clock::duration>(4 * (answered_at - asked_at), std::chrono::milliseconds(500));
    EXPECT_GE(Clock::now() - answered_at, due);
    answer(2);
}

struct SurveyTest : testing::Test {
    static Report report_of(const std::string& host) {
        Report report;
        report.host.name = host;
        return report;
    }
    void ask(const std::set<net::HostId>& hosts) {
        survey.ask(hosts, [this](const auto& reports) { done.push_back(reports); });
    }

    boost::asio::io_context loop;
    std::vector<std::pair<net::HostId, Letter>> sent;
    std::vector<Survey::Reports> done;
    Survey survey{loop, [this](net::HostId to, const Letter& letter) { sent.emplace_back(to, letter); }};
};

TEST_F(SurveyTest, Is_done_when_all_who_were_asked_have_answered) {
    ask({1, 2});
    const Letter question = ReportQuery{1};
    EXPECT_EQ(sent, (std::vector<std::pair<net::HostId, Letter>>{{1, question}, {2, question}}));
    survey.receive(2, {1, report_of("c")});
    survey.receive(2, {1, report_of("c again")});
    survey.receive(3, {1, report_of("was not asked")});
    survey.receive(1, {2, report_of("another survey")});
    EXPECT_TRUE(done.empty());
    survey.receive(1, {1, report_of("b")});
    const Survey::Reports all{{1, report_of("b")}, {2, report_of("c")}};
    EXPECT_EQ(done, std::vector{all});
    loop.run();
    EXPECT_EQ(done.size(), 1u) << "nothing more comes of it";
}

TEST_F(SurveyTest, Is_done_at_once_if_nobody_is_asked) {
    ask({});
    EXPECT_EQ(done, std::vector{Survey::Reports{}});
    EXPECT_TRUE(sent.empty());
}

TEST_F(SurveyTest, Goes_on_without_those_who_do_not_answer_and_an_answer_that_is_too_late_changes_nothing) {
    ask({1, 2});
    survey.receive(1, {1, report_of("b")});
    EXPECT_TRUE(done.empty());
    loop.run();
    EXPECT_EQ(done, (std::vector{Survey::Reports{{1, report_of("b")}}}));
    survey.receive(2, {1, report_of("c")});
    EXPECT_EQ(done.size(), 1u);
}

}  // namespace
}  // namespace allot::daemon
