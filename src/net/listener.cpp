// Listening: accepts sockets in small batches, and hands a stream over when its handshake is complete.

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <deque>
#include <fmt/format.h>
#include <sys/stat.h>

#include "net/handshake_worker.hpp"
#include "net/local_user.hpp"
#include "net/log_once.hpp"
#include "net/socket.hpp"
#include "net/socket_stream.hpp"
#include "net/source_limit.hpp"

namespace allot::net {

namespace {

constexpr int accepted_per_turn = 16;
// Pause after the process has run out of descriptors: accepting again at once would only burn CPU.
constexpr std::chrono::milliseconds rest_without_descriptors{100};
// Maximum number of pending handshakes; the oldest is dropped.
constexpr std::size_t handshakes_at_once = 512;
// Until then the kernel keeps those that connect.
constexpr std::chrono::milliseconds rest_of_busy_worker{5};

using Admit = std::function<ChannelPtr(int socket, Identity& who)>;

struct Pending {
    std::shared_ptr<Handshake> handshake;
    Endpoint source;
};

class Acceptor : public std::enable_shared_from_this<Acceptor> {
public:
    Acceptor(boost::asio::io_context& loop, Descriptor socket, bool has_tls, Admit admit, Accepted accepted,
             Patience patience)
        : loop_(loop),
          socket_(loop, socket.release()),
          rest_(loop),
          has_tls_(has_tls),
          admit_(std::move(admit)),
          accepted_(std::move(accepted)),
          patience_(patience.handshake_ms) {}

    void wait() {
        socket_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [weak = weak_from_this()](const boost::system::error_code& failure) {
                               const auto self = weak.lock();
                               if (self && !failure) self->accept_some();
                           });
    }

    int socket() { return socket_.native_handle(); }
    void stop() {
        boost::system::error_code ignored;
        socket_.close(ignored);
        rest_.cancel();
        pending_.clear();
    }

private:
    void accept_some() {
        if (has_tls_ && boost::asio::use_service<HandshakeWorker>(loop_).is_busy())
            return rest_for(rest_of_busy_worker);
        for (int i = 0; i < accepted_per_turn && socket_.is_open(); ++i) {
            Descriptor one(
                ::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
            if (!one) {
                const int error = errno;
                const bool exhausted =
                    error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
                return exhausted ? rest(error) : wait();
            }
            exhausted_ = false;
            admit(std::move(one));
        }
        if (socket_.is_open()) wait();
    }

    void rest(int error) {
        if (!std::exchange(exhausted_, true))
            log_error(fmt::format("cannot accept connections: {}", system_message(error)));
        rest_for(rest_without_descriptors);
    }

    void rest_for(std::chrono::milliseconds time) {
        rest_.expires_after(time);
        rest_.async_wait([weak = weak_from_this()](const boost::system::error_code& failure) {
            const auto self = weak.lock();
            if (self && !failure) self->wait();
        });
    }

    void admit(Descriptor one) {
        const Endpoint source = endpoint_of_peer(one.get());
        if (!limit_.lets_in(source, SourceLimit::Clock::now()))
            return logged_.refusal({.address = source.text()},
                                   "too many handshakes from there have failed; it must wait");
        Identity who;
        ChannelPtr channel = admit_(one.get(), who);
        if (pending_.size() == handshakes_at_once) drop_oldest();
        const auto handshake =
            std::make_shared<Handshake>(loop_, std::move(one), std::move(channel), std::move(who));
        pending_.push_back({handshake, source});
        handshake->start(
            std::chrono::steady_clock::now() + patience_,
            [this, key = handshake.get()](Result<StreamPtr> result) { done(key, std::move(result)); });
    }

    void drop_oldest() {
        const Pending oldest = std::move(pending_.front());
        pending_.pop_front();
        logged_.refusal(oldest.handshake->identity(), "too many handshakes are pending");
        note_failure(oldest);
    }

    // Silence costs next to nothing.
    void note_failure(const Pending& one) {
        if (one.handshake->has_begun()) limit_.failed(one.source, SourceLimit::Clock::now());
    }

    void done(const Handshake* key, Result<StreamPtr> result) {
        // The receiver of a stream may stop listening.
        const auto alive = shared_from_this();
        const auto place = std::find_if(pending_.begin(), pending_.end(),
                                        [key](const Pending& one) { return one.handshake.get() == key; });
        const Pending one = *place;
        pending_.erase(place);
        if (result) {
            accepted_(std::move(*result));
        } else {
            logged_.refusal(one.handshake->identity(), result.error());
            note_failure(one);
        }
    }

    boost::asio::io_context& loop_;
    boost::asio::posix::stream_descriptor socket_;
    boost::asio::steady_timer rest_;
    const bool has_tls_;
    const Admit admit_;
    const Accepted accepted_;
    const std::chrono::milliseconds patience_;
    std::deque<Pending> pending_;
    SourceLimit limit_;
    LogOnce logged_;
    bool exhausted_ = false;
};

class SocketListener : public Listener {
public:
    explicit SocketListener(std::shared_ptr<Acceptor> acceptor) : acceptor_(std::move(acceptor)) {
        acceptor_->wait();
    }
    ~SocketListener() override { acceptor_->stop(); }
    std::uint16_t port() const override { return port_of(acceptor_->socket()); }

private:
    const std::shared_ptr<Acceptor> acceptor_;
};

struct FileId {
    dev_t device = 0;
    ino_t number = 0;
    bool operator==(const FileId&) const = default;
};

FileId file_at(const std::string& path) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) return {};
    return {.device = found.st_dev, .number = found.st_ino};
}

