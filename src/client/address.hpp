// Where a daemon listens for sessions.
#pragma once

#include <cstdint>
#include <string>

#include "allot/client.hpp"
#include "base/address.hpp"
#include "base/result.hpp"

namespace allot::client {

struct Address {
    enum class Kind : std::uint8_t { local, tcp, tls };
    Kind kind = Kind::local;
    std::string path;  // local
    HostPort remote;   // tcp and tls
    bool operator==(const Address&) const = default;
};

// `unix:/path` or `/path`; `tls:host:port`; `tcp:host:port`, which is plaintext, with a loopback address
// only. An IPv6 address stands in brackets.
Result<Address> parse_address(const std::string& text);

// Fills empty members from the environment.
Options completed(Options options);

}  // namespace allot::client
