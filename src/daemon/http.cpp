#include "daemon/http.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include "net/address.hpp"

namespace allot::daemon {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = boost::asio::ip::tcp;

constexpr std::chrono::seconds patience{10};
constexpr std::size_t most_header = 8192;

class Visit : public std::enable_shared_from_this<Visit> {
public:
    Visit(tcp::socket socket, std::shared_ptr<const HttpPages> pages)
        : stream_(std::move(socket)), buffer_(most_header), pages_(std::move(pages)) {}

    void read() {
        request_ = {};
        stream_.expires_after(patience);
        http::async_read(stream_, buffer_, request_,
                         [self = shared_from_this()](beast::error_code failure, std::size_t) {
                             if (!failure) self->answer();
                         });
    }

private:
    void answer() {
        const auto path = request_.target().substr(0, request_.target().find('?'));
        if (request_.method() != http::verb::get)
            return reply(http::status::method_not_allowed, "text/plain", "only GET\n");
        if (path == "/status")
            return pages_->status([self = shared_from_this()](std::string page) {
                self->reply(http::status::ok, "application/json", std::move(page));
            });
        if (path == "/metrics")
            return reply(http::status::ok, "text/plain; version=0.0.4", pages_->metrics());
        if (path == "/health") {
            const std::string trouble = pages_->health();
            return reply(trouble.empty() ? http::status::ok : http::status::service_unavailable, "text/plain",
                         trouble.empty() ? "ok\n" : trouble + "\n");
        }
        reply(http::status::not_found, "text/plain", "there is /status, /metrics and /health\n");
    }

    void reply(http::status status, const char* type, std::string body) {
        response_ = {status, request_.version()};
        response_.set(http::field::content_type, type);
        response_.keep_alive(request_.keep_alive());
        response_.body() = std::move(body);
        response_.prepare_payload();
        stream_.expires_after(patience);
        http::async_write(stream_, response_,
                          [self = shared_from_this()](beast::error_code failure, std::size_t) {
                              if (!failure && self->response_.keep_alive()) self->read();
                          });
    }

    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    std::shared_ptr<const HttpPages> pages_;
    http::request<http::empty_body> request_;
    http::response<http::string_body> response_;
};

class Server final : public HttpServer {
public:
    Server(tcp::acceptor acceptor, HttpPages pages)
        : acceptor_(std::move(acceptor)), pages_(std::make_shared<const HttpPages>(std::move(pages))) {
        accept();
    }
    std::uint16_t port() const override { return acceptor_.local_endpoint().port(); }

private:
    void accept() {
        acceptor_.async_accept([this](beast::error_code failure, tcp::socket socket) {
            if (failure == boost::asio::error::operation_aborted) return;
            if (!failure) std::make_shared<Visit>(std::move(socket), pages_)->read();
            accept();
        });
    }

    tcp::acceptor acceptor_;
    std::shared_ptr<const HttpPages> pages_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> serve_http(boost::asio::io_context& loop, const std::string& address,
                                               HttpPages pages) {
    const auto split = net::parse_address(address);
    if (!split) return Error{split.error()};
    beast::error_code failure;
    const auto host = boost::asio::ip::make_address(split->host, failure);
    if (failure)
        return Error{fmt::format("http = \"{}\": write an address, as in \"127.0.0.1:7480\"", address)};
    try {
        tcp::acceptor acceptor(loop, tcp::endpoint(host, split->port));
        return std::unique_ptr<HttpServer>(std::make_unique<Server>(std::move(acceptor), std::move(pages)));
    } catch (const boost::system::system_error& error) {
        return Error{fmt::format("http = \"{}\": {}", address, error.code().message())};
    }
}

}  // namespace allot::daemon
