// How fast the simulator is: messages delivered per CPU second with 1,000 sites, beside what a bare heap of
// events would allow at best; and how much memory many sites take. See bench/README.md.
//
//   bench_simulator [RUNS]      best of so many runs; 3 if nothing is said
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <queue>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "registry/registry.hpp"
#include "sim/queue.hpp"
#include "sim/simulation.hpp"

namespace {

using namespace allot;
using namespace allot::sim;

struct Load {
    const char* name;
    const char* protocol;
    Parameters parameters;
    const char* time;
    Distribution think;
    double target;  // messages per CPU second
};

const Distribution latency = Distribution::uniform(200'000, 1'000'000);
const Parameters ten_permits{{"sites", "1000"}, {"permits", "10"}};
const Load loads[] = {
    {"raymond, moderate", "raymond", ten_permits, "2s", Distribution::exponential(second), 2e6},
    {"raymond, saturated", "raymond", ten_permits, "400ms", Distribution::exponential(millisecond), 2e6},
    {"counters",
     "counters",
     {{"sites", "1000"}, {"resources", "10000"}, {"max-request", "4"}},
     "1s",
     Distribution::exponential(10 * millisecond),
     3e5},
    {"counters, 10,000",
     "counters",
     {{"sites", "10000"}, {"resources", "10000"}, {"max-request", "4"}},
     "500ms",
     Distribution::exponential(100 * millisecond),
     3e5},
    {"ring-ticket, 5,000",
     "ring-ticket",
     {{"clients", "1000"}, {"resources", "5000"}, {"max-request", "4"}},
     "6s",
     Distribution::exponential(10 * millisecond),
     3e5},
    {"ordered-chain",
     "ordered-chain",
     {{"clients", "1000"}, {"resources", "10000"}, {"max-request", "4"}},
     "2s",
     Distribution::exponential(10 * millisecond),
     3e5},
};

// Each site knows each other: a hundred million pairs.
const Load crowd{"permits, 10,000",
                 "permits",
                 {{"sites", "10000"}, {"permits", "10"}, {"start-up", "off"}},
                 "200ms",
                 Distribution::exponential(100 * second),
                 0};
constexpr long crowd_mib_most = 1024;

double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct Simulated {
    std::uint64_t messages = 0;
    std::size_t in_flight = 0;  // on average
    double per_second = 0;
};

Simulated simulate(const Load& load, int runs) {
    Plan plan;
    plan.time = *Duration::parse("time", load.time);
    plan.think = load.think;
    plan.latency = latency;
    const auto simulation = make_simulation(*registry::protocol(load.protocol), load.parameters, plan);
    Simulated best;
    for (int run = 0; run < runs; ++run) {
        const Figures figures = (*simulation)->run(1);
        best.messages = figures.delivered;
        // Little's law: what arrives per second times how long it was under way.
        best.in_flight = static_cast<std::size_t>(static_cast<double>(figures.delivered) *
                                                  in_seconds((latency.low + latency.high) / 2) /
                                                  in_seconds(plan.time.value));
        best.per_second =
            std::max(best.per_second, static_cast<double>(figures.delivered) / figures.cpu_seconds);
    }
    return best;
}

// Takes an event and adds one, as a simulator does for every message, and does nothing else.
template <class Queue>
double bare(std::uint64_t events, std::size_t in_flight, int runs) {
    double best = 0;
    for (int run = 0; run < runs; ++run) {
        Queue queue;
        Random random(1);
        for (std::uint32_t i = 0; i < in_flight; ++i) queue.push({latency.draw(random), i, i});
        const double began = cpu_seconds();
        for (std::uint64_t i = 0; i < events; ++i) {
            Scheduled event = queue.pop();
            event.at += latency.draw(random);
            event.what = static_cast<std::uint32_t>(i);
            queue.push(event);
        }
        best = std::max(best, static_cast<double>(events) / (cpu_seconds() - began));
    }
    return best;
}

// The standard library's binary heap, by time and by order.
class BinaryHeap {
public:
    void push(const Scheduled& event) { heap_.push(event); }
    Scheduled pop() {
        const Scheduled first = heap_.top();
        heap_.pop();
        return first;
    }

private:
    struct Later {
        bool operator()(const Scheduled& a, const Scheduled& b) const {
            return a.at != b.at ? a.at > b.at : a.what > b.what;
        }
    };
    std::priority_queue<Scheduled, std::vector<Scheduled>, Later> heap_;
};

// In a process of its own, whose peak of memory is that of the run.
bool crowd_fits_into_memory() {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(simulate(crowd, 1).messages > 0 ? 0 : 1);
    int status = 0;
    rusage usage{};
    if (child < 0 || wait4(child, &status, 0, &usage) != child) return false;
    const long mib = usage.ru_maxrss / 1024;
    const bool fits = status == 0 && mib <= crowd_mib_most;
    std::printf("%s sites: %ld MiB, target %ld MiB, %s\n\n", crowd.name, mib, crowd_mib_most,
                fits ? "reached" : "missed");
    return fits;
}

}  // namespace

int main(int argc, char** argv) {
    const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
    bool reached = crowd_fits_into_memory();
    std::printf("1,000 sites if nothing is said, latency uniform:0.2ms..1ms; best of %d\n", runs);
    std::printf("messages per CPU second, and what a bare queue with as many events in flight allows\n\n");
    std::printf("%-19s %9s %10s %10s %12s %6s %12s %6s %18s\n", "load", "messages", "in flight", "simulator",
                "binary heap", "ratio", "EventQueue", "ratio", "target");
    for (const Load& load : loads) {
        const Simulated simulated = simulate(load, runs);
        const double heap = bare<BinaryHeap>(simulated.messages, simulated.in_flight, runs);
        const double radix = bare<EventQueue>(simulated.messages, simulated.in_flight, runs);
        const bool fast = simulated.per_second >= load.target;
        std::printf("%-19s %9llu %10zu %10.0f %12.0f %6.2f %12.0f %6.2f %10.0f %s\n", load.name,
                    static_cast<unsigned long long>(simulated.messages), simulated.in_flight,
                    simulated.per_second, heap, simulated.per_second / heap, radix,
                    simulated.per_second / radix, load.target, fast ? "reached" : "missed");
        reached = reached && fast;
    }
    return reached ? 0 : 1;
}
