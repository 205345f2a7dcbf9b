// Takes very many locks, each of them once: namers PREFIX COUNT SOCKET... Their names begin
// with the prefix. Sessions with all daemons share the work. With $NAMERS_OF=50 there are 50 names, which are
// taken again and again. With $NAMERS_FOR=5 it takes one at a time, for five seconds at most, and prints how
// long a lock and its release took: half of them at most so long, and the slowest one.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "allot/client.hpp"

namespace {

using Clock = std::chrono::steady_clock;

// One lock after another, each with its release.
void take_one_by_one(allot::client::Session& session, const std::string& prefix, long count, long names,
                     std::chrono::seconds duration) {
    std::vector<double> times_us;
    const auto end = Clock::now() + duration;
    for (long i = 0; i < count && Clock::now() < end; ++i) {
        const auto began = Clock::now();
        session
            .acquire(allot::client::Demand().lock(prefix + std::to_string(i % names)),
                     duration + std::chrono::seconds(30))
            .release();
        times_us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - began).count());
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::ranges::sort(times_us);
    std::printf("%zu names, p50 %.0f us, longest %.0f us\n", times_us.size(), times_us[times_us.size() / 2],
                times_us.back());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fputs("usage: namers PREFIX COUNT SOCKET...\n", stderr);
        return 2;
    }
    constexpr int at_once = 128;
    std::counting_semaphore<at_once> room(at_once);
    std::vector<allot::client::Session> sessions;
    for (int i = 3; i < argc; ++i) {
        allot::client::Options options;
        options.address = argv[i];
        sessions.push_back(allot::client::Session::connect(options));
    }
    const long count = std::atol(argv[2]);
    const char* const of = std::getenv("NAMERS_OF");
    const long names = of == nullptr ? count : std::atol(of);
    const std::string prefix = argv[1];
    if (const char* const duration = std::getenv("NAMERS_FOR"); duration != nullptr) {
        take_one_by_one(sessions.front(), prefix, count, names, std::chrono::seconds(std::atol(duration)));
        return 0;
    }
    for (long i = 0; i < count; ++i) {
        room.acquire();
        sessions[static_cast<std::size_t>(i) % sessions.size()].async_acquire(
            allot::client::Demand().lock(prefix + std::to_string(i % names)), {},
            [&](allot::client::Outcome outcome) {
                if (!outcome) std::_Exit(1);
                room.release();
            });
    }
    for (int i = 0; i < at_once; ++i) room.acquire();
    std::printf("%ld names\n", count);
    return 0;
}
