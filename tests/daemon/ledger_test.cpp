// Notes for the next daemon, in memory that both have.
#include "daemon/ledger.hpp"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace allot::daemon {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct LedgerTest : testing::Test {
    static constexpr std::size_t offset = 1 << 16;
    static constexpr std::size_t slot_bytes = 512;
    static constexpr std::size_t next_at = 20, content_at = 24;

    static Descriptor new_memory() {
        return Descriptor(::memfd_create("ledger", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    }

    LedgerTest() { EXPECT_TRUE(ledger.open(memory, offset)); }

    // As the next daemon finds it.
    struct Next {
        explicit Next(const Descriptor& from) {
            EXPECT_TRUE(ledger.open(from, offset));
            found = ledger.take_over();
        }
        std::vector<std::string> notes() const {
            std::vector<std::string> all;
            for (const Ledger::Note& note : found.notes) all.push_back(note.bytes);
            return all;
        }
        Ledger ledger;
        Ledger::Found found;
    };
    Next next() const { return Next(memory); }

    off_t place_of(Ledger::Place place, std::size_t byte) const {
        return static_cast<off_t>(offset + place * slot_bytes + byte);
    }
    void flip(Ledger::Place place, std::size_t byte) const {
        char value = 0;
        ASSERT_EQ(::pread(memory.get(), &value, 1, place_of(place, byte)), 1);
        value = static_cast<char>(value ^ 0x40);
        ASSERT_EQ(::pwrite(memory.get(), &value, 1, place_of(place, byte)), 1);
    }
    // As if the process had been killed before the last store.
    void undo_last_store(Ledger::Place place) const {
        const std::uint64_t none = 0;
        ASSERT_EQ(::pwrite(memory.get(), &none, sizeof none, place_of(place, 0)), 8);
    }
    std::size_t size() const {
        struct stat state {};
        ::fstat(memory.get(), &state);
        return static_cast<std::size_t>(state.st_size);
    }

    Descriptor memory = new_memory();
    Ledger ledger;
    const std::string long_note = std::string(1000, 'a') + std::string(1000, 'b');
};

TEST_F(LedgerTest, The_next_daemon_finds_every_note) {
    EXPECT_THAT(next().notes(), IsEmpty());
    ASSERT_TRUE(ledger.write("one"));
    ASSERT_TRUE(ledger.write(long_note));
    ASSERT_TRUE(ledger.write(""));
    EXPECT_THAT(next().notes(), UnorderedElementsAre("one", long_note, ""));
    EXPECT_THAT(next().found.damaged, IsEmpty());
}

TEST_F(LedgerTest, The_next_daemon_goes_on_with_the_notes) {
    ASSERT_TRUE(ledger.write("one"));
    ASSERT_TRUE(ledger.write(long_note));
    Next second = next();
    for (const Ledger::Note& note : second.found.notes)
        if (note.bytes == long_note) second.ledger.erase(note.place);
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(second.ledger.write("more"));
    EXPECT_EQ(std::ranges::count(next().notes(), "one"), 1);
    EXPECT_EQ(std::ranges::count(next().notes(), "more"), 10);
    EXPECT_EQ(next().notes().size(), 11u);
}

TEST_F(LedgerTest, Slots_are_used_again) {
    ASSERT_TRUE(ledger.write("kept"));
    const std::size_t before = size();
    for (int i = 0; i < 10'000; ++i) {
        const auto place = ledger.write(i % 2 == 0 ? "short" : long_note);
        ASSERT_TRUE(place);
        ledger.erase(*place);
    }
    EXPECT_EQ(size(), before);
    EXPECT_THAT(next().notes(), UnorderedElementsAre("kept"));
}

TEST_F(LedgerTest, The_memory_grows) {
    std::vector<std::string> written;
    for (int i = 0; i < 3000; ++i) {
        written.push_back(std::to_string(i) + (i % 100 == 0 ? long_note : ""));
        ASSERT_TRUE(ledger.write(written.back()));
    }
    EXPECT_THAT(next().notes(), testing::UnorderedElementsAreArray(written));
}

TEST_F(LedgerTest, A_note_that_was_not_completed_does_not_count) {
    ASSERT_TRUE(ledger.write("one"));
    for (const std::string& bytes : {std::string("short"), long_note}) {
        const auto place = ledger.write(bytes);
        ASSERT_TRUE(place);
        undo_last_store(*place);
        EXPECT_THAT(next().notes(), UnorderedElementsAre("one"));
        EXPECT_THAT(next().found.damaged, IsEmpty());
    }
}

TEST_F(LedgerTest, A_damaged_byte_is_noticed_wherever_it_is) {
    const auto place = ledger.write("short");
    ASSERT_TRUE(place);
    for (std::size_t byte = 0; byte < content_at + 5; ++byte) {
        if (byte >= next_at && byte < content_at) continue;  // nothing follows
        flip(*place, byte);
        Descriptor copy = new_memory();
        std::string all(size(), ' ');
        ASSERT_EQ(::pread(memory.get(), all.data(), all.size(), 0), static_cast<ssize_t>(all.size()));
        ASSERT_EQ(::pwrite(copy.get(), all.data(), all.size(), 0), static_cast<ssize_t>(all.size()));
        Next found(copy);
        EXPECT_THAT(found.notes(), IsEmpty()) << "byte " << byte;
        ASSERT_EQ(found.found.damaged.size(), 1u) << "byte " << byte;
        EXPECT_EQ(Next(copy).found.damaged.size(), 1u) << "it stays until it is erased";
        found.ledger.erase(found.found.damaged.front());
        EXPECT_THAT(Next(copy).found.damaged, IsEmpty());
        flip(*place, byte);
    }
    EXPECT_THAT(next().notes(), UnorderedElementsAre("short"));
}

TEST_F(LedgerTest, A_damaged_chain_costs_no_other_note) {
    ASSERT_TRUE(ledger.write("one"));
    const auto place = ledger.write(long_note);
    ASSERT_TRUE(place);
    ASSERT_TRUE(ledger.write("two"));
    flip(*place, next_at);
    Next second = next();
    EXPECT_THAT(second.notes(), UnorderedElementsAre("one", "two"));
    ASSERT_EQ(second.found.damaged.size(), 1u);
    second.ledger.erase(second.found.damaged.front());
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(second.ledger.write("more"));
    EXPECT_EQ(next().notes().size(), 1002u);
    EXPECT_THAT(next().found.damaged, IsEmpty());
}

TEST_F(LedgerTest, Notes_move_to_another_memory) {
    const auto one = ledger.write("one");
    ASSERT_TRUE(one && ledger.write(long_note));
    memory = new_memory();
    ASSERT_TRUE(ledger.open(memory, offset));
    EXPECT_THAT(next().notes(), UnorderedElementsAre("one", long_note));
    ledger.erase(*one);
    ASSERT_TRUE(ledger.write("two"));
    EXPECT_THAT(next().notes(), UnorderedElementsAre("two", long_note));
    ASSERT_TRUE(ledger.open(memory, offset)) << "the same again";
    EXPECT_THAT(next().notes(), UnorderedElementsAre("two", long_note));
}

TEST_F(LedgerTest, Without_memory_nothing_is_written) {
    ASSERT_EQ(::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_GROW), 0);
    EXPECT_FALSE(ledger.write("one"));
    EXPECT_THAT(next().notes(), IsEmpty());
}

