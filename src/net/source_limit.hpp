// Limits the handshakes that fail from one source of connections. Those that succeed are not counted: many
// programs on one machine may connect at once, and a host is heard soon although others fail from its
// address.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "net/socket.hpp"

namespace allot::net {

class SourceLimit {
public:
    using Clock = std::chrono::steady_clock;

    // Failures that one source may have at once, and those that each second forgives.
    static constexpr double at_once = 2000;
    static constexpr double per_second = 250;
    // Sources that are remembered. Others share one limit then.
    static constexpr std::size_t most_sources = 1024;

    bool lets_in(const Endpoint& source, Clock::time_point now);
    void failed(const Endpoint& source, Clock::time_point now);
    std::size_t sources() const { return debts_.size(); }

private:
    // An address of IPv4, or a network of IPv6: each machine may have as many addresses there as it likes.
    using Source = std::array<std::uint8_t, 8>;
    struct Debt {
        double failures = 0;
        Clock::time_point at;
        double left(Clock::time_point now) const;
    };
    static Source source_of(const Endpoint& one);
    void forget_paid(Clock::time_point now);

    struct Hash {
        std::size_t operator()(const Source& source) const;
    };
    boost::unordered_flat_map<Source, Debt, Hash> debts_;
    Debt others_;
};

}  // namespace allot::net
