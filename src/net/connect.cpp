// Connects over TCP: tries the addresses of the host one after the other, until the deadline.

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>

#include "net/local_user.hpp"
#include "net/socket.hpp"
#include "net/socket_stream.hpp"

namespace allot::net {

namespace {

using boost::asio::ip::tcp;
using boost::asio::posix::stream_descriptor;

class Connector : public std::enable_shared_from_this<Connector> {
public:
    Connector(boost::asio::io_context& loop, TlsPtr tls, std::string name,
              std::function<void(Result<StreamPtr>)> done, Patience patience)
        : loop_(loop),
          tls_(std::move(tls)),
          name_(std::move(name)),
          done_(std::move(done)),
          resolver_(loop),
          socket_(loop),
          timer_(loop, std::chrono::milliseconds(patience.handshake_ms)) {}

    void start(const std::string& address) {
        timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& failure) {
            const auto self = weak.lock();
            if (self && !failure) self->finish(Error{"no answer in time"});
        });
        const auto parsed = parse_host_port(address);
        if (!parsed) return finish(Error{parsed.error()});
        endpoints_ = numeric_endpoint(*parsed);
        if (endpoints_.empty()) return ask_resolver(*parsed);
        try_next();
    }

private:
    void ask_resolver(const HostPort& address) {
        resolver_.async_resolve(
            address.host, std::to_string(address.port), tcp::resolver::numeric_service,
            [weak = weak_from_this(), host = address.host](const boost::system::error_code& failure,
                                                           const tcp::resolver::results_type& found) {
                const auto self = weak.lock();
                if (!self) return;
                if (failure) return self->finish(Error{fmt::format("{}: {}", host, failure.message())});
                for (const auto& entry : found) self->add(entry.endpoint());
                self->try_next();
            });
    }

    void add(const tcp::endpoint& found) {
        Endpoint& endpoint = endpoints_.emplace_back();
        std::memcpy(&endpoint.storage, found.data(), found.size());
        endpoint.size = static_cast<socklen_t>(found.size());
    }

    void try_next() {
        while (done_ && next_ < endpoints_.size()) {
            int error = 0;
            Descriptor socket = begin_connect(endpoints_[next_++], error);
            if (error != 0 && error != EINPROGRESS) {
                problem_ = system_message(error);
                continue;
            }
            socket_ = stream_descriptor(loop_, socket.release());
            return wait_for_connection();
        }
        finish(Error{problem_});
    }

    void wait_for_connection() {
        socket_.async_wait(stream_descriptor::wait_write,
                           [weak = weak_from_this()](const boost::system::error_code& failure) {
                               const auto self = weak.lock();
                               if (self && self->done_ && !failure) self->connected();
                           });
    }

    void connected() {
        if (const int error = error_of(socket_.native_handle()); error != 0) {
            problem_ = system_message(error);
            return try_next();
        }
        Descriptor socket(socket_.release());
        const int number = socket.get();
        send_small_packets_at_once(number);
        Identity who = identity_of_tcp_peer(number);
        if (!tls_) who.local_user = user_at_other_end(number, Side::connects);
        handshake_ = std::make_shared<Handshake>(
            loop_, std::move(socket),
            tls_ ? tls_channel(number, tls_, Side::connects, name_) : tcp_channel(number), std::move(who));
        handshake_->start(timer_.expiry(), [this](Result<StreamPtr> result) { finish(std::move(result)); });
    }

    void finish(Result<StreamPtr> result) {
        const auto alive = shared_from_this();
        timer_.cancel();
        resolver_.cancel();
        if (const auto done = std::exchange(done_, nullptr)) done(std::move(result));
    }

    boost::asio::io_context& loop_;
    const TlsPtr tls_;
    const std::string name_;
    std::function<void(Result<StreamPtr>)> done_;
    tcp::resolver resolver_;
    stream_descriptor socket_;
    boost::asio::steady_timer timer_;
    std::vector<Endpoint> endpoints_;
    std::size_t next_ = 0;
    std::string problem_ = "no address";
    std::shared_ptr<Handshake> handshake_;
};

class Connecting final : public Attempt {
public:
    explicit Connecting(std::shared_ptr<Connector> connector) : connector_(std::move(connector)) {}

private:
    const std::shared_ptr<Connector> connector_;
};

}  // namespace

std::unique_ptr<Attempt> connect_tcp(boost::asio::io_context& loop, const std::string& address, TlsPtr tls,
                                     const std::string& name, std::function<void(Result<StreamPtr>)> done,
                                     Patience patience) {
    auto connector = std::make_shared<Connector>(loop, std::move(tls), name, std::move(done), patience);
    // Call back after returning the handle, even if the kernel knows the result at once.
    boost::asio::post(loop, [weak = std::weak_ptr(connector), address] {
        if (const auto alive = weak.lock()) alive->start(address);
    });
    return std::make_unique<Connecting>(std::move(connector));
}

}  // namespace allot::net
