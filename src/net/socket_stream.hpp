// Makes streams from a connected socket and a channel whose handshake is complete.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>

#include "net/channel.hpp"

namespace allot::net {

StreamPtr make_stream(boost::asio::io_context& loop, boost::asio::posix::stream_descriptor socket,
                      ChannelPtr channel, Identity identity);

// A connected socket during its handshake. Destroying it cancels the handshake and closes the connection.
class Handshake {
public:
    using Done = std::function<void(Result<StreamPtr>)>;

    Handshake(boost::asio::io_context& loop, Descriptor socket, ChannelPtr channel, Identity identity);
    ~Handshake();
    Handshake(const Handshake&) = delete;
    Handshake& operator=(const Handshake&) = delete;

    // Calls `done` once, at the deadline at the latest, perhaps before it returns.
    void start(std::chrono::steady_clock::time_point deadline, Done done);
    // Whatever the kernel knows about the other end.
    const Identity& identity() const;
    // It has cost something already.
    bool has_begun() const;

private:
    class Task;
    // The thread that does the arithmetic may need it for a moment longer.
    const std::shared_ptr<Task> task_;
};

}  // namespace allot::net