TEST_F(LedgerTest, Notes_that_cannot_move_stay) {
    ASSERT_TRUE(ledger.write("one"));
    const Descriptor fixed = new_memory();
    ASSERT_EQ(::fcntl(fixed.get(), F_ADD_SEALS, F_SEAL_GROW), 0);
    EXPECT_FALSE(ledger.open(fixed, offset));
    ASSERT_TRUE(ledger.write("two"));
    EXPECT_THAT(next().notes(), UnorderedElementsAre("one", "two"));
}

// A note is its number, many times.
TEST_F(LedgerTest, A_process_that_is_killed_leaves_whole_notes) {
    const auto note_of = [](int number) {
        return std::string(static_cast<std::size_t>(1 + number % 3000), static_cast<char>(number % 251));
    };
    for (int round = 0; round < 30; ++round) {
        memory = new_memory();
        int ready[2];
        ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
        const pid_t writer = ::fork();
        if (writer == 0) {
            Ledger mine;
            if (!mine.open(memory, offset)) ::_exit(1);
            auto before = mine.write(note_of(1));
            (void)!::write(ready[1], "", 1);
            for (int number = 7 * round; before; ++number) {
                const auto place = mine.write(note_of(number));
                mine.erase(*before);
                before = place;
            }
            ::_exit(1);
        }
        char one = 0;
        EXPECT_EQ(::read(ready[0], &one, 1), 1);
        ::kill(writer, SIGKILL);
        ::waitpid(writer, nullptr, 0);
        ::close(ready[0]);
        ::close(ready[1]);
        const Next found = next();
        EXPECT_THAT(found.found.damaged, IsEmpty());
        EXPECT_THAT(found.notes().size(), testing::AnyOf(1u, 2u));
        for (const std::string& bytes : found.notes())
            EXPECT_EQ(bytes, std::string(bytes.size(), bytes.front()));
    }
}

}  // namespace
}  // namespace allot::daemon
