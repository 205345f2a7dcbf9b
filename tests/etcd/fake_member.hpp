// A member of etcd that answers as a test says.
#pragma once

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "etcd/endpoint.hpp"
#include "net/stream.hpp"

namespace allot::etcd {

inline std::string http_answer(const std::string& body, const std::string& status = "200 OK") {
    return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body);
}

class FakeMember {
public:
    // Gets the request, and returns the bytes to send; none: it is silent.
    using Answer = std::function<std::string(const std::string& request)>;

    FakeMember(boost::asio::io_context& loop, Answer answer) : answer_(std::move(answer)) {
        auto made = net::listen_tcp(loop, "127.0.0.1:0", nullptr,
                                    [this](const net::StreamPtr& stream) { accept(stream); });
        if (!made) throw std::runtime_error(made.error());
        listener_ = std::move(*made);
    }

    Endpoint endpoint() const {
        return *parse_endpoint(fmt::format("http://127.0.0.1:{}", listener_->port()));
    }
    std::size_t requests() const { return requests_; }
    std::size_t connections() const { return streams_.size(); }
    void say(const std::string& bytes) { streams_.back()->write(bytes); }
    void hang_up() {
        for (const net::StreamPtr& one : streams_) one->close();
    }

private:
    void accept(const net::StreamPtr& stream) {
        streams_.push_back(stream);
        stream->start(
            {.read = [this, asked = std::string(), to = stream.get()](std::string_view bytes) mutable {
                asked += bytes;
                // A request is a head and a JSON object.
                if (!asked.ends_with('}')) return;
                ++requests_;
                to->write(answer_(std::exchange(asked, {})));
            }});
    }

    const Answer answer_;
    std::unique_ptr<net::Listener> listener_;
    std::vector<net::StreamPtr> streams_;
    std::size_t requests_ = 0;
};

}  // namespace allot::etcd
