#include "guardian/packets.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/passing.hpp"
#include "guardian/frames.hpp"

namespace allot::guardian {

namespace {

constexpr const char* socket_name = "guardian.sock";
constexpr int waiting_connections = 16;

// One more than allowed, to tell a broken packet from a lack of room.
using Control = std::array<char, CMSG_SPACE(sizeof(int) * (descriptors_most + 1))>;

Error folder_error(const std::string& folder) {
    return Error{fmt::format("{}: {}", socket_path(folder), std::strerror(errno))};
}

Descriptor new_socket() {
    return Descriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// A socket address has room for 107 characters. The folder's descriptor makes every path short.
sockaddr_un address_in(const Descriptor& folder) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = fmt::format("/proc/self/fd/{}/{}", folder.get(), socket_name);
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

Descriptor open_folder(const std::string& folder) {
    return Descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

Sending send_packet(const Descriptor& socket, std::string_view bytes, std::span<const int> passed) {
    if (send_passing(socket, bytes, passed) >= 0) return Sending::done;
    // Too many references: so many descriptors are under way that the other end must first take some.
    const bool full = errno == EAGAIN || errno == ENOBUFS || errno == ETOOMANYREFS;
    return full ? Sending::later : Sending::failed;
}

Packet receive_packet(const Descriptor& socket) {
    static thread_local std::array<char, packet_bytes_most> room;
    alignas(cmsghdr) Control control{};
    iovec part{.iov_base = room.data(), .iov_len = room.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t count = 0;
    // A reset is reported once, before the packets that came earlier: they still count.
    do count = ::recvmsg(socket.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (count < 0 && (errno == EINTR || errno == ECONNRESET));
    Packet packet;
    if (count < 0) {
        const bool nothing = errno == EAGAIN || errno == EWOULDBLOCK;
        packet.state = nothing ? Packet::State::none : Packet::State::ended;
        return packet;
    }
    packet.passed = passed_in(message);
    packet.lost_descriptors = (message.msg_flags & MSG_CTRUNC) != 0;
    const bool broken = (message.msg_flags & MSG_TRUNC) != 0 || packet.passed.size() > descriptors_most;
    packet.state = broken ? Packet::State::broken : count == 0 ? Packet::State::ended : Packet::State::whole;
    packet.bytes.assign(room.data(), static_cast<std::size_t>(count));
    return packet;
}

Peer peer_of(const Descriptor& socket) {
    ucred credentials{.pid = 0, .uid = static_cast<uid_t>(-1), .gid = 0};
    socklen_t size = sizeof credentials;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size);
    return {credentials.pid, credentials.uid};
}

std::string socket_path(const std::string& folder) {
    return fmt::format("{}/{}", folder, socket_name);
}

Result<Descriptor> listen_in(const std::string& folder) {
    const Descriptor place = open_folder(folder);
    if (!place) return folder_error(folder);
    const sockaddr_un address = address_in(place);
    Descriptor socket = new_socket();
    if (!socket) return folder_error(folder);
    ::unlink(address.sun_path);
    const mode_t before = ::umask(0177);
    const int bound = ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const int problem = errno;
    ::umask(before);
    errno = problem;
    if (bound != 0 || ::listen(socket.get(), waiting_connections) != 0) return folder_error(folder);
    return socket;
}

Result<Descriptor> connect_in(const std::string& folder) {
    const Descriptor place = open_folder(folder);
    if (!place) return folder_error(folder);
    const sockaddr_un address = address_in(place);
    Descriptor socket = new_socket();
    if (!socket) return folder_error(folder);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return socket;
    const bool absent = errno == ENOENT || errno == ECONNREFUSED || errno == EAGAIN || errno == EINTR;
    if (!absent) return folder_error(folder);
    return Descriptor();
}

}  // namespace allot::guardian
