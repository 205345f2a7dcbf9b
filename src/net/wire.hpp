// One connection of a link: a stream cut into frames. At first it belongs to whoever does the handshake, and
// then to the peer that it turned out to lead to.
#pragma once

#include <chrono>
#include <memory>

#include "base/frame.hpp"
#include "net/link_frames.hpp"
#include "net/stream.hpp"
#include "net/timer.hpp"

namespace allot::net {

class Wire : public std::enable_shared_from_this<Wire> {
public:
    class Owner {
    public:
        // False to take no more from this wire.
        virtual bool frame(Wire& wire, std::string_view content) = 0;
        // By the other end, by a fault, or at the deadline: not by close().
        virtual void closed(Wire& wire, const std::string& why) = 0;
        virtual void drained(Wire&) {}

    protected:
        ~Owner() = default;
    };

    Wire(boost::asio::io_context& loop, StreamPtr stream, Owner& owner);
    ~Wire() { close(); }
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    // Until it is handed over, so long at most.
    void start(std::chrono::milliseconds patience);
    void hand_over_to(Owner& owner, std::size_t frame_limit);
    void close();
    bool is_open() const { return owner_ != nullptr; }

    void write(std::string_view frames) { stream_->write(frames); }
    // Says why, and closes.
    void refuse(const std::string& why);
    std::size_t unsent() const { return stream_->unsent(); }
    const Identity& identity() const { return stream_->identity(); }

private:
    void read(std::string_view bytes);
    void fail(const std::string& why);
    void say_why(const std::string& why);

    StreamPtr stream_;
    FrameReader reader_{hello_limit};
    Timer deadline_;
    Owner* owner_;  // none: closed
};
using WirePtr = std::shared_ptr<Wire>;

}  // namespace allot::net
