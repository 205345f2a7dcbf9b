#include "client/connection.hpp"

#include <poll.h>

namespace allot::client {

Result<Destination> Destination::from(const Options& options) {
    const auto address = parse_address(options.address.empty() ? default_address() : options.address);
    if (!address) return Error{address.error()};
    Destination destination{.address = *address};
    if (address->kind != Address::Kind::tls) return destination;
    auto files = TlsFiles::load(options);
    if (!files) return Error{files.error()};
    destination.files = *files;
    destination.server_name = options.server_name.empty() ? address->remote.host : options.server_name;
    return destination;
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
