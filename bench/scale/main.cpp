// Measures the cost of very many requests, semaphores and sessions. See bench/README.md.
//
//   bench_scale               all
//   bench_scale strangers     only the cost of strangers who begin handshakes
//   bench_scale sessions      only the costs of one host, as a pure machine, and of its sessions
//   ALLOT=... bench_scale     another build of the command than the one beside this program
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <regex>
#include <thread>

#include "allot.hpp"
#include "handshakes.hpp"
#include "host_costs.hpp"
#include "session_costs.hpp"
#include "targets.hpp"
#include "workloads.hpp"

namespace {

using namespace allot::bench;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// --- Semaphores that nobody uses.

constexpr int declared_semaphores = 1000;
constexpr int rounds = 5;
constexpr auto round_duration = 400ms;

void judge_semaphores(Targets& targets, const std::string& program, const Folder& folder) {
    std::vector<std::string> flags;
    for (int i = 0; i < declared_semaphores; ++i) {
        flags.emplace_back("--semaphore");
        flags.push_back(fmt::format("semaphore-{}=2", i));
    }
    Allot none(program, folder.path("none"), 1);
    Allot many(program, folder.path("many"), 1, flags);
    const Load load{"", Workload::pairs, 8};
    std::vector<double> without, with;
    for (int round = 0; round < rounds; ++round) {
        without.push_back(measure(none, load, round_duration).per_second);
        with.push_back(measure(many, load, round_duration).per_second);
    }
    fmt::print("Locks per second, 8 clients: {:.0f} with the usual semaphore, {:.0f} with {} declared\n\n",
               median(without), median(with), declared_semaphores);
    targets.at_least(fmt::format("rate with {} declared semaphores / without", declared_semaphores),
                     median(with) / median(without), 0.9);
}

// --- The cost of a view (specs: views, T12).

constexpr int hosts = 5;
constexpr int sessions_per_host = 200;

struct Change {
    std::uint32_t view = 0;
    double frozen_ms = 0;
    double report_bytes = 0;
};

// The newest view of a host, as its log tells.
Change newest_view(const std::string& log) {
    static const std::regex line(".*view ([0-9]+): frozen for ([0-9]+) us, report of ([0-9]+) bytes");
    Change newest;
    std::ifstream file(log);
    std::smatch found;
    for (std::string text; std::getline(file, text);)
        if (std::regex_match(text, found, line))
            newest = {static_cast<std::uint32_t>(std::stoul(found[1])), std::stod(found[2]) / 1000,
                      std::stod(found[3])};
    return newest;
}

// Takes and releases one lock again and again, and remembers the longest time that took.
class Watcher {
public:
    explicit Watcher(const Allot& cluster)
        : thread_([this, session = cluster.session(0)]() mutable { run(session); }) {}
    double longest_ms() {
        over_ = true;
        thread_.join();
        return longest_ms_;
    }

private:
    void run(allot::client::Session& session) {
        while (!over_) {
            const auto began = Clock::now();
            session.acquire(allot::client::Demand().lock("unrelated"), 30s).release();
            longest_ms_ = std::max(longest_ms_,
                                   std::chrono::duration<double, std::milli>(Clock::now() - began).count());
            std::this_thread::sleep_for(1ms);
        }
    }

    std::atomic<bool> over_ = false;
    double longest_ms_ = 0;
    std::jthread thread_;
};

// Each session holds two locks, and waits for one of the next session.
struct Crowd {
    explicit Crowd(const Allot& cluster) {
        const auto own = [](int host, int number) { return fmt::format("own-{}-{}", host, number); };
        for (int host = 0; host < hosts; ++host)
            for (int i = 0; i < sessions_per_host; ++i) {
                sessions.push_back(cluster.session(host));
                leases.push_back(sessions.back().acquire(
                    allot::client::Demand().lock(own(host, i)).lock(own(host, i) + "-too"), 30s));
            }
        for (std::size_t i = 0; i < sessions.size(); ++i) {
            const int next = static_cast<int>((i + 1) % sessions.size());
            sessions[i].async_acquire(
                allot::client::Demand().lock(own(next / sessions_per_host, next % sessions_per_host)), {},
                [](const auto&) {});
        }
    }
    std::vector<allot::client::Session> sessions;
    std::vector<allot::client::Lease> leases;
};

Change wait_for_view_after(std::uint32_t view, const std::string& log) {
    for (const auto began = Clock::now(); Clock::now() - began < 30s; std::this_thread::sleep_for(20ms))
        if (const Change newest = newest_view(log); newest.view > view) return newest;
    throw std::runtime_error("no view follows the death of a host");
}

void judge_view(Targets& targets, const std::string& program, const Folder& folder) {
    const Allot cluster(program, folder.path("five"), hosts);
    const Crowd crowd(cluster);
    std::this_thread::sleep_for(1s);  // all ask
    const std::string log = folder.path("five") + "/h1.log";
    const std::uint32_t before = newest_view(log).view;
    Watcher watcher(cluster);
    ::kill(cluster.daemons().back(), SIGKILL);
    const Change change = wait_for_view_after(before, log);
    std::this_thread::sleep_for(500ms);
    const double longest_ms = watcher.longest_ms();
    fmt::print(
        "A host of {} dies, {} sessions each: a report has {:.0f} bytes, the daemon is frozen for "
        "{:.1f} ms, an unrelated lock takes {:.1f} ms at most\n\n",
        hosts, sessions_per_host, change.report_bytes, change.frozen_ms, longest_ms);
    targets.at_most("a new view: bytes of a report for each session", change.report_bytes / sessions_per_host,
                    200);
    targets.at_most("a new view: the daemon is frozen, ms", change.frozen_ms, 50);
    targets.at_most("a new view: an unrelated lock takes at most, ms", longest_ms, 50);
}

int run(const std::string& program, const std::string& part) {
    Folder folder{"/dev/shm"};
    Targets targets;
    if (part == "strangers") {
        judge_handshakes(targets, program, folder);
        return targets.all_reached() ? 0 : 1;
    }
    if (part == "sessions") {
        judge_host_costs(targets);
        fmt::print("\n");
        judge_session_costs(targets);
        return targets.all_reached() ? 0 : 1;
    }
    judge_host_costs(targets);
    fmt::print("\n");
    judge_session_costs(targets);
    fmt::print("\n");
    judge_semaphores(targets, program, folder);
    fmt::print("\n");
    judge_view(targets, program, folder);
    fmt::print("\n");
    judge_handshakes(targets, program, folder);
    return targets.all_reached() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string part = argc == 2 ? argv[1] : "";
    if (argc > 2 || (argc == 2 && part != "strangers" && part != "sessions")) {
        fmt::print(stderr, "usage: bench_scale [strangers|sessions]\n");
        return 2;
    }
    const char* other = std::getenv("ALLOT");
    const auto beside = std::filesystem::read_symlink("/proc/self/exe").replace_filename("allot");
    try {
        return run(other != nullptr ? other : beside.string(), part);
    } catch (const std::exception& failure) {
        fmt::print(stderr, "bench: {}\n", failure.what());
        return 1;
    }
}
