// Asks for very many locks with long names: askers SOCKET SESSIONS REQUESTS [keep]. Prints a line when all is
// asked. With `keep` it does not give back what it gets, and prints another line when it has all. It ends
// with its input.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "allot/client.hpp"

namespace {

void say(const char* line) {
    std::puts(line);
    std::fflush(stdout);
}

// The leases of all sessions, whose threads call `add`.
class Kept {
public:
    explicit Kept(std::size_t all) : all_(all) {}
    void add(allot::client::Outcome outcome) {
        const std::scoped_lock lock(mutex_);
        outcomes_.push_back(std::move(outcome));
        if (outcomes_.size() == all_) say("kept");
    }

private:
    const std::size_t all_;
    std::mutex mutex_;
    std::vector<allot::client::Outcome> outcomes_;
};

}  // namespace

int main(int argc, char** argv) {
    const bool keep = argc == 5 && std::string(argv[4]) == "keep";
    if (argc != 4 && !keep) {
        std::fputs("usage: askers SOCKET SESSIONS REQUESTS [keep]\n", stderr);
        return 2;
    }
    constexpr int locks_at_once = 64;
    const int count = std::atoi(argv[2]);
    const int requests = std::atoi(argv[3]);
    Kept kept(static_cast<std::size_t>(count * requests));
    allot::client::Options options;
    options.address = argv[1];
    std::vector<allot::client::Session> sessions;
    for (int i = 0; i < count; ++i) {
        sessions.push_back(allot::client::Session::connect(options));
        for (int j = 0; j < requests; ++j) {
            allot::client::Demand demand;
            for (int k = 0; k < locks_at_once; ++k)
                demand.lock(std::to_string(i) + "-" + std::to_string(j) + "-" + std::to_string(k) +
                            std::string(100, 'n'));
            sessions.back().async_acquire(demand, {}, [&kept, keep](allot::client::Outcome outcome) {
                if (keep) kept.add(std::move(outcome));
            });
        }
    }
    say("asked");
    while (std::getchar() != EOF) {
    }
    std::_Exit(0);
}
