// Where a daemon listens for sessions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
// The same, or several remote addresses: `tls:host:port,host:port`.
Result<std::vector<Address>> parse_addresses(const std::string& text);
// Why the list `host:port,host:port` makes no sense as a list (an empty entry, one twice), and what to write.
std::optional<std::string> objection_to_list(const std::string& list);
// An empty text is one empty part.
std::vector<std::string> split_at_commas(const std::string& text);

// Fills empty members from the environment.
Options completed(Options options);

}  // namespace allot::client
