// A stream of bytes to one program, over a Unix socket, TCP or TLS. Everything happens in one event loop and
// nothing blocks: what is read is handed over as it comes, what is written is kept until it can be sent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "net/loop.hpp"

namespace allot::net {

// Who is at the other end, as far as the kernel (a Unix socket) or a certificate (TLS) vouches for it.
struct Identity {
    struct Process {
        std::int32_t pid = 0;
        std::uint32_t uid = 0;
        std::vector<std::uint32_t> groups;  // all that it is in
    };
    std::optional<Process> process;
    // What its certificate lets it speak as: these hosts (allot:host:NAME), or a program
    // (allot:program:NAME).
    std::vector<std::string> hosts;
    std::string program;
    std::string address;  // for people: "unix", "127.0.0.1:4711"

    bool may_speak_as(std::string_view host) const {
        return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
    }
    std::string certified_as() const;  // for people: "host db1", "program ci"
};

class Stream {
public:
    struct Events {
        std::function<void(std::string_view bytes)> read;
        std::function<void(std::string why)> closed;  // by the other end, or by a fault; once
        // Unix sockets: whoever gets it closes it. It comes before the bytes that it was sent with.
        std::function<void(int descriptor)> passed;
        std::function<void()> drained;  // something was unsent, and now nothing is
    };

    virtual ~Stream() = default;

    // Nothing happens before this, and nothing after close(): no event comes out of either call.
    virtual void start(Events events) = 0;
    // What was written before is still sent, as far as the kernel takes it at once. Dropping the last pointer
    // does the same.
    virtual void close() = 0;

    // Sent when what was just read from this stream has been dealt with, or else at the end of this turn of
    // the loop; together with whatever else is written until then.
    virtual void write(std::string_view bytes) = 0;
    virtual std::size_t unsent() const = 0;
    // While paused nothing is read, so the other end will have to wait.
    virtual void pause(bool paused) = 0;

    virtual const Identity& identity() const = 0;
};
using StreamPtr = std::shared_ptr<Stream>;

struct TlsFiles {
    std::string certificate;  // PEM: own certificate,
    std::string key;          // its private key,
    std::string authority;    // and who must have signed that of the other end
    bool operator==(const TlsFiles&) const = default;
};
// TLS 1.3 with certificates on both ends, made once from the files. Opaque: only tls.cpp knows OpenSSL.
class TlsContext;
using TlsPtr = std::shared_ptr<TlsContext>;
Result<TlsPtr> load_tls(const TlsFiles& files);

class Listener {
public:
    virtual ~Listener() = default;  // stops listening
    virtual std::uint16_t port() const = 0;
};
using Accepted = std::function<void(StreamPtr)>;

// Without `tls` TCP is plaintext. A TLS stream is handed over when its handshake is complete; one that fails,
// or takes longer than `patience`, is closed and logged.
struct Patience {
    std::uint32_t handshake_ms = 5000;
};
Result<std::unique_ptr<Listener>> listen_unix(boost::asio::io_context& loop, const std::string& path,
                                              unsigned mode, Accepted accepted);
Result<std::unique_ptr<Listener>> listen_tcp(boost::asio::io_context& loop, const std::string& address,
                                             TlsPtr tls, Accepted accepted, Patience patience = {});

// `address` is `host:port`, with brackets around an IPv6 address. `done` gets a stream, or why there is none.
// With `tls`, the other end's certificate must be that of the host `name`. Dropping the handle gives up.
class Attempt {
public:
    virtual ~Attempt() = default;
};
std::unique_ptr<Attempt> connect_tcp(boost::asio::io_context& loop, const std::string& address, TlsPtr tls,
                                     const std::string& name, std::function<void(Result<StreamPtr>)> done,
                                     Patience patience = {});

}  // namespace allot::net
