// Answers that are remembered: how often is asked, for how long, and how many there may be.
#include "daemon/remembered.hpp"

#include <gtest/gtest.h>
#include <string>

namespace allot::daemon {
namespace {

using namespace std::chrono_literals;

struct RememberedTest : testing::Test {
    std::string get(int question, std::chrono::seconds at) {
        return names.get(question, Remembered<int, std::string>::Clock::time_point(at));
    }

    int asked = 0;
    Remembered<int, std::string> names{[this](const int& question) {
                                           ++asked;
                                           return std::to_string(question) + "/" + std::to_string(asked);
                                       },
                                       3, 60s};
};

TEST_F(RememberedTest, The_same_is_asked_once) {
    for (int i = 0; i < 10; ++i) EXPECT_EQ(get(7, 1s), "7/1");
    EXPECT_EQ(asked, 1);
}

TEST_F(RememberedTest, An_old_answer_is_asked_for_again) {
    get(7, 0s);
    EXPECT_EQ(get(7, 59s), "7/1");
    EXPECT_EQ(get(7, 60s), "7/2");
}

TEST_F(RememberedTest, Only_so_many_are_kept) {
    for (int question = 0; question < 3; ++question) get(question, 0s);
    get(0, 0s);
    EXPECT_EQ(asked, 3);
    get(3, 0s);
    EXPECT_EQ(get(0, 0s), "0/5") << "it was forgotten";
    EXPECT_EQ(get(3, 0s), "3/4");
}

}  // namespace
}  // namespace allot::daemon
