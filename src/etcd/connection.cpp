#include "etcd/connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/write.hpp>
#include <fmt/format.h>
#include <sstream>

#include "base/ensure.hpp"

namespace allot::etcd {

namespace {

namespace http = boost::beast::http;

// etcd refuses values of more than 1.5 MiB by default; base64 adds a third.
constexpr std::uint64_t most_body = std::uint64_t{8} << 20;

std::string text_of(const Endpoint& endpoint, const Connection::Request& request) {
    http::request<http::string_body> message(http::verb::post, {request.path.data(), request.path.size()}, 11,
                                             request.body);
    message.set(http::field::host, endpoint.address);
    message.set(http::field::content_type, "application/json");
    // A member that has lost its leader says so at once, and ends its watches.
    message.set("Grpc-Metadata-hasleader", "true");
    message.prepare_payload();
    std::ostringstream text;
    text << message;
    return text.str();
}

}  // namespace

void Connection::post(const Request& request, Done done) {
    ensure(!done_, "etcd is asked twice at once");
    done_ = std::move(done);
    piece_ = nullptr;
    begin(request);
    parser_->body_limit(most_body);
}

void Connection::stream(const Request& request, Piece piece, Done done) {
    ensure(!done_, "etcd is asked twice at once");
    done_ = std::move(done);
    piece_ = std::move(piece);
    begin(request);
    parser_->body_limit(boost::none);
}

void Connection::begin(const Request& request) {
    request_ = text_of(endpoint_, request);
    unparsed_.clear();
    parser_ = std::make_unique<Parser>();
    parser_->eager(true);
    timer_.set(request.patience, [this, patience = request.patience] {
        fail(fmt::format("no answer within {} ms", patience.count()));
    });
    if (stream_) return stream_->write(request_);
    attempt_ = net::connect_tcp(loop_, endpoint_.address, endpoint_.tls ? tls_ : nullptr, endpoint_.host,
                                [this](Result<net::StreamPtr> stream) { connected(std::move(stream)); },
                                {static_cast<std::uint32_t>(request.patience.count())});
}

void Connection::connected(Result<net::StreamPtr> stream) {
    attempt_.reset();
    if (!stream) return fail(stream.error());
    stream_ = std::move(*stream);
    stream_->start({.read = [this](std::string_view bytes) { read(bytes); },
                    .closed = [this](const std::string& why) { fail(why); }});
    stream_->write(request_);
}

void Connection::read(std::string_view bytes) {
    // Bytes that answer nothing would be taken for the answer to the next request.
    if (!done_) return close();
    unparsed_ += bytes;
    boost::system::error_code failure;
    const std::size_t used = parser_->put(boost::asio::buffer(unparsed_), failure);
    unparsed_.erase(0, used);
    if (failure && failure != http::error::need_more)
        return fail("its answer is no HTTP: " + failure.message());
    if (piece_ && parser_->is_header_done() && !hand_over_piece()) return;
    if (parser_->is_done()) finish();
}

// False if the receiver has destroyed this connection. The body of an error is kept for the end.
bool Connection::hand_over_piece() {
    if (parser_->get().result() != http::status::ok || parser_->get().body().empty()) return true;
    timer_.cancel();
    const std::weak_ptr<bool> exists = exists_;
    const Piece piece = piece_;
    piece(std::exchange(parser_->get().body(), {}));
    return !exists.expired();
}

void Connection::finish() {
    Answer answer{parser_->get().result_int(), std::move(parser_->get().body())};
    timer_.cancel();
    if (!parser_->get().keep_alive() || !unparsed_.empty()) close();
    const Done done = std::exchange(done_, nullptr);
    done(std::move(answer));
}

void Connection::fail(const std::string& why) {
    close();
    if (const Done done = std::exchange(done_, nullptr)) done(Error{why});
}

void Connection::close() {
    timer_.cancel();
    attempt_.reset();
    if (const net::StreamPtr stream = std::exchange(stream_, nullptr)) stream->close();
    unparsed_.clear();
}

}  // namespace allot::etcd
