// Where programs and readers of pages come in: the Unix socket, the port for programs on other machines, and
// those for pages.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/config.hpp"
#include "daemon/http.hpp"
#include "net/stream.hpp"

namespace allot::daemon {

class Entrances {
public:
    using Accept = std::function<void(net::StreamPtr)>;

    // The error, if there is one. A page that nobody asked for may be missing.
    std::optional<std::string> open(boost::asio::io_context& loop, const Config& config,
                                    const net::TlsPtr& tls, const Accept& accept, HttpPages pages);
    void close();

private:
    std::unique_ptr<net::Listener> programs_;
    std::unique_ptr<net::Listener> remote_programs_;
    std::unique_ptr<HttpServer> http_;
    std::unique_ptr<HttpServer> https_;
};

}  // namespace allot::daemon
