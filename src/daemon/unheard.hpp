// Messages of a program that have come, and wait until it is its turn (host/turns.hpp).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace allot::daemon {

class Unheard {
public:
    struct Message {
        std::string content;
        Descriptor passed;  // with it
    };

    bool empty() const { return messages_.empty(); }
    // Of memory.
    std::size_t bytes() const { return contents_.size() + messages_.size() * sizeof(Head); }
    bool has_descriptor() const { return !passed_.empty(); }

    void add(std::string_view content, Descriptor passed) {
        messages_.push_back({static_cast<std::uint32_t>(content.size()), static_cast<bool>(passed)});
        contents_ += content;
        if (passed) passed_.push_back(std::move(passed));
    }
    // The first one; there must be one.
    Message take() {
        const Head head = messages_.front();
        messages_.pop_front();
        Message message{contents_.substr(taken_, head.bytes), {}};
        taken_ += head.bytes;
        if (head.has_descriptor) {
            message.passed = std::move(passed_.front());
            passed_.pop_front();
        }
        // Each byte is moved once at most.
        if (taken_ > contents_.size() / 2) {
            contents_.erase(0, taken_);
            taken_ = 0;
        }
        if (messages_.empty()) contents_.shrink_to_fit();
        return message;
    }
    void clear() { *this = {}; }

private:
    struct Head {
        std::uint32_t bytes = 0;
        bool has_descriptor = false;
    };
    std::deque<Head> messages_;
    std::string contents_;
    std::size_t taken_ = 0;  // bytes of the contents that are not needed any more
    std::deque<Descriptor> passed_;
};

}  // namespace allot::daemon
