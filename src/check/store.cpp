#include "check/store.hpp"

#include <algorithm>
#include <cstring>

#include "core/hash.hpp"

namespace allot::check {

namespace {

constexpr Unit large_id = 0x8000;

void pack_id(std::uint32_t id, std::vector<Unit>& out) {
    if (id >= large_id) {
        out.push_back(static_cast<Unit>(large_id | (id >> 16)));
        out.push_back(static_cast<Unit>(id));
    } else {
        out.push_back(static_cast<Unit>(id));
    }
}

std::uint32_t unpack_id(const Unit*& at) {
    const std::uint32_t first = *at++;
    if (first < large_id) return first;
    return (first & (large_id - 1u)) << 16 | *at++;
}

}  // namespace

void pack(const world::World& world, std::vector<Unit>& out) {
    pack_id(world.ledger, out);
    for (const auto id : world.sites) pack_id(id, out);
    for (const auto id : world.flight) pack_id(id, out);
}

void unpack(Tuple tuple, std::size_t sites, world::World& world) {
    const Unit* at = tuple.data();
    const Unit* end = at + tuple.size();
    world.ledger = unpack_id(at);
    world.sites.resize(sites);
    for (auto& id : world.sites) id = unpack_id(at);
    world.flight.clear();
    while (at != end) world.flight.push_back(unpack_id(at));
}

std::uint64_t hash_of(Tuple tuple) { return hash_bytes(tuple.data(), tuple.size() * sizeof(Unit)); }

Store::Store(StoreKind kind, std::size_t bytes)
    : kind_(kind), words_(std::min<std::size_t>(bytes / sizeof(std::uint32_t), 0xFFFF0000u)), slots_(1 << 12), mask_(slots_.size() - 1) {}

bool Store::same(Position at, Tuple other, std::uint64_t hash) const {
    if (kind_ == StoreKind::fingerprint) return fingerprint(at) == hash;
    const Tuple mine = tuple(at);
    return mine.size() == other.size() && std::memcmp(mine.data(), other.data(), other.size_bytes()) == 0;
}

Position Store::find(Tuple tuple, std::uint64_t hash) const {
    for (std::size_t i = home(hash);; i = (i + 1) & mask_) {
        const Slot& slot = slots_[i];
        if (slot.position == 0) return 0;
        if (slot.tag == tag_of(hash) && same(slot.position, tuple, hash)) return slot.position;
    }
}

Store::Found Store::insert(Tuple tuple, std::uint64_t hash, std::uint32_t parent) {
    if ((count_ + 1) * 4 > slots_.size() * 3) grow();
    std::size_t i = home(hash);
    for (; slots_[i].position != 0; i = (i + 1) & mask_)
        if (slots_[i].tag == tag_of(hash) && same(slots_[i].position, tuple, hash)) {
            if (kind_ == StoreKind::exact) ++words_[slots_[i].position + 1];
            return {slots_[i].position, false};
        }

    const Position at = end_;
    slots_[i] = {at, tag_of(hash)};
    words_[at] = parent;
    if (kind_ == StoreKind::exact) {
        words_[at + 1] = 1;
        Unit* units = reinterpret_cast<Unit*>(&words_[at + 2]);
        units[0] = static_cast<Unit>(tuple.size());
        std::copy(tuple.begin(), tuple.end(), units + 1);
    } else {
        words_[at + 1] = static_cast<std::uint32_t>(hash);
        words_[at + 2] = static_cast<std::uint32_t>(hash >> 32);
    }
    ++count_;
    end_ = next(at);
    return {at, true};
}

// The new table is filled by walking the records in order, so that only the writes are scattered.
void Store::grow() {
    std::vector<Slot>(slots_.size() * 2).swap(slots_);
    mask_ = slots_.size() - 1;
    for (Position at = first(); at != end_; at = next(at)) {
        const std::uint64_t hash = fingerprint(at);
        std::size_t i = home(hash);
        while (slots_[i].position != 0) i = (i + 1) & mask_;
        slots_[i] = {at, tag_of(hash)};
    }
}

}  // namespace allot::check
