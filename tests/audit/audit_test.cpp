// The audit log: lines that are read as they were written, and files that follow each other.
#include <fstream>
#include <gtest/gtest.h>

#include "audit/log.hpp"
#include "support/folder.hpp"

namespace {

using namespace allot;
using namespace allot::audit;

const Entry sample{.time_ms = 1'794'888'306'789,
                   .host = "a",
                   .event = "granted",
                   .user = "ann",
                   .pid = 4711,
                   .command = "make \"all\"",
                   .resources = {{"db", (std::uint64_t{3} << 40) + 7}, {"cache", 0}},
                   .reason = "none",
                   .after_ms = 12};

TEST(Audit, A_line_is_read_as_it_was_written) {
    const std::string line = line_of(sample);
    EXPECT_EQ(line,
              R"({"time":"2026-11-17T04:05:06.789Z","host":"a","event":"granted","user":"ann","pid":4711,)"
              R"("command":"make \"all\"","resources":[{"name":"db","fence":"3298534883335"},)"
              R"({"name":"cache"}],"reason":"none","after_ms":12})"
              "\n");
    const auto read = parse_line(line);
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(*read, sample);
}

TEST(Audit, Other_lines_are_refused) {
    for (const char* line : {"", "{}", "[]", R"({"event":"granted"})", R"({"event":"granted","time":"now"})",
                             R"({"event":"x","time":"2026-11-17T04:05:06.789Z","resources":[1]})"})
        EXPECT_FALSE(parse_line(line)) << line;
}

std::vector<std::string> commands(const std::string& file) {
    std::vector<std::string> all;
    const auto read = read_log(file, [&](const Entry& entry) {
        all.push_back(entry.command);
        return true;
    });
    EXPECT_TRUE(read) << (read ? "" : read.error());
    return all;
}

TEST(Audit, A_new_file_begins_when_one_is_long_and_the_oldest_goes) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "audit.log";
    {
        auto log = Log::open({.file = file, .longest = 300, .kept = 2});
        ASSERT_TRUE(log) << log.error();
        for (int i = 0; i < 8; ++i) {
            Entry entry = sample;
            entry.command = std::to_string(i);
            (*log)->add(entry);
        }
        EXPECT_EQ((*log)->problem(), "");
    }
    // Two lines are longer than 300 bytes.
    EXPECT_EQ(files_of(file), (std::vector{file + ".2", file + ".1", file}));
    EXPECT_EQ(commands(file), (std::vector<std::string>{"2", "3", "4", "5", "6", "7"}));
    // A later daemon goes on in the same file.
    auto again = Log::open({.file = file, .longest = 1000, .kept = 2});
    Entry entry = sample;
    entry.command = "8";
    (*again)->add(entry);
    EXPECT_EQ(commands(file).back(), "8");
}

TEST(Audit, Part_of_a_last_line_is_left_out_and_other_text_is_an_error) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "audit.log";
    std::ofstream(file) << line_of(sample) << line_of(sample).substr(0, 30);
    EXPECT_EQ(commands(file).size(), 1u);
    std::ofstream(file) << line_of(sample) << "hello\n";
    const auto read = read_log(file, [](const Entry&) { return true; });
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error(), file + ":2: this is no line of an audit log");
}

TEST(Audit, A_full_disk_is_told_and_counted) {
    auto log = Log::open({.file = "/dev/full"});
    ASSERT_TRUE(log) << log.error();
    (*log)->add(sample);
    EXPECT_NE((*log)->problem().find("/dev/full"), std::string::npos);
    EXPECT_EQ((*log)->lost(), 1u);
    EXPECT_FALSE(Log::open({.file = "/no/such/folder/audit.log"}));
}

}  // namespace
