#include "session_costs.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <malloc.h>
#include <stdexcept>
#include <vector>

#include "cpu_clock.hpp"
#include "host/member.hpp"

namespace allot::bench {

namespace {

using host::Member;
using host::SessionId;
using host::Sessions;

constexpr std::array<std::uint32_t, 3> sizes{1'000, 10'000, 100'000};
constexpr std::uint32_t requests_per_session = 256;
constexpr host::Cost end_at_once = 256;
constexpr double most_us = 10;         // of each operation with the largest size, for each name in a request
constexpr double most_part_us = 5000;  // of a part of a session's end
constexpr double most_growth = 4;      // where ten times as many wait: caches, and logarithms

// Each request wants a lock that is in use, and others of its own.
struct Load {
    const char* title;
    std::uint32_t names;
    std::size_t letters;  // of each name
};
constexpr std::array loads{
    Load{"the same lock", 1, 8},
    Load{"8 locks", 8, 16},
    Load{"8 locks, long names", 8, 128},
};

// A member that is the only host of its cluster. It works, and has a lease.
class Lone {
public:
    Lone() {
        config_.host.locks.seats = 1024;
        config_.host.lease = 1000;
        config_.sessions.end_at_once = end_at_once;
        config_.sessions.limits.sessions = 1u << 20;
        config_.sessions.limits.memory = std::uint64_t{1} << 40;
        Member::Effects fx;
        member_.act(self(), fx, [](host::Host& host, const host::Host::Self& inner, host::Effects& out) {
            host.start(inner, true, true);
            host.call_register(inner, out);
        });
        agreement::Value value;
        value.version = value.version.next();
        value.view = 1;
        value.members = fx.call->change->members;
        value.quiet = true;
        Member::Effects next;
        member_.returned(self(), value, next);
        if (!member_.host().views().works()) throw std::logic_error("the host does not work");
    }

    SessionId connect() {
        const SessionId number = ++sessions_;
        converse([&](Sessions& sessions, const Sessions::Self& inner, host::SessionEffects& out) {
            if (!sessions.hello(inner, {number, std::to_string(number), {.user = "ann"}}, {}, out))
                throw std::logic_error("a program is refused");
        });
        return number;
    }
    template <class Message>
    void say(SessionId session, const Message& message) {
        converse([&](Sessions& sessions, const Sessions::Self& inner, host::SessionEffects& out) {
            sessions.hear(inner, session, message, out);
        });
    }
    // The longest part.
    CpuClock::duration end(SessionId session) {
        auto longest = cpu_time([&] {
            converse([&](Sessions& sessions, const Sessions::Self& inner, host::SessionEffects& out) {
                sessions.disconnected(inner, session, out);
            });
        });
        while (member_.sessions().is_ending(session))
            longest = std::max(
                longest, cpu_time([&] {
                    converse([&](Sessions& sessions, const Sessions::Self& inner, host::SessionEffects& out) {
                        sessions.go_on(inner, session, out);
                    });
                }));
        return longest;
    }
    std::size_t open() const {
        std::size_t sum = 0;
        for (const auto& [id, session] : member_.sessions().all()) sum += session.open.size();
        return sum;
    }

private:
    Member::Self self() const { return {config_, 0, 1 << 8, 0, 1}; }
    template <class Action>
    void converse(Action action) {
        Member::Effects fx;
        member_.converse(self(), fx, action);
    }

    Member::Config config_;
    Member member_;
    SessionId sessions_ = 0;
};

struct Costs {
    double ask_us = 0;
    double cancel_us = 0;
    double end_us = 0;   // of each request of a session that ends
    double part_us = 0;  // the longest part of the end of a session
    double bytes = 0;    // of each request that waits
};

class Measured {
public:
    Measured(const Load& load, std::uint32_t count) : load_(load), count_(count) {
        host_.say(host_.connect(), session::Acquire{1, {"held"}, {}, 0});
        for (std::uint32_t i = 0; i < count; i += requests_per_session) sessions_.push_back(host_.connect());
    }

    Costs run() {
        const auto in_use = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
        const std::size_t before = in_use();
        const auto ask = cpu_time([&] {
            for (std::uint32_t i = 0; i < count_; ++i)
                host_.say(session_of(i), session::Acquire{i, locks_of(i), {}, 0});
        });
        const std::size_t after = in_use();
        if (host_.open() != count_ + 1) throw std::logic_error("a request is refused, or over");
        // Each fourth one, and then all others with their sessions.
        const auto cancel = cpu_time([&] {
            for (std::uint32_t i = 0; i < count_; i += 4) host_.say(session_of(i), session::Release{i});
        });
        const std::size_t left = host_.open() - 1;
        CpuClock::duration longest{};
        const auto end = cpu_time([&] {
            for (const SessionId session : sessions_) longest = std::max(longest, host_.end(session));
        });
        if (host_.open() != 1) throw std::logic_error("a session has not ended");
        return {microseconds_each(ask, count_), microseconds_each(cancel, (count_ + 3) / 4),
                microseconds_each(end, left), microseconds_each(longest, 1),
                static_cast<double>(after - before) / count_};
    }

private:
    SessionId session_of(std::uint32_t request) const { return sessions_[request / requests_per_session]; }
    // The first is in use, so that all of them wait.
    std::vector<std::string> locks_of(std::uint32_t request) const {
        std::vector<std::string> names{"held"};
        for (std::uint32_t i = 1; i < load_.names; ++i) {
            names.push_back(fmt::format("{}-{}-", request, i));
            names.back().resize(load_.letters, 'n');
        }
        return names;
    }

    const Load& load_;
    const std::uint32_t count_;
    Lone host_;
    std::vector<SessionId> sessions_;
};

std::uint64_t counted_bytes(const Load& load) {
    return host::memory_of_request(load.names, 4 + (load.names - 1) * load.letters);
}

void judge(Targets& targets, const Load& load, const Costs& small, const Costs& large) {
    const auto one = [&](const char* what, double before, double after) {
        targets.at_most(fmt::format("sessions, {}: {}, us for each name", load.title, what),
                        after / load.names, most_us);
        targets.at_most(fmt::format("sessions, {}: {}, growth", load.title, what),
                        after / std::max(before, 0.5), most_growth);
    };
    one("ask", small.ask_us, large.ask_us);
    one("cancel", small.cancel_us, large.cancel_us);
    one("end", small.end_us, large.end_us);
    targets.at_most(fmt::format("sessions, {}: a part of an end, us", load.title), large.part_us,
                    most_part_us);
    targets.at_most(fmt::format("sessions, {}: memory / what counts", load.title),
                    large.bytes / static_cast<double>(counted_bytes(load)), 1);
}

}  // namespace

void judge_session_costs(Targets& targets) {
    fmt::print("{:<28} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "Sessions, us for each request",
               "waiting", "ask", "cancel", "end", "part", "bytes", "counted");
    std::vector<std::pair<Costs, Costs>> ends;
    for (const Load& load : loads) {
        std::vector<Costs> all;
        for (const std::uint32_t size : sizes) {
            const Costs costs = all.emplace_back(Measured(load, size).run());
            fmt::print("  {:<26} {:>9} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.0f} {:>9.0f} {:>9}\n", load.title,
                       size, costs.ask_us, costs.cancel_us, costs.end_us, costs.part_us, costs.bytes,
                       counted_bytes(load));
        }
        ends.emplace_back(all[all.size() - 2], all.back());
    }
    fmt::print("\n");
    for (std::size_t load = 0; load < loads.size(); ++load)
        judge(targets, loads[load], ends[load].first, ends[load].second);
}

}  // namespace allot::bench
