// A small HTTP server: /status (JSON), /metrics (Prometheus), /health. With TLS its readers show certificates
// of programs; without, nobody knows who they are.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "net/loop.hpp"
#include "net/stream.hpp"

namespace allot::daemon {

struct HttpPages {
    // Whether a question with these headers is for this host. A browser sends an origin, or none.
    std::function<bool(std::string_view host, std::string_view origin)> is_for_here;
    // Gets a function to call with the page when it is ready.
    std::function<void(const net::Identity&, std::function<void(std::string)>)> status;
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

// `tls`: none for plaintext. At most so many visitors are there at once.
Result<std::unique_ptr<HttpServer>> serve_http(boost::asio::io_context& loop, const std::string& address,
                                               const net::TlsPtr& tls, std::size_t most_visitors,
                                               HttpPages pages);

}  // namespace allot::daemon
