// How many descriptors a process may open, and what they are for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <sys/resource.h>

namespace allot {

// The limit of this process (`ulimit -n`) divided. Each part is a number of descriptors, and their sum with
// the reserve is the limit.
struct DescriptorRoom {
    // Own files: the register, the guardian, the audit log, links, and listening sockets.
    static constexpr std::size_t reserve = 32;

    std::size_t limit = 1024;
    std::size_t visitors() const { return std::clamp<std::size_t>(limit / 16, 1, 64); }  // of the page
    std::size_t sessions() const { return (rest() + 1) / 2; }  // with connections that say no hello
    std::size_t processes() const { return rest() / 2; }       // that leases follow

    static DescriptorRoom of_this_process() {
        rlimit found{};
        DescriptorRoom room;
        if (::getrlimit(RLIMIT_NOFILE, &found) == 0) room.limit = found.rlim_cur;
        return room;
    }

private:
    std::size_t rest() const { return limit - std::min(limit, reserve + visitors()); }
};

}  // namespace allot
