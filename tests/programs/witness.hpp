// A witness of mutual exclusion: memory that several programs share through a file. A program that enters a
// section writes so, and learns whether another one is inside.
#pragma once

#include <atomic>
#include <cstdint>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace allot::test {

struct WitnessedLock {
    // The error; empty if there is none.
    std::string enter(std::uint64_t with_fence) {
        const bool taken = inside.fetch_add(1) != 0;
        const std::uint64_t before = fence.exchange(with_fence);
        if (taken) return "two are inside";
        if (with_fence > before) return "";
        return "fence " + std::to_string(with_fence) + " after " + std::to_string(before);
    }
    void leave() { --inside; }

    std::atomic<std::int32_t> inside;
    std::atomic<std::uint64_t> fence;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// A file that is new is full of zeros. Returns nothing if the file cannot be opened; errno says why.
template <class Witness>
Witness* open_witness(const char* path) {
    const int file = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ::ftruncate(file, sizeof(Witness)) != 0) return nullptr;
    void* place = ::mmap(nullptr, sizeof(Witness), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    return place == MAP_FAILED ? nullptr : static_cast<Witness*>(place);
}

}  // namespace allot::test
