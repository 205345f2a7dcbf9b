// Configurations of earlier versions, as they are written in TOML's several ways.
#include "daemon/migration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace allot::daemon;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Migration migrated(const std::string& text) {
    auto result = migrate_config(text, "x");
    EXPECT_TRUE(result) << (result ? "" : result.error());
    return result ? *result : Migration{};
}

Config read(const std::string& text) {
    const auto config = parse_config(text, "x");
    EXPECT_TRUE(config) << (config ? "" : config.error());
    return config ? *config : Config{};
}

TEST(Migration, A_present_configuration_stays_as_it_is) {
    const std::string text = "host = \"a\"\n[bootstrap]\nlease = \"4s\"  # so\n";
    const Migration result = migrated(text);
    EXPECT_THAT(result.changes, IsEmpty());
    EXPECT_EQ(result.text, text);
}

TEST(Migration, Every_setting_that_is_refused_can_be_migrated) {
    const auto value = [](const Successor& one) -> std::string {
        if (one.former_key == "voters") return "[\"a\"]";
        if (one.former_key == "seats") return "7";
        if (one.former_key == "hosts") return "{ a = \"127.0.0.1:1\" }";
        if (one.former_key == "semaphores") return "{ builds = 2 }";
        if (one.is_table) return "[ { names = [\"x\"], mode = \"fence\" } ]";
        return "\"2500ms\"";
    };
    for (const Successor& successor : successors) {
        const std::string table =
            successor.former_table.empty() ? "" : "[" + std::string(successor.former_table) + "]\n";
        const std::string setting = std::string(successor.former_key) + " = " + value(successor) + "\n";
        const std::string text = "host = \"a\"\n" + table + setting;
        ASSERT_FALSE(parse_config(text, "x"));
        const Migration result = migrated(text + (successor.key == "grace" ? "lease = \"6s\"\n" : ""));
        EXPECT_GE(result.changes.size(), 1u) << text;
        EXPECT_TRUE(parse_config(result.text, "x")) << result.text;
    }
}

TEST(Migration, Dotted_keys_and_inline_tables_are_settings_as_well) {
    for (const char* form : {"detector.dead_after = \"5s\"\ndetector.resume_within = \"20s\"\n",
                             "detector = { dead_after = \"5s\", resume_within = \"20s\" }\n",
                             "[\"detector\"]\n\"dead_after\" = '5s'\nresume_within = \"\"\"20s\"\"\"\n"}) {
        const Migration result = migrated(std::string("host = \"a\"\n") + form);
        EXPECT_THAT(result.changes, SizeIs(2)) << form;
        const Config config = read(result.text);
        EXPECT_EQ(config.agreed.silence, std::chrono::seconds(5)) << result.text;
        EXPECT_EQ(config.limits.resume_within, std::chrono::seconds(20)) << result.text;
    }
}

// Earlier versions accepted them, and no table or variable can show them.
TEST(Migration, Names_with_control_characters_are_refused_in_one_line) {
    for (const char* form : {"semaphores.\"a\\tb\\u007F\" = 2\n", "[semaphores.\"c\\nd\"]\npermits = 3\n"}) {
        const auto result = migrate_config(std::string("host = \"a\"\n") + form, "x");
        const auto config =
            result ? parse_config(result->text, "x") : allot::Result<Config>(allot::Error{result.error()});
        ASSERT_FALSE(config) << form;
        EXPECT_THAT(config.error(), HasSubstr("no program can ask for this name; write one without"));
        EXPECT_EQ(config.error().find('\n'), std::string::npos);
    }
}

