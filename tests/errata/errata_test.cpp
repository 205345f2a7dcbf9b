#include "errata/errata.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "cli/outcome.hpp"
#include "errata/trial.hpp"

namespace allot::errata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* two_errata = R"(# for the reader
paper: Somebody: Something

number: 1
lines: 4-8
title: it waits
symptom: deadlock
repair: none
story: First this,
    then that.
command: allot check raymond
    --sites 2
shows: deadlock
cure: allot check raymond --sites 3
command: allot play stuck.txt
shows: at-most-k

number: join
lines: 9
title: a misprint
symptom: misprint
repair: none
story: It is misspelt.
)";

std::vector<Erratum> parsed(std::string_view problem, std::string_view text) {
    auto list = parse({problem, text});
    EXPECT_TRUE(list) << list.error();
    return list ? *list : std::vector<Erratum>{};
}

std::string error_of(const std::string& text) {
    const auto list = parse({"tea", text});
    return list ? "no error" : list.error();
}

std::string with_line(const std::string& line) {
    return std::string(two_errata) + line + "\n";
}

TEST(Errata, Every_file_of_the_repository_makes_sense) {
    const auto list = all();
    ASSERT_TRUE(list) << list.error();
    std::set<std::string> problems;
    for (const Erratum& erratum : *list) problems.insert(erratum.problem);
    EXPECT_THAT(problems, ElementsAre("broker", "multilock", "neighborhood", "pool", "semaphore"));
}

TEST(Errata, The_paper_is_named_once_and_values_go_on_in_indented_lines) {
    const auto list = parsed("tea", two_errata);
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0].id(), "tea:1");
    EXPECT_EQ(list[1].id(), "tea:join");
    EXPECT_EQ(list[1].paper, "Somebody: Something");
    EXPECT_EQ(list[0].story, "First this, then that.");
    EXPECT_TRUE(list[1].demonstrations.empty());
}

TEST(Errata, Each_command_has_its_own_claim_and_cure) {
    const auto list = parsed("tea", two_errata);
    ASSERT_EQ(list[0].demonstrations.size(), 2u);
    const auto& [check, play] = std::tie(list[0].demonstrations[0], list[0].demonstrations[1]);
    EXPECT_EQ(check.command, "allot check raymond --sites 2");
    EXPECT_EQ(check.shows, "deadlock");
    EXPECT_EQ(check.cure, "allot check raymond --sites 3");
    EXPECT_FALSE(check.plays_scenario());
    EXPECT_EQ(play.shows, "at-most-k");
    EXPECT_EQ(play.cure, "");
    EXPECT_TRUE(play.plays_scenario());
}

TEST(Errata, A_mistake_in_a_file_is_named_with_its_line) {
    EXPECT_THAT(error_of(with_line("colour: red")),
                HasSubstr("tea/errata.txt:24: colour: write paper, number"));
    EXPECT_THAT(error_of(with_line("no colon")), HasSubstr(":24: write `key: value`"));
    EXPECT_THAT(error_of(with_line("title: again")), HasSubstr(":24: title: this key is there already"));
    EXPECT_THAT(error_of(with_line("shows: deadlock")), HasSubstr(":24: shows: it belongs to a command"));
    EXPECT_THAT(error_of(with_line("command: rm x")), HasSubstr(":24: command: begin with `allot check`"));
    EXPECT_THAT(error_of(with_line("command: allot check raymond")),
                HasSubstr(":18: this erratum has no shows"));
    EXPECT_THAT(error_of(with_line("\nnumber: 3")), HasSubstr(":25: this erratum has no lines"));
    EXPECT_THAT(error_of("  too far right\n"), HasSubstr(":1: an indented line continues no value"));
    EXPECT_THAT(error_of("title:\n"), HasSubstr(":1: title: its value is missing"));
    EXPECT_THAT(error_of(std::string(two_errata) + "\n" + two_errata), HasSubstr("two errata have number 1"));
}

