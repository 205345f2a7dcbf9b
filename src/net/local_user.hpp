// Which user is at the other end of a TCP connection within this machine. Without TLS, this is how hosts on
// one machine prove who they are: the kernel vouches for the user, and a daemon believes its own user and
// root.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/channel.hpp"

namespace allot::net {

// The user who made the socket at the other end. None if that end is on another machine, is closed already,
// or the kernel does not tell (it needs the module tcp_diag). `side` is our own side.
std::optional<std::uint32_t> user_at_other_end(int socket, Side side);

// The rule, for people.
constexpr std::string_view believed_without_tls =
    "without TLS a host believes only processes of its own user and of root: let both run as one user, or "
    "write [tls]";

// Why the other end of a connection without TLS is not believed; empty if it belongs to our user or to root.
std::string objection_to_user(const Identity& who);

}  // namespace allot::net
