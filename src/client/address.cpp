#include "client/address.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sys/un.h>
#include <unistd.h>

namespace allot::client {

namespace {

constexpr const char* system_socket = "/run/allot/allot.sock";

std::string environment(const char* variable) {
    const char* value = std::getenv(variable);
    return value == nullptr ? "" : value;
}

bool take_prefix(std::string& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.erase(0, prefix.size());
    return true;
}

Result<Address> local(const std::string& path) {
    if (path.size() >= sizeof(sockaddr_un::sun_path))
        return Error{path + ": the path of a socket has at most " +
                     std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " characters"};
    return Address{.kind = Address::Kind::local, .path = path};
}

Result<Address> remote(Address::Kind kind, const std::string& text, const std::string& rest) {
    auto address = parse_host_port(rest);
    if (!address || address->port == 0)
        return Error{text +
                     ": write host:port after the first colon, as in tls:build7:7400 or tls:[::1]:7400"};
    if (kind == Address::Kind::tcp && !is_loopback(address->host))
        return Error{text + ": plaintext is for loopback addresses only; write tls:" + rest};
    return Address{.kind = kind, .remote = std::move(*address)};
}

}  // namespace

Result<Address> parse_address(const std::string& text) {
    std::string rest = text;
    if (take_prefix(rest, "tls:")) return remote(Address::Kind::tls, text, rest);
    if (take_prefix(rest, "tcp:")) return remote(Address::Kind::tcp, text, rest);
    if (take_prefix(rest, "unix:") ? !rest.empty() : rest.find('/') != std::string::npos) return local(rest);
    return Error{(text.empty() ? "\"\"" : text) +
                 ": write the path of a Unix socket, as in /run/allot/allot.sock, or tls:host:port"};
}

std::vector<std::string> split_at_commas(const std::string& text) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', begin)) {
        parts.push_back(text.substr(begin, comma - begin));
        begin = comma + 1;
    }
    parts.push_back(text.substr(begin));
    return parts;
}

std::optional<std::string> objection_to_list(const std::string& list) {
    const std::vector<std::string> entries = split_at_commas(list);
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
        if (entry->empty() && entries.size() > 1)
            return list + ": an address is empty; write HOST:PORT,HOST:PORT, as in build7:7481,build8:7481";
        if (std::find(entries.begin(), entry, *entry) != entry)
            return list + ": " + *entry + " is named twice; name each address once";
    }
    return std::nullopt;
}

Result<std::vector<Address>> parse_addresses(const std::string& text) {
    const std::string kind = text.substr(0, 4);
    std::vector<Address> addresses;
    if (kind != "tls:" && kind != "tcp:") {
        auto address = parse_address(text);
        if (!address) return Error{address.error()};
        addresses.push_back(std::move(*address));
        return addresses;
    }
    const std::string list = text.substr(kind.size());
    if (const auto objection = objection_to_list(list)) return Error{kind + *objection};
    for (const std::string& entry : split_at_commas(list)) {
        auto address = parse_address(kind + entry);
        if (!address) return Error{address.error()};
        addresses.push_back(std::move(*address));
    }
    return addresses;
}

std::string default_address() {
    if (std::string named = environment("ALLOT_SOCKET"); !named.empty()) return named;
    if (const std::string elsewhere = environment("ALLOT_AT"); !elsewhere.empty()) return "tls:" + elsewhere;
    if (::access(system_socket, F_OK) == 0) return system_socket;
    if (const std::string folder = environment("XDG_RUNTIME_DIR"); !folder.empty()) {
        std::string own = folder + "/allot/allot.sock";
        if (::access(own.c_str(), F_OK) == 0) return own;
    }
    return system_socket;
}

Options completed(Options options) {
    const auto complete = [](std::string& field, const char* variable) {
        if (field.empty()) field = environment(variable);
    };
    if (options.address.empty()) options.address = default_address();
    if (options.command.empty()) options.command = program_invocation_short_name;
    complete(options.certificate, "ALLOT_CERT");
    complete(options.key, "ALLOT_KEY");
    complete(options.authority, "ALLOT_CA");
    complete(options.server_name, "ALLOT_SERVER_NAME");
    return options;
}

}  // namespace allot::client
