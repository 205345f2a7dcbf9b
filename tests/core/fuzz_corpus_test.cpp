// The inputs that the fuzz targets start from are of today's formats; otherwise they would lead nowhere.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "core/bytes.hpp"
#include "daemon/letters.hpp"
#include "net/saved_mesh.hpp"
#include "protocols/multilock/counters.hpp"
#include "protocols/semaphore/permits.hpp"
#include "session/frames.hpp"

namespace allot {
namespace {

const char* const advice =
    "make them again: build/fuzz_seeds tests/fuzz/corpus (see tests/programs/fuzz_seeds.cpp)";

std::vector<std::string> seeds_of(const std::string& target) {
    std::vector<std::string> seeds;
    const auto folder = std::filesystem::path(ALLOT_SOURCE_DIR) / "tests/fuzz/corpus" / target;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ostringstream text;
        text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
        seeds.push_back(text.str());
    }
    EXPECT_FALSE(seeds.empty()) << target << ": " << advice;
    return seeds;
}

// Every kind of message is there.
template <class Message>
void expect_all_kinds(const std::string& target) {
    std::set<std::size_t> kinds;
    for (const std::string& seed : seeds_of(target))
        if (const auto message = from_bytes<Message>(seed)) kinds.insert(message->index());
    EXPECT_EQ(kinds.size(), std::variant_size_v<Message>) << target << ": " << advice;
}

TEST(FuzzCorpus, Holds_every_kind_of_message) {
    expect_all_kinds<session::ClientMessage>("client_message");
    expect_all_kinds<session::DaemonMessage>("daemon_message");
    expect_all_kinds<daemon::Letter>("letter");
    expect_all_kinds<Counters::Message>("counters_message");
    expect_all_kinds<Permits::Message>("permits_message");
}

TEST(FuzzCorpus, Holds_what_hosts_say_first_and_save) {
    for (const std::string& seed : seeds_of("hello")) EXPECT_TRUE(net::read_hello(seed)) << advice;
    for (const std::string& seed : seeds_of("saved_mesh"))
        EXPECT_TRUE(from_bytes<net::SavedMesh>(seed)) << advice;
    for (const std::string& seed : seeds_of("council"))
        EXPECT_TRUE(from_bytes<agreement::Council::Files>(seed)) << advice;
}

}  // namespace
}  // namespace allot
