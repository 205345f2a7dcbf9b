#include "support/handshake_flood.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <csignal>
#include <memory>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptor.hpp"

namespace allot::test {

namespace {

constexpr unsigned threads = 4;  // one that waits for an answer keeps no other one waiting
constexpr int lowest_priority = 19;
constexpr timeval patience{.tv_sec = 1, .tv_usec = 0};

struct Free {
    void operator()(SSL_CTX* one) const { SSL_CTX_free(one); }
    void operator()(SSL* one) const { SSL_free(one); }
};

Descriptor connected_to(const sockaddr_in& address) {
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    // Ports of connections that were reset are free again at once.
    const linger none{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
    const bool connected =
        ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    return connected ? std::move(socket) : Descriptor();
}

// Until the other end has answered to the missing certificate.
bool shake_hands(SSL_CTX* context, const Descriptor& socket) {
    const std::unique_ptr<SSL, Free> session(SSL_new(context));
    SSL_set_fd(session.get(), socket.get());
    ERR_clear_error();
    if (SSL_connect(session.get()) != 1) return false;
    char byte = 0;
    SSL_read(session.get(), &byte, 1);
    return true;
}

}  // namespace

HandshakeFlood::HandshakeFlood(const std::string& address, std::uint16_t port, unsigned per_second) {
    std::signal(SIGPIPE, SIG_IGN);
    sockaddr_in target{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {}, .sin_zero = {}};
    if (::inet_pton(AF_INET, address.c_str(), &target.sin_addr) != 1) throw std::runtime_error(address);
    const std::chrono::nanoseconds interval =
        std::chrono::nanoseconds(std::chrono::seconds(threads)) / per_second;
    for (unsigned i = 0; i < threads; ++i)
        threads_.emplace_back([this, target, interval] { run(target, interval); });
}

HandshakeFlood::~HandshakeFlood() {
    over_ = true;
    threads_.clear();
}

void HandshakeFlood::run(const sockaddr_in& address, std::chrono::nanoseconds interval) {
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), lowest_priority);
    const std::unique_ptr<SSL_CTX, Free> context(SSL_CTX_new(TLS_client_method()));
    if (!context) throw std::runtime_error("no memory for TLS");
    auto next = std::chrono::steady_clock::now();
    while (!over_) {
        if (const Descriptor socket = connected_to(address)) {
            ++connections_;
            if (shake_hands(context.get(), socket)) ++handshakes_;
        }
        next = std::max(next + interval, std::chrono::steady_clock::now() - interval);
        std::this_thread::sleep_until(next);
    }
}

}  // namespace allot::test
