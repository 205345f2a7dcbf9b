// Configurations of the version with failure detectors, as they are written in TOML's several ways.
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
    const std::string text = "host = \"a\"\n[register]\nlease = \"4s\"  # so\n";
    const Migration result = migrated(text);
    EXPECT_THAT(result.changes, IsEmpty());
    EXPECT_EQ(result.text, text);
}

TEST(Migration, Every_setting_that_is_refused_can_be_migrated) {
    for (const Successor& successor : successors) {
        const std::string text =
            std::string("host = \"a\"\n[detector]\n") + std::string(successor.key) + " = \"5s\"\n";
        ASSERT_FALSE(parse_config(text, "x"));
        const Migration result = migrated(text);
        EXPECT_THAT(result.changes, SizeIs(1));
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

TEST(Migration, Settings_join_tables_that_are_there) {
    const Migration result = migrated(
        "host = \"a\"\n[register]  # agreed\ngrace = \"1s\"\n[detector]\nstop_within = \"5s\"\n"
        "resume_within = \"20s\"\n[limits]\nsessions = 7\n");
    EXPECT_EQ(result.text,
              "host = \"a\"\n[register]  # agreed\nlease = \"5s\"\ngrace = \"1s\"\n[limits]\n"
              "resume_within = \"20s\"\nsessions = 7\n");
}

TEST(Migration, A_successor_that_is_set_already_stays) {
    const Migration result =
        migrated("host = \"a\"\n[detector]\ndead_after = \"5s\"\n[register]\nsilence = \"2s\"\n");
    EXPECT_THAT(result.changes, ElementsAre(HasSubstr("dropped: register.silence is there already")));
    EXPECT_EQ(result.text, "host = \"a\"\n[register]\nsilence = \"2s\"\n");
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
