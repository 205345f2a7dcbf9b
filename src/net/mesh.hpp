// The links of one host to all others. A link is in order and exactly once, also across reconnects, for as
// long as both ends live: what was not acknowledged is kept and sent again, what came twice is dropped. A
// host that was stopped in order may save its end of the links and go on later; one that was not comes back
// as a new incarnation, and whatever its earlier one wrote, or was written, is dropped.
//
// Who connects: of two hosts the one with the lower number; both listen, so one address per host is enough.
#pragma once

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
#include "net/stream.hpp"

namespace allot::net {

using HostId = std::uint32_t;  // place in the list of hosts that all share

struct MeshConfig {
    struct Host {
        std::string name;     // also on its certificate
        std::string address;  // host:port
    };
    std::vector<Host> hosts;
    HostId self = 0;
    std::uint32_t incarnation = 0;  // of this host
    std::uint64_t agreement = 0;    // a hash of everything that all hosts must have configured alike
    TlsPtr tls;                     // without it only loopback ...
    bool plaintext = false;         // ... unless this says otherwise
    std::chrono::milliseconds heartbeat{250};
    std::chrono::milliseconds silence{2000};  // nothing heard for so long: silent
    std::chrono::milliseconds handshake{5000};
    std::chrono::milliseconds retry_first{50};  // then twice as long each time, up to retry_last
    std::chrono::milliseconds retry_last{2000};
    std::size_t frame_limit = std::size_t{4} << 20;    // of a payload; the same on all hosts
    std::size_t buffer_limit = std::size_t{16} << 20;  // of what a peer has not acknowledged: then congested
    bool watch_processes = true;                       // ask the kernel about peers that run under it
};

struct LinkStatus {
    std::string host;
    bool connected = false;
    bool silent = false;
    bool watched = false;  // by the kernel, which will say when its process ends
    bool parted = false;   // it has stopped in order, and may be back
    std::string problem;   // why it is not connected, if that is known
    std::uint32_t incarnation = 0;
    std::uint64_t sent = 0;      // payloads, and how many of them are not acknowledged
    std::uint64_t received = 0;  // payloads
    std::uint64_t reconnects = 0;
    std::size_t unacknowledged_bytes = 0;
};

class Mesh {
public:
    struct Events {
        std::function<void(HostId from, std::string_view payload)> received;
        // The link is up, for the first time or again. `fresh`: this incarnation was not known before.
        std::function<void(HostId peer, std::uint32_t incarnation, bool fresh)> connected;
        std::function<void(HostId peer)> disconnected;
        // That incarnation is over for certain: the kernel says that the process is gone, or a later one
        // wrote. After this nothing of it is received. If a later one wrote, this comes
        // before `connected`, and `heard` after.
        std::function<void(HostId peer, std::uint32_t incarnation)> ended;
        // Nothing was heard for `silence`, since the start or since the last word; heard: again.
        std::function<void(HostId peer)> silent;
        std::function<void(HostId peer)> heard;
        // The buffer towards that peer is full, or no longer.
        std::function<void(HostId peer, bool full)> congestion;
        // That host holds this incarnation for over, or has met a later one, or knows more of it than this
        // host does, which has lost its memory: there will be no link to it. Once. `met`: the incarnation
        // that it has met last.
        std::function<void(HostId by, std::uint32_t met)> disowned;
    };

    // Both members of a host: the configuration and what is told to whom. A mesh may be stopped by what it
    // tells, but not destroyed.
    static Result<std::unique_ptr<Mesh>> make(boost::asio::io_context& loop, MeshConfig config,
                                              Events events);
    virtual ~Mesh() = default;

    // Listens and connects. Port 0 in the own address takes any; it is then told by port().
    virtual Result<std::uint16_t> start() = 0;
    // Closes the links, in order; what is unacknowledged stays in saved(). No event comes after this, and
    // nothing is sent. `parted` is called when the others know, as far as they can be reached, that the end
    // of this process is not the end of this incarnation: at once, or after a second or two.
    virtual void stop(std::function<void()> parted = [] {}) = 0;

    // To a host other than this one, at most frame_limit bytes. Kept until it is acknowledged, if need be for
    // ever, or until the incarnation that it was meant for has ended.
    virtual void send(HostId to, std::string_view payload) = 0;

    virtual LinkStatus status(HostId peer) const = 0;

    // This end of all links, for a host that goes on later as the same incarnation. To be asked for after
    // stop(), and given to a new mesh before start().
    virtual std::string saved() const = 0;
    virtual bool resume(std::string_view saved) = 0;
};

}  // namespace allot::net
