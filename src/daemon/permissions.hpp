// Finds out who a program is, for the sessions: by the user behind its socket and the groups of that user, or
// by the name on its certificate.
#pragma once

#include <optional>
#include <string>

#include "daemon/config.hpp"
#include "daemon/reader.hpp"
#include "daemon/remembered.hpp"
#include "host/sessions.hpp"
#include "net/stream.hpp"

namespace allot::daemon {

// The name of a user on this system; the number if it has none.
std::string user_name(std::uint32_t number);

// Root, and the user of this daemon.
bool is_administrator(const host::Caller& caller);

class Permissions {
public:
    explicit Permissions(const Config& config);

    host::Caller caller(const net::Identity& identity);
    // The rights of this caller as a reader of the status.
    StatusReader reader(const host::Caller& caller) const;
    // Logs users and groups of the rules that the system does not know: they may be misspelt.
    void warn_of_unknown_users();

    // Whether a lease of this user may follow that process: one of the same user, or one that the program has
    // started, whatever its user is now (sudo).
    static bool may_follow(const net::Identity& identity, std::int32_t pid);

private:
    // The user's name, or that on the certificate.
    std::string user_of(const net::Identity& identity);
    const char* unknown_kind(const std::string& user);
    bool is_one_of(const net::Identity& identity, const std::vector<std::string>& users);

    const Config& config_;
    // The system's answers may come from another machine (NSS), and the whole daemon waits for them: so they
    // are cached.
    Remembered<std::uint32_t, std::string> users_;                  // names, by number
    Remembered<std::string, std::optional<std::uint32_t>> groups_;  // numbers, by name
};

}  // namespace allot::daemon
