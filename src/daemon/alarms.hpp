// The alarms of the sessions (host/sessions.hpp), by the clock of this machine.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "host/sessions.hpp"

namespace allot::daemon {

class Alarms {
public:
    using Clock = std::chrono::steady_clock;
    using Id = std::pair<host::SessionId, std::optional<host::Ticket>>;

    void set(const host::Alarm& alarm) {
        const Id id{alarm.session, alarm.ticket};
        if (const auto place = due_at_.find(id); place != due_at_.end()) {
            due_.erase({place->second, id});
            due_at_.erase(place);
        }
        if (alarm.after == std::chrono::microseconds::zero()) return;
        const Clock::time_point due = Clock::now() + alarm.after;
        due_at_[id] = due;
        due_.insert({due, id});
    }
    std::optional<Clock::time_point> next() const {
        if (due_.empty()) return std::nullopt;
        return due_.begin()->first;
    }
    // One alarm that is due, which is over then.
    std::optional<Id> take(Clock::time_point now) {
        if (due_.empty() || due_.begin()->first > now) return std::nullopt;
        const Id id = due_.begin()->second;
        due_at_.erase(id);
        due_.erase(due_.begin());
        return id;
    }

private:
    std::map<Id, Clock::time_point> due_at_;
    std::set<std::pair<Clock::time_point, Id>> due_;
};

}  // namespace allot::daemon
