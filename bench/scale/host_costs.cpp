#include "host_costs.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <fmt/format.h>
#include <iterator>
#include <random>
#include <stdexcept>
#include <vector>

#include "cpu_clock.hpp"
#include "host/host.hpp"

namespace allot::bench {

namespace {

using allot::Want;
using host::Host;
using host::Key;

constexpr std::array<std::uint32_t, 3> sizes{1'000, 10'000, 100'000};
constexpr std::uint32_t requests_per_session = 256;
constexpr double most_us = 10;     // of each operation with the largest size, for each name in a request
constexpr double most_growth = 4;  // where ten times as many wait: caches, and logarithms

enum class Wanted { same_lock, few_locks, own_locks, permits };

struct Load {
    const char* title;
    Wanted wanted;
    int names;
};
constexpr std::array loads{
    Load{"the same lock", Wanted::same_lock, 1},
    Load{"3 out of 16 locks", Wanted::few_locks, 3},
    Load{"8 locks of their own", Wanted::own_locks, 8},
    Load{"the same permit", Wanted::permits, 1},
};

// A host that is the only member, and has a lease.
class Lone {
public:
    Lone() {
        config_.locks.seats = 1024;
        config_.settings.semaphores[ResourceId("permit")] = {1, 1};
        config_.lease = 1000;
        host::Effects fx;
        host_.start(self(), true, true);
        host_.call_register(self(), fx);
        answer(fx);
        if (!host_.views().works()) throw std::logic_error("the host does not work");
    }

    void ask(const Key& key, const Want& want) {
        host::Effects fx;
        host_.ask(self(), key, want, fx);
        note(fx);
    }
    void release(const Key& key) {
        host::Effects fx;
        host_.release(self(), key, fx);
        host_.settle(self(), fx);
        note(fx);
    }
    bool is_open(const Key& key) const { return host_.find(key) != nullptr; }
    // The same member in a new view.
    void change_view() {
        host::Effects fx;
        fx.call = host::Call{agreement::Change{.members = value_.members, .certified = {}, .quiet = true}};
        answer(fx);
    }
    // The request that holds for longest, and was not returned here before.
    Key next_granted() {
        while (!granted_.empty() && !is_open(granted_.front())) granted_.pop_front();
        if (granted_.empty()) throw std::logic_error("nobody is granted anything");
        const Key key = granted_.front();
        granted_.pop_front();
        return key;
    }

private:
    Host::Self self() const { return {config_, 0, 1 << 8}; }
    void answer(const host::Effects& fx) {
        value_.version = value_.version.next();
        ++value_.view;
        value_.members = fx.call->change->members;
        value_.quiet = true;
        host::Effects next;
        host_.returned(self(), value_, next);
        note(next);
    }
    void note(const host::Effects& fx) {
        for (const host::Answer& one : fx.answers)
            if (one.kind == host::Answer::Kind::granted) granted_.push_back(one.key);
    }

    host::Config config_;
    Host host_;
    agreement::Value value_;
    std::deque<Key> granted_;
};

Want want_of(Wanted wanted, std::uint32_t number, std::mt19937& random) {
    Want want;
    if (wanted == Wanted::same_lock) want.locks = {ResourceId("same")};
    if (wanted == Wanted::permits) want.permits[ResourceId("permit")] = 1;
    if (wanted == Wanted::few_locks)
        while (want.locks.size() < 3) {
            const ResourceId lock(fmt::format("lock-{}", random() % 16));
            if (std::ranges::find(want.locks, lock) == want.locks.end()) want.locks.push_back(lock);
        }
    if (wanted == Wanted::own_locks)
        for (int i = 0; i < 8; ++i) want.locks.emplace_back(fmt::format("own-{}-{}", number, i));
    return want;
}

// Some program holds whatever others want, so that they wait.
Want blocker(Wanted wanted) {
    Want want;
    if (wanted == Wanted::same_lock) want.locks = {ResourceId("same")};
    if (wanted == Wanted::few_locks)
        for (int i = 0; i < 16; ++i) want.locks.emplace_back(fmt::format("lock-{}", i));
    if (wanted == Wanted::permits) want.permits[ResourceId("permit")] = 1;
    if (wanted == Wanted::own_locks) want.locks = {ResourceId("other")};
    return want;
}

struct Costs {
    double ask_us = 0;
    double cancel_us = 0;
    double end_us = 0;       // of each request of a session that ends
    double view_us = 0;      // of each request in a new view
    double hand_off_us = 0;  // a release, and the grants that follow it
};

class Measured {
public:
    Measured(Wanted wanted, std::uint32_t count) {
        host_.ask(first_, blocker(wanted));
        for (std::uint32_t i = 0; i < count; ++i) {
            keys_.push_back({2 + i / requests_per_session, i});
            wants_.push_back(want_of(wanted, i, random_));
        }
    }

    Costs run() {
        const std::size_t count = keys_.size();
        const auto ask = cpu_time([&] {
            for (std::size_t i = 0; i < count; ++i) host_.ask(keys_[i], wants_[i]);
        });
        const auto view = cpu_time([&] { host_.change_view(); });
        // A quarter one by one in any order, half of the others with their sessions, and then the blocker.
        auto cancelled = keys_;
        std::ranges::shuffle(cancelled, random_);
        cancelled.resize(count / 4);
        const auto cancel = cpu_time([&] { release(cancelled); });
        auto ended = open();
        ended.resize(ended.size() / 2);
        const auto end = cpu_time([&] { release(ended); });
        const std::size_t served = count / 4;
        const auto hand_off = cpu_time([&] { hand_over(served); });
        return {microseconds_each(ask, count), microseconds_each(cancel, cancelled.size()),
                microseconds_each(end, ended.size()), microseconds_each(view, count),
                microseconds_each(hand_off, served)};
    }

private:
    std::vector<Key> open() const {
        std::vector<Key> all;
        std::ranges::copy_if(keys_, std::back_inserter(all),
                             [&](const Key& key) { return host_.is_open(key); });
        return all;
    }

    void release(const std::vector<Key>& keys) {
        for (const Key& key : keys) host_.release(key);
    }

    // Those that hold let go.
    void hand_over(std::size_t times) {
        for (std::size_t i = 0; i < times; ++i) host_.release(host_.next_granted());
    }

    Lone host_;
    const Key first_{1, 0};
    std::mt19937 random_{1};
    std::vector<Key> keys_;
    std::vector<Want> wants_;
};

void judge(Targets& targets, const Load& load, const Costs& small, const Costs& large) {
    const auto one = [&](const char* what, double before, double after) {
        targets.at_most(fmt::format("{}: {}, us for each name", load.title, what), after / load.names,
                        most_us);
        targets.at_most(fmt::format("{}: {}, growth", load.title, what), after / std::max(before, 0.5),
                        most_growth);
    };
    one("ask", small.ask_us, large.ask_us);
    one("cancel", small.cancel_us, large.cancel_us);
    one("end of sessions", small.end_us, large.end_us);
    one("a new view", small.view_us, large.view_us);
    if (load.wanted != Wanted::few_locks) one("hand-off", small.hand_off_us, large.hand_off_us);
}

}  // namespace

void judge_host_costs(Targets& targets) {
    fmt::print("{:<28} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "One host, us for each request", "waiting",
               "ask", "cancel", "end", "new view", "hand-off");
    std::vector<std::pair<Costs, Costs>> ends;
    for (const Load& load : loads) {
        std::vector<Costs> all;
        for (const std::uint32_t size : sizes) {
            const Costs costs = all.emplace_back(Measured(load.wanted, size).run());
            fmt::print("  {:<26} {:>9} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f}\n", load.title, size,
                       costs.ask_us, costs.cancel_us, costs.end_us, costs.view_us, costs.hand_off_us);
        }
        ends.emplace_back(all[all.size() - 2], all.back());
    }
    fmt::print("\n");
    for (std::size_t load = 0; load < loads.size(); ++load)
        judge(targets, loads[load], ends[load].first, ends[load].second);
}

}  // namespace allot::bench
