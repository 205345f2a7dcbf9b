// Who may use what: by the user behind a socket, or the name on a certificate.
#pragma once

#include <optional>
#include <string>

#include "daemon/config.hpp"
#include "net/stream.hpp"
#include "session/frames.hpp"

namespace allot::daemon {

// For people: the user's name, or that on the certificate.
std::string user_of(const net::Identity& identity);

// Why this is not for them, if it is not.
std::optional<std::string> forbidden(const Config& config, const net::Identity& identity,
                                     const session::Acquire& want);

}  // namespace allot::daemon
