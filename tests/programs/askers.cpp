// Asks for very many locks with long names, and waits: askers SOCKET SESSIONS REQUESTS. Prints a line when
// all is asked, and ends with its input.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "allot/client.hpp"

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fputs("usage: askers SOCKET SESSIONS REQUESTS\n", stderr);
        return 2;
    }
    constexpr int locks_at_once = 64;
    allot::client::Options options;
    options.address = argv[1];
    std::vector<allot::client::Session> sessions;
    for (int i = 0; i < std::atoi(argv[2]); ++i) {
        sessions.push_back(allot::client::Session::connect(options));
        for (int j = 0; j < std::atoi(argv[3]); ++j) {
            allot::client::Demand demand;
            for (int k = 0; k < locks_at_once; ++k)
                demand.lock(std::to_string(i) + "-" + std::to_string(j) + "-" + std::to_string(k) +
                            std::string(100, 'n'));
            sessions.back().async_acquire(demand, {}, [](const auto&) {});
        }
    }
    std::puts("asked");
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
    std::_Exit(0);
}
