// How fast the lock manager is, beside Redis and etcd, all in one run. See bench/README.md.
//
//   bench_locks [ROUNDS]      the median of so many rounds; 9 if nothing is said
//   ALLOT=... bench_locks     another build of the command than the one beside this program
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <thread>
#include <unistd.h>

#include "allot.hpp"
#include "etcd.hpp"
#include "redis.hpp"
#include "targets.hpp"
#include "workloads.hpp"

namespace {

using namespace allot::bench;
using namespace std::chrono_literals;

constexpr std::array loads{
    Load{"lock and unlock, uncontended, 1 client", Workload::pairs, 1},
    Load{"lock and unlock, uncontended, 8 clients", Workload::pairs, 8},
    Load{"lock and unlock, uncontended, 32 clients", Workload::pairs, 32},
    Load{"hand-off of one lock between 8 clients", Workload::turns, 8},
    Load{"sets of 3 out of 16 locks, held 1 ms, 8 clients", Workload::sets, 8},
};
constexpr std::size_t hand_off = 3;
constexpr std::size_t sets = 4;

constexpr int usual_rounds = 9;
constexpr auto round_duration = 300ms;
constexpr int order_rounds = 20;
constexpr int puts = 1000;
constexpr int idle_sessions = 1000;
constexpr auto settling_time = 500ms;
constexpr auto idle_time = 5s;

// --- Rounds.

struct Row {
    Row(std::string title, std::unique_ptr<Contender> who)
        : name(std::move(title)), contender(std::move(who)) {}

    // Of the round whose rate is the median.
    Figures figures(std::size_t load) const {
        std::vector<Figures> sorted = rounds[load];
        std::ranges::sort(sorted, {}, &Figures::per_second);
        return sorted[sorted.size() / 2];
    }

    std::string name;
    std::unique_ptr<Contender> contender;
    std::array<std::vector<Figures>, loads.size()> rounds;
};

// Each round begins with another contender: none is always the one that runs after etcd.
void run_rounds(std::vector<Row>& rows, int rounds) {
    const bool terminal = ::isatty(STDERR_FILENO) != 0;
    std::vector<Row*> turns;
    for (Row& row : rows) turns.push_back(&row);
    for (int round = 1; round <= rounds; ++round) {
        if (terminal) fmt::print(stderr, "\rround {} of {}", round, rounds);
        for (std::size_t load = 0; load < loads.size(); ++load)
            for (Row* const row : turns)
                row->rounds[load].push_back(measure(*row->contender, loads[load], round_duration));
        std::rotate(turns.begin(), turns.begin() + 1, turns.end());
    }
    if (terminal) fmt::print(stderr, "\r\033[K");
}

// The median of what each round says by itself. What slows the machine for seconds slows both alike.
double ratio(const Row& ours, const Row& theirs, std::size_t load, double Figures::*figure) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < ours.rounds[load].size(); ++round)
        ratios.push_back(ours.rounds[load][round].*figure / theirs.rounds[load][round].*figure);
    return median(std::move(ratios));
}

void print_table(const std::vector<Row>& rows, std::size_t load) {
    fmt::print("{:<50} {:>9} {:>9} {:>11} {:>14}\n", loads[load].title, "p50 us", "p99 us", "per second",
               "allot's / this");
    for (const Row& row : rows) {
        const Figures figures = row.figures(load);
        fmt::print("  {:<48} {:>9.1f} {:>9.1f} {:>11.0f} {:>14.2f}\n", row.name, figures.p50_us,
                   figures.p99_us, figures.per_second, ratio(rows.front(), row, load, &Figures::per_second));
    }
    fmt::print("\n");
}

// --- What a daemon costs.

struct Cost {
    double ready_s = 0;
    double idle_cpu_percent = 0;  // of one core, by the daemon that needs most
    double resident_mb = 0;       // of the first, which has all the sessions
};

std::vector<std::chrono::nanoseconds> cpu_times(const Allot& cluster) {
    std::vector<std::chrono::nanoseconds> times;
    for (const pid_t daemon : cluster.daemons()) times.push_back(cpu_time(daemon));
    return times;
}

