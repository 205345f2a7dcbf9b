// The register in a file, as a daemon finds it when it starts.
#include "daemon/file_engine.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/incarnations.hpp"
#include "support/folder.hpp"

namespace allot::daemon {
namespace {

using testing::HasSubstr;

struct FileEngineTest : testing::Test {
    FileEngineTest() {
        config.host = "h1";
        config.hosts = {{"h1", ""}, {"h2", ""}};
        config.agreed.file = folder / "register";
    }

    // The error, if there is one.
    std::string open(const HostFolder::Memory& before) {
        engine.emplace(loop, config, Engine::Subject{member, member_config}, Engine::Events{});
        return engine->open(before).value_or("");
    }
    std::string certificate() const { return folder / "register-ended.h1"; }
    void certify(const std::string& host, std::uint32_t incarnation) const {
        ASSERT_TRUE(durable::write_certificate(certificate(), {host, incarnation}));
    }

    const test::TemporaryFolder folder;
    boost::asio::io_context loop;
    Config config;
    host::Member member;
    host::Member::Config member_config;
    std::optional<FileEngine> engine;
};

TEST_F(FileEngineTest, A_certificate_of_a_daemon_that_can_have_been_counts) {
    const std::uint32_t certified = last_life_of(daemon_of_this_minute() << bits_of_lives);
    certify("h1", certified);
    EXPECT_EQ(open({}), "");
    EXPECT_EQ(engine->certified(), certified);
    EXPECT_TRUE(std::filesystem::exists(certificate()));
}

TEST_F(FileEngineTest, A_certificate_of_a_daemon_that_cannot_have_been_or_of_another_host_is_set_aside) {
    for (const auto& [host, incarnation] :
         {std::pair("h1", 917'558'528U), std::pair("h1", ~0U), std::pair("h2", 256U)}) {
        certify(host, incarnation);
        EXPECT_EQ(open({.incarnation = 117'558'528}), "");
        EXPECT_EQ(engine->certified(), 0u) << host << " " << incarnation;
        EXPECT_FALSE(std::filesystem::exists(certificate())) << "others might believe it";
    }
}

TEST_F(FileEngineTest, The_testament_names_the_host_and_all_lives_of_the_daemon) {
    ASSERT_EQ(open({}), "");
    const auto testament = engine->testament(117'558'528);
    ASSERT_TRUE(testament);
    EXPECT_EQ(testament->file, certificate());
    EXPECT_EQ(testament->certificate, (durable::Certificate{"h1", 117'558'528 + 255}));
}

// Hosts of a version without a register have counted by themselves, and the first one makes the register.
TEST_F(FileEngineTest, A_host_that_is_ahead_of_the_register_says_how_to_begin_again) {
    EXPECT_EQ(open({.view = 5}), "");
    engine.reset();
    const std::string ahead = open({.view = 9});
    EXPECT_THAT(ahead,
                HasSubstr("it holds view 5, and this host has worked in view 9: another host has made"));
    EXPECT_THAT(ahead, HasSubstr("`allot cluster init --above 9`"));
    const std::string wiped = open({.incarnation = 256, .view = 9});
    EXPECT_THAT(wiped, HasSubstr("the register was wiped, or put back from an earlier time; stop all hosts"));
    EXPECT_THAT(wiped, HasSubstr("`allot cluster init --above 9`"));
}

}  // namespace
}  // namespace allot::daemon
