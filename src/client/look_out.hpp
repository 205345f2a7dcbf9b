// Looks out for an answer for a moment before going to sleep: a daemon with nothing else to do answers sooner
// than a sleeper is woken.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace allot::client {

class LookOut {
public:
    // Asks `here` again and again, for a moment, and says whether it became true. Where answers take longer
    // this is tried ever more rarely, and not at all most times.
    template <class Here>
    bool sees(Here here) {
        if (left_out_ < to_leave_out_) {
            ++left_out_;
            return false;
        }
        // One thread of a program at a time: many would only keep the daemon from running.
        if (busy_.test_and_set()) return false;
        left_out_ = 0;
        const auto until = std::chrono::steady_clock::now() + moment;
        bool seen = here();
        if (!seen) do {
                // Whoever has something to do comes first: on a busy machine this is one more turn in the
                // queue.
                std::this_thread::yield();
                seen = here();
            } while (!seen && std::chrono::steady_clock::now() < until);
        busy_.clear();
        to_leave_out_ = seen ? 0 : std::min(rarest, 2 * to_leave_out_ + 1);
        return seen;
    }

    static constexpr std::chrono::microseconds moment{40};
    static constexpr unsigned rarest = 1023;

private:
    static inline std::atomic_flag busy_;
    unsigned to_leave_out_ = 0;
    unsigned left_out_ = 0;
};

}  // namespace allot::client
