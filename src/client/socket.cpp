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

namespace allot::client {

namespace {

using std::chrono::milliseconds;

// A timeout of the socket saves a poll() before each read, but the kernel counts it in its ticks. Waits below
// this are measured exactly, by poll().
constexpr milliseconds exact_below{15};

Error system_error(int number) {
    return Error{std::strerror(number)};
}

// The longest of a few fixed steps that fits: so the timeout of the socket rarely changes.
milliseconds step_within(Clock::duration wait) {
    constexpr std::array<milliseconds, 8> steps{{milliseconds{10}, milliseconds{20}, milliseconds{50},
                                                 milliseconds{100}, milliseconds{200}, milliseconds{500},
                                                 milliseconds{1000}, milliseconds{5000}}};
    const auto longer = std::upper_bound(steps.begin() + 1, steps.end(), wait);
    return *std::prev(longer);
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
    if (wait <= Clock::duration::zero()) return receive_now(buffer, MSG_DONTWAIT);
    if (alarm < 0 && !full && wait > SpinWait::duration) {
        Received early;
        const auto here = [&] {
            early = receive_now(buffer, MSG_DONTWAIT);
            return early.closed || !early.bytes.empty();
        };
        if (spin_wait_.until(here)) return early;
    }
    if (alarm >= 0 || full || wait < exact_below) {
        wait_for(descriptor_.get(), static_cast<short>(full ? POLLIN | POLLOUT : POLLIN), until, alarm);
        return receive_now(buffer, MSG_DONTWAIT);
    }
    set_receive_timeout(step_within(wait));
    return receive_now(buffer, 0);
}

Socket::Received Socket::receive_now(std::span<char> buffer, int flags) {
    const ssize_t count = ::recv(descriptor_.get(), buffer.data(), buffer.size(), flags);
    if (count > 0) return {.bytes = {buffer.data(), static_cast<std::size_t>(count)}};
    const bool nothing_yet = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    return {.closed = !nothing_yet};
}

void Socket::set_receive_timeout(milliseconds time) {
    if (time == receive_timeout_) return;
    const timeval wait{.tv_sec = static_cast<time_t>(time.count() / 1000),
                       .tv_usec = static_cast<suseconds_t>(time.count() % 1000 * 1000)};
    ::setsockopt(descriptor_.get(), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    receive_timeout_ = time;
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
    std::string copy(bytes);
    iovec part{.iov_base = copy.data(), .iov_len = copy.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &passed, sizeof passed);
    while (true) {
        const ssize_t count = ::sendmsg(descriptor_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
        if (errno != EINTR) return std::nullopt;
    }
}

void Socket::shut() {
    ::shutdown(descriptor_.get(), SHUT_RDWR);
}

}  // namespace allot::client
