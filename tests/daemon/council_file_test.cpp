// The memory of a voter on a real disk: written one after another beside the loop, and refused if it is
// damaged.
#include "daemon/council_file.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "daemon/host_folder.hpp"
#include "support/folder.hpp"

namespace {

using namespace allot;
using daemon::CouncilFile;

CouncilFile::Files with_disk(std::uint32_t disk) {
    CouncilFile::Files files;
    files.papers.disk = disk;
    files.voter.disk = disk;
    return files;
}

std::string folder_of(const test::TemporaryFolder& folder) {
    return (folder / ".");
}

TEST(CouncilFile, Holds_nothing_at_first_and_the_last_write_later) {
    const test::TemporaryFolder folder;
    boost::asio::io_context loop;
    const auto work = boost::asio::make_work_guard(loop);
    int written = 0;
    {
        CouncilFile file(loop, folder_of(folder), [&] { ++written; });
        const auto nothing = file.read();
        ASSERT_TRUE(nothing) << nothing.error();
        EXPECT_FALSE(nothing->has_value());
        for (std::uint32_t disk = 1; disk <= 50; ++disk) file.write(with_disk(disk), newest_edition);
        while (written == 0) loop.run_one();
    }
    CouncilFile next(loop, folder_of(folder), [] {});
    const auto files = next.read();
    ASSERT_TRUE(files) << files.error();
    EXPECT_EQ(**files, with_disk(50));
    EXPECT_EQ(written, 1) << "once, when all is on the disk";
}

TEST(CouncilFile, Says_nothing_while_it_cannot_write_and_tries_again) {
    const test::TemporaryFolder folder;
    const std::string missing = folder / "missing";
    boost::asio::io_context loop;
    const auto work = boost::asio::make_work_guard(loop);
    int written = 0;
    CouncilFile file(loop, missing, [&] { ++written; });
    file.write(with_disk(1), newest_edition);
    while (file.problem().empty()) loop.run_one();
    EXPECT_EQ(written, 0);
    std::filesystem::create_directories(missing);
    while (written == 0) loop.run_one();
    EXPECT_EQ(file.problem(), "");
    EXPECT_EQ(**file.read(), with_disk(1));
}

TEST(LaterRecord, One_that_failed_does_not_replace_a_later_one) {
    const test::TemporaryFolder folder;
    const std::string missing = folder / "missing";
    boost::asio::io_context loop;
    const auto work = boost::asio::make_work_guard(loop);
    bool ended = false;
    daemon::LaterRecord file(loop, missing + "/note", [&] { ended = true; });
    const auto note = [](std::uint64_t sequence) {
        return durable::Record{"note", newest_edition, sequence, "x"};
    };
    file.write(note(1));
    EXPECT_FALSE(file.write_now(note(2)));  // after the first one, which has failed as well
    std::filesystem::create_directories(missing);
    EXPECT_TRUE(file.write_now(note(3)));
    while (!ended) loop.run_one();
    EXPECT_EQ(file.problem(), "") << "nothing is left to be tried again";
    EXPECT_EQ((*durable::read_record(file.path(), "note"))->sequence, 3u);
}

TEST(LaterRecord, One_that_failed_is_behind_until_it_is_written) {
    const test::TemporaryFolder folder;
    const std::string missing = folder / "missing";
    boost::asio::io_context loop;
    const auto work = boost::asio::make_work_guard(loop);
    int ended = 0;
    daemon::LaterRecord file(loop, missing + "/note", [&] { ++ended; });
    EXPECT_FALSE(file.is_behind());
    file.write({"note", newest_edition, 1, "x"});
    while (ended == 0) loop.run_one();
    EXPECT_NE(file.problem(), "");
    EXPECT_TRUE(file.is_behind());
    std::filesystem::create_directories(missing);
    while (ended == 1) loop.run_one();
    EXPECT_FALSE(file.is_behind());
    EXPECT_TRUE(*durable::read_record(file.path(), "note"));
}

TEST(CouncilFile, Refuses_every_wrong_bit) {
    const test::TemporaryFolder folder;
    boost::asio::io_context loop;
    const auto work = boost::asio::make_work_guard(loop);
    bool written = false;
    CouncilFile file(loop, folder_of(folder), [&] { written = true; });
    file.write(with_disk(7), newest_edition);
    while (!written) loop.run_one();
    const std::string path = folder_of(folder) + "/council";
    std::string bytes;
    {
        std::ifstream in(path, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(in), {});
    }
    ASSERT_FALSE(bytes.empty());
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::string damaged = bytes;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
        const auto files = file.read();
        ASSERT_FALSE(files) << "bit " << bit;
        EXPECT_NE(files.error().find("let this host join again: `allot cluster join ADDRESS"),
                  std::string::npos)
            << files.error();
    }
}

TEST(HostFolder, A_damaged_memory_is_refused_with_what_to_do_next) {
    const test::TemporaryFolder folder;
    const std::string path = folder_of(folder) + "/host";
    ASSERT_TRUE(daemon::HostFolder(folder_of(folder)).open()) << "there was none";
    std::ofstream(path, std::ios::binary) << "allot host 10 1 5 0123456789abcdef\nhost";
    const auto memory = daemon::HostFolder(folder_of(folder)).open();
    ASSERT_FALSE(memory);
    EXPECT_EQ(memory.error(),
              path + ": 4 of its 5 bytes are there; move the folder " + folder_of(folder) +
                  " away, and let this host join again: `allot cluster join ADDRESS --config FILE`, with the "
                  "address of a host of the cluster; if this is the only one, `allot cluster init --above N "
                  "--config FILE`, with a number above all its views");
}

TEST(HostFolder, A_memory_of_another_version_is_not_to_be_moved_away) {
    const test::TemporaryFolder folder;
    const std::string path = folder_of(folder) + "/host";
    ASSERT_TRUE(durable::write_record(path, {"host", newest_edition + 1, 1, "something"}));
    const auto memory = daemon::HostFolder(folder_of(folder)).open();
    ASSERT_FALSE(memory);
    EXPECT_NE(memory.error().find("a later allot wrote it"), std::string::npos) << memory.error();
    EXPECT_EQ(memory.error().find("away"), std::string::npos) << memory.error();
}

}  // namespace
