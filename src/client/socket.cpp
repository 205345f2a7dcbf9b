#include "client/socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/passing.hpp"

namespace allot::client {

namespace {

using std::chrono::milliseconds;

Error system_error(int number) {
    return Error{std::strerror(number)};
}

std::optional<Error> finish_connecting(int descriptor, Clock::time_point until) {
    pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
    while (::poll(&ready, 1, 0) <= 0) {
        if (Clock::now() >= until) return Error{"no answer in time"};
        wait_for(descriptor, POLLOUT, until);
    }
    int problem = 0;
    socklen_t size = sizeof problem;
    ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &size);
    if (problem != 0) return system_error(problem);
    return std::nullopt;
}

// A Unix socket whose queue is full returns EAGAIN, and poll() cannot wait for room: sleep and try again.
std::optional<Error> connect_one(int descriptor, const sockaddr* address, socklen_t size,
                                 Clock::time_point until) {
    while (::connect(descriptor, address, size) != 0) {
        if (errno == EINPROGRESS) return finish_connecting(descriptor, until);
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return system_error(errno);
        if (Clock::now() >= until) return Error{"no answer in time"};
        wait_for(-1, 0, std::min(until, Clock::now() + milliseconds(2)));
    }
    return std::nullopt;
}

Result<Socket> connected(Descriptor descriptor) {
    const int flags = ::fcntl(descriptor.get(), F_GETFL);
    ::fcntl(descriptor.get(), F_SETFL, flags & ~O_NONBLOCK);
    return Socket(std::move(descriptor));
}

Result<Socket> connect_local(const std::string& path, Clock::time_point until) {
    Descriptor descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!descriptor) return system_error(errno);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const auto problem =
        connect_one(descriptor.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address, until);
    if (problem) return *problem;
    return connected(std::move(descriptor));
}

Result<Socket> connect_remote(const HostPort& address, Clock::time_point until) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int failure =
            ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found))
        return Error{::gai_strerror(failure)};
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
    Error last{"the name has no address"};
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        Descriptor descriptor(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (!descriptor) return system_error(errno);
        if (auto problem = connect_one(descriptor.get(), one->ai_addr, one->ai_addrlen, until)) {
            last = std::move(*problem);
            continue;
        }
        const int on = 1;
        ::setsockopt(descriptor.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return connected(std::move(descriptor));
    }
    return last;
}

}  // namespace

bool wait_for(int descriptor, short events, Clock::time_point until, int alarm) {
    std::array<pollfd, 2> watched{
        {{.fd = descriptor, .events = events, .revents = 0}, {.fd = alarm, .events = POLLIN, .revents = 0}}};
    const auto left = std::max(Clock::duration::zero(), until - Clock::now());
    const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
    const timespec wait{.tv_sec = static_cast<time_t>(seconds.count()),
                        .tv_nsec = static_cast<long>((left - seconds).count())};
    return ::ppoll(watched.data(), watched.size(), &wait, nullptr) > 0 && watched[0].revents != 0;
}

Result<Socket> Socket::connect(const Address& address, Clock::time_point until) {
    return address.kind == Address::Kind::local ? connect_local(address.path, until)
                                                : connect_remote(address.remote, until);
}

Socket::Received Socket::receive(std::span<char> buffer, Clock::time_point until, int alarm, bool full) {
    const auto wait = until - Clock::now();
    if (wait <= Clock::duration::zero()) return receive_now(buffer);
    if (alarm < 0 && !full && wait > SpinWait::duration) {
        Received early;
        const auto here = [&] {
            early = receive_now(buffer);
            return early.closed || !early.bytes.empty();
        };
        if (spin_wait_.until(here) || spin_wait_.after_others(here)) return early;
    }
    // Not a recv() that blocks: the kernel wakes that one also when the daemon takes what was sent.
    wait_for(descriptor_.get(), static_cast<short>(full ? POLLIN | POLLOUT : POLLIN), until, alarm);
    return receive_now(buffer);
}

Socket::Received Socket::receive_now(std::span<char> buffer) {
    const ssize_t count = ::recv(descriptor_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0) return {.bytes = {buffer.data(), static_cast<std::size_t>(count)}};
    const bool nothing_yet = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    return {.closed = !nothing_yet};
}

std::optional<std::size_t> Socket::send(std::string_view bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t count =
            ::send(descriptor_.get(), bytes.data() + sent, bytes.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count >= 0)
            sent += static_cast<std::size_t>(count);
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            break;
        else if (errno != EINTR)
            return std::nullopt;
    }
    return sent;
}

std::optional<std::size_t> Socket::send_with(std::string_view bytes, int passed) {
    const ssize_t count = send_passing(descriptor_, bytes, std::span(&passed, 1));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    return std::nullopt;
}

void Socket::shut() {
    ::shutdown(descriptor_.get(), SHUT_RDWR);
}

}  // namespace allot::client
