// The store of explored worlds: each tuple of ids once, in the order of discovery, with its parent. An exact
// store is also the queue of the breadth-first search: a cursor that walks its records visits the worlds in
// breadth-first order.
//
// A record is [parent][note][length][ids...]; the note counts how often the tuple was found, until an
// analysis uses it otherwise; ids take two bytes, or four if they are large. The hash table holds positions
// of records. A fingerprint store keeps [parent][64 bits of hash] instead: it takes two worlds with the same
// hash for one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "check/checkpoint.hpp"
#include "check/reserve.hpp"
#include "walk/machine.hpp"

namespace allot::check {

using Unit = std::uint16_t;
using Tuple = std::span<const Unit>;

// Tuples are short and differ in length. So they are read in chunks of four units, of which the last overlaps
// the one before it, and copied in blocks that usually hold a whole tuple: loops with few rounds and calls of
// memcmp would cost more. The owner of a tuple keeps `spare` units behind its end that may be read and, in a
// copy, written.
inline constexpr std::size_t block = 16;
inline constexpr std::size_t spare = block;
inline std::size_t chunks(Tuple tuple) {
    return (tuple.size() + 3) / 4;
}
inline std::uint64_t chunk_at(const Unit* units) {
    std::uint64_t value;
    std::memcpy(&value, units, sizeof value);
    return value;
}
inline std::uint64_t chunk(Tuple tuple, std::size_t index) {
    return chunk_at(tuple.data() + 4 * index);
}
inline std::uint64_t last_chunk(Tuple tuple) {
    if (tuple.size() >= 4) return chunk_at(tuple.data() + tuple.size() - 4);
    return chunk_at(tuple.data()) & (~std::uint64_t{0} >> (64 - 16 * tuple.size()));
}

__extension__ using Wide = unsigned __int128;

// Folds chunks through a 64 x 64 bit multiplication, the way wyhash and XXH3 do.
inline std::uint64_t hash_of(Tuple tuple) {
    const auto fold = [](std::uint64_t a, std::uint64_t b) {
        const auto product = static_cast<Wide>(a) * b;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    };
    std::uint64_t hash = tuple.size() * 0x9E3779B97F4A7C15u;
    const std::size_t whole = chunks(tuple) - 1;
    for (std::size_t i = 0; i < whole; ++i) hash = fold(hash ^ chunk(tuple, i), 0xA0761D6478BD642Fu);
    return fold(hash ^ last_chunk(tuple) ^ 0xE7037ED1A0B428DBu, 0x8EBC6AF09C88C6E3u);
}

inline bool equal(Tuple a, Tuple b) {
    if (a.size() != b.size()) return false;
    const std::size_t whole = chunks(a) - 1;
    for (std::size_t i = 0; i < whole; ++i)
        if (chunk(a, i) != chunk(b, i)) return false;
    return last_chunk(a) == last_chunk(b);
}

inline void copy_units(Tuple from, Unit* to) {
    std::size_t i = 0;
    do std::memcpy(to + i, from.data() + i, block * sizeof(Unit));
    while ((i += block) < from.size());
}

// Ids from this one on take two units.
inline constexpr Unit large_id = 0x8000;

// Writes the ids of a world in the order ledger, sites, flight: at most this many units. Returns the end.
inline std::size_t most_units(const walk::World& world) {
    return 2 * (1 + world.sites.size() + world.flight.size());
}
Unit* pack(const walk::World& world, Unit* out);
void unpack(Tuple tuple, std::size_t sites, walk::World& world);
// True if each id of the world takes one unit in its tuple, so that steps can be written in place.
inline bool is_narrow(Tuple tuple, const walk::World& world) {
    return tuple.size() == 1 + world.sites.size() + world.flight.size();
}

// The tuple of a world, with memory of its own.
class Packed {
public:
    Packed() = default;
    explicit Packed(const walk::World& world) { assign(world); }
    void assign(const walk::World& world) {
        units_.resize(std::max(units_.size(), most_units(world) + spare));
        size_ = static_cast<std::size_t>(pack(world, units_.data()) - units_.data());
    }
    operator Tuple() const { return {units_.data(), size_}; }

private:
    std::vector<Unit> units_;  // never shrinks; the first size_ count
    std::size_t size_ = 0;
};

enum class StoreKind : std::uint8_t { exact, fingerprint };
BOOST_DESCRIBE_ENUM(StoreKind, exact, fingerprint)

// Names a record: its position in words of four bytes. 0 is no record.
using Position = std::uint32_t;

// Each thread writes to its own store, so no two may share a cache line.
class alignas(64) Store {
public:
    // Reserves address space for up to `bytes`; memory is allocated as it is used.
    Store(StoreKind kind, std::size_t bytes);

