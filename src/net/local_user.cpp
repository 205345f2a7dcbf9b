#include "net/local_user.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "net/socket.hpp"

namespace allot::net {

namespace {

struct Question {
    nlmsghdr head;
    inet_diag_req_v2 socket;
};

struct Answer {
    nlmsghdr head;
    inet_diag_msg socket;
};

struct Place {
    std::array<std::uint32_t, 4> address{};
    std::uint16_t port = 0;  // both as on the wire
};

Place place_of(const Endpoint& end) {
    Place place;
    if (end.family() == AF_INET) {
        const auto* in = reinterpret_cast<const sockaddr_in*>(&end.storage);
        place.address[0] = in->sin_addr.s_addr;
        place.port = in->sin_port;
    } else if (end.family() == AF_INET6) {
        const auto* in = reinterpret_cast<const sockaddr_in6*>(&end.storage);
        std::memcpy(place.address.data(), &in->sin6_addr, sizeof place.address);
        place.port = in->sin6_port;
    }
    return place;
}

Question question_about(int family, const Place& own, const Place& other) {
    Question question{};
    question.head.nlmsg_len = sizeof question;
    question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    question.head.nlmsg_flags = NLM_F_REQUEST;
    question.socket.sdiag_family = static_cast<std::uint8_t>(family);
    question.socket.sdiag_protocol = IPPROTO_TCP;
    question.socket.idiag_states = ~0u;
    inet_diag_sockid& id = question.socket.id;
    std::ranges::copy(own.address, id.idiag_src);
    std::ranges::copy(other.address, id.idiag_dst);
    id.idiag_sport = own.port;
    id.idiag_dport = other.port;
    std::ranges::fill(id.idiag_cookie, INET_DIAG_NOCOOKIE);
    return question;
}

// The socket of this machine with these addresses; without `other`, the one that listens there.
std::optional<inet_diag_msg> find_socket(int family, const Place& own, const Place& other = {}) {
    const Descriptor kernel(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    const Question question = question_about(family, own, other);
    // The kernel answers before send() returns.
    if (!kernel || ::send(kernel.get(), &question, sizeof question, 0) < 0) return std::nullopt;
    alignas(Answer) std::array<char, 4096> bytes;
    const ssize_t size = ::recv(kernel.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    Answer answer;
    if (size < static_cast<ssize_t>(sizeof answer)) return std::nullopt;
    std::memcpy(&answer, bytes.data(), sizeof answer);
    if (answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
    return answer.socket;
}

}  // namespace

// The kernel calls the user of a socket that no process has 0, as it calls root. Such a socket has no inode.
std::optional<std::uint32_t> user_at_other_end(int socket, Side side) {
    const Endpoint own_end = endpoint_of(socket);
    const Place own = place_of(own_end);
    const Place other = place_of(endpoint_of_peer(socket));
    // First who listens, then the connection: one that nobody has accepted yet belongs to its listener, which
    // lives as long as it does, and nobody else can listen at that address meanwhile.
    const auto listener = side == Side::connects ? find_socket(own_end.family(), other) : std::nullopt;
    const auto end = find_socket(own_end.family(), other, own);
    if (!end) return std::nullopt;
    if (end->idiag_state == TCP_ESTABLISHED && end->idiag_inode != 0) return end->idiag_uid;
    // A socket that its process has closed is in none of these states.
    const bool waits_for_accept =
        end->idiag_inode == 0 && (end->idiag_state == TCP_ESTABLISHED || end->idiag_state == TCP_SYN_RECV);
    if (!waits_for_accept || !listener || listener->idiag_state != TCP_LISTEN) return std::nullopt;
    return listener->idiag_uid;
}

std::string objection_to_user(const Identity& who) {
    if (!who.local_user)
        return "it has closed in the handshake, or the kernel does not tell which user it belongs to (its "
               "module "
               "tcp_diag does)";
    if (*who.local_user == ::geteuid() || *who.local_user == 0) return "";
    return fmt::format("it belongs to user {}, not to user {} or root", *who.local_user, ::geteuid());
}

}  // namespace allot::net
