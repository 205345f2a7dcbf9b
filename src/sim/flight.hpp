// The messages in flight. A run may have millions of them, and touches each twice: when it is sent and when
// it arrives. So a message and its record lie side by side, and slots are reused without construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "core/values.hpp"
#include "core/view.hpp"

namespace allot::sim {

// A message in flight, to the incarnation that its receiver had when it was sent.
struct Letter {
    std::uint64_t number = 0;  // order of sending; 0: the slot is free
    std::uint32_t incarnation = 0;
};

class Flight {
public:
    explicit Flight(const Values<Envelope>& values)
        : values_(values),
          offset_(rounded_up(sizeof(Letter), values.align)),
          stride_(rounded_up(offset_ + values.size, alignment())) {}
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;
    ~Flight() {
        for (std::uint32_t slot = 0; slot < size_; ++slot) {
            values_.destroy_at(&envelope(slot));
            std::destroy_at(&(*this)[slot]);
        }
        for (std::byte* chunk : chunks_) ::operator delete (chunk, std::align_val_t{alignment()});
    }

    // Returns a slot, with an old envelope in it.
    std::uint32_t take() {
        if (!free_.empty()) {
            const std::uint32_t slot = free_.back();
            free_.pop_back();
            return slot;
        }
        if (size_ % chunk_size == 0) add_chunk();
        std::byte* const place = place_of(size_);
        new (place) Letter{};
        base_offset_ = reinterpret_cast<std::byte*>(values_.construct(place + offset_)) - place;
        return size_++;
    }
    void give_back(std::uint32_t slot) { free_.push_back(slot); }

    Letter& operator[](std::uint32_t slot) {
        return *std::launder(reinterpret_cast<Letter*>(place_of(slot)));
    }
    const Letter& operator[](std::uint32_t slot) const {
        return *std::launder(reinterpret_cast<const Letter*>(place_of(slot)));
    }
    Envelope& envelope(std::uint32_t slot) const {
        return *std::launder(reinterpret_cast<Envelope*>(place_of(slot) + base_offset_));
    }
    // Number of slots, free ones included.
    std::uint32_t size() const { return size_; }

private:
    static constexpr std::uint32_t chunk_size = 4096;

    static std::size_t rounded_up(std::size_t size, std::size_t align) {
        return (size + align - 1) / align * align;
    }
    std::size_t alignment() const { return std::max(alignof(Letter), values_.align); }
    std::byte* place_of(std::uint32_t slot) const {
        return chunks_[slot / chunk_size] + slot % chunk_size * stride_;
    }
    void add_chunk() {
        void* const chunk = ::operator new (chunk_size* stride_, std::align_val_t{alignment()});
        chunks_.push_back(static_cast<std::byte*>(chunk));
    }

    const Values<Envelope>& values_;
    const std::size_t offset_;        // of the whole envelope within a slot
    const std::size_t stride_;        // from one slot to the next
    std::ptrdiff_t base_offset_ = 0;  // of its Envelope base
    std::vector<std::byte*> chunks_;
    std::vector<std::uint32_t> free_;
    std::uint32_t size_ = 0;
};

}  // namespace allot::sim