    struct Found {
        Position position;
        bool fresh;
    };
    // Stores the tuple unless it is there. `parent` is any value that the caller wants to keep with it.
    // Every step of a search ends here, and a call would cost as much as the comparison.
    [[gnu::always_inline]] Found insert(Tuple tuple, std::uint64_t hash, std::uint32_t parent) {
        const std::size_t slot = slot_of(tuple, hash);
        const Position at = slots_[slot].position;
        if (at == 0) return {append(tuple, hash, parent, slot), true};
        if (kind_ == StoreKind::exact) ++words_[at + 1];
        return {at, false};
    }
    // 0 if the tuple is not there.
    Position find(Tuple tuple, std::uint64_t hash) const { return slots_[slot_of(tuple, hash)].position; }
    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[home(hash)]); }
    void prefetch_record(std::uint64_t hash) const {
        const Slot& slot = slots_[home(hash)];
        if (slot.position != 0 && slot.tag == tag_of(hash)) __builtin_prefetch(&words_[slot.position]);
    }

    std::uint32_t parent(Position at) const { return words_[at]; }
    std::uint32_t& note(Position at) { return words_[at + 1]; }
    std::uint64_t fingerprint(Position at) const {
        if (kind_ == StoreKind::exact) return hash_of(tuple(at));
        return words_[at + 1] | std::uint64_t{words_[at + 2]} << 32;
    }
    // Exact stores only.
    Tuple tuple(Position at) const {
        const Unit* units = reinterpret_cast<const Unit*>(&words_[at + 2]);
        return {units + 1, units[0]};
    }

    // All records as they are in memory; exact stores only. A store that reads them must be empty.
    void write(CheckpointWriter& out) const;
    void read(CheckpointReader& in);

    // Walking in order of discovery: from first(), while at != end().
    Position first() const { return 1; }
    Position end() const { return end_; }
    Position next(Position at) const {
        return at + (kind_ == StoreKind::exact ? words_for(tuple(at).size()) : fingerprint_words);
    }

    std::size_t size() const { return count_; }
    std::size_t bytes() const {
        return std::size_t{end_} * sizeof(std::uint32_t) + slots_.capacity() * sizeof(Slot);
    }
    // True if no further record may fit; and how much memory the table allocates when it grows next.
    bool full() const { return std::size_t{end_} + 70'000 > words_.capacity(); }
    std::size_t growth_bytes() const { return slots_.capacity() * 2 * sizeof(Slot); }
    bool grows_within(std::size_t insertions) const {
        return (count_ + insertions) * 4 > slots_.capacity() * 3;
    }

private:
    // The tag is half of the hash: enough to tell most tuples apart, and to find the slot's place in a larger
    // table without the record.
    struct Slot {
        Position position;
        std::uint32_t tag;
    };

    static Position words_for(std::size_t units) { return static_cast<Position>(2 + (1 + units + 1) / 2); }
    static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
    std::size_t home(std::uint64_t hash) const { return tag_of(hash) & mask_; }
    // The slot of the tuple, or the free one where it belongs.
    std::size_t slot_of(Tuple tuple, std::uint64_t hash) const {
        std::size_t i = home(hash);
        for (; slots_[i].position != 0; i = (i + 1) & mask_)
            if (slots_[i].tag == tag_of(hash) && same(slots_[i].position, tuple, hash)) break;
        return i;
    }
    static constexpr Position fingerprint_words = 3;
    bool same(Position at, Tuple other, std::uint64_t hash) const {
        if (kind_ == StoreKind::fingerprint) return fingerprint(at) == hash;
        return equal(tuple(at), other);
    }
    Position append(Tuple tuple, std::uint64_t hash, std::uint32_t parent, std::size_t slot);
    // Counts the record that was written at the end.
    void count_in(std::uint64_t hash, std::size_t slot);
    void grow();

    StoreKind kind_;
    Reserve<std::uint32_t> words_;
    Reserve<Slot> slots_;
    std::size_t mask_;
    std::size_t count_ = 0;
    Position end_ = 1;
};

}  // namespace allot::check
