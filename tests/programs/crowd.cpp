// Many programs at once that compete for locks and permits on several hosts, and a witness: whoever is inside
// writes so, and reads whether anybody else is who must not be.
//
//   crowd WITNESS SECONDS SESSIONS SEED SOCKET...
//
// WITNESS is a file that several crowds may share. There are 12 locks, unless $CROWD_LOCKS=0 says that there
// are none, and the semaphore `builds`, of which $CROWD_PERMITS (2) permits exist. With $CROWD_LONG=N every
// Nth session takes one of three other locks instead, always the same, and holds it for 4.5 s or until
// shortly before its lease ends. With $CROWD_REST=MS each session rests for up to MS milliseconds after each
// section. A request that is not granted within a minute is a failure. So is a lease that is lost, and a
// daemon that refuses a request or cannot be reached, unless $CROWD_LOSES=1. SIGTERM ends the crowd before
// its time. Prints a summary; exit code 1 if anything went wrong.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "client/allot/client.hpp"
#include "witness.hpp"

namespace {

using namespace std::chrono_literals;
using allot::client::Clock;
using allot::client::Code;

constexpr std::size_t locks = 12;
constexpr std::size_t long_locks = 3;  // after those
constexpr auto long_time = 4500ms;
// A long section ends so long before its lease does.
constexpr auto margin = 200ms;
constexpr auto patience = 60s;

std::atomic<bool> told_to_end{false};
static_assert(std::atomic<bool>::is_always_lock_free);

struct Witness {
    allot::test::WitnessedLock lock[locks + long_locks];
    std::atomic<std::int32_t> permits;
};

struct Setting {
    Witness* witness = nullptr;
    Clock::time_point end;
    std::int32_t permits = 2;
    bool locks = true;
    bool loses = false;
    int long_every = 0;  // sessions; 0: none holds a lock for long
    unsigned rest_ms = 0;

    bool goes_on() const { return Clock::now() < end && !told_to_end; }
};

struct Totals {
    std::atomic<std::uint64_t> sections{0};
    std::atomic<std::uint64_t> long_sections{0};
    std::atomic<std::uint64_t> lost{0};
    std::atomic<std::uint64_t> refused{0};
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

// False if the lease does not last long enough.
bool hold(const allot::client::Lease& lease) {
    const auto end = Clock::now() + long_time;
    while (Clock::now() < end && Clock::now() + margin < lease.valid_until())
        std::this_thread::sleep_for(10ms);
    return Clock::now() >= end;
}

struct Person {
    const Setting& setting;
    Totals& totals;
    const std::string socket;
    const std::optional<std::size_t> long_lock;  // takes only that
    std::mt19937 random;

    void live();
    void section(allot::client::Session& session);
};

void Person::section(allot::client::Session& session) {
    const Wish wish = long_lock ? Wish{.locks = {*long_lock}} : draw(random, setting);
    const auto asked = Clock::now();
    auto lease = session.acquire(wish.demand(), patience);
    totals.waited(Clock::now() - asked);
    enter(setting, totals, wish, lease);
    const bool has_lasted = !long_lock || hold(lease);
    if (!long_lock) std::this_thread::sleep_for(std::chrono::microseconds(random() % 1000));
    leave(setting, wish);
    if (!has_lasted || !lease.valid()) {
        ++totals.lost;
        if (!setting.loses) totals.complain("lost: " + lease.lost_because());
    }
    ++(long_lock ? totals.long_sections : totals.sections);
    if (setting.rest_ms > 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % setting.rest_ms));
}

// A host that is removed refuses those who wait there. A request that is neither refused nor granted in time
// is one that nobody serves.
void Person::live() {
    allot::client::Options options;
    options.address = socket;
    options.command = "crowd";
    std::optional<allot::client::Session> session;
    while (setting.goes_on()) {
        try {
            if (!session) session = allot::client::Session::connect(options);
            section(*session);
        } catch (const allot::client::Failure& failure) {
            if (!setting.loses || failure.code() == Code::timed_out)
                return totals.complain(socket + ": " + failure.what());
            ++totals.refused;
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
    if (const char* every = std::getenv("CROWD_LONG")) setting.long_every = std::atoi(every);
    if (const char* rest = std::getenv("CROWD_REST"))
        setting.rest_ms = static_cast<unsigned>(std::atoi(rest));
    setting.loses = std::getenv("CROWD_LOSES") != nullptr;
    std::signal(SIGTERM, [](int) { told_to_end = true; });
    const unsigned seed = static_cast<unsigned>(std::atoi(argv[4]));
    Totals totals;
    {
        std::vector<std::jthread> people;
        for (int i = 0; i < std::atoi(argv[3]); ++i)
            people.emplace_back([&, i] {
                std::optional<std::size_t> long_lock;
                // Sessions of two hosts compete for each, if there are three hosts and N is 4.
                if (setting.long_every > 0 && i % setting.long_every == 0)
                    long_lock = locks + static_cast<std::size_t>(i / setting.long_every / 2) % long_locks;
                Person{setting, totals, argv[5 + i % (argc - 5)], long_lock,
                       std::mt19937(seed * 1000 + static_cast<unsigned>(i))}
                    .live();
            });
    }
    const auto number = [](std::uint64_t one) { return static_cast<unsigned long long>(one); };
    std::printf(
        "%llu sections and %llu long ones, longest wait %lld ms, %llu lost, %llu refused, %llu wrong\n",
        number(totals.sections), number(totals.long_sections), static_cast<long long>(totals.longest_ms),
        number(totals.lost), number(totals.refused), number(totals.wrong));
    return totals.wrong == 0 && totals.sections > 0 ? 0 : 1;
}
