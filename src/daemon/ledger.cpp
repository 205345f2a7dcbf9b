#include "daemon/ledger.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/hash.hpp"

namespace allot::daemon {

namespace {

constexpr std::size_t slot_bytes = 512;
constexpr std::size_t head_bytes = 24;
constexpr std::size_t first_slots = 256;
constexpr std::size_t most_slots = std::size_t{1} << 24;
// Changes with the layout: notes of another layout count as damaged.
constexpr std::uint64_t whole = 0x3172'6567'6465'6c61;
constexpr std::uint64_t none = 0;
constexpr std::uint64_t damaged = 1;

Error no_memory() {
    return Error{std::string("the notes for the next daemon cannot be kept: ") + std::strerror(errno)};
}

}  // namespace

struct LedgerSlot {
    std::uint64_t state;  // `whole` if a note begins here
    std::uint64_t checksum;
    std::uint32_t length;  // of the whole note
    Ledger::Place next;
    char content[slot_bytes - head_bytes];

    std::atomic_ref<std::uint64_t> atomic_state() { return std::atomic_ref(state); }
};

void LedgerUnmap::operator()(LedgerSlot* slots) const {
    ::munmap(slots, bytes);
}

std::size_t Ledger::slots_for(std::size_t bytes) {
    static_assert(sizeof(Slot) == slot_bytes);
    return std::max<std::size_t>(1, (bytes + sizeof(Slot::content) - 1) / sizeof(Slot::content));
}

// --- Memory.

// The kernel gives the memory now: a write must not fail later, which would end the process.
Ledger::Slots Ledger::mapped(const Descriptor& memory, std::size_t offset, std::size_t count) {
    const std::size_t bytes = count * slot_bytes;
    int failure = EINTR;
    while (failure == EINTR)
        failure = ::posix_fallocate(memory.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes));
    if (failure != 0) {
        errno = failure;
        return {};
    }
    void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                               memory.get(), static_cast<off_t>(offset));
    if (place == MAP_FAILED) return {};
    return Slots(static_cast<Slot*>(place), LedgerUnmap{bytes});
}

Result<bool> Ledger::open(const Descriptor& memory, std::size_t offset) {
    struct stat state {};
    Descriptor copy = memory.copy();
    if (!copy || ::fstat(copy.get(), &state) != 0) return no_memory();
    const auto size = static_cast<std::size_t>(state.st_size);
    const std::size_t written = size > offset ? (size - offset) / slot_bytes : 0;
    const std::size_t count = std::max(written, count_);
    Slots slots = count > 0 ? mapped(copy, offset, count) : Slots();
    if (count > 0 && !slots) return no_memory();
    if (slots_) std::memcpy(slots.get(), slots_.get(), count_ * slot_bytes);
    memory_ = std::move(copy);
    offset_ = offset;
    use(std::move(slots), count);
    return true;
}

bool Ledger::grow() {
    const std::size_t count = std::max(first_slots, 2 * count_);
    if (!memory_ || count > most_slots) return false;
    Slots slots = mapped(memory_, offset_, count);
    if (!slots) return false;
    use(std::move(slots), count);
    return true;
}

// The slots that are new are free.
void Ledger::use(Slots slots, std::size_t count) {
    for (std::size_t place = count; place-- > count_;) free_.push_back(static_cast<Place>(place));
    slots_ = std::move(slots);
    count_ = count;
}

// --- Notes.

std::optional<Ledger::Place> Ledger::write(std::string_view bytes) {
    constexpr std::size_t part = sizeof(Slot::content);
    const std::size_t needed = slots_for(bytes.size());
    while (free_.size() < needed)
        if (!grow()) return std::nullopt;
    Place next = 0;
    for (std::size_t i = needed; i-- > 0;) {
        const Place place = free_.back();
        free_.pop_back();
        const std::string_view content = bytes.substr(std::min(bytes.size(), i * part), part);
        std::memcpy(slots_[place].content, content.data(), content.size());
        slots_[place].next = next;
        next = place;
    }
    Slot& first = slots_[next];
    first.length = static_cast<std::uint32_t>(bytes.size());
    first.checksum = hash_bytes(bytes);
    first.atomic_state().store(whole, std::memory_order_release);
    return next;
}

void Ledger::erase(Place place) {
    std::size_t left = slots_[place].state == whole ? slots_for(slots_[place].length) : 1;
    slots_[place].atomic_state().store(none, std::memory_order_relaxed);
    // Nothing that is written there next may come before this store.
    std::atomic_thread_fence(std::memory_order_release);
    for (; left > 0; --left) {
        free_.push_back(place);
        place = slots_[place].next;
    }
}

// Nothing if the note is damaged.
std::optional<std::vector<Ledger::Place>> Ledger::places_of(Place first) const {
    std::vector<Place> places;
    const std::size_t needed = slots_for(slots_[first].length);
    for (Place place = first; places.size() < needed; place = slots_[place].next) {
        if (place >= count_ || needed > count_) return std::nullopt;
        places.push_back(place);
    }
    return places;
}

std::optional<std::string> Ledger::read(const std::vector<Place>& places) const {
    const Slot& first = slots_[places.front()];
    std::string bytes;
    for (const Place place : places)
        bytes.append(slots_[place].content, std::min(first.length - bytes.size(), sizeof(Slot::content)));
    if (hash_bytes(bytes) != first.checksum) return std::nullopt;
    return bytes;
}

Ledger::Found Ledger::take_over() {
    Found found;
    std::vector<bool> used(count_);
    for (Place place = 0; place < count_; ++place) {
        if (slots_[place].atomic_state().load(std::memory_order_acquire) != whole) continue;
        const auto places = places_of(place);
        auto bytes = places ? read(*places) : std::nullopt;
        if (!bytes) continue;
        for (const Place part : *places) used[part] = true;
        found.notes.push_back({place, std::move(*bytes)});
    }
    free_.clear();
    for (auto place = static_cast<Place>(count_); place-- > 0;) {
        if (used[place]) continue;
        if (slots_[place].state == none) {
            free_.push_back(place);
            continue;
        }
        slots_[place].atomic_state().store(damaged, std::memory_order_relaxed);
        found.damaged.push_back(place);
    }
    return found;
}

}  // namespace allot::daemon
