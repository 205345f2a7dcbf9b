// An array of fixed capacity whose memory the system provides as it is touched: it never moves or copies, and
// costs what is used. Large pages save page faults, and TLB misses for random accesses.
#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace allot::check {

template <class T>
class Reserve {
public:
    explicit Reserve(std::size_t capacity) : capacity_(capacity) {
        void* memory = mmap(nullptr, capacity * sizeof(T), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        madvise(memory, capacity * sizeof(T), MADV_HUGEPAGE);
        data_ = static_cast<T*>(memory);
    }
    Reserve(Reserve&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
    Reserve& operator=(Reserve&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    ~Reserve() {
        if (data_ != nullptr) munmap(data_, capacity_ * sizeof(T));
    }

    T& operator[](std::size_t index) { return data_[index]; }
    const T& operator[](std::size_t index) const { return data_[index]; }
    std::size_t capacity() const { return capacity_; }

private:
    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

}  // namespace allot::check
