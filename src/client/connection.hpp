// A connection with a daemon: frames over a socket, through TLS or not.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/frame.hpp"
#include "client/address.hpp"
#include "client/socket.hpp"
#include "client/tls.hpp"
#include "session/frames.hpp"

namespace allot::client {

// An address, and the certificates to use there.
struct Destination {
    Address address;
    std::string text;                 // the address as the program wrote it
    std::shared_ptr<TlsFiles> files;  // tls
    std::string server_name;

    // At least one, in the order of Options::address.
    static Result<std::vector<Destination>> all_of(const Options& options);
};

class Connection {
public:
    static Result<Connection> dial(const Destination& destination, Clock::time_point until);

    int descriptor() const { return socket_.descriptor(); }
    bool passes_descriptors() const { return passes_descriptors_; }

    // Keeps what cannot be sent now and sends it later. False if the connection is broken.
    [[nodiscard]] bool write(std::string_view frames);
    [[nodiscard]] bool flush();
    std::size_t unsent() const { return unsent_.size(); }
    // Passes a descriptor along; waits until the whole frame is sent.
    [[nodiscard]] bool write_with(std::string_view frame, int passed, Clock::time_point until);

    // The only function that may run while another thread writes.
    Socket::Received receive(Clock::time_point until, int alarm, bool full) {
        return socket_.receive(buffer_, until, alarm, full);
    }
    // Calls `f(content)` for each complete frame. False if the bytes are malformed: problem() says why.
    template <class F>
    [[nodiscard]] bool take_in(std::string_view came, F&& f) {
        if (!tls_) return frames_.feed(came, f);
        plain_.clear();
        const bool good = tls_->decrypt(came, plain_);
        return frames_.feed(plain_, f) && good;
    }

    std::string problem() const {
        if (tls_ && !tls_->problem().empty()) return tls_->problem();
        return "the answer is malformed; is it a daemon of allot?";
    }

    void shut() { socket_.shut(); }

private:
    explicit Connection(Socket socket) : socket_(std::move(socket)) {}
    std::optional<Error> secure(const Destination& destination, Clock::time_point until);

    Socket socket_;
    std::unique_ptr<Tls> tls_;
    bool passes_descriptors_ = false;
    std::string unsent_;
    std::string plain_;
    std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 16);
    FrameReader frames_{session::frame_limit};
};

}  // namespace allot::client