Cost cost_of(const Allot& cluster) {
    Cost cost{.ready_s = cluster.ready_after().count()};
    std::vector<allot::client::Session> sessions;
    for (int i = 0; i < idle_sessions; ++i) sessions.push_back(cluster.session(0));
    std::this_thread::sleep_for(settling_time);
    const auto before = cpu_times(cluster);
    std::this_thread::sleep_for(idle_time);
    const auto after = cpu_times(cluster);
    for (std::size_t i = 0; i < before.size(); ++i) {
        const std::chrono::duration<double> used = after[i] - before[i];
        cost.idle_cpu_percent = std::max(cost.idle_cpu_percent, 100 * (used / idle_time));
    }
    cost.resident_mb = resident_megabytes(cluster.daemons().front());
    return cost;
}

void print_costs(const std::vector<std::pair<std::string, Cost>>& costs) {
    fmt::print("{:<50} {:>9} {:>9} {:>11}\n",
               fmt::format("daemons, {} idle sessions with the first", idle_sessions), "ready, s", "MB",
               "CPU, %");
    for (const auto& [name, cost] : costs)
        fmt::print("  {:<48} {:>9.3f} {:>9.1f} {:>11.3f}\n", name, cost.ready_s, cost.resident_mb,
                   cost.idle_cpu_percent);
    fmt::print("\n");
}

// --- Targets.

const std::string one_host = "allot, one host";
const std::string three_hosts = "allot, three hosts";
const std::string redis_answered = "Redis";
const std::string redis_in_flight = "Redis, release in flight";
const std::string etcd_in_memory = "etcd, in memory";
const std::string etcd_on_disk = "etcd, on disk";

class Results {
public:
    explicit Results(const std::vector<Row>& rows) : rows_(rows) {}

    const Row* find(const std::string& name) const {
        const auto row = std::ranges::find(rows_, name, &Row::name);
        return row == rows_.end() ? nullptr : &*row;
    }
    Figures of(const std::string& name, std::size_t load) const { return find(name)->figures(load); }

    double ratio(const std::string& ours, const std::string& theirs, std::size_t load,
                 double Figures::*figure) const {
        return ::ratio(*find(ours), *find(theirs), load, figure);
    }
    // Redis is taken the way that is better for it.
    double rate_to_redis(const std::string& ours, std::size_t load) const {
        return std::min(ratio(ours, redis_answered, load, &Figures::per_second),
                        ratio(ours, redis_in_flight, load, &Figures::per_second));
    }
    double p50_to_redis(const std::string& ours, std::size_t load) const {
        return std::max(ratio(ours, redis_answered, load, &Figures::p50_us),
                        ratio(ours, redis_in_flight, load, &Figures::p50_us));
    }

private:
    const std::vector<Row>& rows_;
};

void judge_against_redis(Targets& targets, const Results& results) {
    if (results.find(redis_answered) == nullptr)
        return targets.leave_open("uncontended, hand-off and sets: allot / Redis", "no redis-server here");
    for (const std::string& ours : {one_host, three_hosts})
        for (std::size_t load = 0; load < hand_off; ++load)
            targets.at_least(
                fmt::format("{}, uncontended, clients {}: rate / Redis", ours, loads[load].clients),
                results.rate_to_redis(ours, load), 1);
    targets.at_most("hand-off: p50 / Redis", results.p50_to_redis(one_host, hand_off), 1.5);
    targets.at_least("sets: rate / Redis", results.rate_to_redis(one_host, sets), 1);
}

void judge_against_etcd(Targets& targets, const Results& results) {
    if (results.find(etcd_on_disk) == nullptr)
        return targets.leave_open("uncontended and hand-off: allot / etcd", "no etcd here");
    for (std::size_t load = 0; load < hand_off; ++load)
        targets.at_least(fmt::format("uncontended, clients {}: rate / etcd, on disk", loads[load].clients),
                         results.ratio(one_host, etcd_on_disk, load, &Figures::per_second), 20);
    targets.at_least("hand-off: p50 of etcd, on disk / p50",
                     results.ratio(etcd_on_disk, one_host, hand_off, &Figures::p50_us), 20);
}

void judge_cost(Targets& targets, const std::string& name, const Cost& cost) {
    targets.at_most(name + ": ready, seconds", cost.ready_s, 1);
    targets.at_most(fmt::format("{}: MB with {} idle sessions", name, idle_sessions), cost.resident_mb, 30);
    targets.at_most(name + ": CPU of an idle daemon, %", cost.idle_cpu_percent, 0.1);
}

