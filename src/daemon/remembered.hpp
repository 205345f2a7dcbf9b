// Answers that are slow to come by, remembered for a while. So many at most: then all are forgotten, which is
// simpler than to choose, and as good where that never happens.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>

namespace allot::daemon {

template <class Question, class Answer>
class Remembered {
public:
    using Clock = std::chrono::steady_clock;
    using Ask = std::function<Answer(const Question&)>;

    Remembered(Ask ask, std::size_t most, Clock::duration lasting)
        : ask_(std::move(ask)), most_(most), lasting_(lasting) {}

    // Good until the next call.
    const Answer& get(const Question& question, Clock::time_point now = Clock::now()) {
        if (const auto known = known_.find(question); known != known_.end()) {
            if (now < known->second.until) return known->second.answer;
            known_.erase(known);
        }
        if (known_.size() >= most_) known_.clear();
        return known_.emplace(question, Entry{ask_(question), now + lasting_}).first->second.answer;
    }

private:
    struct Entry {
        Answer answer;
        Clock::time_point until;
    };

    Ask ask_;
    std::size_t most_;
    Clock::duration lasting_;
    std::map<Question, Entry> known_;
};

}  // namespace allot::daemon
