#include "base/passing.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include "base/ensure.hpp"

namespace allot {

ssize_t send_passing(const Descriptor& socket, std::string_view bytes, std::span<const int> passed) {
    ensure(passed.size() <= descriptors_at_once, "a message passes too many descriptors");
    iovec part{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * descriptors_at_once)> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!passed.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(passed.size_bytes());
        cmsghdr* const rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(passed.size_bytes());
        std::memcpy(CMSG_DATA(rights), passed.data(), passed.size_bytes());
    }
    ssize_t count = -1;
    do count = ::sendmsg(socket.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    return count;
}

std::vector<Descriptor> passed_in(msghdr& message) {
    std::vector<Descriptor> passed;
    for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int number = -1;
            std::memcpy(&number, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
            passed.emplace_back(number);
        }
    }
    return passed;
}

}  // namespace allot
