#include "cli/status_text.hpp"

#include <gtest/gtest.h>
#include <sstream>

#include "session/status_json.hpp"

namespace allot::cli {
namespace {

using session::Party;
using session::Status;

Status example() {
    const Party holder{.host = "alpha",
                       .pid = 411,
                       .user = "ann",
                       .command = "./migrate",
                       .fence = 17,
                       .since_ms = 3'250,
                       .wanted = {"db", "gpu0"}};
    const Party first{
        .host = "beta", .pid = 87, .user = "bob", .command = "make", .since_ms = 61'000, .wanted = {"db"}};
    const Party second{
        .host = "beta", .user = "ci", .command = "evil \x1b[2J", .since_ms = 5, .wanted = {"db"}};
    Status status{.host = "alpha"};
    status.hosts.push_back({.name = "alpha",
                            .state = "up",
                            .incarnation = 1,
                            .sessions = 2,
                            .grants = 1'234,
                            .links = {{.to = "beta", .state = "up"},
                                      {.to = "gamma", .state = "down", .problem = "connection refused"}}});
    status.hosts.push_back({.name = "gamma", .state = "unknown"});
    status.resources.push_back(
        {.name = "db", .kind = "lock", .holders = {holder}, .waiters = {first, second}, .place = "alpha"});
    return status;
}

TEST(StatusText, Shows_hosts_resources_holders_and_waiters_in_order) {
    EXPECT_EQ(status_text(example()),
              R"(host          state    sessions  grants  links
------------  -------  --------  ------  ----------------------------------------
alpha (here)  up       2         1,234   beta up, gamma down (connection refused)
gamma         unknown  ?         ?

resource  kind  in use  waiting  at     note
--------  ----  ------  -------  -----  ----
db        lock  1 of 1  2        alpha

resource  who       host   pid  user  since  units  fence  asked for  command
--------  --------  -----  ---  ----  -----  -----  -----  ---------  ------------
db        holds     alpha  411  ann   3.2s   1      17     db,gpu0    ./migrate
db        waits #1  beta   87   bob   1m01s  1             db         make
db        waits #2  beta   -    ci    5ms    1             db         evil \x1b[2J

Waiting programs:
beta:87 (make) waits for db: alpha:411 (./migrate), which holds it
beta (evil \x1b[2J) waits for db: beta:87 (make), which is before it
)");
}

TEST(StatusText, Shows_editions_while_they_differ) {
    Status status{.host = "alpha"};
    status.hosts.push_back({.name = "alpha", .state = "up", .edition = 12});
    status.hosts.push_back({.name = "beta", .state = "up", .edition = 12});
    EXPECT_EQ(status_text(status).find("edition"), std::string::npos);
    status.hosts[1].edition = 11;
    status.hosts.push_back({.name = "gamma", .state = "unreachable"});
    const std::string text = status_text(status);
    EXPECT_NE(text.find("host          knows edition  state"), std::string::npos) << text;
    EXPECT_NE(text.find("alpha (here)  12             up"), std::string::npos) << text;
    EXPECT_NE(text.find("beta          11             up"), std::string::npos) << text;
    EXPECT_NE(text.find("gamma         ?              unreachable"), std::string::npos) << text;
}

TEST(StatusText, Those_who_are_not_listed_are_counted) {
    Status status = example();
    status.resources[0].more_waiters = 2'900;
    status.resources.push_back({.name = "builds",
                                .kind = "semaphore",
                                .capacity = 50,
                                .holders = {{.host = "beta", .units = 3}},
                                .more_holders = 1,
                                .more_units = 4});
    status.more_resources = 7;
    const std::string text = status_text(status);
    EXPECT_NE(text.find("db        lock       1 of 1   2902     alpha"), std::string::npos) << text;
    EXPECT_NE(text.find("builds    semaphore  7 of 50  0"), std::string::npos) << text;
    EXPECT_NE(text.find("\n2,900 more wait for db.\n1 more hold builds.\n7 more resources are not shown.\n"),
              std::string::npos)
        << text;
}

TEST(StatusText, A_lock_without_a_program_is_kept_for_its_owner) {
    Status status = example();
    status.resources[0].holders = {{.host = "h1", .user = "ann@h1", .sticky = true, .gone = true}};
    const std::string text = status_text(status);
    EXPECT_NE(text.find("beta:87 (make) waits for db: it is kept for ann@h1, who gives it back with `allot "
                        "release db`\n"),
              std::string::npos)
        << text;
}

TEST(StatusText, A_note_is_said_once) {
    Status status = example();
    const std::string note = "a majority of the voters must answer";
    status.hosts[0].note = note;
    status.resources[0].note = note;
    status.resources[0].state = "unreachable";
    status.resources.push_back({.name = "builds", .kind = "semaphore", .note = note});
    const std::string text = status_text(status);
    EXPECT_EQ(text.find(note), text.rfind(note)) << text;
    EXPECT_NE(text.find("\nalpha: " + note + "\n"), std::string::npos) << text;
    EXPECT_NE(text.find("builds    semaphore  0 of 1  0               as above\n"), std::string::npos)
        << text;
}

TEST(StatusText, A_note_that_others_refer_to_is_whole_on_a_terminal) {
    Status status = example();
    const std::string note = "no host that answers has it; gamma may, and is removed if it stays silent";
    status.resources[0].note = note;
    status.resources[0].state = "unknown";
    std::istringstream words(status_text(status, 80));
    std::string text;
    for (std::string word; words >> word;) text += word + " ";
    EXPECT_NE(text.find(note), std::string::npos) << status_text(status, 80);
    EXPECT_NE(text.find("; as above, alpha"), std::string::npos) << status_text(status, 80);
}

TEST(StatusText, Names_and_fences_are_whole_on_a_terminal) {
    Status status = example();
    status.resources[0].name = "database1";
    status.resources[0].holders[0].fence = 2'199'023'255'552;
    status.resources[0].holders[0].command = std::string(200, 'x');
    std::istringstream lines(status_text(status, 80));
    bool is_shown = false;
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 84u) << line;  // … has 3 bytes
        is_shown =
            is_shown || (line.starts_with("database1 ") && line.find(" 2199023255552 ") != std::string::npos);
    }
    EXPECT_TRUE(is_shown) << status_text(status, 80);
}

TEST(StatusText, On_a_terminal_no_line_is_longer_than_the_terminal) {
    Status status = example();
    status.resources[0].holders[0].command = std::string(200, 'x');
    std::istringstream lines(status_text(status, 90));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 92u) << line;  // … has 3 bytes
    EXPECT_NE(status_text(status).find(std::string(200, 'x')), std::string::npos);
}

TEST(StatusText, A_lock_with_a_waiter_and_without_a_place_is_not_said_to_be_free) {
    Status status = example();
    status.resources[0].holders.clear();
    EXPECT_NE(status_text(status).find("db        lock  0 of 1  2        alpha"), std::string::npos);
    status.resources[0].place.clear();
    EXPECT_NE(status_text(status).find("db        lock  ? of 1  2\n"), std::string::npos);
}

TEST(StatusText, An_idle_cluster_says_so) {
    Status status{.host = "alpha"};
    status.hosts.push_back({.name = "alpha", .state = "up"});
    EXPECT_NE(status_text(status).find("No program holds or waits."), std::string::npos);
}

TEST(StatusJson, Has_the_names_of_the_fields) {
    const auto json = session::status_json(example());
    EXPECT_EQ(json.at("resources").at(0).at("holders").at(0).at("since_ms").to_number<int>(), 3250);
    EXPECT_EQ(json.at("hosts").at(0).at("links").at(1).at("problem").as_string(), "connection refused");
}

TEST(StatusJson, Keeps_every_digit_of_a_fence_for_readers_that_round_numbers) {
    Status status = example();
    status.resources.front().holders.front().fence = (std::uint64_t{1} << 53) + 1;
    const auto json = session::status_json(status);
    EXPECT_EQ(json.at("resources").at(0).at("holders").at(0).at("fence").as_string(), "9007199254740993");
}

TEST(StatusText, A_program_that_is_hidden_has_its_place) {
    Status status = example();
    for (Party* party : {&status.resources[0].holders[0], &status.resources[0].waiters[0]}) {
        party->pid = 0;
        party->user.clear();
        party->command.clear();
    }
    const std::string text = status_text(status);
    EXPECT_NE(text.find("a program of host beta waits for db: a program of host alpha, which holds it"),
              std::string::npos)
        << text;
}

}  // namespace
}  // namespace allot::cli
