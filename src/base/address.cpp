#include "base/address.hpp"

#include <arpa/inet.h>
#include <charconv>

namespace allot {

Result<HostPort> parse_host_port(std::string_view text) {
    const Error wrong{std::string(text) +
                      ": write an address as host:port, as in 10.0.0.7:4711 or [::1]:4711"};
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return wrong;
    std::string_view host = text.substr(0, colon);
    const std::string_view port = text.substr(colon + 1);
    const bool bracketed = host.front() == '[';
    if (bracketed) {
        if (host.size() < 3 || host.back() != ']') return wrong;
        host = host.substr(1, host.size() - 2);
    }
    if (host.empty() || (!bracketed && host.find(':') != std::string_view::npos)) return wrong;
    HostPort address{.host = std::string(host)};
    const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (failure != std::errc{} || end != port.data() + port.size()) return wrong;
    return address;
}

bool is_loopback(const std::string& host) {
    if (host == "localhost") return true;
    in_addr v4{};
    if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
    in6_addr v6{};
    return ::inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool is_loopback_address(std::string_view text) {
    const auto address = parse_host_port(text);
    return address && is_loopback(address->host);
}

}  // namespace allot
