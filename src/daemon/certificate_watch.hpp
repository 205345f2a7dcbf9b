// Watches the certificate of this host: notices renewed files also while nobody connects, and warns of the
// end of its validity at the start and once a day.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "net/loop.hpp"
#include "net/stream.hpp"
#include "net/timer.hpp"

namespace allot::daemon {

class CertificateWatch {
public:
    explicit CertificateWatch(boost::asio::io_context& loop) : timer_(loop) {}

    // `certificate` is its file.
    void start(const std::string& certificate, net::TlsPtr tls);
    // Why new connections fail, or will fail soon though new files are there; empty if all is well.
    std::string trouble() const;
    // What will end soon, though all is well so far; empty if nothing will.
    std::string warning() const;

private:
    using Time = std::chrono::system_clock::time_point;

    void look();
    void warn(Time expires, Time now);
    std::string expiry(Time expires, Time now) const;

    net::Timer timer_;
    std::string certificate_;
    net::TlsPtr tls_;
    std::optional<Time> warned_at_;
};

}  // namespace allot::daemon
