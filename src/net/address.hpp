// Addresses as people write them: `host:port`, `127.0.0.1:4711`, `[::1]:4711`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace allot::net {

struct Address {
    std::string host;  // a name or a number, without brackets
    std::uint16_t port = 0;
};

Result<Address> parse_address(std::string_view text);

}  // namespace allot::net
