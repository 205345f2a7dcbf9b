// The numbers of the daemons of a host. No two daemons of a host may ever have the same one: what one of them
// said would count as said by the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <string>

#include "daemon/host_folder.hpp"

namespace allot::daemon {

// The incarnations of a host in views are those of its daemon, each with room for its lives.
constexpr std::uint32_t bits_of_lives = 8;
inline std::uint32_t daemon_of(std::uint32_t incarnation) {
    return incarnation >> bits_of_lives;
}

// A folder that was put back from an earlier time, or copied, must not give a number out again: the clock is
// part of it. The numbers last until 2057.
inline std::uint32_t next_daemon(const HostFolder::Memory& before) {
    constexpr std::time_t first_minute = 29'456'640;  // of 2026
    const std::time_t minute = std::max<std::time_t>(0, std::time(nullptr) / 60 - first_minute);
    return std::max(daemon_of(before.incarnation) + 1, static_cast<std::uint32_t>(minute));
}

// Another kernel is another machine: no program of an earlier one still runs.
inline std::string boot_id() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    file >> id;
    return id;
}

}  // namespace allot::daemon
