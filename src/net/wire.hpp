// One connection of a link: a stream cut into frames. During the handshake it belongs to the listening or
// connecting side, then to the peer at its other end.
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
        // False: take no more from this wire.
        virtual bool frame(Wire& wire, std::string_view content) = 0;
        // Closed by the other end, a fault or the deadline; not by close().
        virtual void closed(Wire& wire, const std::string& why) = 0;
        virtual void drained(Wire&) {}

    protected:
        ~Owner() = default;
    };

    Wire(boost::asio::io_context& loop, StreamPtr stream, Owner& owner);
    ~Wire() { close(); }
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    // `patience` is the time limit until hand_over_to().
    void start(std::chrono::milliseconds patience);
    void hand_over_to(Owner& owner, std::size_t frame_limit);
    void close();
    bool is_open() const { return owner_ != nullptr; }

    void write(std::string_view frames) { stream_->write(frames); }
    // Sends the reason and closes.
    void refuse(const std::string& why, std::uint64_t number = 0);
    std::size_t unsent() const { return stream_->unsent(); }
    const Identity& identity() const { return stream_->identity(); }

private:
    void read(std::string_view bytes);
    void fail(const std::string& why);
    void say_why(const std::string& why, std::uint64_t number = 0);

    StreamPtr stream_;
    FrameReader reader_{hello_limit};
    Timer deadline_;
    Owner* owner_;  // null: closed
};
using WirePtr = std::shared_ptr<Wire>;

}  // namespace allot::net
