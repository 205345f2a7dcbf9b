// A stream of bytes to one program, over a Unix socket, TCP or TLS. All of it runs in one event loop, and
// nothing blocks: bytes are handed over as they come, and written bytes are kept until they can be sent.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "net/loop.hpp"

struct x509_st;  // of OpenSSL

namespace allot::net {

// The other end, as far as the kernel (Unix socket) or a certificate (TLS) vouches for it.
struct Identity {
    struct Process {
        std::int32_t pid = 0;
        std::uint32_t uid = 0;
        std::vector<std::uint32_t> groups;  // all groups of the process
    };
    std::optional<Process> process;
    // Plaintext over TCP within this machine: the user of the other end (local_user.hpp).
    std::optional<std::uint32_t> local_user{};
    // From its certificate: the hosts it may speak as (allot:host:NAME), or a program (allot:program:NAME).
    std::vector<std::string> hosts;
    std::string program;
    std::shared_ptr<x509_st> certificate{};
    std::string address;  // as text: "unix", "127.0.0.1:4711"

    bool may_speak_as(std::string_view host) const {
        return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
    }
    std::string certified_as() const;  // as text: "host db1", "program ci"
};

class Stream {
public:
    struct Events {
        std::function<void(std::string_view bytes)> read;
        std::function<void(std::string why)> closed;  // by the other end or a fault; once
        // Unix sockets: a descriptor, which the receiver closes. It comes before the bytes it was sent with.
        std::function<void(int descriptor)> passed;
        std::function<void()> drained;  // everything is sent
    };

    virtual ~Stream() = default;

    // Events come only between start() and close(), and never from inside these calls.
    virtual void start(Events events) = 0;
    // Still sends what was written before, as far as the kernel takes it at once. Destroying the last pointer
    // does the same.
    virtual void close() = 0;

    // Sends when the bytes just read from this stream are handled, or at the end of this turn of the loop,
    // together with everything else that is written until then.
    virtual void write(std::string_view bytes) = 0;
    virtual std::size_t unsent() const = 0;
    // A paused stream reads nothing, which stops the other end (backpressure).
    virtual void pause(bool paused) = 0;

    virtual const Identity& identity() const = 0;
};
using StreamPtr = std::shared_ptr<Stream>;

struct TlsFiles {
    std::string certificate;  // PEM file: own certificate,
    std::string key;          // its private key,
    std::string authority;    // and the authority of the other end's certificate;
    std::string crl{};        // its list of revoked certificates, if it is not empty
    bool operator==(const TlsFiles&) const = default;
};
// TLS with certificates on both ends, made from the files. Renewed files are used for new handshakes
// (tls_context.hpp). Opaque, so that few files know OpenSSL.
class TlsContext;
using TlsPtr = std::shared_ptr<TlsContext>;
// The other end: a daemon or program of allot, whose certificate has a role and which speaks TLS 1.3; or a
// server of another kind, whose certificate has its address, and which may be older (TLS 1.2).
enum class Counterpart : std::uint8_t { allot, server };
Result<TlsPtr> load_tls(const TlsFiles& files, Counterpart counterpart = Counterpart::allot);

struct TlsCondition {
    std::string unusable;  // why renewed files are not used; empty if the files are in use
    std::chrono::system_clock::time_point expires;                        // of the certificate in use,
    std::optional<std::chrono::system_clock::time_point> list_expires{};  // and of the revocation list
    bool is_revoked = false;                                              // the certificate in use
    std::uint64_t revision = 0;  // grows whenever renewed files are used
};
TlsCondition condition_of(const TlsPtr& tls);
// Looks at the files first, as handshakes do at most once a second.
TlsCondition look_at(const TlsPtr& tls);
// The other end's certificate was revoked, perhaps after its handshake.
bool is_revoked(const TlsPtr& tls, const Identity& who);

class Listener {
public:
    virtual ~Listener() = default;  // stops listening
    virtual std::uint16_t port() const = 0;
};
using Accepted = std::function<void(StreamPtr)>;

// Without `tls`, TCP is plaintext. Hands a TLS stream over when its handshake is complete; closes and logs
// one that fails or takes longer than `patience`.
struct Patience {
    std::uint32_t handshake_ms = 5000;
};
Result<std::unique_ptr<Listener>> listen_unix(boost::asio::io_context& loop, const std::string& path,
                                              unsigned mode, Accepted accepted);
Result<std::unique_ptr<Listener>> listen_tcp(boost::asio::io_context& loop, const std::string& address,
                                             TlsPtr tls, Accepted accepted, Patience patience = {});

// `address` is `host:port`, with brackets around an IPv6 address. `done` gets a stream, or why there is none.
// With `tls`, the other end's certificate must belong to the host `name`, or to the address `name` if `tls`
// is for servers. Destroying the handle cancels.
class Attempt {
public:
    virtual ~Attempt() = default;
};
std::unique_ptr<Attempt> connect_tcp(boost::asio::io_context& loop, const std::string& address, TlsPtr tls,
                                     const std::string& name, std::function<void(Result<StreamPtr>)> done,
                                     Patience patience = {});

}  // namespace allot::net
