// A network between two programs that misbehaves on command. It takes connections on one address, passes each
// on to another, and lets nothing through, late, or too late.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "net/stream.hpp"

namespace allot::net {

class FaultProxy {
public:
    static Result<std::unique_ptr<FaultProxy>> make(boost::asio::io_context& loop, const std::string& listen,
                                                    const std::string& target);
    ~FaultProxy();

    std::uint16_t port() const;
    std::string address() const;

    // Whatever is read from now on is passed on so much later.
    void delay(std::chrono::milliseconds by);
    // Ends all connections.
    void cut();
    // New connections are closed at once.
    void refuse();
    // Nothing passes any more, in either direction, not even the end of a connection: both ends wait. What is
    // written meanwhile arrives once this is healed.
    void blackhole();
    // The newest connection (or the next, if there is none) is held back like this until one that was made
    // after it has carried an answer; only then arrives what was written to it.
    void reorder();
    // No more faults: what was held back arrives.
    void heal();

    // As a line: "delay 20", "cut", "refuse", "blackhole", "reorder", "heal".
    Result<std::string> command(const std::string& line);

    std::size_t connections() const;         // that are open
    std::uint64_t bytes_passed() const;      // so far
    std::uint64_t connections_made() const;  // so far

private:
    class Relay;
    FaultProxy(boost::asio::io_context& loop, std::string target);
    void accept(StreamPtr stream);
    void forget_ended();
    void release_older_than(const Relay& newer);

    boost::asio::io_context& loop_;
    const std::string target_;
    std::unique_ptr<Listener> listener_;
    std::vector<std::shared_ptr<Relay>> relays_;  // oldest first
    std::chrono::milliseconds delay_{0};
    bool refusing_ = false;
    bool blackhole_ = false;
    bool hold_next_ = false;
    std::uint64_t passed_ = 0;
    std::uint64_t made_ = 0;
};

}  // namespace allot::net