// --- One run.

// Contenders whose programs are installed, ours first.
struct Field {
    Folder memory{"/dev/shm"};
    Folder disk{std::filesystem::temp_directory_path()};
    std::optional<Redis> redis;
    std::vector<Row> rows;
};

void add_others(Field& field) {
    if (installed("redis-server")) {
        field.redis.emplace(field.memory.path());
        field.rows.emplace_back(redis_answered, field.redis->contender(Release::answered));
        field.rows.emplace_back(redis_in_flight, field.redis->contender(Release::in_flight));
    } else {
        fmt::print("redis-server is not installed: allot is not compared with it.\n\n");
    }
    if (installed("etcd")) {
        auto in_memory = std::make_unique<Etcd>(field.memory.path());
        auto on_disk = std::make_unique<Etcd>(field.disk.path());
        fmt::print("A put of etcd takes {:.0f} us in memory and {:.0f} us on disk (median of {}).\n\n",
                   in_memory->put_us(puts), on_disk->put_us(puts), puts);
        field.rows.emplace_back(etcd_in_memory, std::move(in_memory));
        field.rows.emplace_back(etcd_on_disk, std::move(on_disk));
    } else {
        fmt::print("etcd is not installed: allot is not compared with it.\n\n");
    }
}

// How many rounds of the first contender, ours, were served in another order than asked for.
int print_order(std::vector<Row>& rows) {
    fmt::print("{:<50} {:>9}\n", "8 clients that ask one after the other",
               fmt::format("of {} rounds served in another order", order_rounds));
    std::vector<int> found;
    for (Row& row : rows) {
        found.push_back(rounds_out_of_order(*row.contender, 8, order_rounds));
        fmt::print("  {:<48} {:>9}\n", row.name, found.back());
    }
    fmt::print("\n");
    return found.front();
}

int run(const std::string& program, int rounds) {
    Field field;
    std::vector<Row>& rows = field.rows;
    auto one = std::make_unique<Allot>(program, field.memory.path("one"), 1);
    auto three = std::make_unique<Allot>(program, field.memory.path("three"), 3);
    // Before anything else runs, or has left its traces in their memory.
    const Cost cost_of_one = cost_of(*one);
    const Cost cost_of_three = cost_of(*three);
    rows.emplace_back(one_host, std::move(one));
    rows.emplace_back(three_hosts, std::move(three));
    add_others(field);
    run_rounds(rows, rounds);

    fmt::print("Locks: median of {} rounds of {} ms each, taken in turns; {} cores\n\n", rounds,
               round_duration.count(), std::thread::hardware_concurrency());
    for (std::size_t load = 0; load < loads.size(); ++load) print_table(rows, load);
    const int disorder = print_order(rows);
    print_costs({{one_host, cost_of_one}, {three_hosts, cost_of_three}});

    Targets targets;
    const Results results(rows);
    judge_against_redis(targets, results);
    targets.at_most("hand-off: rounds served in another order", disorder, 0);
    targets.at_most("sets: p99, ms", results.of(one_host, sets).p99_us / 1000, 20);
    judge_against_etcd(targets, results);
    judge_cost(targets, one_host, cost_of_one);
    judge_cost(targets, three_hosts, cost_of_three);
    return targets.all_reached() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    int rounds = usual_rounds;
    if (argc > 1) {
        const std::string_view wish = argv[1];
        const auto [end, problem] = std::from_chars(wish.data(), wish.data() + wish.size(), rounds);
        if (problem != std::errc() || end != wish.data() + wish.size() || rounds < 1 || argc > 2) {
            fmt::print(stderr, "usage: bench_locks [ROUNDS]   the number of rounds, at least 1\n");
            return 2;
        }
    }
    const char* other = std::getenv("ALLOT");
    const auto beside = std::filesystem::read_symlink("/proc/self/exe").replace_filename("allot");
    try {
        return run(other != nullptr ? other : beside.string(), rounds);
    } catch (const std::exception& failure) {
        fmt::print(stderr, "bench: {}\n", failure.what());
        return 1;
    }
}
