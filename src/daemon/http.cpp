#include "daemon/http.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <fmt/format.h>
#include <sstream>

#include "base/harmless.hpp"
#include "net/stream.hpp"
#include "net/timer.hpp"

namespace allot::daemon {

namespace {

namespace http = boost::beast::http;
using Request = http::request<http::empty_body>;

// Time limit for the request, and for reading the answer.
constexpr std::chrono::seconds patience{10};
constexpr std::size_t most_header = 8192;

class Visit : public std::enable_shared_from_this<Visit> {
public:
    Visit(boost::asio::io_context& loop, net::StreamPtr stream, const HttpPages& pages,
          std::function<void()> gone)
        : stream_(std::move(stream)), deadline_(loop), pages_(pages), gone_(std::move(gone)) {}

    void start() {
        const auto weak = weak_from_this();
        const auto on = [weak](auto f) {
            return [weak, f](const auto&... values) {
                if (const auto self = weak.lock()) f(*self, values...);
            };
        };
        wait();
        stream_->start({.read = on([](Visit& self, std::string_view bytes) { self.read(bytes); }),
                        .closed = on([](Visit& self, const std::string&) { self.gone_(); }),
                        .drained = on([](Visit& self) { self.sent(); })});
    }

private:
    void wait() { deadline_.set(patience, gone_); }

    void read(std::string_view bytes) {
        asked_ += bytes;
        if (exchange_ == Exchange::asks) return answer_next();
        // A visitor that sends many requests ahead does not read its answers.
        if (asked_.size() > most_header) gone_();
    }

    // One question at a time, in order.
    void answer_next() {
        http::request_parser<http::empty_body> parser;
        parser.header_limit(most_header);
        boost::system::error_code failure;
        const std::size_t used = parser.put(boost::asio::buffer(asked_), failure);
        if (failure == http::error::need_more && asked_.size() <= most_header) return;
        exchange_ = Exchange::waits;
        if (failure) {
            keep_alive_ = false;
            return reply(http::status::bad_request, "text/plain", "this is no HTTP request\n");
        }
        asked_.erase(0, used);
        keep_alive_ = parser.get().keep_alive();
        answer(parser.get());
    }

    static std::string_view text_of(const Request& request, http::field field) {
        const auto found = request.find(field);
        if (found == request.end()) return {};
        return {found->value().data(), found->value().size()};
    }

    // A reader that speaks HTTP/1.0 and names no host is no browser.
    bool is_for_here(const Request& request) const {
        if (request.version() < 11 && request.count(http::field::host) == 0) return true;
        return pages_.is_for_here(text_of(request, http::field::host), text_of(request, http::field::origin));
    }

    void answer(const Request& request) {
        const auto path = request.target().substr(0, request.target().find('?'));
        head_only_ = request.method() == http::verb::head;
        if (!is_for_here(request))
            return reply(http::status::misdirected_request, "text/plain",
                         "this host has another name; write its address, or add the name to http_names\n");
        if (request.method() != http::verb::get && !head_only_)
            return reply(http::status::method_not_allowed, "text/plain", "only GET and HEAD\n");
        if (path == "/status")
            return pages_.status(stream_->identity(), [weak = weak_from_this()](std::string page) {
                if (const auto self = weak.lock())
                    self->reply(http::status::ok, "application/json", std::move(page));
            });
        if (path == "/metrics")
            return pages_.metrics([weak = weak_from_this()](std::string page) {
                if (const auto self = weak.lock())
                    self->reply(http::status::ok, "text/plain; version=0.0.4", std::move(page));
            });
        if (path == "/health") {
            const std::string trouble = pages_.health();
            if (!trouble.empty())
                return reply(http::status::service_unavailable, "text/plain", harmless(trouble) + "\n");
            const std::string warning = pages_.warning();
            return reply(http::status::ok, "text/plain",
                         warning.empty() ? "ok\n" : fmt::format("ok\nwarning: {}\n", harmless(warning)));
        }
        reply(http::status::not_found, "text/plain", "there is /status, /metrics and /health\n");
    }

    void reply(http::status status, const char* type, std::string body) {
        http::response<http::string_body> response(status, 11, std::move(body));
        response.set(http::field::content_type, type);
        response.set("X-Content-Type-Options", "nosniff");  // a browser shall not take it for a page
        response.set(http::field::cache_control, "no-store");
        response.keep_alive(keep_alive_);
        response.prepare_payload();
        if (head_only_) response.body().clear();  // its length is told
        std::ostringstream text;
        text << response;
        stream_->write(text.str());
        exchange_ = Exchange::listens;
        wait();
    }

    void sent() {
        if (exchange_ != Exchange::listens) return;
        if (!keep_alive_) return gone_();
        exchange_ = Exchange::asks;
        answer_next();
    }

    net::StreamPtr stream_;
    net::Timer deadline_;
    const HttpPages& pages_;
    std::function<void()> gone_;
    std::string asked_;
    enum class Exchange { asks, waits, listens };
    Exchange exchange_ = Exchange::asks;
    bool keep_alive_ = true;
    bool head_only_ = false;
};

class Server final : public HttpServer {
public:
    Server(boost::asio::io_context& loop, std::size_t most_visitors, HttpPages pages)
        : loop_(loop), most_visitors_(most_visitors), pages_(std::move(pages)) {}

    std::optional<Error> listen(const std::string& address, const net::TlsPtr& tls) {
        auto listener = net::listen_tcp(loop_, address, tls,
                                        [this](net::StreamPtr stream) { accept(std::move(stream)); });
        if (!listener)
            return Error{fmt::format("{} = \"{}\": {}", tls ? "https" : "http", address, listener.error())};
        listener_ = std::move(*listener);
        return std::nullopt;
    }
    std::uint16_t port() const override { return listener_->port(); }

private:
    void accept(net::StreamPtr stream) {
        // The oldest is dropped if there are too many.
        while (visits_.size() >= most_visitors_) visits_.pop_front();
        const std::uint64_t number = next_++;
        const auto visit =
            std::make_shared<Visit>(loop_, std::move(stream), pages_, [this, number] { forget(number); });
        visits_.emplace_back(number, visit);
        visit->start();
    }

    void forget(std::uint64_t number) {
        std::erase_if(visits_, [number](const auto& visit) { return visit.first == number; });
    }

    boost::asio::io_context& loop_;
    const std::size_t most_visitors_;
    const HttpPages pages_;
    std::deque<std::pair<std::uint64_t, std::shared_ptr<Visit>>> visits_;
    std::uint64_t next_ = 0;
    std::unique_ptr<net::Listener> listener_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> serve_http(boost::asio::io_context& loop, const std::string& address,
                                               const net::TlsPtr& tls, std::size_t most_visitors,
                                               HttpPages pages) {
    auto server = std::make_unique<Server>(loop, most_visitors, std::move(pages));
    if (auto error = server->listen(address, tls)) return *error;
    return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace allot::daemon
