#include "check/store.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "base/stop.hpp"

namespace allot::check {

namespace {

void pack_id(std::uint32_t id, Unit*& out) {
    if (id >= large_id) *out++ = static_cast<Unit>(large_id | (id >> 16));
    *out++ = static_cast<Unit>(id);
}

std::uint32_t unpack_id(const Unit*& at) {
    const std::uint32_t first = *at++;
    if (first < large_id) return first;
    return (first & (large_id - 1u)) << 16 | *at++;
}

}  // namespace

Unit* pack(const walk::World& world, Unit* out) {
    pack_id(world.ledger, out);
    for (const auto id : world.sites) pack_id(id, out);
    for (const auto id : world.flight) pack_id(id, out);
    return out;
}

void unpack(Tuple tuple, std::size_t sites, walk::World& world) {
    std::uint64_t all = last_chunk(tuple);
    for (std::size_t i = 0; i + 1 < chunks(tuple); ++i) all |= chunk(tuple, i);
    const bool narrow = (all & (large_id * 0x0001'0001'0001'0001u)) == 0;
    const Unit* at = tuple.data();
    const Unit* const end = at + tuple.size();
    world.sites.resize(sites);
    if (narrow) {
        world.ledger = *at++;
        for (auto& id : world.sites) id = *at++;
        world.flight.resize(static_cast<std::size_t>(end - at));
        for (auto& id : world.flight) id = *at++;
        return;
    }
    world.ledger = unpack_id(at);
    for (auto& id : world.sites) id = unpack_id(at);
    world.flight.clear();
    while (at != end) world.flight.push_back(unpack_id(at));
}

Store::Store(StoreKind kind, std::size_t bytes)
    : kind_(kind),
      words_(std::min<std::size_t>(bytes / sizeof(std::uint32_t), 0xFFFF0000u)),
      slots_(std::size_t{1} << 12),
      mask_(slots_.capacity() - 1) {}

Position Store::append(Tuple tuple, std::uint64_t hash, std::uint32_t parent, std::size_t slot) {
    const Position at = end_;
    words_[at] = parent;
    if (kind_ == StoreKind::exact) {
        words_[at + 1] = 1;
        Unit* units = reinterpret_cast<Unit*>(&words_[at + 2]);
        units[0] = static_cast<Unit>(tuple.size());
        copy_units(tuple, units + 1);
    } else {
        words_[at + 1] = static_cast<std::uint32_t>(hash);
        words_[at + 2] = static_cast<std::uint32_t>(hash >> 32);
    }
    count_in(hash, slot);
    return at;
}

void Store::count_in(std::uint64_t hash, std::size_t slot) {
    slots_[slot] = {end_, tag_of(hash)};
    end_ = next(end_);
    if (++count_ * 4 > slots_.capacity() * 3) grow();
}

void Store::write(CheckpointWriter& out) const {
    out.number(end_);
    out.raw(&words_[1], (std::size_t{end_} - 1) * sizeof words_[1]);
}

void Store::read(CheckpointReader& in) {
    const auto end = static_cast<Position>(in.number());
    ensure(end < words_.capacity(), "a checkpoint is larger than the memory limit");
    in.raw(&words_[1], (std::size_t{end} - 1) * sizeof words_[1]);
    while (end_ != end) {
        stop::poll();
        const Tuple record = tuple(end_);
        const std::uint64_t hash = hash_of(record);
        count_in(hash, slot_of(record, hash));
    }
}

void Store::grow() {
    Reserve<Slot> old(slots_.capacity() * 2);
    std::swap(old, slots_);
    mask_ = slots_.capacity() - 1;
    for (std::size_t i = 0; i < old.capacity(); ++i) {
        if (old[i].position == 0) continue;
        std::size_t free = old[i].tag & mask_;
        while (slots_[free].position != 0) free = (free + 1) & mask_;
        slots_[free] = old[i];
    }
}

}  // namespace allot::check
