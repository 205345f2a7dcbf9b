// Many programs on other machines: each has a session of its own, over TLS, and takes and releases locks.
//
//   remotes WITNESS SESSIONS SEED THINK_MS ADDRESSES
//
// ADDRESSES is what Options::address takes; the certificates come from the environment. WITNESS is a file
// that several processes may share. Prints a line when all sessions are connected. For each line of its input
// it waits until every session has had two more sections, and prints how long that took. It ends at the
// line `.`. Exit code 1 if two were inside a lock, a fence did not grow, or a session did not go on within
// two minutes. With $REMOTES_LONG=N one of N sections would outlast a lease, so that a daemon that is killed
// takes leases with it; $REMOTES_CONNECT_MS is the time to connect.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "client/allot/client.hpp"
#include "witness.hpp"

namespace {

using namespace std::chrono_literals;
using allot::client::Clock;
using allot::client::Code;
using allot::client::Failure;
using allot::client::Lease;
using allot::client::Options;
using allot::client::Session;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr std::size_t locks = 400;
constexpr std::size_t long_locks = 200;  // after those; for sections that outlast a lease
constexpr auto patience = 120s;
// A program that wants to be sure stops so long before its lease ends.
constexpr auto margin = 200ms;

using Witness = std::array<allot::test::WitnessedLock, locks + long_locks>;

struct Maximum {
    std::atomic<std::int64_t> ms{0};
    void take(Clock::duration time) {
        const std::int64_t one = duration_cast<milliseconds>(time).count();
        for (std::int64_t most = ms; one > most && !ms.compare_exchange_weak(most, one);) {
        }
    }
};

class Remotes {
public:
    // One of `long_every` sections outlasts a lease; 0: none does.
    Remotes(Witness& witness, std::size_t count, Options options, milliseconds think, unsigned long_every)
        : witness_(witness),
          options_(std::move(options)),
          think_(think),
          long_every_(long_every),
          sections_(count) {}

    void connect_all(unsigned seed);
    bool wait_for_all();
    bool end();

private:
    void live(std::size_t number, unsigned seed);
    Session connected();
    void section(Session& session, std::mt19937& random);
    void use(const Lease& lease, Clock::duration time);
    void complain(const std::string& what);
    void print(const std::string& what);

