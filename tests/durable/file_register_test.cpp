// The register in a file, with real processes that change it at the same time, and that are killed.
#include "durable/file_register.hpp"

#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "core/random.hpp"
#include "support/folder.hpp"

namespace {

using namespace allot;
using agreement::Value;
using durable::FileRegister;

auto change_of(const FileRegister& one, const Value& known, SiteId host, std::uint32_t number) {
    return one.exchange(known, {.members = {{host, number}}}, {host, 0, number});
}

TEST(FileRegister, Begins_with_the_first_value_of_all) {
    const test::TemporaryFolder folder;
    const auto value = FileRegister(folder / "register").read();
    ASSERT_TRUE(value) << value.error();
    EXPECT_EQ(*value, Value{});
}

TEST(FileRegister, Changes_only_what_the_caller_knows) {
    const test::TemporaryFolder folder;
    const FileRegister one(folder / "register");
    const auto first = change_of(one, {}, 1, 1);
    ASSERT_TRUE(first) << first.error();
    EXPECT_EQ(first->view, 1u);
    EXPECT_EQ(first->members, (std::vector<Peer>{{1, 1}}));
    const auto late = change_of(one, {}, 2, 1);
    ASSERT_TRUE(late);
    EXPECT_EQ(*late, *first);
    const auto second = change_of(one, *first, 2, 1);
    EXPECT_EQ(second->parent, first->id);
    EXPECT_EQ(*FileRegister(folder / "register").read(), *second);
}

TEST(FileRegister, Views_begin_after_the_one_that_it_was_made_with) {
    const test::TemporaryFolder folder;
    const FileRegister one(folder / "register");
    ASSERT_TRUE(one.found(5));
    EXPECT_EQ(change_of(one, {}, 1, 1)->view, 6u);  // the caller has not read it yet
}

TEST(FileRegister, A_damaged_file_is_refused_and_not_replaced) {
    const test::TemporaryFolder folder;
    const std::string content = "allot register 2 1 3 0000000000000000\nabc";
    std::ofstream(folder / "register") << content;
    const FileRegister one(folder / "register");
    EXPECT_FALSE(one.read());
    EXPECT_FALSE(change_of(one, {}, 1, 1));
    std::stringstream kept;
    kept << std::ifstream(folder / "register").rdbuf();
    EXPECT_EQ(kept.str(), content);
}

// Changes the value until it has succeeded so many times.
void change(const std::string& path, SiteId host, std::uint32_t times) {
    const FileRegister one(path);
    Value known;
    for (std::uint32_t done = 0; done < times;) {
        const auto newest = change_of(one, known, host, done + 1);
        if (!newest) _exit(1);
        done += newest->id == agreement::ValueId{host, 0, done + 1};
        known = *newest;
    }
    _exit(0);
}

TEST(FileRegister, Many_processes_change_it_one_after_the_other) {
    constexpr std::uint32_t processes = 4, times = 25;
    const test::TemporaryFolder folder;
    const std::string path = folder / "register";
    std::vector<pid_t> children;
    for (SiteId host = 0; host < processes; ++host) {
        const pid_t child = ::fork();
        if (child == 0) change(path, host, times);
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(FileRegister(path).read()->view, processes * times);
}

TEST(FileRegister, A_host_may_have_any_name) {
    const test::TemporaryFolder folder;
    const FileRegister all(folder / "register");
    const auto occupied = all.occupy("lock", "the daemon at 127.0.0.1:7401");
    ASSERT_TRUE(occupied) << occupied.error();
    ASSERT_TRUE(all.found());
    EXPECT_EQ(change_of(all, *all.read(), 1, 1)->view, 1u);
    const auto second = all.occupy("lock", "the daemon at 127.0.0.1:7402");
    ASSERT_FALSE(second) << "a second daemon of this host";
    EXPECT_THAT(second.error(), testing::HasSubstr("runs already: the daemon at 127.0.0.1:7401 has "));
}

TEST(FileRegister, A_killed_process_leaves_a_whole_file_and_no_lock) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "register";
    std::uint32_t view = 0;
    for (int round = 0; round < 20; ++round) {
        const pid_t child = ::fork();
        if (child == 0) change(path, 1, ~0u);
        ::usleep(static_cast<useconds_t>(500 * (round % 5 + 1)));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        const auto value = FileRegister(path).read();
        ASSERT_TRUE(value) << value.error();
        EXPECT_GE(value->view, view);
        view = value->view;
        const auto next = change_of(FileRegister(path), *value, 2, view + 1);
        ASSERT_TRUE(next) << next.error();
        EXPECT_EQ(next->view, view + 1);
        view = next->view;
    }
}

}  // namespace
