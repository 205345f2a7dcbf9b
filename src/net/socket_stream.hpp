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

// A connected socket during its handshake. Destroying it cancels the handshake.
class Handshake : public std::enable_shared_from_this<Handshake> {
public:
    using Done = std::function<void(Result<StreamPtr>)>;

    Handshake(boost::asio::io_context& loop, Descriptor socket, ChannelPtr channel, Identity identity);
    // Calls `done` once, at the deadline at the latest, perhaps before it returns.
    void start(std::chrono::steady_clock::time_point deadline, Done done);
    const Identity& identity() const { return identity_; }

private:
    void proceed();
    void proceed_when(boost::asio::posix::stream_descriptor::wait_type ready);
    void finish(Result<StreamPtr> result);

    boost::asio::io_context& loop_;
    boost::asio::posix::stream_descriptor socket_;
    ChannelPtr channel_;
    Identity identity_;
    boost::asio::steady_timer deadline_;
    Done done_;
};

}  // namespace allot::net
