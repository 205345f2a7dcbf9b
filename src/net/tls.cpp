// TLS over a socket.

#include <cerrno>
#include <fmt/format.h>
#include <sys/socket.h>

#include "base/ensure.hpp"
#include "net/channel.hpp"
#include "net/tls_context.hpp"

namespace allot::net {

using namespace openssl;

namespace {

// OpenSSL's own socket BIO uses write(), which raises SIGPIPE if the other end has closed.
int put(BIO* bio, const char* bytes, int count) {
    BIO_clear_retry_flags(bio);
    const int socket = *static_cast<const int*>(BIO_get_data(bio));
    const ssize_t sent = ::send(socket, bytes, static_cast<std::size_t>(count), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
    return static_cast<int>(sent);
}

int take(BIO* bio, char* into, int room) {
    BIO_clear_retry_flags(bio);
    const int socket = *static_cast<const int*>(BIO_get_data(bio));
    const ssize_t got = ::recv(socket, into, static_cast<std::size_t>(room), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
    return static_cast<int>(got);
}

long control(BIO*, int command, long, void*) {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* socket_method() {
    static BIO_METHOD* const method = [] {
        BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without signals");
        ensure(made != nullptr, "no memory for TLS");
        BIO_meth_set_write(made, put);
        BIO_meth_set_read(made, take);
        BIO_meth_set_ctrl(made, control);
        return made;
    }();
    return method;
}

class TlsChannel final : public Channel {
public:
    TlsChannel(int socket, TlsPtr tls, Side side, std::string host)
        : socket_(socket), tls_(std::move(tls)), session_(SSL_new(tls_->current())), host_(std::move(host)) {
        BIO* bio = BIO_new(socket_method());
        ensure(session_ != nullptr && bio != nullptr, "no memory for TLS");
        BIO_set_data(bio, &socket_);
        BIO_set_init(bio, 1);
        SSL_set_bio(session_.get(), bio, bio);
        if (has_server()) demand_address();
        if (side == Side::connects) {
            SSL_set_connect_state(session_.get());
        } else {
            SSL_set_accept_state(session_.get());
        }
    }

    bool is_laborious() const override { return true; }
    bool hears_first() const override { return SSL_is_server(session_.get()) == 1; }

    Transfer open(Identity& who) override {
        ERR_clear_error();
        const int result = SSL_do_handshake(session_.get());
        if (result != 1) return outcome(result);
        CertificatePtr certificate(SSL_get1_peer_certificate(session_.get()));
        if (!certificate) return {.progress = Progress::failed, .why = "no certificate"};
        if (has_server()) return {};  // OpenSSL has compared the address
        const Identity roles = roles_of(certificate.get());
        who.hosts = roles.hosts;
        who.program = roles.program;
        who.certificate = std::move(certificate);
        if (host_.empty() || who.may_speak_as(host_)) return {};
        return {.progress = Progress::failed,
                .why = fmt::format("its certificate is for {}, not for host {}", who.certified_as(), host_)};
    }

    Transfer read(std::span<char> into) override {
        ERR_clear_error();
        std::size_t bytes = 0;
        const int result = SSL_read_ex(session_.get(), into.data(), into.size(), &bytes);
        if (result != 1) return outcome(result);
        return {.bytes = bytes, .more = SSL_has_pending(session_.get()) == 1};
    }

    Transfer write(std::string_view bytes) override {
        ERR_clear_error();
        std::size_t sent = 0;
        const int result = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &sent);
        if (result != 1) return outcome(result);
        return {.bytes = sent};
    }

    void close() override {
        ERR_clear_error();
        if (SSL_is_init_finished(session_.get()) == 1 && !broken_) SSL_shutdown(session_.get());
        ERR_clear_error();
    }

private:
    bool has_server() const { return tls_->counterpart() == Counterpart::server; }

    // Numbers are compared with the addresses of the certificate, all else with its names; a server with
    // several certificates is told the name.
    void demand_address() {
        ensure(!host_.empty(), "a server without an address");
        if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session_.get()), host_.c_str()) == 1) return;
        ERR_clear_error();
        ensure(SSL_set1_host(session_.get(), host_.c_str()) == 1 &&
                   SSL_set_tlsext_host_name(session_.get(), host_.c_str()) == 1,
               "no memory for TLS");
    }

    Transfer outcome(int result) {
        const int system_error = errno;
        switch (SSL_get_error(session_.get(), result)) {
            case SSL_ERROR_WANT_READ:
                return {.progress = Progress::until_readable};
            case SSL_ERROR_WANT_WRITE:
                return {.progress = Progress::until_writable};
            case SSL_ERROR_ZERO_RETURN:
                return {.progress = Progress::ended, .why = "closed by the other end"};
            default:
                broken_ = true;
                return broken(system_error);
        }
    }

    Transfer broken(int system_error) const {
        const long verdict = SSL_get_verify_result(session_.get());
        if (verdict != X509_V_OK) {
            ERR_clear_error();
            return {
                .progress = Progress::failed,
                .why = fmt::format("its certificate is refused: {}", X509_verify_cert_error_string(verdict))};
        }
        if (ERR_peek_error() != 0) return {.progress = Progress::failed, .why = openssl_reason()};
        const std::string why =
            system_error == 0 ? "closed by the other end" : std::generic_category().message(system_error);
        return {.progress = Progress::ended, .why = why};
    }

    int socket_;
    const TlsPtr tls_;
    const SessionPtr session_;
    const std::string host_;
    bool broken_ = false;
};

}  // namespace

ChannelPtr tls_channel(int socket, const TlsPtr& tls, Side side, const std::string& host) {
    return std::make_unique<TlsChannel>(socket, tls, side, host);
}

}  // namespace allot::net
