// Takes very many locks, each of them once: namers PREFIX COUNT SOCKET... Their names begin
// with the prefix. Sessions with all daemons share the work. With $NAMERS_OF=50 there are 50 names, which are
// taken again and again.
#include <cstdio>
#include <cstdlib>
#include <semaphore>
#include <string>
#include <vector>

#include "allot/client.hpp"

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
