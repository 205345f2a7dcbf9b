#include "net/stream.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ensure.hpp"
#include "net/socket_stream.hpp"

namespace allot::net {

namespace {

using boost::asio::posix::stream_descriptor;

class SocketStream;

// All streams of a loop share it. The content of the read buffer is handled before the next read.
class Shared final : public boost::asio::execution_context::service {
public:
    static const boost::asio::execution_context::id id;
    explicit Shared(boost::asio::execution_context& owner) : service(owner) {}
    std::span<char> read_buffer() { return read_buffer_; }

    void answer(SocketStream& stream);

private:
    void shutdown() override { unanswered_.clear(); }
    void answer_all();

    std::vector<char> read_buffer_ = std::vector<char>(std::size_t{64} << 10);
    std::vector<std::weak_ptr<SocketStream>> unanswered_;
    // Answers that are sent at once before it looks again whether others wait, too: how many more there are,
    // and how many there were in all.
    int at_once_ = 0;
    int last_at_once_ = 0;
};
const boost::asio::execution_context::id Shared::id;

// Maximum number of reads in a row, so that other streams get their turn.
constexpr int reads_per_turn = 4;
// A larger buffer is freed once it is empty.
constexpr std::size_t buffer_kept = std::size_t{1} << 20;

class SocketStream final : public Stream, public std::enable_shared_from_this<SocketStream> {
public:
    SocketStream(boost::asio::io_context& loop, stream_descriptor socket, ChannelPtr channel,
                 Identity identity)
        : shared_(boost::asio::use_service<Shared>(loop)),
          socket_(std::move(socket)),
          channel_(std::move(channel)),
          identity_(std::move(identity)) {}
    ~SocketStream() override { shut(); }

    void start(Events events) override {
        ensure(!started_, "a stream is started twice");
        if (closed_) return;
        started_ = true;
        events_ = std::move(events);
        // Bytes may be there already, in the socket or left over from the handshake.
        read_soon();
        if (unsent() > 0) flush_soon();
    }

    void close() override {
        if (closed_) return;
        shut();
        forget_events();
    }

    void write(std::string_view bytes) override {
        if (closed_ || deaf_) return;
        out_.append(bytes);
        if (started_ && !blocked_) flush_soon();
    }

    std::size_t unsent() const override { return out_.size() - sent_; }

    void pause(bool paused) override {
        if (closed_ || paused_ == paused) return;
        paused_ = paused;
        if (!paused_ && started_) read_soon();
    }

    const Identity& identity() const override { return identity_; }

private:
    friend class Shared;

    // --- Reading

    void read_soon() {
        if (reading_) return;
        reading_ = true;
        boost::asio::post(socket_.get_executor(), [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->readable();
        });
    }

    void read_when(stream_descriptor::wait_type ready) {
        reading_ = true;
        socket_.async_wait(ready, [weak = weak_from_this()](const boost::system::error_code& failure) {
            const auto self = weak.lock();
            if (self && !failure) self->readable();
        });
    }

    void readable() {
        reading_ = false;
        for (int i = 0; i < reads_per_turn; ++i) {
            if (closed_ || paused_) return;
            const Transfer got = channel_->read(shared_.read_buffer());
            if (got.progress == Progress::until_readable) return read_when(stream_descriptor::wait_read);
            if (got.progress == Progress::until_writable) return read_when(stream_descriptor::wait_write);
            if (got.progress != Progress::done) return fail(got.why);
            hand_over(got.bytes);
            answer();
            if (closed_ || paused_) return;
            if (!got.more) return read_when(stream_descriptor::wait_read);
        }
        read_soon();
    }

    void hand_over(std::size_t bytes) {
        handing_over_ = true;
        const Calling calling(*this);
        for (Descriptor& descriptor : channel_->passed())
            if (events_.passed && !closed_) events_.passed(descriptor.release());
        if (!closed_ && events_.read) events_.read({shared_.read_buffer().data(), bytes});
    }

    // --- Writing

    // Bytes for other streams than the one just read are sent at the end of the turn: several handlers may
    // write to them, and one send is enough.
    void answer() {
        handing_over_ = false;
        if (std::exchange(answered_, false)) shared_.answer(*this);
    }

    void flush_soon() {
        answered_ = answered_ || handing_over_;
        if (flushing_ || handing_over_) return;
        flushing_ = true;
        boost::asio::post(socket_.get_executor(), [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->flush();
        });
    }

