// A vector that never moves its elements. One thread at a time may append (the owner holds a lock); any
// thread may read an element whose index it has been handed, without a lock. Nobody may read while elements
// are removed from its end.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <utility>

namespace allot {

template <class T>
class StableVector {
public:
    // The system hands out zeroed memory as it is touched, so the long directory of a short vector costs
    // nothing. calloc would clear it where it had been used before.
    StableVector() {
        void* const fresh = mmap(nullptr, directory_bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (fresh == MAP_FAILED) throw std::bad_alloc();
        pages_ = static_cast<std::atomic<T*>*>(fresh);
    }
    StableVector(const StableVector&) = delete;
    StableVector& operator=(const StableVector&) = delete;
    ~StableVector() {
        while (size_ > 0) pop_back();
        munmap(pages_, directory_bytes);
    }

    const T& operator[](std::size_t index) const { return *place(index); }
    std::size_t size() const { return size_; }

    std::size_t push_back(T value) {
        if (size_ == page_size * page_count) throw std::length_error("a table of distinct values is full");
        if (size_ % page_size == 0)
            pages_[size_ / page_size].store(std::allocator<T>().allocate(page_size),
                                            std::memory_order_release);
        std::construct_at(place(size_), std::move(value));
        return size_++;
    }

    T pop_back() {
        T* const last = place(--size_);
        T value = std::move(*last);
        std::destroy_at(last);
        if (size_ % page_size == 0) std::allocator<T>().deallocate(pages_[size_ / page_size], page_size);
        return value;
    }

private:
    static constexpr std::size_t page_size = 1024;
    static constexpr std::size_t page_count = 1 << 18;
    static constexpr std::size_t directory_bytes = page_count * sizeof(std::atomic<T*>);

    T* place(std::size_t index) const {
        return pages_[index / page_size].load(std::memory_order_acquire) + index % page_size;
    }

    std::atomic<T*>* pages_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace allot
