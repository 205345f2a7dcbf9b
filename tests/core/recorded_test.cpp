// Recorded bytes: what hosts send each other, what programs and daemons say, and the files of a state folder,
// as this version writes them. The fuzz targets start from the messages.

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "core/bytes.hpp"
#include "daemon/letters.hpp"
#include "daemon/receipts.hpp"
#include "durable/file_register.hpp"
#include "durable/record.hpp"
#include "durable/register_record.hpp"
#include "net/link_frames.hpp"
#include "protocols/multilock/counters.hpp"
#include "protocols/semaphore/permits.hpp"
#include "session/frames.hpp"
#include "support/folder.hpp"
#include "support/samples.hpp"

namespace allot {
namespace {

const char* const advice = "a format has changed; tests/recorded/README.md says what to do";
const std::filesystem::path tests = std::filesystem::path(ALLOT_SOURCE_DIR) / "tests";

std::string content_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

std::vector<std::string> seeds_of(const std::string& target) {
    std::vector<std::string> seeds;
    for (const auto& entry : std::filesystem::directory_iterator(tests / "fuzz/corpus" / target))
        seeds.push_back(content_of(entry.path()));
    EXPECT_FALSE(seeds.empty()) << target << ": " << advice;
    return seeds;
}

// Every kind of message is there.
template <class Message>
void expect_all_kinds(const std::string& target) {
    std::set<std::size_t> kinds;
    for (const std::string& seed : seeds_of(target))
        if (const auto message = from_bytes<Message>(seed, newest_edition)) kinds.insert(message->index());
    EXPECT_EQ(kinds.size(), std::variant_size_v<Message>) << target << ": " << advice;
}

TEST(Recorded, Every_kind_of_message_is_there) {
    expect_all_kinds<session::ClientMessage>("client_message");
    expect_all_kinds<session::DaemonMessage>("daemon_message");
    expect_all_kinds<daemon::Letter>("letter");
    expect_all_kinds<Counters::Message>("counters_message");
    expect_all_kinds<Permits::Message>("permits_message");
}

TEST(Recorded, Hellos_and_files_of_councils_can_be_read) {
    for (const std::string& seed : seeds_of("hello")) EXPECT_TRUE(net::read_hello(seed)) << advice;
    for (const std::string& seed : seeds_of("council"))
        EXPECT_TRUE(from_bytes<agreement::Council::Files>(seed, newest_edition)) << advice;
}

TEST(Recorded, Messages_are_those_of_the_same_values_today) {
    for (const test::Sample& sample : test::samples())
        EXPECT_EQ(content_of(tests / "fuzz/corpus" / sample.folder / sample.name), sample.bytes)
            << sample.folder << "/" << sample.name << ": " << advice;
}

// The daemon reads a folder that it can write to.
std::string copy_of(const std::string& recorded, const test::TemporaryFolder& folder) {
    const std::string state = folder / "state";
    std::filesystem::copy(tests / "recorded" / recorded, state);
    return state;
}

TEST(Recorded, State_files_are_read_as_they_were_written) {
    const test::TemporaryFolder folder;
    const std::string state = copy_of("state", folder);
    const test::State expected = test::sample_state();
    daemon::HostFolder host(state);
    const auto memory = host.open();
    ASSERT_TRUE(memory) << memory.error() << ": " << advice;
    EXPECT_EQ(*memory, expected.memory) << advice;
    const auto voters = host.voters();
    ASSERT_TRUE(voters) << voters.error() << ": " << advice;
    EXPECT_EQ(*voters, expected.voters) << advice;
    const auto settings = host.settings();
    ASSERT_TRUE(settings) << settings.error() << ": " << advice;
    EXPECT_EQ(*settings, expected.settings) << advice;
    const auto key = durable::read_record(state + "/receipts", "receipts", {1, 1});
    ASSERT_TRUE(key && *key) << advice;
    EXPECT_EQ((*key)->content, expected.key) << advice;
    daemon::Receipts receipts;
    EXPECT_EQ(receipts.open(state), std::nullopt) << advice;
    boost::asio::io_context loop;
    const auto council = daemon::CouncilFile(loop, state, [] {}).read();
    ASSERT_TRUE(council && *council) << advice;
    EXPECT_EQ(**council, expected.council) << advice;
    const auto value = durable::FileRegister(state + "/register").read();
    ASSERT_TRUE(value) << value.error() << ": " << advice;
    EXPECT_EQ(*value, expected.value) << advice;
    const auto certificate = durable::read_certificate(state + "/certificate", expected.certificate.host);
    ASSERT_TRUE(certificate && *certificate) << advice;
    EXPECT_EQ(**certificate, expected.certificate) << advice;
}

TEST(Recorded, State_files_are_written_alike_today) {
    const test::TemporaryFolder folder;
    ASSERT_EQ(test::write_state(folder / "new"), "");
    for (const char* name : {"host", "voters", "settings", "receipts", "council", "register", "certificate"})
        EXPECT_EQ(content_of(folder / (std::string("new/") + name)),
                  content_of(tests / "recorded/state" / name))
            << name << ": " << advice;
}

// A version that took these for its own would lose what they say.
TEST(Recorded, A_state_file_with_any_bit_changed_is_refused) {
    for (const char* name :
         {"host", "voters", "settings", "receipts", "council", "register", "certificate"}) {
        const std::string whole = content_of(tests / "recorded/state" / name);
        ASSERT_FALSE(whole.empty()) << name;
        for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
            std::string damaged = whole;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
            EXPECT_FALSE(durable::parse_record(damaged, name, name, {1, 1000})) << name << " bit " << bit;
        }
    }
}

// --- Earlier editions

struct RecordedEdition : testing::TestWithParam<Edition> {
    static std::string folder() { return fmt::format("edition-{}", GetParam()); }
    static std::vector<std::string> messages(const std::string& target) {
        std::vector<std::string> all;
        for (const auto& entry :
             std::filesystem::directory_iterator(tests / "recorded" / folder() / "messages" / target))
            all.push_back(content_of(entry.path()));
        EXPECT_FALSE(all.empty()) << target;
        return all;
    }
    static std::string state_file(const std::string& name) {
        return content_of(tests / "recorded" / folder() / "state" / name);
    }
};
INSTANTIATE_TEST_SUITE_P(Each, RecordedEdition, testing::Range(first_edition, newest_edition));

// They are read, and this version can still write them.
template <class Message>
void expect_both_ways(const std::string& target) {
    for (const std::string& bytes : RecordedEdition::messages(target)) {
        const auto message = from_bytes<Message>(bytes, RecordedEdition::GetParam());
        ASSERT_TRUE(message) << target;
        EXPECT_EQ(to_bytes(*message, RecordedEdition::GetParam()), bytes) << target;
    }
}

TEST_P(RecordedEdition, Has_messages_that_are_read_and_written) {
    expect_both_ways<session::ClientMessage>("client_message");
    expect_both_ways<session::DaemonMessage>("daemon_message");
    expect_both_ways<daemon::Letter>("letter");
    expect_both_ways<agreement::Council::Files>("council");
    for (const std::string& bytes : messages("hello")) {
        const auto hello = net::read_hello(bytes);
        ASSERT_TRUE(hello) << hello.error();
        EXPECT_EQ(hello->opening.newest, GetParam());
    }
}

TEST_P(RecordedEdition, Has_state_files_that_are_read) {
    const test::TemporaryFolder place;
    const std::string state = copy_of(folder() + "/state", place);
    daemon::HostFolder host(state);
    EXPECT_TRUE(host.open());
    EXPECT_TRUE(host.voters());
    const auto settings = host.settings();
    ASSERT_TRUE(settings && *settings);
    EXPECT_EQ((*settings)->edition(), GetParam());
    boost::asio::io_context loop;
    const auto council = daemon::CouncilFile(loop, state, [] {}).read();
    EXPECT_TRUE(council && *council);
    const auto value = durable::FileRegister(state + "/register").read();
    ASSERT_TRUE(value) << value.error();
    EXPECT_EQ(value->edition(), GetParam());
    EXPECT_TRUE(durable::read_certificate(state + "/certificate", test::sample_state().certificate.host));
    EXPECT_EQ(daemon::Receipts().open(state), std::nullopt);
}

// Settings that were agreed on in an earlier edition are written in it, until the hosts agree on the next
// one.
TEST_P(RecordedEdition, Has_state_files_that_are_written_alike) {
    const test::TemporaryFolder place;
    const std::string state = copy_of(folder() + "/state", place);
    daemon::HostFolder host(state);
    ASSERT_TRUE(host.open());
    ASSERT_TRUE(host.note_settings(**host.settings()));
    EXPECT_EQ(content_of(state + "/settings"), state_file("settings"));
    const auto value = durable::FileRegister(state + "/register").read();
    ASSERT_TRUE(value) << value.error();
    EXPECT_EQ(durable::text_of(*value), state_file("register"));
}

}  // namespace
}  // namespace allot
