// The ledger: notes in a memory that outlives this process, for the daemon that follows.
//
// Writing and erasing a note takes no system call, except when the memory must grow. A process that is killed
// at any moment leaves each note whole or not at all: a note counts from one store to its first slot on. Each
// one has a checksum.
//
// The memory is an array of slots. A note that is longer than a slot takes several, each of which names the
// next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace allot::daemon {

struct LedgerSlot;
struct LedgerUnmap {
    std::size_t bytes = 0;
    void operator()(LedgerSlot* slots) const;
};

class Ledger {
public:
    using Place = std::uint32_t;

    // Uses this file, which must not shrink, from `offset` on (a multiple of the kernel's page size). Notes
    // of this object move there and keep their places. An error changes nothing.
    Result<bool> open(const Descriptor& memory, std::size_t offset);

    struct Note {
        Place place = 0;
        std::string bytes;
    };
    struct Found {
        std::vector<Note> notes;
        std::vector<Place> damaged;  // notes that cannot be read; erase() makes room of them
    };
    // The notes of an earlier process. Call it once after the first open(), before anything is written.
    Found take_over();

    // Nothing if there is no memory.
    std::optional<Place> write(std::string_view bytes);
    void erase(Place place);

private:
    using Slot = LedgerSlot;
    using Slots = std::unique_ptr<Slot[], LedgerUnmap>;

    static std::size_t slots_for(std::size_t bytes);
    static Slots mapped(const Descriptor& memory, std::size_t offset, std::size_t count);
    bool grow();
    void use(Slots slots, std::size_t count);
    std::optional<std::vector<Place>> places_of(Place first) const;
    std::optional<std::string> read(const std::vector<Place>& places) const;

    Descriptor memory_;
    std::size_t offset_ = 0;
    Slots slots_;
    std::size_t count_ = 0;
    std::vector<Place> free_;  // the next one is the last: it was used a moment ago
};

}  // namespace allot::daemon
