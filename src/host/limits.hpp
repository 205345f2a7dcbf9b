// Limits of a host for its programs, and the rights of users.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace allot::host {

// Whether the pattern, `name` or `beginning*`, names this.
inline bool matches(std::string_view pattern, std::string_view name) {
    if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
    return pattern == name;
}

// Of what all users have together, one leaves a quarter for others.
constexpr std::size_t share_of_one(std::size_t most) {
    return std::max<std::size_t>(1, most - most / 4);
}

// The part of the requests of others that a user may read: nothing; the names of resources and whether they
// are in use; or everything, with users, processes and commands.
enum class Reading : std::uint8_t { none, names, all };

// Allows users to use resources. Users are names on this system, groups `@name`, certificates `cert:name`;
// `*` at the end of a name matches any ending, except for groups.
struct Allowance {
    std::vector<std::string> users;
    std::vector<std::string> locks;
    std::vector<std::string> semaphores;
    bool operate = false;  // they may give orders
    // Without a rule that says so: everything for those who may give orders, names for all others.
    std::optional<Reading> read{};
    bool operator==(const Allowance&) const = default;
};

// The end of a lease, for the resources that match. Without a mode programs are stopped.
struct Mode {
    std::vector<std::string> names;  // of locks and semaphores; `*` at the end matches any ending
    bool fence = false;              // programs go on when their lease ends; the resource must check fences
    bool strict = false;             // programs that cannot be stopped are refused
    bool sticky = false;             // nothing: it stays with its owner until that gives it back
};

// The memory that a request counts with: for itself, for each lock and semaphore in it, and for each byte of
// their names. They are upper bounds of what a daemon needs, in all its parts, for requests that wait or
// hold, as bench_scale measures it.
inline constexpr std::uint64_t bytes_of_request = 2048;
inline constexpr std::uint64_t bytes_of_name = 1024;
inline constexpr std::uint64_t bytes_of_letter = 4;
constexpr std::uint64_t memory_of_request(std::uint64_t names, std::uint64_t letters) {
    return bytes_of_request + bytes_of_name * names + bytes_of_letter * letters;
}

struct Limits {
    std::uint32_t sessions = 16384;
    std::uint32_t sessions_per_user = 0;  // 0: three quarters of all
    std::uint32_t followed = 16384;       // processes that leases follow; three quarters for one user
    std::uint32_t requests_per_session = 256;
    std::uint32_t locks_per_request = 64;
    std::uint32_t name_length = 128;
    // Of memory, for all requests that wait or hold, by the formula below; three quarters for one user.
    std::uint64_t memory = std::uint64_t{256} << 20;
    std::uint64_t session_memory = std::uint64_t{32} << 20;  // the same for one session
    std::uint32_t names = 100'000;   // entries about locks, after which the hosts forget unused names
    std::uint32_t sticky = 1024;     // requests that the register keeps; three quarters for one owner
    std::uint32_t sticky_names = 8;  // of one of these
    std::chrono::milliseconds resume_within{10000};  // that a program has to reconnect

    // Bytes of messages that have come and are not heard, or are not sent yet; three quarters for one user.
    std::uint64_t most_under_way() const { return memory / 4; }
    bool operator==(const Limits&) const = default;
};

}  // namespace allot::host
