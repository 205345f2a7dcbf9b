// Polls for a message for a few microseconds before the thread sleeps: the next one often comes sooner than
// the kernel wakes a sleeping thread. Clients wait so for answers, and the daemon for requests.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace allot {

class SpinWait {
public:
    // Polls `here` for at most `duration` and says whether it became true. After each failure the next calls
    // return false at once, up to `most_skipped` of them.
    template <class Here>
    bool until(Here here) {
        if (skipped_ < to_skip_) {
            ++skipped_;
            return false;
        }
        // One thread of a program at a time: many would only keep others from running.
        if (busy_.test_and_set()) return false;
        skipped_ = 0;
        const auto until = std::chrono::steady_clock::now() + duration;
        bool seen = here();
        if (!seen) do {
                // On a busy machine, other threads run first.
                std::this_thread::yield();
                seen = here();
            } while (!seen && std::chrono::steady_clock::now() < until);
        busy_.clear();
        to_skip_ = seen ? 0 : std::min(most_skipped, 2 * to_skip_ + 1);
        return seen;
    }

    static constexpr std::chrono::microseconds duration{40};
    static constexpr unsigned most_skipped = 1023;

private:
    static inline std::atomic_flag busy_;
    unsigned to_skip_ = 0;
    unsigned skipped_ = 0;
};

}  // namespace allot
