#include "etcd/endpoint.hpp"

#include <fmt/format.h>

#include "base/address.hpp"

namespace allot::etcd {

Result<Endpoint> parse_endpoint(std::string_view text) {
    constexpr std::string_view secure = "https://";
    constexpr std::string_view plain = "http://";
    const auto wrong = [&](const std::string& why) {
        return Error{fmt::format("\"{}\": {}; write an address, as in \"https://10.0.0.1:2379\"", text, why)};
    };
    const bool tls = text.starts_with(secure);
    if (!tls && !text.starts_with(plain)) return wrong("it does not begin with https:// or http://");
    std::string_view address = text.substr(tls ? secure.size() : plain.size());
    if (address.ends_with('/')) address.remove_suffix(1);
    if (address.find_first_of("/?#@ ") != std::string_view::npos)
        return wrong("a path or a user is too much");
    const auto parsed = parse_host_port(address);
    if (!parsed) return wrong("this is no host and port");
    if (parsed->port == 0) return wrong("port 0 is none");
    return Endpoint{tls, parsed->host, std::string(address)};
}

}  // namespace allot::etcd
