#include "daemon/redaction.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cli/environment.hpp"
#include "daemon/config.hpp"
#include "support/any_text.hpp"

namespace allot::daemon::redaction_tests {
namespace {

std::string shown(const std::string& command) {
    return redacted(command, {"--password=*", "--token *", "swordfish"});
}

TEST(Redaction, A_secret_ends_with_its_word) {
    EXPECT_EQ(shown("psql --password=abc -h db"), "psql --password=*** -h db");
    EXPECT_EQ(shown("psql --password=abc --password=def"), "psql --password=*** --password=***");
    EXPECT_EQ(shown("psql --password="), "psql --password=");
    EXPECT_EQ(shown("./job"), "./job");
}

TEST(Redaction, A_secret_may_be_the_next_word) {
    EXPECT_EQ(shown("deploy --token abc now"), "deploy --token *** now");
    EXPECT_EQ(shown("deploy --token   abc"), "deploy --token   ***");
    EXPECT_EQ(shown("deploy --token "), "deploy --token ");
}

TEST(Redaction, A_text_is_hidden_itself) {
    EXPECT_EQ(shown("echo swordfish | login"), "echo *** | login");
}

TEST(Redaction, A_quoted_secret_is_hidden_with_its_blanks) {
    EXPECT_EQ(shown("psql '--password=two words' -h db"), "psql '--password=***' -h db");
    EXPECT_EQ(shown("psql --password='two words' -h db"), "psql --password=*** -h db");
    EXPECT_EQ(shown("psql --password=\"two \\\" words\" -h db"), "psql --password=*** -h db");
    EXPECT_EQ(shown("psql '--password=it'\\''s two' -h db"), "psql '--password=***' -h db");
    EXPECT_EQ(shown("sh -c 'psql --password=abc -h db'"), "sh -c 'psql --password=***'");
    EXPECT_EQ(shown("sh -c 'psql --password=\"a b\" -h db'"), "sh -c 'psql --password=***'");
    EXPECT_EQ(shown("sh -c 'psql --password='\\''a b'\\'' -h db'"), "sh -c 'psql --password=***'");
    EXPECT_EQ(redacted("psql '--password=open sesame' -h db", {"password=*"}), "psql '--password=***' -h db");
    EXPECT_EQ(shown("psql --password='x'y --password=\"z\"'w'"), "psql --password=*** --password=***");
}

TEST(Redaction, Usual_secrets_are_hidden_without_a_word_in_the_configuration) {
    const auto patterns = Config().redact;
    EXPECT_EQ(redacted("x --password=1 --password 2 -ptoken=3 PGPASSWORD=4 API_TOKEN=5", patterns),
              "x --password=*** --password *** -ptoken=*** PGPASSWORD=*** API_TOKEN=***");
}

TEST(Redaction, Wrong_patterns_are_refused_with_what_to_write) {
    EXPECT_EQ(objection_to_pattern("token=*"), "");
    EXPECT_EQ(objection_to_pattern("swordfish"), "");
    for (const char* pattern : {"", "*", "a*b", "a\nb*"})
        EXPECT_NE(objection_to_pattern(pattern).find("write the text before a secret and *"),
                  std::string::npos)
            << pattern;
}

RC_GTEST_PROP(Redaction, No_word_of_a_command_shows_its_secret, ()) {
    const std::string secret = "geheim";
    std::vector<std::string> words{"job", *test::any_text(), "--password=" + *test::any_text() + secret,
                                   *test::any_text()};
    for (std::string& word : words) std::erase(word, '\0');  // no word of a command has one
    const std::string text = redacted(cli::command_text(words), {"--password=*"});
    RC_ASSERT(text.find(secret) == std::string::npos);
}

}  // namespace
}  // namespace allot::daemon::redaction_tests
