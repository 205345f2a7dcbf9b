// A vector that only grows and never moves its elements. One thread at a time may append (the owner
// holds a lock); any thread may read an element whose index it has been handed, without a lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

namespace allot::world {

template <class T>
class StableVector {
public:
    // The system hands out zeroed memory as it is touched, so the long directory of a short vector costs
    // nothing.
    StableVector() : pages_(static_cast<std::atomic<T*>*>(std::calloc(page_count, sizeof(std::atomic<T*>)))) {
        if (pages_ == nullptr) throw std::bad_alloc();
    }
    StableVector(const StableVector&) = delete;
    StableVector& operator=(const StableVector&) = delete;
    ~StableVector() {
        for (std::size_t i = size_; i > 0; --i) std::destroy_at(place(i - 1));
        for (std::size_t i = 0; i * page_size < size_; ++i)
            std::allocator<T>().deallocate(pages_[i], page_size);
        std::free(pages_);
    }

    const T& operator[](std::size_t index) const { return *place(index); }
    std::size_t size() const { return size_; }

    std::size_t push_back(T value) {
        if (size_ == page_size * page_count) throw std::length_error("too many distinct states");
        if (size_ % page_size == 0)
            pages_[size_ / page_size].store(std::allocator<T>().allocate(page_size),
                                            std::memory_order_release);
        std::construct_at(place(size_), std::move(value));
        return size_++;
    }

private:
    static constexpr std::size_t page_size = 1024;
    static constexpr std::size_t page_count = 1 << 18;

    T* place(std::size_t index) const {
        return pages_[index / page_size].load(std::memory_order_acquire) + index % page_size;
    }

    std::atomic<T*>* pages_;
    std::size_t size_ = 0;
};

}  // namespace allot::world
