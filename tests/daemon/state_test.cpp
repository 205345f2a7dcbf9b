// What a daemon keeps on disk, in a real folder.
#include "daemon/state.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "support/folder.hpp"
#include "support/node.hpp"

namespace allot::daemon {
namespace {

struct StateTest : testing::Test {
    test::TemporaryFolder folder;
};

TEST_F(StateTest, What_was_noted_is_found_after_a_crash) {
    {
        StateFolder running(folder / "state");
        ASSERT_TRUE(running.open(7, false));
        ASSERT_TRUE(running.begin());
        running.note_refused({0, 3}, true);
        running.note_life(4);
    }
    StateFolder again(folder / "state");
    const auto found = again.open(7, false);
    ASSERT_TRUE(found) << found.error();
    EXPECT_TRUE(found->after_a_crash);
    EXPECT_EQ(found->life, 5U);
    EXPECT_EQ(found->refused, (std::vector<std::uint32_t>{0, 3}));
    EXPECT_TRUE(found->forgetful);
}

TEST_F(StateTest, What_cannot_be_written_is_told_and_written_later) {
    const auto path = folder / "state";
    StateFolder running(path);
    ASSERT_TRUE(running.open(7, false));
    ASSERT_TRUE(running.begin());
    // Even the root user cannot write here.
    std::filesystem::rename(path, folder / "aside");
    std::ofstream(path) << "no folder";
    running.note_life(4);
    EXPECT_NE(running.problem().find("state"), std::string::npos) << running.problem();

    std::filesystem::remove(path);
    std::filesystem::rename(folder / "aside", path);
    EXPECT_TRUE(test::eventually([&] {
        running.try_again();
        return running.problem().empty();
    }));
    std::filesystem::copy(path, folder / "copy", std::filesystem::copy_options::recursive);
    StateFolder copy(folder / "copy");
    EXPECT_EQ(copy.open(7, false)->life, 5U);
}

// Every bit counts: a state that was damaged is not believed.
TEST_F(StateTest, No_single_bit_of_the_files_may_flip) {
    const auto path = folder / "state";
    {
        StateFolder running(path);
        ASSERT_TRUE(running.open(7, false));
        ASSERT_TRUE(running.begin());
        ASSERT_TRUE(running.save({.agreement = 7, .incarnation = 3, .desk = "desk"}));
    }
    for (const char* name : {"running", "stopped"}) {
        const std::string file = path + "/" + name;
        std::stringstream content;
        content << std::ifstream(file).rdbuf();
        for (std::size_t bit = 0; bit < 8 * content.str().size(); ++bit) {
            std::string damaged = content.str();
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
            std::ofstream(file) << damaged;
            const auto found = StateFolder(path).open(7, false);
            ASSERT_FALSE(found) << name << ", bit " << bit;
            EXPECT_NE(found.error().find("--fresh"), std::string::npos) << found.error();
        }
        std::ofstream(file) << content.str();
    }
    const auto found = StateFolder(path).open(7, false);
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(found->saved->incarnation, 3U);
}

}  // namespace
}  // namespace allot::daemon
