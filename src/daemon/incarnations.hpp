// The numbers of the daemons of a host. No two daemons of a host may ever have the same one: what one of them
// said would count as said by the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <string>

#include "base/result.hpp"
#include "daemon/host_folder.hpp"

namespace allot::daemon {

// The incarnations of a host in views are those of its daemon, each with room for its lives.
constexpr std::uint32_t bits_of_lives = 8;
inline std::uint32_t daemon_of(std::uint32_t incarnation) {
    return incarnation >> bits_of_lives;
}

// The last incarnation of the daemon of this one.
inline std::uint32_t last_life_of(std::uint32_t incarnation) {
    return incarnation | ((1U << bits_of_lives) - 1);
}

// A folder that was put back from an earlier time, or copied, must not give a number out again: the clock is
// part of it. The numbers last until 2057.
inline std::uint32_t daemon_of_this_minute() {
    constexpr std::time_t first_minute = 29'456'640;  // of 2026
    return static_cast<std::uint32_t>(std::max<std::time_t>(0, std::time(nullptr) / 60 - first_minute));
}

// Whether a host can have had this daemon, if it has had the `known` one. A host whose daemon begins more
// than once a minute is ahead of the clock: by no more than 45 days.
inline bool can_have_been(std::uint32_t daemon, std::uint32_t known) {
    constexpr std::uint32_t most_ahead = 1U << 16;
    return daemon <= std::max(known, daemon_of_this_minute()) + most_ahead;
}

// The first incarnation of the next daemon: after those that the folder knows, and the certified one.
inline Result<std::uint32_t> next_incarnation(const HostFolder::Memory& before, std::uint32_t certified) {
    constexpr std::uint32_t last_daemon = ~std::uint32_t{0} >> bits_of_lives;
    const std::uint32_t daemon =
        std::max({daemon_of(before.incarnation) + 1, daemon_of(certified) + 1, daemon_of_this_minute()});
    if (daemon > last_daemon)
        return Error{"this host has used all numbers for daemons; give it another name and state folder"};
    return daemon << bits_of_lives;
}

// Another kernel is another machine: no program of an earlier one still runs.
inline std::string boot_id() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    file >> id;
    return id;
}

}  // namespace allot::daemon
