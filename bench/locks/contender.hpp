// What the lock manager is compared with, and itself, behind one face: a server that was started for this
// run, and clients of it. Every client is one connection that one thread uses, and blocks.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace allot::bench {

// pairs: a lock that nobody else wants. turns: one lock that all want. sets: three of sixteen locks together.
// Systems without a call that suits all three use for each what suits it best.
enum class Workload { pairs, turns, sets };

using Names = std::vector<std::string>;

class Client {
public:
    Client() = default;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    virtual ~Client() = default;

    // Waits until all of them are held.
    virtual void acquire(const Names& names) = 0;
    // Gives back what acquire() took, by the same names.
    virtual void release(const Names& names) = 0;
};

class Contender {
public:
    Contender() = default;
    Contender(const Contender&) = delete;
    Contender& operator=(const Contender&) = delete;
    virtual ~Contender() = default;

    // To be called before the clients of a workload are made, while there are no others.
    virtual void prepare(Workload) {}
    // Clients are numbered from 0; where there are several hosts they take turns.
    virtual std::unique_ptr<Client> client(Workload workload, int number) = 0;
};

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace allot::bench
