// Packets with descriptors, over a SOCK_SEQPACKET socket that never blocks.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace allot::guardian {

// At most two in one packet: a third one makes the packet broken.
constexpr std::size_t descriptors_most = 2;

enum class Sending {
    done,
    later,  // the socket is full
    failed  // with errno; the other end is gone
};
Sending send_packet(const Descriptor& socket, std::string_view bytes, std::span<const int> passed);

struct Packet {
    enum class State {
        whole,
        none,    // nothing has come yet
        ended,   // the other end is gone
        broken,  // longer than packet_bytes_most, or with too many descriptors
    };
    State state = State::none;
    std::string bytes;
    std::vector<Descriptor> passed;
    bool lost_descriptors = false;  // this process has no room for more
};
Packet receive_packet(const Descriptor& socket);

struct Peer {
    pid_t process = 0;
    uid_t user = 0;
};
Peer peer_of(const Descriptor& socket);

// The sockets of the guardian in a folder; the path may be of any length.
Result<Descriptor> listen_in(const std::string& folder);
// Empty if no guardian listens there.
Result<Descriptor> connect_in(const std::string& folder);
std::string socket_path(const std::string& folder);

}  // namespace allot::guardian
