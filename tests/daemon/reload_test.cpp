#include "daemon/reload.hpp"

#include <gtest/gtest.h>

namespace allot::daemon::reload_tests {
namespace {

using Names = std::vector<std::string>;

Config read(const std::string& text) {
    const auto config = parse_config("host = \"h1\"\n" + text, "h1.toml");
    EXPECT_TRUE(config) << config.error();
    return *config;
}

TEST(Reload, Says_what_counts_now_and_what_after_a_restart) {
    const Config before = read("");
    const Config after = read(
        "http = \"127.0.0.1:1\"\nsocket = \"s\"\nlog_level = \"debug\"\n[status]\nredact = [\"a=*\"]\n"
        "[limits]\nsessions = 5\n[register]\nengine = \"file\"\nfile = \"r\"\n[audit]\nfile = \"log\"\n"
        "[[allow]]\nusers = [\"*\"]\nread = \"none\"\n");
    const Differences found = differences(before, after);
    EXPECT_EQ(found.taken, (Names{"log_level", "[limits]", "[status]", "[[allow]]"}));
    EXPECT_EQ(found.after_restart, (Names{"socket", "http", "[audit]", "[register]"}));
    EXPECT_EQ(found.taken_text(), "log_level, [limits], [status], [[allow]] count from now on");
    EXPECT_EQ(found.after_restart_text(),
              "socket, http, [audit], [register] have changed, and count after a restart");
}

TEST(Reload, Takes_over_all_that_it_says_and_nothing_else) {
    const Config file = read(
        "http = \"127.0.0.1:1\"\nlog_level = \"error\"\nhttp_names = [\"x\"]\n[status]\nredact = [\"a=*\"]\n"
        "[limits]\nsessions = 5\n[[allow]]\nusers = [\"ann\"]\nread = \"all\"\n");
    Config config = read("");
    take_over(file, config);
    EXPECT_TRUE(differences(config, file).taken.empty());
    EXPECT_EQ(differences(config, file).after_restart, Names{"http"});
    EXPECT_EQ(differences(file, file).taken_text(), "nothing that counts without a restart has changed");
    EXPECT_EQ(differences(file, file).after_restart_text(), "");
}

}  // namespace
}  // namespace allot::daemon::reload_tests
