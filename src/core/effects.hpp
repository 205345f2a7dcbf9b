// Everything a handler may cause. A handler fills it; the driver that called the handler acts on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace allot {

// A protocol without timers uses this as its Timer.
enum class NoTimer : std::uint8_t {};
BOOST_DESCRIBE_ENUM(NoTimer)

// What the application of a site is told.
struct Notice {
    enum class Kind : std::uint8_t { granted, released, revoked, refused };
    Kind kind{};
    std::vector<Fence> fences;  // with granted: one per resource of the demand, in its order
    std::string reason;         // with refused
};

template <class Message, class Timer = NoTimer>
class Effects {
public:
    struct Send {
        SiteId to;
        Message message;
    };
    struct TimerChange {
        Timer timer;
        bool armed;
        std::uint32_t ticks;
    };

    void send(SiteId to, Message message) { sends_.push_back({to, std::move(message)}); }
    void arm(Timer timer, std::uint32_t ticks) { timers_.push_back({timer, true, ticks}); }
    void disarm(Timer timer) { timers_.push_back({timer, false, 0}); }
    void granted(std::vector<Fence> fences = {}) {
        notices_.push_back({Notice::Kind::granted, std::move(fences), {}});
    }
    void released() { notices_.push_back({Notice::Kind::released, {}, {}}); }
    void revoked() { notices_.push_back({Notice::Kind::revoked, {}, {}}); }
    void refused(std::string reason) { notices_.push_back({Notice::Kind::refused, {}, std::move(reason)}); }

    // The handler took a rare path, one of P::probes: a campaign of random runs reports those never taken.
    void reached(std::string_view probe) { probes_.push_back(probe); }

    const std::vector<Send>& sends() const { return sends_; }
    const std::vector<TimerChange>& timers() const { return timers_; }
    const std::vector<Notice>& notices() const { return notices_; }

    const std::vector<std::string_view>& probes() const { return probes_; }

    // Drivers keep one Effects and empty it between steps, so that no step allocates anew.
    void clear() {
        sends_.clear();
        timers_.clear();
        notices_.clear();
        probes_.clear();
    }

private:
    std::vector<Send> sends_;
    std::vector<TimerChange> timers_;
    std::vector<Notice> notices_;
    std::vector<std::string_view> probes_;
};

}  // namespace allot
