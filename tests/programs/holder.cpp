// Holds locks and permits through the library: holder [--stoppable|--fork] SOCKET NAME|NAME=UNITS...
//
// Prints NAME=FENCE of each when it has them, and again for each line of its input; `lost: REASON` if it has
// them no longer. Gives them back when the input ends, or at a dot. Exit code 1 if it has lost them.
//
// --stoppable: the guardian may kill it. --fork: it starts a child that inherits the connection, prints
// `child PID`, and both sleep.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <unistd.h>

#include "allot/client.hpp"

namespace {

allot::client::Demand demand_of(int count, char** names) {
    allot::client::Demand demand;
    for (int i = 0; i < count; ++i) {
        const std::string name = names[i];
        const auto equals = name.find('=');
        if (equals == std::string::npos)
            demand.lock(name);
        else
            demand.permit(name.substr(0, equals),
                          static_cast<std::uint32_t>(std::atoi(name.c_str() + equals + 1)));
    }
    return demand;
}

bool tell(const allot::client::Lease& lease) {
    const bool holds = lease.valid();
    if (!holds) std::printf("lost: %s", lease.lost_because().c_str());
    for (const auto& one : lease.held())
        if (holds) std::printf("%s=%llu ", one.name.c_str(), static_cast<unsigned long long>(one.fence));
    std::puts("");
    std::fflush(stdout);
    return holds;
}

void sleep_with_a_child() {
    const pid_t child = ::fork();
    if (child > 0) std::printf("child %d\n", static_cast<int>(child));
    if (child == 0)
        while (true) ::pause();
}

}  // namespace

int main(int argc, char** argv) {
    allot::client::Options options;
    options.stoppable = argc > 1 && std::string(argv[1]) == "--stoppable";
    const bool forks = argc > 1 && std::string(argv[1]) == "--fork";
    if (options.stoppable || forks) --argc, ++argv;
    if (argc < 3) {
        std::fputs("usage: holder [--stoppable|--fork] SOCKET NAME|NAME=UNITS...\n", stderr);
        return 2;
    }
    try {
        options.address = argv[1];
        options.command = "holder";
        auto session = allot::client::Session::connect(options);
        const auto lease = session.acquire(demand_of(argc - 2, argv + 2), {});
        if (forks) sleep_with_a_child();
        bool holds = tell(lease);
        for (int letter = std::getchar(); letter != EOF && letter != '.'; letter = std::getchar())
            if (letter == '\n') holds = tell(lease);
        return holds && lease.valid() ? 0 : 1;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "holder: %s\n", failure.what());
        return 1;
    }
}