TEST(Errata, A_number_alone_is_enough_where_one_problem_has_it) {
    std::vector<Erratum> list = parsed("tea", two_errata);
    EXPECT_EQ(find(list, "1")->id(), "tea:1");
    for (const Erratum& erratum : parsed("coffee", two_errata)) list.push_back(erratum);
    EXPECT_EQ(find(list, "1").error(), "1: several problems have this number; write tea:1 or coffee:1");
    EXPECT_EQ(find(list, "coffee:1")->id(), "coffee:1");
    EXPECT_EQ(find(*of_problem(list, "coffee"), "join")->id(), "coffee:join");
    EXPECT_EQ(find(list, "coffee:7").error(), "coffee:7: no such erratum; there is 1 or join");
    EXPECT_EQ(find(list, "milk:1").error(), "milk:1: no such problem; there are errata of tea or coffee");
}

Trial trial(const Demonstration& demonstration, const std::string& found, const std::string& cure_found) {
    return *put_to_test(demonstration, [&](const std::string& command) -> Result<std::string> {
        return command == demonstration.cure ? cure_found : found;
    });
}

TEST(Errata, Only_the_violation_that_is_claimed_counts_as_shown) {
    const Demonstration stuck{"allot check broken", "deadlock", "allot check mended"};
    EXPECT_TRUE(trial(stuck, "deadlock", "holds").shown);
    EXPECT_FALSE(trial(stuck, "at-most-k", "holds").shown);
    EXPECT_FALSE(trial(stuck, "deadlock, at-most-k", "holds").shown);
    EXPECT_FALSE(trial(stuck, "holds", "holds").shown);
    EXPECT_FALSE(trial(stuck, "bounded", "holds").shown);
}

TEST(Errata, A_cure_cures_if_everything_holds) {
    const Demonstration stuck{"allot check broken", "deadlock", "allot check mended"};
    EXPECT_TRUE(trial(stuck, "deadlock", "holds").cured);
    EXPECT_FALSE(trial(stuck, "deadlock", "deadlock").cured);
    EXPECT_FALSE(trial(stuck, "deadlock", "bounded").cured);
    EXPECT_TRUE(trial({"allot check broken", "deadlock", ""}, "deadlock", "deadlock").cured);
}

TEST(Errata, A_command_that_cannot_be_run_is_an_error_and_not_a_claim_that_failed) {
    const auto missing = [](const std::string& command) -> Result<std::string> {
        return Error{command + ": the command cannot run"};
    };
    const auto trial = put_to_test({"allot play missing.txt", "deadlock", ""}, missing);
    ASSERT_FALSE(trial);
    EXPECT_EQ(trial.error(), "allot play missing.txt: the command cannot run");
}

TEST(Errata, The_program_has_every_scenario_that_a_command_names) {
    const auto errata = all();
    ASSERT_TRUE(errata);
    std::set<std::string> named;
    for (const Erratum& erratum : *errata)
        for (const Demonstration& shown : erratum.demonstrations)
            for (const std::string& command : {shown.command, shown.cure})
                if (const auto at = command.find("scenarios/"); at != std::string::npos)
                    named.insert(command.substr(at));
    EXPECT_GT(named.size(), 50u);
    for (const std::string& path : named) EXPECT_TRUE(scenario(path)) << path;
}

TEST(Errata, A_scenario_that_the_program_lacks_is_an_error_and_not_a_claim_that_failed) {
    const auto trial = put_to_test({"allot play scenarios/missing.txt", "deadlock", ""}, cli::outcome_of);
    ASSERT_FALSE(trial);
    EXPECT_EQ(trial.error(),
              "allot play scenarios/missing.txt: the command cannot run: scenarios/missing.txt: no erratum "
              "names this scenario, so the program does not have it");
}

TEST(Errata, A_scenario_shows_what_it_expects_itself) {
    const Demonstration played{"allot play broken.txt", "deadlock", ""};
    EXPECT_TRUE(trial(played, "as expected", "").shown);
    EXPECT_FALSE(trial(played, "broken.txt:3: found no violation", "").shown);
}

}  // namespace
}  // namespace allot::errata
