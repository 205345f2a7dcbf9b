#include "client/connection.hpp"

#include <algorithm>
#include <poll.h>

namespace allot::client {

namespace {

std::string text_of(const Address& address, const Options& options) {
    if (address.kind == Address::Kind::local) return options.address;
    const HostPort& remote = address.remote;
    const bool is_v6 = remote.host.find(':') != std::string::npos;
    return (address.kind == Address::Kind::tls ? "tls:" : "tcp:") +
           (is_v6 ? "[" + remote.host + "]" : remote.host) + ":" + std::to_string(remote.port);
}

// The name of each daemon's certificate: one name for all, one for each, or the hosts of the addresses.
Result<std::vector<std::string>> server_names(const Options& options, const std::vector<Address>& addresses) {
    std::vector<std::string> names;
    if (options.server_name.empty()) {
        for (const Address& address : addresses) names.push_back(address.remote.host);
        return names;
    }
    names = split_at_commas(options.server_name);
    if (names.size() == 1) names.resize(addresses.size(), std::string(names.front()));
    const bool some_empty = std::find(names.begin(), names.end(), "") != names.end();
    if (names.size() == addresses.size() && !some_empty) return names;
    return Error{"server name \"" + options.server_name +
                 "\": write one name for all addresses, or one for each (" +
                 std::to_string(addresses.size()) + "), in their order, with commas between"};
}

}  // namespace

Result<std::vector<Destination>> Destination::all_of(const Options& options) {
    const auto addresses = parse_addresses(options.address);
    if (!addresses) return Error{addresses.error()};
    std::vector<Destination> all;
    for (const Address& address : *addresses)
        all.push_back({.address = address, .text = text_of(address, options)});
    if (addresses->front().kind != Address::Kind::tls) return all;
    const auto names = server_names(options, *addresses);
    if (!names) return Error{names.error()};
    const auto files = TlsFiles::load(options);
    if (!files) return Error{files.error()};
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].files = *files;
        all[i].server_name = (*names)[i];
    }
    return all;
}

Result<Connection> Connection::dial(const Destination& destination, Clock::time_point until) {
    auto socket = Socket::connect(destination.address, until);
    if (!socket) return Error{socket.error()};
    Connection connection(std::move(*socket));
    connection.passes_descriptors_ = destination.address.kind == Address::Kind::local;
    if (destination.files)
        if (auto problem = connection.secure(destination, until)) return *problem;
    return connection;
}

std::optional<Error> Connection::secure(const Destination& destination, Clock::time_point until) {
    tls_ = Tls::start(destination.files, destination.server_name);
    std::string_view came;
    while (true) {
        std::string out;
        const bool good = tls_->shake(came, out);
        unsent_ += out;
        if (!flush()) return Error{"the connection broke during the TLS handshake"};
        if (!good) return Error{"TLS: " + tls_->problem()};
        if (tls_->established()) return std::nullopt;
        if (Clock::now() >= until) return Error{"no TLS handshake in time"};
        const auto received = receive(until, -1, unsent() > 0);
        if (received.closed) return Error{"the other end closed the connection during the TLS handshake"};
        came = received.bytes;
    }
}

bool Connection::write(std::string_view frames) {
    if (tls_) {
        tls_->encrypt(frames, unsent_);
        return flush();
    }
    if (!unsent_.empty()) {
        unsent_ += frames;
        return flush();
    }
    const auto sent = socket_.send(frames);
    if (!sent) return false;
    unsent_ = frames.substr(*sent);
    return true;
}

bool Connection::flush() {
    if (unsent_.empty()) return true;
    const auto sent = socket_.send(unsent_);
    if (!sent) return false;
    unsent_.erase(0, *sent);
    return true;
}

bool Connection::write_with(std::string_view frame, int passed, Clock::time_point until) {
    const auto wait = [&] {
        wait_for(descriptor(), POLLOUT, until);
        return Clock::now() < until;
    };
    while (unsent() > 0) {
        if (!flush()) return false;
        if (unsent() > 0 && !wait()) return false;
    }
    while (true) {
        const auto sent = socket_.send_with(frame, passed);
        if (!sent) return false;
        if (*sent > 0) return write(frame.substr(*sent));
        if (!wait()) return false;
    }
}

}  // namespace allot::client
