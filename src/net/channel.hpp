// Moves bytes through a connected socket, in plaintext or TLS. No function blocks: an operation that cannot
// continue says what it waits for.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "net/stream.hpp"

namespace allot::net {

enum class Progress {
    done,
    until_readable,  // try again when the socket is readable,
    until_writable,  // or writable
    ended,           // the other end has closed
    failed
};

struct Transfer {
    Progress progress = Progress::done;
    std::size_t bytes = 0;
    bool more = false;  // another read may succeed at once
    std::string why{};  // reason for ended or failed
};

class Channel {
public:
    virtual ~Channel() = default;

    // Continues the handshake; call it until it is done. `who` is complete then. It may be called from
    // another thread than all else, but not at the same time.
    virtual Transfer open(Identity& who) = 0;
    // That takes too long for a loop that others wait for.
    virtual bool is_laborious() const { return false; }
    // The other end speaks first.
    virtual bool hears_first() const { return false; }
    virtual Transfer read(std::span<char> into) = 0;
    virtual Transfer write(std::string_view bytes) = 0;
    // Sends the closing message, if that is possible at once.
    virtual void close() {}
    // The descriptors that came with the last bytes read.
    virtual std::vector<Descriptor> passed() { return {}; }
};
using ChannelPtr = std::unique_ptr<Channel>;

ChannelPtr unix_channel(int socket);
ChannelPtr tcp_channel(int socket);
// The other end's certificate must belong to this host, or to this address if `tls` is for servers; empty:
// any certificate of the authority.
enum class Side { connects, accepts };
ChannelPtr tls_channel(int socket, const TlsPtr& tls, Side side, const std::string& host = "");

}  // namespace allot::net
