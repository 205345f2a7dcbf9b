// A connected socket, for one reader and one writer at a time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "allot/client.hpp"
#include "base/descriptor.hpp"
#include "base/result.hpp"
#include "client/address.hpp"
#include "client/spin_wait.hpp"

namespace allot::client {

// Waits until there is something to read (or to write) or the time is over, or `alarm` is readable. Whether
// one of the events has come, or the end of the connection.
bool wait_for(int descriptor, short events, Clock::time_point until, int alarm = -1);

class Socket {
public:
    struct Received {
        std::string_view bytes;
        bool closed = false;
    };

    Socket() = default;
    explicit Socket(Descriptor connected) : descriptor_(std::move(connected)) {}

    // Tries for no longer than this; the message of an error does not repeat the address.
    static Result<Socket> connect(const Address& address, Clock::time_point until);

    int descriptor() const { return descriptor_.get(); }

    // What has come; waits for it until then, or until `alarm` is readable (-1: nothing wakes it), or until
    // more can be sent if `full`. Nothing if nothing came.
    Received receive(std::span<char> buffer, Clock::time_point until, int alarm, bool full);

    // Sends as much as there is room for, and says how much; nothing if the connection is broken.
    std::optional<std::size_t> send(std::string_view bytes);
    // The same, with the right to a descriptor attached to the first byte.
    std::optional<std::size_t> send_with(std::string_view bytes, int passed);

    // Wakes the reader; nothing more comes or goes.
    void shut();

private:
    Received receive_now(std::span<char> buffer, int flags);
    void set_receive_timeout(std::chrono::milliseconds time);

    Descriptor descriptor_;
    std::chrono::milliseconds receive_timeout_{0};  // as the kernel knows it
    SpinWait spin_wait_;
};

}  // namespace allot::client
