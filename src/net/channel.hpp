// How bytes pass through a connected socket: as they are, or as TLS. Nothing here waits: an operation that
// cannot go on says what it waits for.
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
    bool more = false;  // a read may give more at once
    std::string why{};  // ended or failed
};

class Channel {
public:
    virtual ~Channel() = default;

    // The handshake, again and again until it is done; `who` is then complete.
    virtual Transfer open(Identity& who) = 0;
    virtual Transfer read(std::span<char> into) = 0;
    virtual Transfer write(std::string_view bytes) = 0;
    // The last word, if it can be said at once.
    virtual void close() {}
    // The descriptors that came along with what was read last.
    virtual std::vector<Descriptor> passed() { return {}; }
};
using ChannelPtr = std::unique_ptr<Channel>;

ChannelPtr unix_channel(int socket);
ChannelPtr tcp_channel(int socket);
// The other end's certificate must be that of this host; empty: of anybody.
enum class Side { connects, accepts };
ChannelPtr tls_channel(int socket, const TlsPtr& tls, Side side, const std::string& host = "");

}  // namespace allot::net
