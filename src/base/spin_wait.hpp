// Polls for a message for a few microseconds before the thread sleeps: the next one often comes sooner than
// the kernel wakes a sleeping thread. Clients wait so for answers, and the daemon for requests.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace allot {

// `Machine` has the clock, and lets other threads run; tests have one of their own.
template <class Machine>
class BasicSpinWait {
public:
    // Polls `here` for at most `duration` and says whether it became true. After each failure the next calls
    // return false at once, up to `most_skipped` of them.
    template <class Here>
    bool until(Here here) {
        if (is_crowded()) return false;
        if (skipped_ < to_skip_) {
            ++skipped_;
            return false;
        }
        // One thread of a program at a time: many would only keep others from running.
        if (busy_.test_and_set()) return false;
        const bool seen = here() || keep_looking(here);
        busy_.clear();
        return seen;
    }

    // Lets the threads that wait for this core run, and looks once after that. If they are other clients, the
    // daemon has often answered meanwhile, and need not wake this thread.
    template <class Here>
    bool after_others(Here here) {
        if (is_crowded()) return false;
        yield(Machine::now());
        return here();
    }

    static constexpr std::chrono::microseconds duration{40};
    static constexpr std::chrono::microseconds shortest_slice{500};  // of a thread that computes
    static constexpr unsigned most_skipped = 1023;
    static constexpr unsigned least_sleep = 63;  // calls that return false after a long yield

private:
    using Time = std::chrono::steady_clock::time_point;

    // The first look says nothing about polling: a daemon that sleeps most of the time finds
    // something after each wake-up.
    template <class Here>
    bool keep_looking(Here& here) {
        Time now = Machine::now();
        const Time until = now + duration;
        bool seen = false;
        while (!seen && now < until) {
            now = yield(now);  // on a busy machine, other threads run first
            seen = here();
        }
        skipped_ = 0;
        to_skip_ = seen ? 0 : std::min(most_skipped, 2 * to_skip_ + 1);
        return seen;
    }

    // A thread that computes keeps the core for its whole time slice, while the kernel would let a thread
    // that it wakes run before that one. If this happens often, it is better to sleep.
    Time yield(Time began) {
        Machine::yield();
        const Time now = Machine::now();
        if (now - began < shortest_slice)
            crowd_ -= std::min(crowd_, 1U);
        else
            to_sleep_ = crowd_ = std::min(most_skipped, 2 * crowd_ + least_sleep);
        return now;
    }

    bool is_crowded() {
        if (to_sleep_ == 0) return false;
        --to_sleep_;
        return true;
    }

    static inline std::atomic_flag busy_;
    unsigned to_skip_ = 0;
    unsigned skipped_ = 0;
    unsigned crowd_ = 0;     // grows with each long yield, and falls with each short one
    unsigned to_sleep_ = 0;  // calls that will return false at once
};

struct ThisMachine {
    static std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }
    static void yield() { std::this_thread::yield(); }
};
using SpinWait = BasicSpinWait<ThisMachine>;

}  // namespace allot
