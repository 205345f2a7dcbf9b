#include "daemon/vigil.hpp"

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace allot::daemon {
namespace {

using net::HostId;
using namespace std::chrono_literals;

// The vigil of host a, and what it says; b and c are played by the test.
class VigilTest : public testing::Test {
protected:
    VigilTest() {
        config_.host = "a";
        config_.hosts = {{"a", ""}, {"b", ""}, {"c", ""}};
        config_.detector = Config::Detector::heartbeat;
        config_.heartbeat = 10ms;
        config_.dead_after = 500ms;
        config_.stop_within = 20ms;
    }

    std::unique_ptr<Vigil> make() {
        Vigil::Events events;
        events.trusted = [this](HostId host, std::uint32_t life) { trusted_.insert({host, life}); };
        events.dead = [this](HostId host, std::uint32_t life) { dead_.insert({host, life}); };
        events.begin_life = [this](std::uint32_t life) { begun_ = life; };
        events.end_life = [this](const std::string&) { begun_.reset(); };
        events.standing = [this](bool standing, const std::string&) { standing_ = standing; };
        events.holders_stopped = [] {};
        events.send = [this](HostId to, const Letter& letter) { sent_.emplace_back(to, letter); };
        events.anything_claimed = [this] { return claimed_; };
        events.takes_part = [this](HostId host) { return !outside_.contains(host); };
        events.keep = [this](const Vigil::Lives& refused, bool forgetful) {
            if (disk_is_full_) return false;
            kept_ = refused;
            forgetful_ = forgetful;
            return true;
        };
        events.link = [this](HostId host) {
            return net::LinkStatus{.connected = !parted_.contains(host),
                                   .watched = watched_.contains(host),
                                   .parted = parted_.contains(host)};
        };
        return std::make_unique<Vigil>(loop_, config_, std::move(events));
    }

    // The newest letter of this kind to that host.
    template <class Kind>
    std::optional<Kind> said_to(HostId host) const {
        for (auto one = sent_.rbegin(); one != sent_.rend(); ++one)
            if (one->first == host && std::holds_alternative<Kind>(one->second))
                return std::get<Kind>(one->second);
        return std::nullopt;
    }

    void answer_from(HostId host) {
        const auto alive = said_to<Alive>(host);
        ASSERT_TRUE(alive);
        vigil_->receive(host, Known{alive->life, alive->sent});
    }

    // Until it has stood long enough to be sure of what it does not hear.
    void stand_with(HostId host) {
        const auto end = std::chrono::steady_clock::now() + config_.dead_after * 3 / 4;
        do {
            answer_from(host);
            loop_.run_for(config_.heartbeat);
        } while (std::chrono::steady_clock::now() < end);
        answer_from(host);
    }

    template <class Condition>
    bool comes_true(Condition condition) {
        const auto deadline = std::chrono::steady_clock::now() + 10s;
        while (!condition() && std::chrono::steady_clock::now() < deadline) loop_.run_one_for(1s);
        return condition();
    }

    void start() {
        vigil_ = make();
        vigil_->start({});
    }

    Config config_;
    boost::asio::io_context loop_;
    std::unique_ptr<Vigil> vigil_;
    std::vector<std::pair<HostId, Letter>> sent_;
    std::set<std::pair<HostId, std::uint32_t>> trusted_;
    std::set<std::pair<HostId, std::uint32_t>> dead_;
    std::optional<std::uint32_t> begun_;
    bool standing_ = false;
    bool claimed_ = false;
    std::set<HostId> parted_;   // were stopped in order
    std::set<HostId> watched_;  // by the kernel
    std::set<HostId> outside_;  // take part in nothing
    Vigil::Lives kept_;
    bool disk_is_full_ = false;
    bool forgetful_ = false;
};

TEST_F(VigilTest, A_host_has_standing_while_a_majority_answers) {
    start();
    EXPECT_EQ(begun_, 0u);
    EXPECT_FALSE(standing_);
    answer_from(1);
    EXPECT_TRUE(standing_);
    EXPECT_TRUE(comes_true([this] { return !standing_; }));
    EXPECT_EQ(begun_, 0u) << "its life goes on: nobody has declared it over";
    answer_from(2);
    EXPECT_TRUE(standing_);
}

TEST_F(VigilTest, Answers_to_another_life_or_from_the_future_count_for_nothing) {
    start();
    const auto alive = said_to<Alive>(1);
    vigil_->receive(1, Known{1, alive->sent});
    vigil_->receive(1, Known{0, alive->sent + 3'600'000'000'000});
    EXPECT_FALSE(standing_);
}

TEST_F(VigilTest, One_refusal_ends_no_life_and_two_of_three_do) {
    start();
    stand_with(1);
    vigil_->receive(2, Alive{0, 7});
    EXPECT_EQ(said_to<Known>(2), (Known{0, 7}));
    vigil_->silent(2);
    EXPECT_EQ(said_to<Refused>(1), (Refused{0, 2, 0, false}));
    vigil_->receive(1, Alive{0, 8});
    EXPECT_TRUE(dead_.empty());
    vigil_->receive(1, Refused{1, 2, 0, false});
    EXPECT_TRUE(dead_.empty()) << "its programs have time to stop";
    EXPECT_TRUE(comes_true([this] { return dead_.contains({2, 0}); }));
    EXPECT_TRUE(trusted_.contains({2, 0}));
}

TEST_F(VigilTest, A_life_that_was_refused_is_told_so_and_the_next_one_is_trusted) {
    start();
    stand_with(1);
    vigil_->silent(2);
    vigil_->heard(2);
    vigil_->receive(2, Alive{0, 7});
    EXPECT_EQ(said_to<Buried>(2), Buried{0});
    EXPECT_FALSE(said_to<Known>(2));
    vigil_->receive(2, Alive{1, 9});
    EXPECT_EQ(said_to<Known>(2), (Known{1, 9}));
    EXPECT_TRUE(dead_.contains({2, 0}));
    EXPECT_TRUE(trusted_.contains({2, 1}));
}

TEST_F(VigilTest, A_host_without_standing_refuses_nobody) {
    start();
    vigil_->silent(1);
    vigil_->silent(2);
    EXPECT_FALSE(said_to<Refused>(1));
    EXPECT_FALSE(said_to<Refused>(2));
}

TEST_F(VigilTest, A_host_that_is_held_for_dead_begins_a_new_life_when_its_programs_have_stopped) {
    start();
    answer_from(1);
    vigil_->receive(2, Buried{0, true});
    EXPECT_FALSE(begun_);
    EXPECT_FALSE(standing_);
    EXPECT_TRUE(comes_true([this] { return begun_ == 1u; }));
    EXPECT_EQ(said_to<Alive>(1)->life, 1u);
    EXPECT_FALSE(standing_) << "nobody has answered that life";
    answer_from(1);
    EXPECT_TRUE(standing_);
}

TEST_F(VigilTest, A_new_life_that_had_not_begun_when_the_daemon_was_stopped_begins_in_the_next_run) {
    start();
    vigil_->receive(2, Buried{0, true});
    const std::string saved = vigil_->saved();
    vigil_ = make();
    ASSERT_TRUE(vigil_->resume(saved));
    vigil_->go_on(false);
    EXPECT_FALSE(begun_);
    EXPECT_TRUE(comes_true([this] { return begun_ == 1u; }));
}

TEST_F(VigilTest, Standing_outlasts_a_restart_only_as_long_as_the_answers_would_have) {
    start();
    answer_from(1);
    const std::string saved = vigil_->saved();
    vigil_ = make();
    standing_ = false;
    ASSERT_TRUE(vigil_->resume(saved));
    vigil_->go_on(false);
    EXPECT_TRUE(comes_true([this] { return !standing_; }));
    EXPECT_FALSE(standing_);
}

// Others may see it back where this host does not: it needs their word.
TEST_F(VigilTest, Who_was_stopped_in_order_is_dead_only_by_a_majority) {
    start();
    stand_with(1);
    parted_ = {2};
    vigil_->silent(2);
    EXPECT_EQ(said_to<Refused>(1), (Refused{0, 2, 0, false}));
    loop_.run_for(3 * config_.stop_within);
    EXPECT_TRUE(dead_.empty());
    vigil_->receive(1, Refused{1, 2, 0, false});
    EXPECT_TRUE(comes_true([this] { return dead_.contains({2, 0}); }));
}

// They may be back, and refuse this host, where it does not see them.
TEST_F(VigilTest, Who_was_stopped_in_order_gives_no_standing) {
    parted_ = {1, 2};
    start();
    EXPECT_FALSE(standing_);
    EXPECT_EQ(vigil_->obstacle(), "no majority of the hosts answers");
}

TEST_F(VigilTest, Who_is_stopped_under_the_same_kernel_gives_standing_if_it_has_answered) {
    config_.detector = Config::Detector::automatic;
    config_.hosts = {{"a", "127.0.0.1:1"}, {"b", "127.0.0.1:2"}, {"c", "127.0.0.1:3"}};
    start();
    answer_from(1);
    parted_ = {1};
    loop_.run_for(2 * config_.dead_after);
    EXPECT_TRUE(standing_);
    EXPECT_EQ(vigil_->obstacle(), "");
}

// As long as it is not known whether the others still answer this life, nobody may use it.
TEST_F(VigilTest, Who_is_watched_by_the_kernel_gives_standing_once_it_has_answered) {
    watched_ = {1, 2};
    claimed_ = true;
    start();
    EXPECT_FALSE(standing_);
    answer_from(1);
    loop_.run_for(2 * config_.dead_after);
    EXPECT_TRUE(standing_);
    vigil_->receive(1, Buried{0, false});
    EXPECT_FALSE(standing_);
}

// It may count on this host, which it believes to be stopped.
TEST_F(VigilTest, Who_was_not_met_under_the_same_kernel_is_not_refused) {
    config_.detector = Config::Detector::automatic;
    config_.hosts = {{"a", "127.0.0.1:1"}, {"b", "127.0.0.1:2"}, {"c", "127.0.0.1:3"}};
    start();
    stand_with(1);
    vigil_->silent(2);
    EXPECT_FALSE(said_to<Refused>(1));
    vigil_->connected(2);
    vigil_->silent(2);
    EXPECT_EQ(said_to<Refused>(1), (Refused{0, 2, 0, false}));
}

TEST_F(VigilTest, Who_is_back_does_not_refuse_those_it_hears_a_moment_later) {
    start();
    vigil_->silent(1);
    vigil_->silent(2);
    vigil_->connected(1);
    answer_from(1);
    EXPECT_TRUE(standing_);
    EXPECT_FALSE(said_to<Refused>(1));
}

TEST_F(VigilTest, Who_is_refused_by_some_begins_a_new_life_when_nobody_minds) {
    claimed_ = true;
    start();
    answer_from(1);
    vigil_->receive(2, Buried{0, false});
    EXPECT_EQ(begun_, 0u) << "a majority answers, and somebody holds something";
    claimed_ = false;
    EXPECT_TRUE(comes_true([this] { return begun_ == 1u; }));
}

TEST_F(VigilTest, Who_was_stopped_in_order_and_is_back_in_time_lives_on) {
    parted_ = {1};
    start();
    vigil_->silent(1);
    parted_.clear();
    vigil_->heard(1);
    vigil_->receive(1, Alive{0, 7});
    EXPECT_EQ(said_to<Known>(1), (Known{0, 7}));
    loop_.run_for(3 * config_.stop_within);
    EXPECT_TRUE(dead_.empty());
}

TEST_F(VigilTest, One_after_the_other_begins_a_new_life) {
    outside_ = {1};
    start();
    answer_from(1);
    vigil_->receive(2, Buried{0, false});
    loop_.run_for(config_.dead_after / 4);
    EXPECT_EQ(begun_, 0u) << "only host c would be left to take others in";
    outside_.clear();
    EXPECT_TRUE(comes_true([this] { return begun_ == 1u; }));
}

TEST_F(VigilTest, Of_two_that_refuse_each_other_the_first_begins_a_new_life_first) {
    config_.host = "b";
    start();
    stand_with(2);
    vigil_->silent(0);
    vigil_->heard(0);
    answer_from(2);
    vigil_->receive(0, Buried{0, false});
    loop_.run_for(config_.dead_after / 4);
    EXPECT_EQ(begun_, 0u);
    vigil_->receive(0, Alive{1, 7});
    EXPECT_TRUE(comes_true([this] { return begun_ == 1u; }));
}

// Otherwise two majorities need not have a host in common.
TEST_F(VigilTest, What_cannot_be_kept_is_not_refused_before_it_can) {
    start();
    stand_with(1);
    disk_is_full_ = true;
    vigil_->silent(2);
    EXPECT_FALSE(said_to<Refused>(1));
    disk_is_full_ = false;
    stand_with(1);
    EXPECT_TRUE(said_to<Refused>(1));
    EXPECT_EQ(kept_[2], 1U);
}

TEST_F(VigilTest, Who_was_killed_keeps_to_its_refusals) {
    start();
    stand_with(1);
    vigil_->silent(2);
    EXPECT_EQ(kept_, (Vigil::Lives{0, 0, 1}));
    vigil_ = make();
    vigil_->start({.life = 1, .refused = kept_});
    vigil_->receive(2, Alive{0, 7});
    EXPECT_EQ(said_to<Buried>(2), Buried{0});
    EXPECT_FALSE(said_to<Known>(2));
}

TEST_F(VigilTest, Who_has_lost_its_refusals_answers_when_everybody_has_told_it_what_it_refused) {
    vigil_ = make();
    vigil_->start({.life = 1, .forgetful = true});
    vigil_->connected(2);
    vigil_->receive(2, Alive{0, 7});
    EXPECT_FALSE(said_to<Known>(2));
    vigil_->connected(1);
    vigil_->receive(1, Refused{0, 2, 0, false});
    vigil_->receive(1, Alive{0, 8});
    vigil_->receive(2, Alive{0, 9});
    EXPECT_EQ(said_to<Known>(1), (Known{0, 8}));
    EXPECT_FALSE(said_to<Known>(2));
    EXPECT_EQ(said_to<Buried>(2), Buried{0});
}

TEST_F(VigilTest, What_was_lost_is_not_missed_any_more_once_everybody_was_met) {
    vigil_ = make();
    vigil_->start({.life = 1, .forgetful = true});
    vigil_->connected(1);
    vigil_->connected(2);
    EXPECT_THAT(vigil_->obstacle(), testing::HasSubstr("met all of them"));
    vigil_->receive(1, Refused{0, 2, 0, false});
    EXPECT_TRUE(forgetful_);
    vigil_->receive(1, Alive{0, 8});
    vigil_->receive(2, Alive{1, 9});
    EXPECT_FALSE(forgetful_);
    EXPECT_EQ(kept_, (Vigil::Lives{0, 0, 1}));
    EXPECT_EQ(said_to<Known>(2), (Known{1, 9}));
}

TEST_F(VigilTest, A_refused_life_that_this_host_knows_nothing_of_is_refused_in_turn) {
    start();
    stand_with(1);
    vigil_->receive(1, Refused{1, 2, 1, false});
    vigil_->silent(2);
    EXPECT_EQ(said_to<Refused>(1), (Refused{0, 2, 1, false}));
    EXPECT_TRUE(comes_true([this] { return dead_.contains({2, 1}); }));
}

// Both may have lost their standing because of the same link, which they do not know yet.
TEST_F(VigilTest, Without_standing_nobody_counts_on_those_that_are_refused_themselves) {
    claimed_ = true;
    outside_ = {2};
    start();
    answer_from(1);
    vigil_->receive(2, Buried{0, false});
    vigil_->receive(2, Refused{2, 1, 0, false});
    EXPECT_TRUE(comes_true([this] { return !standing_; }));
    loop_.run_for(config_.dead_after / 4);
    EXPECT_EQ(begun_, 0u);
    vigil_->receive(1, Alive{1, 9});
    EXPECT_TRUE(comes_true([this] { return begun_ == 1u; }));
}

TEST_F(VigilTest, Who_forgot_is_told_whom_it_refused) {
    start();
    vigil_->receive(1, Refused{1, 2, 0, false});
    vigil_->connected(1);
    EXPECT_EQ(said_to<Refused>(1), (Refused{1, 2, 0, false}));
}

// It may carry its standing over a restart, and counts from there.
TEST_F(VigilTest, Who_was_watched_until_now_is_not_refused_for_an_earlier_silence) {
    watched_ = {2};
    start();
    stand_with(1);
    vigil_->silent(2);
    watched_.clear();
    stand_with(1);
    EXPECT_FALSE(said_to<Refused>(1));
    stand_with(1);
    EXPECT_EQ(said_to<Refused>(1), (Refused{0, 2, 0, false}));
}

TEST_F(VigilTest, Who_forgot_is_told_who_was_refused) {
    start();
    stand_with(1);
    vigil_->silent(2);
    sent_.clear();
    vigil_->connected(1);
    EXPECT_EQ(said_to<Refused>(1), (Refused{0, 2, 0, false}));
}

}  // namespace
}  // namespace allot::daemon
