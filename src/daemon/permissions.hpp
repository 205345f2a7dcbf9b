// Who may use what: by the user behind a socket and its groups, or the name on a certificate.
#pragma once

#include <optional>
#include <string>

#include "daemon/config.hpp"
#include "daemon/remembered.hpp"
#include "net/stream.hpp"
#include "session/frames.hpp"

namespace allot::daemon {

class Permissions {
public:
    explicit Permissions(const Config& config);

    // For people: the user's name, or that on the certificate.
    std::string user_of(const net::Identity& identity);

    // Why this is not for them, if it is not.
    std::optional<std::string> objection(const net::Identity& identity, const session::Acquire& want);

    // Whether what they hold may stay held for as long as that process lives: one of the same user, or one
    // that they have started, whoever it has become since (sudo).
    static bool may_follow(const net::Identity& identity, std::int32_t pid);

private:
    const char* unknown_kind(const std::string& user);
    bool is_one_of(const net::Identity& identity, const std::vector<std::string>& users);

    const Config& config_;
    // The system's answers may come from another machine (NSS), and the whole daemon waits for them.
    Remembered<std::uint32_t, std::string> users_;                  // names, by number
    Remembered<std::string, std::optional<std::uint32_t>> groups_;  // numbers, by name
};

}  // namespace allot::daemon
