// Watches the certificate of this host and the list of revoked ones: notices renewed files also while nobody
// connects, and warns of the end of their validity at the start and once a day.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "net/loop.hpp"
#include "net/stream.hpp"
#include "net/timer.hpp"

namespace allot::daemon {

class CertificateWatch {
public:
    explicit CertificateWatch(boost::asio::io_context& loop) : timer_(loop) {}

    // `renewed` is called some seconds after renewed files are in use, at the latest.
    void start(const net::TlsFiles& files, net::TlsPtr tls, std::function<void()> renewed);
    // Why new connections fail, or will fail soon though new files are there; empty if all is well.
    std::string trouble() const;
    // Names what ends soon, though all is well so far; empty if nothing does.
    std::string warning() const;
    // None without TLS.
    std::optional<net::TlsCondition> condition() const;

private:
    using Time = std::chrono::system_clock::time_point;

    // A file that counts until some time.
    struct Validity {
        std::string file;
        Time until;
        const char* what;
        const char* if_over;
        const char* remedy;
        bool is_over(Time now) const { return until <= now; }
        bool ends_soon(Time now) const;
        std::string text(Time now) const;
    };
    std::vector<Validity> validities(const net::TlsCondition& condition) const;
    std::string revoked() const;
    void look();
    void warn(const net::TlsCondition& condition, Time now);

    net::Timer timer_;
    net::TlsFiles files_;
    net::TlsPtr tls_;
    std::function<void()> renewed_;
    std::uint64_t revision_ = 0;
    bool was_revoked_ = false;
    std::map<std::string, Time> warned_at_;  // by file
};

}  // namespace allot::daemon
