// Decides which users may use which resources: by the user behind a socket and its groups, or the name on a
// certificate.
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

    // The user's name, or that on the certificate, as text.
    std::string user_of(const net::Identity& identity);

    // Why the request is forbidden, if it is.
    std::optional<std::string> objection(const net::Identity& identity, const session::Acquire& want);

    // Whether a lease of this user may follow that process: one of the same user, or one that the program has
    // started, whatever its user is now (sudo).
    static bool may_follow(const net::Identity& identity, std::int32_t pid);

private:
    const char* unknown_kind(const std::string& user);
    bool is_one_of(const net::Identity& identity, const std::vector<std::string>& users);

    const Config& config_;
    // The system's answers may come from another machine (NSS), and the whole daemon waits for them: so they
    // are cached.
    Remembered<std::uint32_t, std::string> users_;                  // names, by number
    Remembered<std::string, std::optional<std::uint32_t>> groups_;  // numbers, by name
};

}  // namespace allot::daemon
