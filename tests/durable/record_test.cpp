// Records: whatever is wrong with a file is noticed, and said in one line.
#include "durable/record.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "support/folder.hpp"

namespace {

using namespace allot;
using namespace allot::durable;

const Record sample{"register", newest_edition, 42,
                    std::string("some content\0with a zero, \n and a line", 37)};

TEST(Record, Is_read_as_it_was_written) {
    const auto read = parse_record(text_of(sample), "register", "file");
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(*read, sample);
    const Record empty{"voter", first_edition, 0, ""};
    EXPECT_EQ(*parse_record(text_of(empty), "voter", "file"), empty);
}

TEST(Record, No_single_bit_may_flip) {
    const std::string good = text_of(sample);
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
        std::string bad = good;
        bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
        EXPECT_FALSE(parse_record(bad, "register", "file")) << "bit " << bit;
    }
}

TEST(Record, Cut_short_or_longer_it_is_refused) {
    const std::string good = text_of(sample);
    for (std::size_t length = 0; length < good.size(); ++length)
        EXPECT_FALSE(parse_record(good.substr(0, length), "register", "file")) << length;
    EXPECT_FALSE(parse_record(good + "x", "register", "file"));
}

TEST(Record, Says_what_is_wrong) {
    const std::string good = text_of(sample);
    const auto error = [](const std::string& text) { return parse_record(text, "register", "f").error(); };
    EXPECT_EQ(error("hello"), "f: allot did not write this");
    EXPECT_EQ(error(""), "f: allot did not write this");
    EXPECT_EQ(error(text_of({"voter", 1, 1, ""})), "f: allot wrote this, but it is no register");
    const auto other = [&](const char* which, Edition edition) {
        return fmt::format("f: {} allot wrote it (edition {}; this one reads {} to {})", which, edition,
                           first_edition, newest_edition);
    };
    EXPECT_EQ(error(text_of({"register", newest_edition + 1, 1, ""})), other("a later", newest_edition + 1));
    EXPECT_EQ(error(text_of({"register", first_edition - 1, 1, ""})), other("an earlier", first_edition - 1));
    EXPECT_EQ(error(good.substr(0, good.size() - 7)), "f: 30 of its 37 bytes are there");
    std::string damaged = good;
    damaged.back() ^= 1;
    EXPECT_EQ(error(damaged), "f: it is damaged: its content does not fit its checksum");
}

TEST(Record, Is_in_a_file_or_there_is_none) {
    const test::TemporaryFolder folder;
    const std::string path = folder / "register";
    const auto none = read_record(path, "register");
    ASSERT_TRUE(none);
    EXPECT_EQ(*none, std::nullopt);
    ASSERT_TRUE(write_record(path, sample));
    EXPECT_EQ(*read_record(path, "register"), sample);
    EXPECT_FALSE(write_record(folder / "none/register", sample));
}

// Bytes of this version, which later versions must read.
TEST(Record, Is_read_from_bytes_of_the_first_version) {
    const auto read = parse_record("allot voter 1 7 5 4597e60becf75be5\nhello", "voter", "file", {1, 1});
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(*read, (Record{"voter", 1, 7, "hello"}));
}

}  // namespace
