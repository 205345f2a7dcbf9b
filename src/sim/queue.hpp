// The future events, earliest first; events of equal time come in the order in which they were added, which
// makes a run repeatable.
//
// A radix heap. Time never runs backwards, so the queue keeps an event by the highest digit in which its time
// differs from the present: level d holds the events that differ first in digit d, in a bucket per value of
// that digit. When no event is left at the present time, the next bucket is distributed to the levels below;
// an event moves at most once per level. The queue compares no two events, and reads and writes buckets from
// front to back, so even a million events in flight cost few cache misses. Events of equal time are always in
// one bucket and stay in order, because a bucket is distributed from the front.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/time.hpp"

namespace allot::sim {

struct Scheduled {
    Time at = 0;
    std::uint32_t what = 0;  // for the owner, like the next
    std::uint32_t index = 0;
};

class EventQueue {
public:
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }

    // The event must not be earlier than the last one taken.
    void push(const Scheduled& event) {
        ++size_;
        place(event);
    }

    // The time of the next event. The queue must not be empty.
    Time next_time() {
        if (taken_ == due_.size()) advance();
        return now_;
    }

    // Takes the next event. The queue must not be empty.
    Scheduled pop() {
        if (taken_ == due_.size()) advance();
        --size_;
        return due_[taken_++];
    }

private:
    static constexpr unsigned digit_bits = 4;
    static constexpr unsigned digits = 1u << digit_bits;
    static constexpr unsigned levels = 64 / digit_bits;

    void place(const Scheduled& event) {
        const Time difference = event.at ^ now_;
        if (difference == 0) {
            due_.push_back(event);
            return;
        }
        const unsigned level = (static_cast<unsigned>(std::bit_width(difference)) - 1) / digit_bits;
        const unsigned digit = static_cast<unsigned>(event.at >> (level * digit_bits)) & (digits - 1);
        buckets_[level][digit].push_back(event);
        filled_[level] = static_cast<std::uint16_t>(filled_[level] | (1u << digit));
        filled_levels_ = static_cast<std::uint16_t>(filled_levels_ | (1u << level));
    }

    // Advances to the time of the next event.
    void advance() {
        due_.clear();
        taken_ = 0;
        const auto level = static_cast<unsigned>(std::countr_zero(filled_levels_));
        const auto digit = static_cast<unsigned>(std::countr_zero(filled_[level]));
        filled_[level] = static_cast<std::uint16_t>(filled_[level] & ~(1u << digit));
        if (filled_[level] == 0) filled_levels_ = static_cast<std::uint16_t>(filled_levels_ & ~(1u << level));
        std::vector<Scheduled>& bucket = buckets_[level][digit];
        now_ = bucket.front().at;
        for (const Scheduled& event : bucket)
            if (event.at < now_) now_ = event.at;
        for (const Scheduled& event : bucket) place(event);
        bucket.clear();
    }

    Time now_ = 0;
    std::size_t size_ = 0;
    std::size_t taken_ = 0;  // number of due events taken
    std::vector<Scheduled> due_;
    std::array<std::array<std::vector<Scheduled>, digits>, levels> buckets_;
    std::array<std::uint16_t, levels> filled_{};  // one bit per bucket
    std::uint16_t filled_levels_ = 0;
};

}  // namespace allot::sim
