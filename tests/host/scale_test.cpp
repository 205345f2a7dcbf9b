// A host with many requests and many names.
#include <algorithm>
#include <ctime>
#include <gtest/gtest.h>

#include "core/resource_names.hpp"
#include "host/host.hpp"

namespace allot::host {
namespace {

// A host that is the only member, and the register that it asks.
struct LoneHost : testing::Test {
    LoneHost() {
        config.lease = 1000;
        config.settings.semaphores[ResourceId("permit")] = {1, 1};
        start();
    }
    void start() {
        host = {};
        value = {};
        host.start(self(), true, true);
        call_register();
    }

    Host::Self self() const { return {config, 0, 256}; }

    // Whether the host proposes a view, which it gets then.
    bool call_register() {
        Effects fx;
        host.call_register(self(), fx);
        const auto change = fx.call->change;
        if (change) {
            value.version = value.version.next();
            ++value.view;
            value.members = change->members;
            value.quiet = change->quiet;
        }
        Effects next;
        host.returned(self(), value, next);
        note(next);
        return change.has_value();
    }

    void ask(std::uint64_t ticket, const Want& want) {
        Effects fx;
        host.ask(self(), {1, ticket}, want, fx);
        note(fx);
    }
    void release(std::uint64_t ticket) {
        Effects fx;
        host.release(self(), {1, ticket}, fx);
        host.settle(self(), fx);
        note(fx);
    }
    void use_once(std::uint64_t ticket, const std::string& lock) {
        ask(ticket, {.locks = {ResourceId(lock)}, .permits = {}});
        release(ticket);
    }
    void note(const Effects& fx) {
        for (const Answer& answer : fx.answers)
            if (answer.kind == Answer::Kind::granted) granted.push_back(answer.key.ticket);
    }

    Config config;
    Host host;
    agreement::Value value;
    std::vector<std::uint64_t> granted;
};

constexpr std::uint64_t many = 5 * Semaphore::most_waiting_seats;

TEST_F(LoneHost, Requests_for_a_permit_are_served_in_order_also_without_a_seat) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < many; ++i) {
        ask(i, {.locks = {}, .permits = {{ResourceId("permit"), 1}}});
        all.push_back(i);
    }
    for (std::uint64_t i = 0; i < many; ++i) release(i);
    EXPECT_EQ(granted, all);
}

TEST_F(LoneHost, Requests_that_wait_without_a_seat_can_be_cancelled) {
    for (std::uint64_t i = 0; i < many; ++i) ask(i, {.locks = {}, .permits = {{ResourceId("permit"), 1}}});
    for (std::uint64_t i = 1; i < many - 1; ++i) release(i);
    release(0);
    EXPECT_EQ(granted, (std::vector<std::uint64_t>{0, many - 1}));
}

// In CPU time of this thread, which other processes hardly change.
double seconds_of_this_thread() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// The first of so many that wait for one lock are cancelled, in the order in which they came; at most for so
// long.
double time_to_cancel(LoneHost& lone, std::uint64_t waiting, std::uint64_t cancelled, double most) {
    for (std::uint64_t i = 0; i <= waiting; ++i)
        lone.ask(i, {.locks = {ResourceId("popular")}, .permits = {}});
    const double begin = seconds_of_this_thread();
    for (std::uint64_t i = 1; i <= cancelled && seconds_of_this_thread() - begin < most; ++i) lone.release(i);
    const double taken = seconds_of_this_thread() - begin;
    for (std::uint64_t i = 0; i <= waiting; ++i) lone.release(i);
    return taken;
}

TEST_F(LoneHost, A_cancelled_request_costs_the_same_however_many_wait) {
    constexpr std::uint64_t cancelled = 500;
    constexpr double factor = 12;  // 64 times as many wait; a search in order takes somewhat longer
    double few = 1;
    for (int i = 0; i < 5; ++i) few = std::min(few, time_to_cancel(*this, 2 * cancelled, cancelled, few));
    const double many_wait = time_to_cancel(*this, 128 * cancelled, cancelled, 2 * factor * few);
    EXPECT_LT(many_wait, factor * few);
}

