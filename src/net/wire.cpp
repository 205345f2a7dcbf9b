#include "net/wire.hpp"

#include <fmt/format.h>
#include <utility>

namespace allot::net {

Wire::Wire(boost::asio::io_context& loop, StreamPtr stream, Owner& owner)
    : stream_(std::move(stream)), deadline_(loop), owner_(&owner) {}

void Wire::start(std::chrono::milliseconds patience) {
    deadline_.set(patience, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->fail("the handshake takes too long");
    });
    const auto weak = weak_from_this();
    stream_->start({.read =
                        [weak](std::string_view bytes) {
                            if (const auto self = weak.lock()) self->read(bytes);
                        },
                    .closed =
                        [weak](const std::string& why) {
                            if (const auto self = weak.lock()) self->fail(why);
                        },
                    .drained =
                        [weak] {
                            const auto self = weak.lock();
                            if (self && self->owner_) self->owner_->drained(*self);
                        }});
}

void Wire::hand_over_to(Owner& owner, std::size_t frame_limit) {
    deadline_.cancel();
    owner_ = &owner;
    reader_.set_limit(frame_limit);
}

void Wire::close() {
    if (std::exchange(owner_, nullptr) == nullptr) return;
    deadline_.cancel();
    stream_->close();
}

void Wire::refuse(const std::string& why, std::uint64_t number) {
    say_why(why, number);
    close();
}

void Wire::say_why(const std::string& why, std::uint64_t number) {
    std::string frame;
    put_link_frame({.kind = FrameKind::refusal, .number = number}, why, frame);
    write(frame);
}

void Wire::read(std::string_view bytes) {
    const bool good = reader_.feed(bytes, [this](std::string_view content) {
        return owner_ && owner_->frame(*this, content) && owner_;
    });
    if (good || !is_open()) return;
    const std::string why = fmt::format("it sent a frame of more than {} bytes", reader_.limit());
    say_why(why);
    fail(why);
}

void Wire::fail(const std::string& why) {
    Owner* const owner = owner_;
    if (owner == nullptr) return;
    close();
    owner->closed(*this, why);
}

}  // namespace allot::net