// Removes its socket at the end, unless another daemon has put its own there.
class UnixListener final : public SocketListener {
public:
    UnixListener(std::shared_ptr<Acceptor> acceptor, std::string path)
        : SocketListener(std::move(acceptor)), path_(std::move(path)), file_(file_at(path_)) {}
    ~UnixListener() override {
        if (file_at(path_) == file_) ::unlink(path_.c_str());
    }

private:
    const std::string path_;
    const FileId file_;
};

}  // namespace

Result<std::unique_ptr<Listener>> listen_unix(boost::asio::io_context& loop, const std::string& path,
                                              unsigned mode, Accepted accepted) {
    auto socket = bound_unix(path, mode);
    if (!socket) return Error{socket.error()};
    const Admit admit = [](int one, Identity& who) {
        who = identity_of_unix_peer(one);
        return unix_channel(one);
    };
    auto acceptor =
        std::make_shared<Acceptor>(loop, std::move(*socket), false, admit, std::move(accepted), Patience{});
    return std::unique_ptr<Listener>(new UnixListener(std::move(acceptor), path));
}

Result<std::unique_ptr<Listener>> listen_tcp(boost::asio::io_context& loop, const std::string& address,
                                             TlsPtr tls, Accepted accepted, Patience patience) {
    const auto parsed = parse_host_port(address);
    if (!parsed) return Error{parsed.error()};
    auto socket = bound_tcp(*parsed);
    if (!socket) return Error{socket.error()};
    const bool has_tls = tls != nullptr;
    const Admit admit = [tls = std::move(tls)](int one, Identity& who) {
        send_small_packets_at_once(one);
        notice_vanishing(one);
        who = identity_of_tcp_peer(one);
        if (tls) return tls_channel(one, tls, Side::accepts);
        who.local_user = user_at_other_end(one, Side::accepts);
        return tcp_channel(one);
    };
    auto acceptor =
        std::make_shared<Acceptor>(loop, std::move(*socket), has_tls, admit, std::move(accepted), patience);
    return std::unique_ptr<Listener>(new SocketListener(std::move(acceptor)));
}

}  // namespace allot::net
