#include "workloads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <fmt/format.h>
#include <latch>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <unistd.h>

#include "process.hpp"

namespace allot::bench {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int locks = 16;
constexpr int locks_per_set = 3;
constexpr auto hold = 1ms;

// What all clients of a run share.
struct Run {
    explicit Run(int clients) : ready(clients) {}

    std::latch ready;
    std::atomic<bool> counted = false;
    std::atomic<bool> over = false;
    std::atomic<Clock::duration> released_at{};  // turns: when the last holder began to release

    std::mutex mutex;
    std::vector<double> samples_us;
    std::exception_ptr failure;
};

double in_us(Clock::duration duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
}

// Each does its workload once and gives what is measured of it, if that means something this time.
using Once = std::optional<Clock::duration> (*)(Client&, Run&, int number, std::mt19937&);

std::optional<Clock::duration> pair(Client& client, Run&, int number, std::mt19937&) {
    const Names own{fmt::format("own-{}", number)};
    const auto began = Clock::now();
    client.acquire(own);
    client.release(own);
    return Clock::now() - began;
}

// Who asked only after the release waited for nobody's hand.
std::optional<Clock::duration> turn(Client& client, Run& run, int, std::mt19937&) {
    const Names shared{"shared"};
    const auto asked = Clock::now().time_since_epoch();
    client.acquire(shared);
    const auto taken = Clock::now().time_since_epoch();
    const auto released = run.released_at.load();
    run.released_at = Clock::now().time_since_epoch();
    client.release(shared);
    if (asked > released) return std::nullopt;
    return taken - released;
}

Names some_locks(std::mt19937& random) {
    std::vector<int> all(locks);
    std::iota(all.begin(), all.end(), 0);
    std::vector<int> some;
    std::ranges::sample(all, std::back_inserter(some), locks_per_set, random);
    Names names;
    for (const int lock : some) names.push_back(fmt::format("lock-{}", lock));
    return names;
}

std::optional<Clock::duration> set(Client& client, Run&, int, std::mt19937& random) {
    const Names names = some_locks(random);
    const auto asked = Clock::now();
    client.acquire(names);
    const auto waited = Clock::now() - asked;
    std::this_thread::sleep_for(hold);
    client.release(names);
    return waited;
}

Once once_of(Workload workload) {
    if (workload == Workload::pairs) return pair;
    return workload == Workload::turns ? turn : set;
}

void work(Client& client, Run& run, Once once, int number) {
    std::mt19937 random(static_cast<std::uint32_t>(number));  // the same sets for every contender
    std::vector<double> samples_us;
    run.ready.arrive_and_wait();
    try {
        while (!run.over) {
            const bool counted = run.counted;
            const auto sample = once(client, run, number, random);
            if (counted && !run.over && sample) samples_us.push_back(in_us(*sample));
        }
    } catch (...) {
        const std::scoped_lock lock(run.mutex);
        run.failure = std::current_exception();
    }
    const std::scoped_lock lock(run.mutex);
    run.samples_us.insert(run.samples_us.end(), samples_us.begin(), samples_us.end());
}

double percentile(std::vector<double>& samples, double share) {
    if (samples.empty()) return 0;
    const auto place =
        samples.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size() - 1));
    std::nth_element(samples.begin(), place, samples.end());
    return *place;
}

std::vector<std::unique_ptr<Client>> make_clients(Contender& contender, Workload workload, int count) {
    contender.prepare(workload);
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < count; ++i) clients.push_back(contender.client(workload, i));
    return clients;
}

}  // namespace

Figures measure(Contender& contender, const Load& load, std::chrono::milliseconds duration) {
    const auto clients = make_clients(contender, load.workload, load.clients);
    Run run(load.clients);
    std::vector<std::jthread> threads;
    for (int number = 0; const auto& client : clients)
        threads.emplace_back([&run, &load, &client = *client, number = number++] {
            work(client, run, once_of(load.workload), number);
        });
    std::this_thread::sleep_for(duration / 4);  // connections warm up, tokens come to where they are used
    run.counted = true;
    const auto began = Clock::now();
    std::this_thread::sleep_for(duration);
    run.over = true;
    const std::chrono::duration<double> took = Clock::now() - began;
    threads.clear();
    if (run.failure) std::rethrow_exception(run.failure);
    return {percentile(run.samples_us, 0.5), percentile(run.samples_us, 0.99),
            static_cast<double>(run.samples_us.size()) / took.count()};
}

namespace {

// Starts a client that waits for the lock, and returns when it surely waits.
std::jthread start_waiting(Client& client, const Names& lock, int number, std::vector<int>& served) {
    std::atomic<pid_t> asks = 0;
    std::jthread thread([&, number] {
        asks = ::gettid();
        client.acquire(lock);
        served.push_back(number);
        client.release(lock);
    });
    while (asks == 0 || !sleeps(asks)) std::this_thread::sleep_for(100us);
    return thread;
}

}  // namespace

int rounds_out_of_order(Contender& contender, int clients, int rounds) {
    auto all = make_clients(contender, Workload::turns, clients + 1);
    const auto holder = std::move(all.back());
    all.pop_back();
    const Names lock{"ordered"};
    int out_of_order = 0;
    for (int round = 0; round < rounds; ++round) {
        holder->acquire(lock);
        std::vector<int> served;  // by whoever holds the lock
        std::vector<std::jthread> threads;
        for (int number = 0; const auto& client : all)
            threads.push_back(start_waiting(*client, lock, number++, served));
        holder->release(lock);
        threads.clear();
        if (!std::ranges::is_sorted(served)) ++out_of_order;
    }
    return out_of_order;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace allot::bench
