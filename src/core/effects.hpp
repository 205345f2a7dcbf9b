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

// A message to the application of a site.
struct Notice {
    enum class Kind : std::uint8_t { granted, released, revoked, refused, stopped };
    Kind kind{};
    std::vector<Fence> fences;  // with granted: one per resource of the demand, in its order
    std::string reason;         // with refused
};

// Effects as drivers see them, which know no message type.
class AnyEffects {
public:
    struct TimerChange {
        std::uint32_t timer;
        bool armed;
        std::uint32_t ticks;
    };
    struct AnySend {
        SiteId to;
        std::size_t kind;     // of the message
        const void* message;  // of the protocol's message type
    };

    virtual ~AnyEffects() = default;

    // Notices to the application.
    void granted(std::vector<Fence> fences = {});
    void released();
    void revoked();
    void refused(std::string reason);
    void stopped();  // the program that held has been stopped

    // The durable part of the state has changed: it is to be written to the disk. `Synced` follows when it is
    // there; a message that depends on the write must wait for that.
    void persist() { persisted_ = true; }

    // The handler took a rare path, one of the model's probes. A campaign of random runs reports the paths
    // that no run took.
    void reached(std::string_view probe) { probes_.push_back(probe); }

    virtual std::size_t send_count() const = 0;
    virtual AnySend send_at(std::size_t index) const = 0;
    const std::vector<TimerChange>& timers() const { return timers_; }
    const std::vector<Notice>& notices() const { return notices_; }
    const std::vector<std::string_view>& probes() const { return probes_; }
    bool persisted() const { return persisted_; }
    bool take_persisted() { return std::exchange(persisted_, false); }

    // Drivers keep one object and empty it between steps, so that steps reuse its memory.
    virtual void clear() {
        timers_.clear();
        notices_.clear();
        probes_.clear();
        persisted_ = false;
    }

protected:
    AnyEffects() = default;
    AnyEffects(const AnyEffects&) = default;
    AnyEffects& operator=(const AnyEffects&) = default;

    std::vector<TimerChange> timers_;
    std::vector<Notice> notices_;
    std::vector<std::string_view> probes_;
    bool persisted_ = false;
};

template <class MessageType, class TimerType = NoTimer>
class Effects final : public AnyEffects {
public:
    using Message = MessageType;
    using Timer = TimerType;
    struct Send {
        SiteId to;
        Message message;
    };

    void send(SiteId to, Message message) { sends_.push_back({to, std::move(message)}); }
    void arm(Timer timer, std::uint32_t ticks) {
        timers_.push_back({static_cast<std::uint32_t>(timer), true, ticks});
    }
    void disarm(Timer timer) { timers_.push_back({static_cast<std::uint32_t>(timer), false, 0}); }

    const std::vector<Send>& sends() const { return sends_; }

    std::size_t send_count() const override { return sends_.size(); }
    AnySend send_at(std::size_t index) const override {
        return {sends_[index].to, sends_[index].message.index(), &sends_[index].message};
    }
    void clear() override {
        AnyEffects::clear();
        sends_.clear();
    }

private:
    std::vector<Send> sends_;
};

}  // namespace allot
