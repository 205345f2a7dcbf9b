// Strangers who begin TLS handshakes that nobody will accept, at a steady rate: they have no certificate.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <thread>
#include <vector>

namespace allot::test {

class HandshakeFlood {
public:
    // Connects to this address of IPv4 until it is destroyed. Its threads have the lowest priority: they
    // stand for machines elsewhere.
    HandshakeFlood(const std::string& address, std::uint16_t port, unsigned per_second);
    ~HandshakeFlood();
    HandshakeFlood(const HandshakeFlood&) = delete;
    HandshakeFlood& operator=(const HandshakeFlood&) = delete;

    struct Count {
        std::uint64_t connections = 0;
        std::uint64_t handshakes = 0;  // of them, in which the other end has done its part
    };
    Count count() const { return {connections_, handshakes_}; }

private:
    void run(const sockaddr_in& address, std::chrono::nanoseconds interval);

    std::atomic<bool> over_ = false;
    std::atomic<std::uint64_t> connections_ = 0;
    std::atomic<std::uint64_t> handshakes_ = 0;
    std::vector<std::jthread> threads_;
};

}  // namespace allot::test
