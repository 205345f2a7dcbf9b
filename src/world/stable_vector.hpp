// A vector that only grows and never moves its elements. One thread at a time may append (the owner
// holds a lock); any thread may read an element whose index it has been handed, without a lock.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

namespace allot::world {

template <class T>
class StableVector {
public:
    StableVector() = default;
    StableVector(const StableVector&) = delete;
    StableVector& operator=(const StableVector&) = delete;
    ~StableVector() {
        for (auto& block : blocks_) delete[] block.load(std::memory_order_relaxed);
    }

    const T& operator[](std::size_t index) const { return *place(index); }
    T& operator[](std::size_t index) { return *place(index); }
    std::size_t size() const { return size_.load(std::memory_order_acquire); }

    std::size_t push_back(T value) {
        const std::size_t index = size_.load(std::memory_order_relaxed);
        const auto [block, offset] = locate(index);
        if (offset == 0) blocks_[block].store(new T[first_block << block], std::memory_order_release);
        blocks_[block].load(std::memory_order_relaxed)[offset] = std::move(value);
        size_.store(index + 1, std::memory_order_release);
        return index;
    }

private:
    // Block b holds twice as many elements as block b - 1, so a short directory reaches far.
    static constexpr std::size_t first_block = 64;

    static std::pair<std::size_t, std::size_t> locate(std::size_t index) {
        const std::size_t shifted = index + first_block;
        const auto block = static_cast<std::size_t>(std::bit_width(shifted) - std::bit_width(first_block));
        return {block, shifted - (first_block << block)};
    }
    T* place(std::size_t index) const {
        const auto [block, offset] = locate(index);
        return blocks_[block].load(std::memory_order_acquire) + offset;
    }

    std::array<std::atomic<T*>, 40> blocks_{};
    std::atomic<std::size_t> size_{0};
};

}  // namespace allot::world
