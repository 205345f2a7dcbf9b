#include "cli/daemon.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "client/address.hpp"

namespace allot::cli {

void add_socket_flag(CLI::App& command, std::string& target) {
    command
        .add_option("--socket", target,
                    "The daemon's socket; default $ALLOT_SOCKET, /run/allot/allot.sock or "
                    "$XDG_RUNTIME_DIR/allot/allot.sock")
        ->type_name("");
}

Result<client::Options> daemon_at(const std::string& path, std::string what) {
    client::Options options;
    options.address = path.empty() ? client::default_address() : path;
    if (options.address.find_first_of("/:") == std::string::npos) options.address.insert(0, "./");
    options.command = std::move(what);
    const auto address = client::parse_address(options.address);
    if (!address) return Error{fmt::format("--socket {}", address.error())};
    if (address->kind != client::Address::Kind::local)
        return Error{fmt::format("--socket {}: write the path of the Unix socket of this host's daemon",
                                 options.address)};
    return options;
}

int report(const client::Failure& failure) {
    using client::Code;
    switch (failure.code()) {
        case Code::wrong:
            return wrong_usage(failure.what());
        case Code::unreachable:
            fmt::print(stderr, "allot: {}; is `allot node` running? --socket names another socket\n",
                       failure.what());
            return exit_unreachable;
        case Code::busy:
            fmt::print(stderr, "allot: busy: {}\n", failure.what());
            return exit_busy;
        case Code::timed_out:
            fmt::print(stderr, "allot: timed out: {}\n", failure.what());
            return exit_timed_out;
        case Code::lost:
            fmt::print(stderr, "allot: lost: {}\n", failure.what());
            return exit_lost;
        case Code::forbidden:
        case Code::unavailable:
        case Code::limit:
            break;
    }
    fmt::print(stderr, "allot: refused: {}\n", failure.what());
    return exit_refused;
}

}  // namespace allot::cli