    Witness& witness_;
    const Options options_;
    const milliseconds think_;
    const unsigned long_every_;
    std::vector<std::atomic<std::uint64_t>> sections_;  // of each session
    std::vector<std::jthread> threads_;
    std::atomic<bool> stopping_{false};
    std::atomic<std::size_t> connected_{0};
    std::atomic<std::int64_t> connecting_us_{0};
    std::atomic<std::uint64_t> moved_{0};
    std::atomic<std::uint64_t> lost_{0};
    std::atomic<std::uint64_t> failures_{0};
    std::atomic<std::uint64_t> wrong_{0};
    Maximum longest_connect_;
    Maximum longest_wait_;
    std::mutex speaking_;
};

std::size_t resident_kb() {
    std::ifstream file("/proc/self/statm");
    std::size_t all = 0;
    std::size_t resident = 0;
    file >> all >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

void Remotes::complain(const std::string& what) {
    ++wrong_;
    const std::scoped_lock one_at_a_time(speaking_);
    std::fprintf(stderr, "remotes: %s\n", what.c_str());
}

void Remotes::print(const std::string& what) {
    std::uint64_t all = 0;
    for (const auto& one : sections_) all += one;
    std::printf("%s; %llu sections, longest wait %lld ms, %llu moved, %llu lost, %llu failed, %llu wrong\n",
                what.c_str(), static_cast<unsigned long long>(all), static_cast<long long>(longest_wait_.ms),
                static_cast<unsigned long long>(moved_), static_cast<unsigned long long>(lost_),
                static_cast<unsigned long long>(failures_), static_cast<unsigned long long>(wrong_));
    std::fflush(stdout);
}

// All at once, as after a power cut.
void Remotes::connect_all(unsigned seed) {
    const std::size_t before = resident_kb();
    for (std::size_t i = 0; i < sections_.size(); ++i)
        threads_.emplace_back([this, i, seed] { live(i, seed + static_cast<unsigned>(i)); });
    while (connected_ < sections_.size()) std::this_thread::sleep_for(1ms);
    const auto count = static_cast<std::int64_t>(sections_.size());
    print(std::to_string(count) + " connected, in " + std::to_string(connecting_us_ / count / 1000) +
          " ms on average and " + std::to_string(longest_connect_.ms) + " ms at most, " +
          std::to_string((resident_kb() - before) / sections_.size()) + " kB each");
}

Session Remotes::connected() {
    const auto began = Clock::now();
    while (true) {
        try {
            Session session = Session::connect(options_);
            const auto time = Clock::now() - began;
            connecting_us_ += duration_cast<std::chrono::microseconds>(time).count();
            longest_connect_.take(time);
            return session;
        } catch (const Failure& failure) {
            if (++failures_ == 1) std::fprintf(stderr, "remotes: %s\n", failure.what());
            if (Clock::now() - began > patience) throw;
        }
        std::this_thread::sleep_for(100ms);
    }
}

void Remotes::live(std::size_t number, unsigned seed) {
    std::mt19937 random(seed);
    try {
        Session session = connected();
        ++connected_;
        std::string host = session.host();
        while (!stopping_) {
            section(session, random);
            ++sections_[number];
            if (host != session.host()) ++moved_;
            host = session.host();
            std::this_thread::sleep_for(think_ * (random() % 2000) / 1000);
        }
    } catch (const Failure& failure) {
        complain(failure.what());
    }
}

void Remotes::section(Session& session, std::mt19937& random) {
    const bool is_long = long_every_ > 0 && random() % long_every_ == 0;
    const std::size_t first = is_long ? locks + random() % long_locks : random() % locks;
    const std::size_t second = is_long ? first : random() % locks;
    allot::client::Demand demand;
    demand.lock("r" + std::to_string(first));
    if (second != first) demand.lock("r" + std::to_string(second));
    const auto asked = Clock::now();
    try {
        const Lease lease = session.acquire(demand, patience);
        longest_wait_.take(Clock::now() - asked);
        use(lease, is_long ? session.stop_within() * 3 / 2 : 1ms);
    } catch (const Failure& failure) {
        if (failure.code() == Code::timed_out) throw;
        if (++failures_ == 1) std::fprintf(stderr, "remotes: %s\n", failure.what());
    }
}

// A section ends before its lease does.
void Remotes::use(const Lease& lease, Clock::duration time) {
    const auto number = [](const std::string& name) { return std::strtoul(name.c_str() + 1, nullptr, 10); };
    const auto end = Clock::now() + time;
    for (const allot::client::Held& one : lease.held())
        if (const std::string why = witness_[number(one.name)].enter(one.fence); !why.empty())
            complain(one.name + ": " + why);
    while (Clock::now() < end && Clock::now() + margin < lease.valid_until())
        std::this_thread::sleep_for(time > 1s ? 10ms : 1ms);
    for (const allot::client::Held& one : lease.held()) witness_[number(one.name)].leave();
    if (Clock::now() < end || !lease.valid()) ++lost_;
}

bool Remotes::wait_for_all() {
    const auto began = Clock::now();
    std::vector<std::uint64_t> before(sections_.begin(), sections_.end());
    for (std::size_t i = 0; i < sections_.size(); ++i) {
        while (sections_[i] < before[i] + 2) {
            if (Clock::now() - began > patience) {
                complain("session " + std::to_string(i) + " does not go on");
                return false;
            }
            std::this_thread::sleep_for(1ms);
        }
    }
    print("all " + std::to_string(sections_.size()) + " went on within " +
          std::to_string(duration_cast<milliseconds>(Clock::now() - began).count()) + " ms");
    return true;
}

bool Remotes::end() {
    stopping_ = true;
    threads_.clear();
    print("ended");
    return wrong_ == 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) {
        std::fputs("usage: remotes WITNESS SESSIONS SEED THINK_MS ADDRESSES\n", stderr);
        return 2;
    }
    auto* witness = allot::test::open_witness<Witness>(argv[1]);
    if (witness == nullptr) {
        std::perror(argv[1]);
        return 2;
    }
    Options options;
    options.address = argv[5];
    options.command = "remotes";
    if (const char* ms = std::getenv("REMOTES_CONNECT_MS"))
        options.connect_timeout = milliseconds(std::atoi(ms));
    const char* some = std::getenv("REMOTES_LONG");
    const unsigned long_every = some == nullptr ? 0 : static_cast<unsigned>(std::atoi(some));
    Remotes remotes(*witness, static_cast<std::size_t>(std::atoi(argv[2])), options,
                    milliseconds(std::atoi(argv[4])), long_every);
    remotes.connect_all(static_cast<unsigned>(std::atoi(argv[3])) * 10'000);
    bool good = true;
    for (std::string line; good && std::getline(std::cin, line) && line != ".";)
        good = remotes.wait_for_all();
    return remotes.end() && good ? 0 : 1;
}
