#include "daemon/entrances.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/descriptor_room.hpp"
#include "base/log.hpp"

namespace allot::daemon {

std::optional<std::string> Entrances::open(boost::asio::io_context& loop, const Config& config,
                                           const net::TlsPtr& tls, const Accept& accept, HttpPages pages) {
    auto programs = net::listen_unix(loop, config.socket, config.socket_mode, accept);
    if (!programs) return "socket: " + programs.error();
    programs_ = std::move(*programs);
    if (!config.clients.empty()) {
        auto remote = net::listen_tcp(loop, config.clients, tls, accept);
        if (!remote) return remote.error();
        remote_programs_ = std::move(*remote);
    }
    // Both doors share the room for visitors.
    const std::size_t doors = config.http.empty() || config.https.empty() ? 1 : 2;
    const std::size_t visitors =
        std::max<std::size_t>(1, DescriptorRoom::of_this_process().visitors() / doors);
    if (!config.https.empty()) {
        auto https = serve_http(loop, config.https, tls, visitors, pages);
        if (!https) return https.error();
        https_ = std::move(*https);
    }
    if (config.http.empty()) return std::nullopt;
    auto http = serve_http(loop, config.http, nullptr, visitors, std::move(pages));
    if (!http && config.http_chosen) return http.error();
    if (http)
        http_ = std::move(*http);
    else
        log_warning(fmt::format("there is no status page: {}", http.error()));
    return std::nullopt;
}

void Entrances::close() {
    programs_.reset();
    remote_programs_.reset();
    http_.reset();
    https_.reset();
}

}  // namespace allot::daemon
