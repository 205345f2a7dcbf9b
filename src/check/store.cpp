#include "check/store.hpp"

#include <algorithm>

#include "world/walker.hpp"

namespace allot::check {

namespace {

constexpr Unit large_id = 0x8000;

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

void Packed::assign(const world::World& world) {
    const std::size_t most = 2 * (1 + world.sites.size() + world.flight.size()) + spare;
    if (units_.size() < most) units_.resize(2 * most);
    Unit* out = units_.data();
    pack_id(world.ledger, out);
    for (const auto id : world.sites) pack_id(id, out);
    for (const auto id : world.flight) pack_id(id, out);
    size_ = static_cast<std::size_t>(out - units_.data());
}

bool Packed::assign_step(const world::Machine& machine, Tuple before, const world::World& world, SiteId site,
                         const world::Reaction& reaction, std::size_t received) {
    if (before.size() != 1 + world.sites.size() + world.flight.size() || reaction.after >= large_id)
        return false;
    const std::size_t most = before.size() + reaction.sent.size() + spare;
    if (units_.size() < most) units_.resize(2 * most);
    Unit* const out = units_.data();
    Unit* const flight = out + 1 + world.sites.size();
    copy_units(before, out);
    Unit* end = out + before.size();
    out[1 + site] = static_cast<Unit>(reaction.after);
    if (received != world::Walker::nothing_received) {
        for (Unit* at = flight + received; at + 1 != end; ++at) at[0] = at[1];
        --end;
    }
    for (const world::EnvelopeId id : reaction.sent) {
        if (id >= large_id) return false;
        const world::EnvelopeInfo& envelope = machine.envelope(id);
        if (!machine.local(out[1 + envelope.to]).up()) continue;
        Unit* place = end++;
        for (; place != flight && machine.envelope(place[-1]).order > envelope.order; --place)
            *place = place[-1];
        *place = static_cast<Unit>(id);
    }
    size_ = static_cast<std::size_t>(end - out);
    return true;
}

void unpack(Tuple tuple, std::size_t sites, world::World& world) {
    const Unit* at = tuple.data();
    const Unit* end = at + tuple.size();
    Unit large = 0;
    for (const Unit unit : tuple) large |= unit;
    world.sites.resize(sites);
    if (large < large_id) {
        world.ledger = *at++;
        std::copy(at, at + sites, world.sites.begin());
        world.flight.assign(at + sites, end);
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
      slots_(std::size_t{1} << 12, true),
      mask_(slots_.capacity() - 1) {}

Position Store::find(Tuple tuple, std::uint64_t hash) const {
    for (std::size_t i = home(hash);; i = (i + 1) & mask_) {
        const Slot& slot = slots_[i];
        if (slot.position == 0) return 0;
        if (slot.tag == tag_of(hash) && same(slot.position, tuple, hash)) return slot.position;
    }
}

Store::Found Store::insert(Tuple tuple, std::uint64_t hash, std::uint32_t parent) {
    if ((count_ + 1) * 4 > slots_.capacity() * 3) grow();
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
        copy_units(tuple, units + 1);
    } else {
        words_[at + 1] = static_cast<std::uint32_t>(hash);
        words_[at + 2] = static_cast<std::uint32_t>(hash >> 32);
    }
    ++count_;
    end_ = next(at);
    return {at, true};
}

void Store::grow() {
    Reserve<Slot> old(slots_.capacity() * 2, true);
    std::swap(old, slots_);
    mask_ = slots_.capacity() - 1;
    for (std::size_t i = 0; i < old.capacity(); ++i)
        if (old[i].position != 0) slots_[free_slot(old[i].tag)] = old[i];
}

}  // namespace allot::check
