// Network addresses as people write them: `host:port`, `127.0.0.1:4711`, `[::1]:4711`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace allot {

struct HostPort {
    std::string host;  // a name or a number, without brackets
    std::uint16_t port = 0;
    bool operator==(const HostPort&) const = default;
};

Result<HostPort> parse_host_port(std::string_view text);

// True for `localhost` and for numeric loopback addresses, where plaintext stays on this machine. A name such
// as 127.example.com is no number.
bool is_loopback(const std::string& host);
// The same for `host:port`; false if the text is no address.
bool is_loopback_address(std::string_view text);

}  // namespace allot
