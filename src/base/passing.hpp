// Descriptors that a message of a Unix socket passes to the other process.
#pragma once

#include <span>
#include <string_view>
#include <sys/socket.h>
#include <vector>

#include "base/descriptor.hpp"

namespace allot {

// One message passes at most this many.
constexpr std::size_t descriptors_at_once = 16;

// Sends bytes and, with the first of them, descriptors. Never blocks. Returns as sendmsg does, but is not
// interrupted.
ssize_t send_passing(const Descriptor& socket, std::string_view bytes, std::span<const int> passed);

// The descriptors that came with a message.
std::vector<Descriptor> passed_in(msghdr& message);

}  // namespace allot
