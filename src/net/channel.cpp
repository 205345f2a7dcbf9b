#include "net/channel.hpp"

#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <system_error>

#include "base/passing.hpp"

namespace allot::net {

namespace {

bool is_closed_by_peer(int error) {
    return error == EPIPE || error == ECONNRESET;
}

Transfer fault(int error, Progress blocked) {
    if (error == EAGAIN || error == EWOULDBLOCK || error == EINTR) return {.progress = blocked};
    const auto progress = is_closed_by_peer(error) ? Progress::ended : Progress::failed;
    return {.progress = progress, .why = std::generic_category().message(error)};
}

Transfer taken(ssize_t count, std::size_t room) {
    if (count < 0) return fault(errno, Progress::until_readable);
    if (count == 0) return {.progress = Progress::ended, .why = "closed by the other end"};
    const auto bytes = static_cast<std::size_t>(count);
    return {.bytes = bytes, .more = bytes == room};
}

class PlainChannel : public Channel {
public:
    explicit PlainChannel(int socket) : socket_(socket) {}

    Transfer open(Identity&) override { return {}; }

    Transfer read(std::span<char> into) override {
        return taken(::recv(socket_, into.data(), into.size(), 0), into.size());
    }

    Transfer write(std::string_view bytes) override {
        const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count < 0) return fault(errno, Progress::until_writable);
        return {.bytes = static_cast<std::size_t>(count)};
    }

protected:
    const int socket_;
};

class UnixChannel final : public PlainChannel {
public:
    using PlainChannel::PlainChannel;

    Transfer read(std::span<char> into) override {
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * descriptors_at_once)> control;
        iovec part{.iov_base = into.data(), .iov_len = into.size()};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        const ssize_t count = ::recvmsg(socket_, &message, MSG_CMSG_CLOEXEC);
        if (count > 0)
            for (Descriptor& one : passed_in(message)) passed_.push_back(std::move(one));
        Transfer result = taken(count, into.size());
        // The kernel ends a read where descriptors came; more bytes may follow.
        result.more = result.more || !passed_.empty();
        return result;
    }

    std::vector<Descriptor> passed() override { return std::exchange(passed_, {}); }

private:
    std::vector<Descriptor> passed_;
};

}  // namespace

ChannelPtr unix_channel(int socket) {
    return std::make_unique<UnixChannel>(socket);
}

ChannelPtr tcp_channel(int socket) {
    return std::make_unique<PlainChannel>(socket);
}

}  // namespace allot::net
