// A program that does something which only one program of the whole cluster may do at a time.
//
//     allot-example LOCK [SEMAPHORE]
//
// It waits for the lock (and a permit of the semaphore) for at most ten seconds, shows its fences, and what
// others are told meanwhile.

#include <allot/client.hpp>
#include <atomic>
#include <future>
#include <iostream>

namespace client = allot::client;
using namespace std::chrono_literals;

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        std::cerr << "usage: allot-example LOCK [SEMAPHORE]\n";
        return 2;
    }
    auto demand = client::Demand().lock(argv[1]);
    if (argc == 3) demand.permit(argv[2]);

    try {
        auto session = client::Session::connect();
        auto lease = session.acquire(demand, 10s);
        for (const client::Held& held : lease.held())
            std::cout << "holds " << held.name << " with fence " << held.fence << '\n';

        // Whoever loses what it holds must stop; long work looks at this, or at lease.valid(), as it goes.
        std::atomic<bool> stop = false;
        lease.on_lost([&](const std::string& reason) {
            std::cerr << "lost: " << reason << '\n';
            stop = true;
        });

        auto other = client::Session::connect();
        if (!other.try_acquire(client::Demand().lock(argv[1]))) std::cout << "others find it busy\n";

        // Called back when it is this one's turn.
        std::promise<std::uint64_t> next;
        other.async_acquire(client::Demand().lock(argv[1]), 10s, [&](client::Outcome outcome) {
            next.set_value(outcome ? std::move(outcome).lease().fence() : 0);
        });
        const std::uint64_t fence = lease.fence(argv[1]);
        lease.release();
        std::cout << "the next fence is " << (next.get_future().get() > fence ? "greater" : "not greater")
                  << '\n';
        return stop ? 1 : 0;
    } catch (const client::Failure& failure) {
        std::cerr << "allot-example: " << failure.what() << '\n';
        return 1;
    }
}
