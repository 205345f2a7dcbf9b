// Where a member of etcd listens for clients: `https://10.0.0.1:2379`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace allot::etcd {

struct Endpoint {
    bool tls = true;      // https
    std::string host;     // a name or a number, without brackets
    std::string address;  // host:port
    bool operator==(const Endpoint&) const = default;

    std::string text() const { return (tls ? "https://" : "http://") + address; }
};

Result<Endpoint> parse_endpoint(std::string_view text);

}  // namespace allot::etcd
