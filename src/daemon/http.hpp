// A small HTTP server: /status (JSON), /metrics (Prometheus), /health.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "net/loop.hpp"

namespace allot::daemon {

struct HttpPages {
    // Gets a function to call with the page when it is ready.
    std::function<void(std::function<void(std::string)>)> status;
    std::function<void(std::function<void(std::string)>)> metrics;
    std::function<std::string()> health;  // empty: all is well; otherwise what is not
    // A matter for the operator while all is well; empty if there is none.
    std::function<std::string()> warning = [] { return std::string(); };
};

class HttpServer {
public:
    virtual ~HttpServer() = default;
    virtual std::uint16_t port() const = 0;
};

Result<std::unique_ptr<HttpServer>> serve_http(boost::asio::io_context& loop, const std::string& address,
                                               HttpPages pages);

}  // namespace allot::daemon