TEST(Migration, Tables_are_found_however_they_are_written) {
    for (const char* form :
         {"[cluster]\nplaintext = true\nhosts = { a = \"a:1\", \"b ü\" = \"b:1\" } # two\n",
          "cluster.hosts.a = \"a:1\"\ncluster.hosts.\"b ü\" = \"b:1\"\n",
          "[cluster]\nhosts.a = \"a:1\"\nhosts.'b ü' = \"b:1\"\n",
          "[ \"cluster\" . hosts ]\na = \"a:1\"\n\"b ü\" = \"b:1\"\n"}) {
        const Migration result = migrated(std::string("host = \"a\"\n") + form);
        EXPECT_THAT(result.changes, SizeIs(1)) << form;
        const Config config = read(result.text);
        ASSERT_EQ(config.hosts.size(), 2u) << result.text;
        EXPECT_EQ(config.hosts[1], (Config::Host{"b ü", "b:1"})) << result.text;
    }
    const Migration result = migrated(
        "host = \"a\"\nsemaphores.builds = 2\nmode = [\n  { names = [\"x\"] },  # one\n]  # all\n"
        "register = { lease = \"5s\", grace = \"2s\" }\n[limits]\nsessions = 7\n");
    const Config config = read(result.text);
    EXPECT_EQ(config.semaphores.at("builds").permits, 2u);
    EXPECT_EQ(config.modes.size(), 1u);
    EXPECT_EQ(config.agreed.grace, std::chrono::seconds(2));
    EXPECT_EQ(config.limits.sessions, 7u);
    EXPECT_THAT(result.text, HasSubstr("mode = [\n  { names = [\"x\"] },  # one\n]  # all\n"));
}

TEST(Migration, A_register_that_has_only_times_becomes_the_bootstrap) {
    const Migration result =
        migrated("host = \"a\"\n# times\n[register] # so\nlease = \"5s\" # long\n\n[limits]\n");
    EXPECT_EQ(result.text, "host = \"a\"\n# times\n[bootstrap] # so\nlease = \"5s\" # long\n\n[limits]\n");
}

TEST(Migration, Times_leave_a_register_that_stays) {
    const Migration result = migrated(
        "host = \"a\"\n[register]\nvoters = [\n  \"a\",  # me\n]\nlease = \"5s\"\nengine = \"hosts\"\n\n"
        "[register.tls]\ncertificate = \"c\"\nkey = \"k\"\nauthority = \"a\"\n");
    EXPECT_EQ(result.text,
              "host = \"a\"\n[register]\nengine = \"hosts\"\n\n[bootstrap]\nvoters = [\n  \"a\",  # me\n]\n"
              "lease = \"5s\"\n\n[register.tls]\ncertificate = \"c\"\nkey = \"k\"\nauthority = \"a\"\n");
}

TEST(Migration, Errors_name_the_lines_of_the_file_as_it_was) {
    const auto result = migrate_config(
        "host = \"a\"\n[register]\nengine = \"hosts\"\nlease = 5\nsilence = \"1s\"\n[limits]\nnone = 1\n",
        "x");
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error(), HasSubstr("x:4: bootstrap.lease: write a time"));
}

TEST(Migration, Settings_join_tables_that_are_there) {
    const Migration result = migrated(
        "host = \"a\"\n[bootstrap]  # agreed\ngrace = \"1s\"\n[detector]\nstop_within = \"5s\"\n"
        "resume_within = \"20s\"\n[limits]\nsessions = 7\n");
    EXPECT_EQ(result.text,
              "host = \"a\"\n[bootstrap]  # agreed\nlease = \"5s\"\ngrace = \"1s\"\n[limits]\n"
              "resume_within = \"20s\"\nsessions = 7\n");
}

TEST(Migration, A_successor_that_is_set_already_stays) {
    const Migration result =
        migrated("host = \"a\"\n[detector]\ndead_after = \"5s\"\n[bootstrap]\nsilence = \"2s\"\n");
    EXPECT_THAT(result.changes, ElementsAre(HasSubstr("dropped: bootstrap.silence is there already")));
    EXPECT_EQ(result.text, "host = \"a\"\n[bootstrap]\nsilence = \"2s\"\n");
}

TEST(Migration, Times_that_are_too_short_become_the_least_possible) {
    const Migration result =
        migrated("host = \"a\"\n[detector]\ndead_after = \"40ms\"\nstop_within = \"0.1s\" # soon\n");
    EXPECT_THAT(result.changes, ElementsAre(HasSubstr("silence = \"200ms\", the least"),
                                            HasSubstr("lease = \"600ms\", the least"), HasSubstr("grace")));
    EXPECT_THAT(result.text, HasSubstr("lease = \"600ms\" # soon\n"));
    EXPECT_EQ(read(result.text).agreed.grace, std::chrono::milliseconds(300));
}

TEST(Migration, An_empty_detector_goes) {
    EXPECT_EQ(migrated("host = \"a\"\n# why\n[detector]\n").text, "host = \"a\"\n# why\n");
    EXPECT_EQ(migrated("detector = {}\nhost = \"a\"\n").text, "host = \"a\"\n");
}

}  // namespace
