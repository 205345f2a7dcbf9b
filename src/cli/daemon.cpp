#include "cli/daemon.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "client/address.hpp"

namespace allot::cli {

namespace {

using client::Address;

std::optional<std::string> missing_file(const client::Options& options) {
    const auto missing = [&](const std::string& file, const char* flag, const char* variable,
                             const char* what) {
        return file.empty() ? std::optional(fmt::format("{}: {} is missing; write {} FILE, or set {}",
                                                        options.address, what, flag, variable))
                            : std::nullopt;
    };
    if (auto why =
            missing(options.authority, "--ca", "ALLOT_CA", "the authority of the daemon's certificate"))
        return why;
    if (auto why = missing(options.certificate, "--cert", "ALLOT_CERT", "the certificate of this program"))
        return why;
    return missing(options.key, "--key", "ALLOT_KEY", "the key of this program's certificate");
}

// Names the flag or the variable that the address comes from.
std::string unreadable(const DaemonFlags& flags, const std::string& address, const std::string& why) {
    const char* const socket = std::getenv("ALLOT_SOCKET");
    if (!flags.socket.empty()) return "--socket " + why;
    if (flags.at.empty() && socket != nullptr && address == socket) return "ALLOT_SOCKET " + why;
    const std::string flag = flags.at.empty() ? "ALLOT_AT" : "--at";
    const std::string list = address.substr(address.find(':') + 1);
    if (const auto objection = client::objection_to_list(list)) return fmt::format("{} {}", flag, *objection);
    const std::vector<std::string> entries = client::split_at_commas(list);
    const auto wrong = std::ranges::find_if(
        entries, [](const std::string& entry) { return !client::parse_address("tls:" + entry); });
    return fmt::format("{} {}: write HOST:PORT, as in build7:7481 or [::1]:7481", flag,
                       wrong == entries.end() ? list : *wrong);
}

std::optional<std::string> wrong_address(const DaemonFlags& flags, const client::Options& options) {
    const auto addresses = client::parse_addresses(options.address);
    if (!addresses) return unreadable(flags, options.address, addresses.error());
    const Address::Kind kind = addresses->front().kind;
    const bool local = kind == Address::Kind::local;
    if (!flags.socket.empty() && !local)
        return fmt::format(
            "--socket {}: write the path of a Unix socket; --at HOST:PORT names a daemon on another host",
            flags.socket);
    const bool papers = !flags.authority.empty() || !flags.certificate.empty() || !flags.key.empty() ||
                        !flags.server_name.empty();
    if (local && papers) return "--ca, --cert, --key and --server-name need --at HOST:PORT";
    return kind == Address::Kind::tls ? missing_file(options) : std::nullopt;
}

}  // namespace

void add_daemon_flags(Command& command, DaemonFlags& flags) {
    const auto add = [&](const char* name, const char* value, std::string& target, const char* meaning) {
        return command.option(name, target, meaning).shown_as(value).group("Which daemon");
    };
    const Argument socket =
        add("--socket", "PATH", flags.socket,
            "The socket of this host's daemon; default $ALLOT_SOCKET, /run/allot/allot.sock or "
            "$XDG_RUNTIME_DIR/allot/allot.sock");
    add("--at", "HOST:PORT,...", flags.at,
        "The daemons of other hosts, over TLS: the next is asked if one does not answer; default $ALLOT_AT")
        .excludes(socket);
    add("--ca", "FILE", flags.authority,
        "The authority that must have signed the daemon's certificate (PEM); default $ALLOT_CA");
    add("--cert", "FILE", flags.certificate, "The certificate of this program (PEM); default $ALLOT_CERT");
    add("--key", "FILE", flags.key, "The key of that certificate (PEM); default $ALLOT_KEY");
    add("--server-name", "NAME", flags.server_name,
        "The name on the daemon's certificate, if it is not HOST: one for all addresses, or one for each, as "
        "in a,b; default $ALLOT_SERVER_NAME");
}

Result<client::Options> daemon_at(const DaemonFlags& flags, std::string what) {
    client::Options options;
    options.address = flags.at.empty() ? flags.socket : "tls:" + flags.at;
    options.command = std::move(what);
    options.authority = flags.authority;
    options.certificate = flags.certificate;
    options.key = flags.key;
    options.server_name = flags.server_name;
    options = client::completed(std::move(options));
    if (options.address.find_first_of("/:") == std::string::npos) options.address.insert(0, "./");
    if (auto why = wrong_address(flags, options)) return Error{std::move(*why)};
    return options;
}

bool is_elsewhere(const client::Options& options) {
    const auto addresses = client::parse_addresses(options.address);
    return addresses && addresses->front().kind != Address::Kind::local;
}

int report(const client::Failure& failure, const client::Options& options) {
    using client::Code;
    switch (failure.code()) {
        case Code::wrong:
            return wrong_usage(failure.what());
        case Code::unreachable:
            print_error(fmt::format("{}; {}", failure.what(),
                                    is_elsewhere(options)
                                        ? "is `allot node` running there, with `clients` in its "
                                          "configuration? Are --ca, --cert and --server-name right?"
                                        : "is `allot node` running? --socket names another socket"));
            return exit_unreachable;
        case Code::busy:
            print_error(fmt::format("busy: {}", failure.what()));
            return exit_busy;
        case Code::timed_out:
            print_error(fmt::format("timed out: {}", failure.what()));
            return exit_timed_out;
        case Code::lost:
            print_error(fmt::format("lost: {}", failure.what()));
            return exit_lost;
        case Code::forbidden:
        case Code::unavailable:
        case Code::limit:
            break;
    }
    print_error(fmt::format("refused: {}", failure.what()));
    return exit_refused;
}

}  // namespace allot::cli
