// Many programs at once that compete for locks and permits on several hosts, and a witness: whoever is inside
// writes so, and reads whether anybody else is who must not be.
//
//   crowd WITNESS SECONDS SESSIONS SEED SOCKET...
//
// WITNESS is a file that several crowds may share. There are 12 locks, unless $CROWD_LOCKS=0 says that there
// are none, and the semaphore `builds`, of which $CROWD_PERMITS (2) permits exist. With $CROWD_LOSES=1 a
// lease may be lost, and a daemon unreachable for a while; otherwise either is a failure, as is a request
// that is not granted within a minute. Prints a summary; exit code 1 if anything went wrong.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "client/allot/client.hpp"
#include "witness.hpp"

namespace {

using namespace std::chrono_literals;
using allot::client::Clock;

constexpr std::size_t locks = 12;
constexpr auto patience = 60s;

struct Witness {
    allot::test::WitnessedLock lock[locks];
    std::atomic<std::int32_t> permits;
};

struct Setting {
    Witness* witness = nullptr;
    Clock::time_point end;
    std::int32_t permits = 2;
    bool locks = true;
    bool loses = false;
};

struct Totals {
    std::atomic<std::uint64_t> sections{0};
    std::atomic<std::uint64_t> lost{0};
    std::atomic<std::uint64_t> wrong{0};
    std::atomic<std::int64_t> longest_ms{0};
    std::mutex speaking;

    void complain(const std::string& what) {
        ++wrong;
        const std::scoped_lock one_at_a_time(speaking);
        std::fprintf(stderr, "crowd: %s\n", what.c_str());
    }
    void waited(Clock::duration time) {
        const std::int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
        for (std::int64_t most = longest_ms; ms > most && !longest_ms.compare_exchange_weak(most, ms);) {
        }
    }
};

struct Wish {
    std::vector<std::size_t> locks;
    std::int32_t permits = 0;

    allot::client::Demand demand() const {
        allot::client::Demand demand;
        for (const std::size_t lock : locks) demand.lock("lock" + std::to_string(lock));
        if (permits > 0) demand.permit("builds", static_cast<std::uint32_t>(permits));
        return demand;
    }
};

Wish draw(std::mt19937& random, const Setting& setting) {
    Wish wish;
    const auto kind = setting.locks ? random() % 10 : 9;
    if (kind < 7) {
        for (std::size_t count = 1 + random() % 3; wish.locks.size() < count;) {
            const std::size_t lock = random() % locks;
            if (std::ranges::find(wish.locks, lock) == wish.locks.end()) wish.locks.push_back(lock);
        }
    }
    if (kind >= 6) wish.permits = 1 + static_cast<std::int32_t>(random()) % setting.permits;
    if (wish.permits < 1 && wish.locks.empty()) wish.permits = 1;
    return wish;
}

void enter(const Setting& setting, Totals& totals, const Wish& wish, const allot::client::Lease& lease) {
    for (const std::size_t lock : wish.locks) {
        const std::string name = "lock" + std::to_string(lock);
        const std::string wrong = setting.witness->lock[lock].enter(lease.fence(name));
        if (!wrong.empty()) totals.complain(name + ": " + wrong);
    }
    if (setting.witness->permits.fetch_add(wish.permits) + wish.permits > setting.permits)
        totals.complain("more permits are in use than there are");
}

void leave(const Setting& setting, const Wish& wish) {
    setting.witness->permits -= wish.permits;
    for (const std::size_t lock : wish.locks) setting.witness->lock[lock].leave();
}

void section(const Setting& setting, Totals& totals, allot::client::Session& session, std::mt19937& random) {
    const Wish wish = draw(random, setting);
    const auto asked = Clock::now();
    auto lease = session.acquire(wish.demand(), patience);
    totals.waited(Clock::now() - asked);
    enter(setting, totals, wish, lease);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 1000));
    leave(setting, wish);
    if (!lease.valid()) {
        ++totals.lost;
        if (!setting.loses) totals.complain("lost: " + lease.lost_because());
    }
    ++totals.sections;
}

void live(const Setting& setting, Totals& totals, const std::string& socket, unsigned seed) {
    std::mt19937 random(seed);
    allot::client::Options options;
    options.address = socket;
    options.command = "crowd";
    std::optional<allot::client::Session> session;
    while (Clock::now() < setting.end) {
        try {
            if (!session) session = allot::client::Session::connect(options);
            section(setting, totals, *session, random);
        } catch (const allot::client::Failure& failure) {
            if (!setting.loses) return totals.complain(failure.what());
            session.reset();
            std::this_thread::sleep_for(50ms);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 6) {
        std::fputs("usage: crowd WITNESS SECONDS SESSIONS SEED SOCKET...\n", stderr);
        return 2;
    }
    Setting setting;
    setting.witness = allot::test::open_witness<Witness>(argv[1]);
    if (setting.witness == nullptr) {
        std::perror(argv[1]);
        return 2;
    }
    setting.end = Clock::now() + std::chrono::milliseconds(static_cast<int>(std::atof(argv[2]) * 1000));
    if (const char* permits = std::getenv("CROWD_PERMITS")) setting.permits = std::atoi(permits);
    if (const char* some = std::getenv("CROWD_LOCKS")) setting.locks = std::atoi(some) != 0;
    setting.loses = std::getenv("CROWD_LOSES") != nullptr;
    const unsigned seed = static_cast<unsigned>(std::atoi(argv[4]));
    Totals totals;
    {
        std::vector<std::jthread> people;
        for (int i = 0; i < std::atoi(argv[3]); ++i)
            people.emplace_back([&, i] {
                live(setting, totals, argv[5 + i % (argc - 5)], seed * 1000 + static_cast<unsigned>(i));
            });
    }
    std::printf("%llu sections, longest wait %lld ms, %llu lost, %llu wrong\n",
                static_cast<unsigned long long>(totals.sections), static_cast<long long>(totals.longest_ms),
                static_cast<unsigned long long>(totals.lost), static_cast<unsigned long long>(totals.wrong));
    return totals.wrong == 0 && totals.sections > 0 ? 0 : 1;
}
