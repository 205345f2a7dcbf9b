#include "daemon/own_names.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <string>
#include <unistd.h>
#include <vector>

namespace allot::daemon {

namespace {

std::string in_small_letters(std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(), [](char one) {
        return one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one;
    });
    return small;
}

// `name`, `name:port`, `[address]` or `[address]:port`.
std::string_view without_port(std::string_view host) {
    if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
    return host.substr(0, host.find(':'));
}

bool is_address(const std::string& name) {
    in6_addr room{};
    return ::inet_pton(AF_INET, name.c_str(), &room) == 1 || ::inet_pton(AF_INET6, name.c_str(), &room) == 1;
}

std::string name_of_this_machine() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

bool names_own_host(const Config& config, std::string_view host) {
    const std::string name = in_small_letters(without_port(host));
    if (name.empty()) return false;
    if (name == "localhost" || is_address(name)) return true;
    std::vector<std::string> own = config.http_names;
    own.insert(own.end(), {config.host, name_of_this_machine()});
    for (const std::string& address : {config.http, config.https, config.own_address()})
        own.emplace_back(without_port(address));
    return std::ranges::any_of(own, [&](const std::string& one) { return in_small_letters(one) == name; });
}

bool names_own_origin(const Config& config, std::string_view origin) {
    const std::size_t scheme = origin.find("://");
    return scheme != std::string_view::npos && names_own_host(config, origin.substr(scheme + 3));
}

}  // namespace allot::daemon
