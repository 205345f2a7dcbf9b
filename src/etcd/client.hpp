// Reads and changes one key of etcd. It stays with the endpoint that answers, and goes on with the next one
// when that fails or is too slow.
//
// Every answer is that of a linearisable operation which began after the question: the reads are never
// `serializable`, and an answer that comes after its patience is not heard. A change that was not answered
// may have happened, or may yet: only a read tells.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "etcd/connection.hpp"
#include "etcd/gateway.hpp"
#include "net/timer.hpp"

namespace allot::etcd {

class Client {
public:
    using Milliseconds = std::chrono::milliseconds;
    struct Settings {
        std::vector<Endpoint> endpoints;
        net::TlsPtr tls;  // for https
        std::string key;
        Milliseconds patience{300};  // with one endpoint; twice that in the next round, and so on
    };

    Client(boost::asio::io_context& loop, Settings settings)
        : loop_(loop), settings_(std::move(settings)), pause_(loop) {}

    // Asks one endpoint after the other until one answers, or the time is over. The error names all of them
    // and what is wrong with each. `done` is never called from inside, and neither is `all_failed`, whenever
    // all have failed once more. Nothing may be under way.
    void read(
        Milliseconds time, std::function<void(Result<Found>)> done, std::function<void()> all_failed = [] {});
    // Nobody waits any more for the read under way, if there is one.
    void cancel_read();
    // The endpoints that have failed in the read under way, and why.
    std::string problems() const;
    // Writes `puts` if the key has not changed since `before`; the first of them is the key. Asks only the
    // endpoint that answered last.
    void exchange(const Found& before, const std::vector<Put>& puts, Milliseconds time,
                  std::function<void(Result<Exchanged>)> done);

    const Settings& settings() const { return settings_; }
    // The one that answered last.
    const Endpoint& endpoint() const { return settings_.endpoints[current_]; }

private:
    using Clock = net::Timer::Clock;

    void try_read();
    void read_failed(const std::string& why);
    void give_up();
    void next_endpoint();
    void post(std::string_view path, std::string body, Milliseconds patience,
              std::function<void(Result<std::string>)> done);

    boost::asio::io_context& loop_;
    const Settings settings_;
    std::size_t current_ = 0;
    std::vector<std::string> problems_;  // of each endpoint, in this read
    std::unique_ptr<Connection> connection_;
    net::Timer pause_;
    // Of the read under way.
    Clock::time_point deadline_;
    std::size_t tries_ = 0;
    std::function<void(Result<Found>)> done_;
    std::function<void()> all_failed_;
};

}  // namespace allot::etcd