    void flush() {
        flushing_ = false;
        if (closed_ || blocked_) return;
        const Transfer result = send_all();
        if (result.progress == Progress::done) return tell_drained();
        if (result.progress == Progress::until_writable) return flush_when_writable();
        out_.clear();
        sent_ = 0;
        // The other end may have said why before it closed; reading on finds both.
        deaf_ = true;
        if (result.progress == Progress::failed || paused_) fail(result.why);
    }

    Transfer send_all() {
        while (unsent() > 0) {
            Transfer result = channel_->write(std::string_view(out_).substr(sent_));
            if (result.progress != Progress::done) return result;
            sent_ += result.bytes;
            forget_sent();
        }
        return {};
    }

    void forget_sent() {
        if (sent_ == out_.size()) {
            sent_ = 0;
            out_.clear();
            if (out_.capacity() > buffer_kept) out_.shrink_to_fit();
        } else if (sent_ > out_.size() / 2) {
            out_.erase(0, sent_);
            sent_ = 0;
        }
    }

    void flush_when_writable() {
        blocked_ = true;
        socket_.async_wait(stream_descriptor::wait_write,
                           [weak = weak_from_this()](const boost::system::error_code& failure) {
                               const auto self = weak.lock();
                               if (!self || failure) return;
                               self->blocked_ = false;
                               self->flush();
                           });
    }

    void tell_drained() {
        const Calling calling(*this);
        if (events_.drained) events_.drained();
    }

    // --- The end

    // Keeps the event handlers alive while one of them runs, even if it closes the stream.
    class Calling {
    public:
        explicit Calling(SocketStream& stream) : stream_(stream) { ++stream_.calls_; }
        ~Calling() {
            --stream_.calls_;
            if (stream_.closed_) stream_.forget_events();
        }
        Calling(const Calling&) = delete;
        Calling& operator=(const Calling&) = delete;

    private:
        SocketStream& stream_;
    };

    void forget_events() {
        if (calls_ > 0) return;
        // They may own the last pointer to this stream: touch nothing after them.
        const Events forgotten = std::exchange(events_, {});
    }

    void fail(const std::string& why) {
        if (closed_) return;
        shut();
        const Calling calling(*this);
        if (events_.closed) events_.closed(why);
    }

    void shut() {
        if (closed_) return;
        closed_ = true;
        if (!blocked_ && !deaf_ && send_all().progress == Progress::done) channel_->close();
        boost::system::error_code ignored;
        socket_.close(ignored);
    }

    Shared& shared_;
    stream_descriptor socket_;
    const ChannelPtr channel_;
    const Identity identity_;
    Events events_;
    std::string out_;
    std::size_t sent_ = 0;  // bytes of out_
    int calls_ = 0;
    bool started_ = false;
    bool closed_ = false;
    bool paused_ = false;
    bool deaf_ = false;      // the other end does not read any more
    bool reading_ = false;   // a read is scheduled,
    bool flushing_ = false;  // and a send;
    bool handing_over_ = false;
    bool answered_ = false;  // while a handler ran
    bool blocked_ = false;   // the send waits for room
};

// Somebody waits for the answer, so it is sent at once, which takes a system call less. But if several
// streams are read in one turn of the loop, all are answered after it: otherwise the first program works and
// sleeps again before the second is answered, and each wakes an idle core.
void Shared::answer(SocketStream& stream) {
    if (at_once_ > 0) {
        --at_once_;
        return stream.flush();
    }
    unanswered_.push_back(stream.weak_from_this());
    if (unanswered_.size() > 1) return;
    boost::asio::post(static_cast<boost::asio::io_context&>(context()), [this] { answer_all(); });
}

void Shared::answer_all() {
    const auto streams = std::exchange(unanswered_, {});
    constexpr int most = 31;
    // A stream may be alone in one turn by chance, so it is trusted a little more each time.
    last_at_once_ = streams.size() > 1 ? 0 : std::min(most, 2 * last_at_once_ + 1);
    at_once_ = last_at_once_;
    for (const auto& weak : streams)
        if (const auto stream = weak.lock()) stream->flush();
}

}  // namespace

std::string Identity::certified_as() const {
    std::vector<std::string> roles;
    for (const std::string& host : hosts) roles.push_back("host " + host);
    if (!program.empty()) roles.push_back("program " + program);
    if (roles.empty())
        return "neither a host nor a program (it has no URI allot:host:NAME or allot:program:NAME)";
    return fmt::format("{}", fmt::join(roles, ", "));
}

StreamPtr make_stream(boost::asio::io_context& loop, stream_descriptor socket, ChannelPtr channel,
                      Identity identity) {
    return std::make_shared<SocketStream>(loop, std::move(socket), std::move(channel), std::move(identity));
}

}  // namespace allot::net
