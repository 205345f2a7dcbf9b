// A connection to one member of etcd: HTTP/1.1, one request after the other. It connects with the first
// request, and again after an error. Nothing blocks.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "etcd/endpoint.hpp"
#include "net/stream.hpp"
#include "net/timer.hpp"

namespace allot::etcd {

class Connection {
public:
    struct Request {
        std::string_view path;
        std::string body;
        std::chrono::milliseconds patience;  // until the whole answer is there
    };
    struct Answer {
        unsigned status = 0;
        std::string body;
    };
    // Called once, and never from inside `post`. It may destroy the connection.
    using Done = std::function<void(Result<Answer>)>;
    using Piece = std::function<void(std::string_view)>;

    Connection(boost::asio::io_context& loop, Endpoint endpoint, net::TlsPtr tls)
        : loop_(loop), endpoint_(std::move(endpoint)), tls_(std::move(tls)), timer_(loop) {}
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() { close(); }

    const Endpoint& endpoint() const { return endpoint_; }
    // None may be under way.
    void post(const Request& request, Done done);
    // The same for an answer without an end: `piece` gets its body as it comes. The patience lasts until the
    // first piece.
    void stream(const Request& request, Piece piece, Done done);

private:
    using Parser = boost::beast::http::response_parser<boost::beast::http::string_body>;

    void begin(const Request& request);
    void connected(Result<net::StreamPtr> stream);
    void read(std::string_view bytes);
    bool hand_over_piece();
    void finish();
    void fail(const std::string& why);
    void close();

    boost::asio::io_context& loop_;
    const Endpoint endpoint_;
    const net::TlsPtr tls_;
    net::Timer timer_;
    std::unique_ptr<net::Attempt> attempt_;
    net::StreamPtr stream_;
    std::string request_;
    std::string unparsed_;
    std::unique_ptr<Parser> parser_;
    Done done_;
    Piece piece_;
    const std::shared_ptr<bool> exists_ = std::make_shared<bool>(true);
};

}  // namespace allot::etcd
