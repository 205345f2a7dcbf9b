#include "base/whole_file.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

namespace allot {
namespace {

class WholeFileTest : public testing::Test {
protected:
    WholeFileTest() {
        std::string pattern = testing::TempDir() + "whole-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
    }
    ~WholeFileTest() override { std::filesystem::remove_all(folder_); }

    std::string path(const char* name) const { return (folder_ / name).string(); }
    std::string content(const char* name) const {
        std::ostringstream text;
        text << std::ifstream(folder_ / name).rdbuf();
        return text.str();
    }
    auto entries() const { return std::distance(std::filesystem::directory_iterator(folder_), {}); }

    std::filesystem::path folder_;
};

TEST_F(WholeFileTest, Replaces_the_old_content_when_it_is_complete) {
    std::ofstream(path("a")) << "old";
    {
        auto file = WholeFile::open(path("a"));
        ASSERT_TRUE(file);
        file->stream() << "new";
        EXPECT_EQ(content("a"), "old");
        EXPECT_EQ(file->commit(), std::nullopt);
    }
    EXPECT_EQ(content("a"), "new");
    EXPECT_EQ(entries(), 1);
}

TEST_F(WholeFileTest, Has_no_name_before_it_is_complete) {
    if (::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) < 0)
        GTEST_SKIP() << "this file system has only files with names";
    auto file = WholeFile::open(path("a"));
    file->stream() << "half" << std::flush;
    EXPECT_EQ(entries(), 0) << "a process that is killed now leaves nothing";
    EXPECT_EQ(file->commit(), std::nullopt);
    EXPECT_EQ(content("a"), "half");
    EXPECT_EQ(entries(), 1);
}

TEST_F(WholeFileTest, Keeps_a_file_that_has_the_name_it_would_take_first) {
    const std::string others = "a." + std::to_string(::getpid()) + ".0";
    std::ofstream(path(others.c_str())) << "of somebody else";
    auto file = WholeFile::open(path("a"));
    file->stream() << "new";
    EXPECT_EQ(file->commit(), std::nullopt);
    EXPECT_EQ(content("a"), "new");
    EXPECT_EQ(content(others.c_str()), "of somebody else");
    EXPECT_EQ(entries(), 2);
}

TEST_F(WholeFileTest, Leaves_nothing_behind_if_it_is_given_up) {
    { WholeFile::open(path("a"))->stream() << "half"; }
    EXPECT_EQ(entries(), 0);
}

TEST_F(WholeFileTest, Follows_a_link_and_keeps_the_mode) {
    std::ofstream(path("a")) << "old";
    std::filesystem::permissions(path("a"), std::filesystem::perms(0640));
    std::filesystem::create_symlink("a", path("link"));
    auto file = WholeFile::open(path("link"));
    ASSERT_TRUE(file);
    file->stream() << "new";
    EXPECT_EQ(file->commit(), std::nullopt);
    EXPECT_EQ(content("a"), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
    EXPECT_EQ(std::filesystem::status(path("a")).permissions(), std::filesystem::perms(0640));
}

TEST_F(WholeFileTest, Says_what_is_wrong) {
    EXPECT_THAT(WholeFile::open(path("no/such/folder")).error(),
                testing::EndsWith("cannot write this file: No such file or directory"));
    EXPECT_THAT(WholeFile::open(folder_.string()).error(), testing::EndsWith("it is a directory"));
}

TEST_F(WholeFileTest, Two_files_change_together_or_not_at_all) {
    std::ofstream(path("a")) << "old";
    auto first = WholeFile::open(path("a"));
    auto second = WholeFile::open(path("b"));
    auto full = WholeFile::open("/dev/full");
    first->stream() << "new";
    second->stream() << "new";
    full->stream() << "new";
    EXPECT_NE(WholeFile::commit_both(*second, *full), std::nullopt);
    EXPECT_FALSE(std::filesystem::exists(path("b")));
    auto third = WholeFile::open(path("b"));
    third->stream() << "new as well";
    EXPECT_EQ(WholeFile::commit_both(*first, *third), std::nullopt);
    EXPECT_EQ(content("a"), "new");
    EXPECT_EQ(content("b"), "new as well");
}

TEST_F(WholeFileTest, A_full_disk_is_an_error) {
    auto file = WholeFile::open("/dev/full");
    ASSERT_TRUE(file);
    file->stream() << std::string(100'000, 'x');
    EXPECT_EQ(file->commit(), "/dev/full: cannot write this file: No space left on device");
}

}  // namespace
}  // namespace allot
