#include "net/address.hpp"

#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <fmt/format.h>

#include "net/stream.hpp"

namespace allot::net {

Result<Address> parse_address(std::string_view text) {
    const Error wrong{
        fmt::format("{}: write an address as host:port, as in 10.0.0.7:4711 or [::1]:4711", text)};
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
    Address address{.host = std::string(host)};
    const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (failure != std::errc{} || end != port.data() + port.size()) return wrong;
    return address;
}

bool is_loopback(const std::string& address) {
    const auto parsed = parse_address(address);
    if (!parsed) return false;
    if (parsed->host == "localhost") return true;
    boost::system::error_code failure;
    const auto number = boost::asio::ip::make_address(parsed->host, failure);
    return !failure && number.is_loopback();
}

}  // namespace allot::net
