#include <atomic>
#include <sys/socket.h>
#include <utility>

#include "net/handshake_worker.hpp"
#include "net/socket_stream.hpp"

namespace allot::net {

using boost::asio::posix::stream_descriptor;

class Handshake::Task : public std::enable_shared_from_this<Task> {
public:
    Task(boost::asio::io_context& loop, Descriptor socket, ChannelPtr channel, Identity identity)
        : loop_(loop),
          socket_(loop, socket.release()),
          channel_(std::move(channel)),
          identity_(std::move(identity)),
          proven_(identity_),
          deadline_(loop) {}

    void start(std::chrono::steady_clock::time_point deadline, Done done) {
        done_ = std::move(done);
        deadline_.expires_at(deadline);
        deadline_.async_wait([weak = weak_from_this()](const boost::system::error_code& failure) {
            const auto self = weak.lock();
            if (self && !failure) self->finish(Error{"the handshake takes too long"});
        });
        if (channel_->is_laborious() && channel_->hears_first())
            return proceed_when(stream_descriptor::wait_read);
        proceed();
    }

    // The descriptor stays open while the thread may use it.
    void cancel() {
        done_ = nullptr;
        is_over_ = true;
        deadline_.cancel();
        if (!socket_.is_open()) return;
        boost::system::error_code ignored;
        socket_.cancel(ignored);
        ::shutdown(socket_.native_handle(), SHUT_RDWR);
    }

    const Identity& identity() const { return identity_; }
    bool has_begun() const { return has_begun_; }

private:
    void proceed() {
        if (!done_) return;
        if (!channel_->is_laborious()) return go_on(channel_->open(proven_));
        const auto self = shared_from_this();
        HandshakeWorker::Job job{.work = [self] { self->compute(); },
                                 .done = [self] { self->go_on(self->computed_); }};
        auto& worker = boost::asio::use_service<HandshakeWorker>(loop_);
        std::exchange(has_begun_, true) ? worker.next(std::move(job)) : worker.first(std::move(job));
    }

    // In the thread of the worker.
    void compute() {
        if (!is_over_) computed_ = channel_->open(proven_);
    }

    void go_on(const Transfer& result) {
        if (!done_) return;
        switch (result.progress) {
            case Progress::done:
                return finish(
                    make_stream(loop_, std::move(socket_), std::move(channel_), std::move(proven_)));
            case Progress::until_readable:
                return proceed_when(stream_descriptor::wait_read);
            case Progress::until_writable:
                return proceed_when(stream_descriptor::wait_write);
            case Progress::ended:
            case Progress::failed:
                return finish(Error{result.why});
        }
    }

    void proceed_when(stream_descriptor::wait_type ready) {
        socket_.async_wait(ready, [weak = weak_from_this()](const boost::system::error_code& failure) {
            const auto self = weak.lock();
            if (self && !failure) self->proceed();
        });
    }

    void finish(Result<StreamPtr> result) {
        const Done done = std::exchange(done_, nullptr);
        cancel();
        if (done) done(std::move(result));
    }

    boost::asio::io_context& loop_;
    stream_descriptor socket_;
    ChannelPtr channel_;
    const Identity identity_;
    Identity proven_;    // the same with what the handshake has shown
    Transfer computed_;  // by the thread
    boost::asio::steady_timer deadline_;
    Done done_;
    bool has_begun_ = false;
    std::atomic<bool> is_over_ = false;
};

Handshake::Handshake(boost::asio::io_context& loop, Descriptor socket, ChannelPtr channel, Identity identity)
    : task_(std::make_shared<Task>(loop, std::move(socket), std::move(channel), std::move(identity))) {}

Handshake::~Handshake() {
    task_->cancel();
}

void Handshake::start(std::chrono::steady_clock::time_point deadline, Done done) {
    const auto task = task_;  // `done` may destroy this handshake
    task->start(deadline, std::move(done));
}

const Identity& Handshake::identity() const {
    return task_->identity();
}

bool Handshake::has_begun() const {
    return task_->has_begun();
}

}  // namespace allot::net
