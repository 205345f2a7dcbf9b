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
#include "base/spin_wait.hpp"
#include "client/address.hpp"

namespace allot::client {

// Waits until one of the events or the end of the connection comes, until `alarm` is readable, or until the
// time is over. True if an event or the end came.
bool wait_for(int descriptor, short events, Clock::time_point until, int alarm = -1);

class Socket {
public:
    struct Received {
        std::string_view bytes;
        bool closed = false;
    };

    Socket() = default;
    explicit Socket(Descriptor connected) : descriptor_(std::move(connected)) {}

    // Tries no longer than `until`; an error does not repeat the address.
    static Result<Socket> connect(const Address& address, Clock::time_point until);

    int descriptor() const { return descriptor_.get(); }

    // Waits for bytes until `until`, until `alarm` is readable (-1: no alarm), or, if `full`, until there is
    // room to send. Returns no bytes if none came.
    Received receive(std::span<char> buffer, Clock::time_point until, int alarm, bool full);

    // Sends as much as there is room for and returns how much; nothing if the connection is broken.
    std::optional<std::size_t> send(std::string_view bytes);
    // The same; passes a descriptor with the first byte.
    std::optional<std::size_t> send_with(std::string_view bytes, int passed);

    // Shuts the connection down in both directions, which wakes the reader.
    void shut();

private:
    Received receive_now(std::span<char> buffer);

    Descriptor descriptor_;
    SpinWait spin_wait_;
};

}  // namespace allot::client
