#include <utility>

#include "net/socket_stream.hpp"

namespace allot::net {

using boost::asio::posix::stream_descriptor;

Handshake::Handshake(boost::asio::io_context& loop, Descriptor socket, ChannelPtr channel, Identity identity)
    : loop_(loop),
      socket_(loop, socket.release()),
      channel_(std::move(channel)),
      identity_(std::move(identity)),
      deadline_(loop) {}

void Handshake::start(std::chrono::steady_clock::time_point deadline, Done done) {
    done_ = std::move(done);
    deadline_.expires_at(deadline);
    deadline_.async_wait([weak = weak_from_this()](const boost::system::error_code& failure) {
        const auto self = weak.lock();
        if (self && !failure) self->finish(Error{"the handshake takes too long"});
    });
    proceed();
}

void Handshake::proceed() {
    if (!done_) return;
    const Transfer result = channel_->open(identity_);
    switch (result.progress) {
        case Progress::done:
            return finish(make_stream(loop_, std::move(socket_), std::move(channel_), std::move(identity_)));
        case Progress::until_readable:
            return proceed_when(stream_descriptor::wait_read);
        case Progress::until_writable:
            return proceed_when(stream_descriptor::wait_write);
        case Progress::ended:
        case Progress::failed:
            return finish(Error{result.why});
    }
}

void Handshake::proceed_when(stream_descriptor::wait_type ready) {
    socket_.async_wait(ready, [weak = weak_from_this()](const boost::system::error_code& failure) {
        const auto self = weak.lock();
        if (self && !failure) self->proceed();
    });
}

void Handshake::finish(Result<StreamPtr> result) {
    deadline_.cancel();
    if (const Done done = std::exchange(done_, nullptr)) done(std::move(result));
}

}  // namespace allot::net