TEST_F(LoneHost, Semaphores_that_nobody_uses_do_not_slow_locks) {
    const auto time_of_uses = [&] {
        double least = 1000;
        for (int run = 0; run < 5; ++run) {
            const double begin = seconds_of_this_thread();
            for (std::uint64_t i = 0; i < 1000; ++i) use_once(i, "lock");
            least = std::min(least, seconds_of_this_thread() - begin);
        }
        return least;
    };
    const double with_one = time_of_uses();
    for (int i = 0; i < 1000; ++i)
        config.settings.semaphores[ResourceId("unused" + std::to_string(i))] = {1, 1};
    start();
    EXPECT_LT(time_of_uses(), 4 * with_one);
    ask(1, {.locks = {}, .permits = {{ResourceId("unused999"), 1}}});
    EXPECT_TRUE(host.find({1, 1})->told) << "they can be used";
}

TEST_F(LoneHost, A_view_follows_when_there_are_many_unused_names) {
    config.most_weight = 100;
    for (std::uint64_t i = 0; i < 200; ++i) use_once(i, "unused-" + std::to_string(i));
    EXPECT_TRUE(call_register());
    EXPECT_LT(host.locks().weight(), 10u);
    EXPECT_FALSE(call_register());
}

TEST_F(LoneHost, Names_in_use_do_not_make_view_after_view) {
    config.most_weight = 100;
    for (std::uint64_t i = 0; i < 200; ++i)
        ask(i, {.locks = {ResourceId("used-" + std::to_string(i))}, .permits = {}});
    EXPECT_EQ(granted.size(), 64u);  // the seats
    EXPECT_TRUE(call_register());
    EXPECT_GT(host.locks().weight(), config.most_weight / 2);
    EXPECT_FALSE(call_register());
    for (std::uint64_t i = 0; i < 200; ++i) release(i);
    for (std::uint64_t i = 1000; i < 2000; ++i) use_once(i, "unused-" + std::to_string(i));
    EXPECT_TRUE(call_register()) << "now there is much to forget";
}

TEST_F(LoneHost, Names_in_use_make_no_view_that_could_not_forget_them) {
    config.most_weight = 100;
    config.weight_of_used = 8;
    config.locks.seats = 200;
    for (std::uint64_t i = 0; i < 200; ++i)
        ask(i, {.locks = {ResourceId("used-" + std::to_string(i))}, .permits = {}});
    EXPECT_GT(host.locks().weight(), config.most_weight);
    EXPECT_FALSE(call_register());
    for (std::uint64_t i = 0; i < 200; ++i) release(i);
    EXPECT_TRUE(call_register()) << "now there is much to forget";
}

TEST_F(LoneHost, A_view_follows_before_the_numbers_of_fences_are_used_up) {
    const auto fence = [&] { return host.find({1, 1000})->fences.front(); };
    config.most_numbers = 5;
    for (std::uint64_t i = 0; i < 5; ++i) use_once(i, "popular");
    EXPECT_FALSE(call_register());
    ask(1000, {.locks = {ResourceId("popular")}, .permits = {}});
    const Fence sixth = fence();
    EXPECT_EQ(number_within_epoch(sixth), 6u);
    EXPECT_TRUE(call_register());
    EXPECT_EQ(fence(), sixth) << "a program keeps the fence that it has";
    release(1000);
    ask(1000, {.locks = {ResourceId("popular")}, .permits = {}});
    EXPECT_GT(fence(), sixth);
    EXPECT_LT(number_within_epoch(fence()), 5u);
    EXPECT_FALSE(call_register());
}

TEST_F(LoneHost, A_view_follows_before_the_numbers_of_a_permit_are_used_up) {
    config.most_numbers = 5 << 8;  // the last eight bits are the place of the host
    for (std::uint64_t i = 0; i < 10; ++i) {
        ask(i, {.locks = {}, .permits = {{ResourceId("permit"), 1}}});
        release(i);
    }
    EXPECT_TRUE(call_register());
    EXPECT_FALSE(call_register());
}

// In a process of its own, because it must not know other ids.
TEST(ResourceNames, Only_used_names_stay_known) {
    const auto forget = [] {
        const ResourceId kept("kept");
        for (int i = 0; i < 1000; ++i) ResourceId(std::to_string(i) + "-forgotten");
        keep_resource_names({"kept"});
        const bool forgot = known_resource_names() == 2;  // and the empty one
        const ResourceId again("7-forgotten"), other("other");
        const bool names = kept.name() == "kept" && kept == ResourceId("kept") &&
                           again.name() == "7-forgotten" && other.name() == "other" && again != other &&
                           ResourceId().name().empty();
        std::_Exit(forgot && names ? 0 : 1);
    };
    EXPECT_EXIT(forget(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace allot::host
