// A timer whose function never runs after it was cancelled, set again or destroyed. Asio's own may run it: an
// expired timer is already in the queue of the loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

namespace allot::net {

class Timer {
public:
    using Clock = std::chrono::steady_clock;

    explicit Timer(boost::asio::io_context& loop) : timer_(loop) {}

    template <class F>
    void set(Clock::duration after, F f) {
        cancel();
        timer_.expires_after(after);
        timer_.async_wait([weak = std::weak_ptr(setting_), setting = *setting_,
                           f = std::move(f)](const boost::system::error_code&) mutable {
            const auto current = weak.lock();
            if (current && *current == setting) f();
        });
    }

    void cancel() {
        ++*setting_;
        timer_.cancel();
    }

    Clock::time_point expiry() const { return timer_.expiry(); }

private:
    boost::asio::steady_timer timer_;
    std::shared_ptr<std::uint64_t> setting_ = std::make_shared<std::uint64_t>(0);
};

}  // namespace allot::net
