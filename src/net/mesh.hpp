// The links of one host to all others. A link is in order and exactly once, also across reconnects, as long
// as both ends live: it retransmits unacknowledged payloads and drops duplicates. A host that was stopped or
// has crashed returns as a later incarnation, and all payloads from and to the earlier one are dropped.
//
// Of two hosts, the one with the lower number connects; both listen, so one address per host is enough.
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
#include "net/petition.hpp"
#include "net/setting.hpp"
#include "net/stream.hpp"

namespace allot::net {

using HostId = std::uint32_t;  // index in the list of hosts; a host has the same one everywhere

struct MeshConfig {
    struct Host {
        std::string name;     // also on its certificate
        std::string address;  // host:port
        bool present = true;  // false: it has no link, now
    };
    std::vector<Host> hosts;
    HostId self = 0;
    std::uint32_t incarnation = 0;  // of this host
    std::uint64_t agreement = 0;    // a hash of all settings that must be the same on all hosts
    std::vector<Setting> settings;  // these, in an order that is the same on all hosts
    std::vector<Setting> required;  // of these, the ones that a host must have to join
    Edition edition = 0;            // in which the hosts write; all of them must know it
    TlsPtr tls;                     // without TLS, only loopback addresses are allowed ...
    bool plaintext = false;         // ... unless this is true
    std::chrono::milliseconds heartbeat{250};
    std::chrono::milliseconds silence{2000};  // a peer is silent after this time
    std::chrono::milliseconds handshake{5000};
    std::chrono::milliseconds retry_first{50};  // doubles with each failure, up to retry_last
    std::chrono::milliseconds retry_last{2000};
    std::size_t frame_limit = std::size_t{4} << 20;  // largest payload; the same on all hosts
    bool watch_processes = true;                     // ask the kernel about peers that run under it
};

struct LinkStatus {
    std::string host;
    bool connected = false;
    bool silent = false;
    std::string problem;  // why there is no connection, if known
    std::uint32_t incarnation = 0;
    Edition newest_edition = 0;  // that it knows; 0: there is no connection
    std::uint64_t sent = 0;      // payloads, and how many of them are unacknowledged
    std::uint64_t received = 0;  // payloads
    std::uint64_t reconnects = 0;
    std::size_t unacknowledged_bytes = 0;
    std::uint64_t shunned = 0;  // how often
};

class Mesh {
public:
    struct Events {
        std::function<void(HostId from, std::string_view payload)> received;
        // The link is up, for the first time or again. `fresh`: this host meets this incarnation for the
        // first time.
        std::function<void(HostId peer, std::uint32_t incarnation, bool fresh)> connected;
        std::function<void(HostId peer)> disconnected;
        // That incarnation has certainly ended: the kernel reports the end of its process, or a later
        // incarnation connected. No payload of it comes after this. A later incarnation causes `ended`,
        // `connected`, `heard`, in this order.
        std::function<void(HostId peer, std::uint32_t incarnation)> ended;
        // silent: nothing came for `silence`, since the start or the last frame. heard: a frame came again.
        std::function<void(HostId peer)> silent;
        // A sign of life came, without a payload.
        std::function<void(HostId peer)> sign;
        std::function<void(HostId peer)> heard;
        // That host has ended this incarnation, has met a later one, or knows payloads of it that this host
        // does not (this host has lost its state): there will be no link to it. Called once. `met`: the last
        // incarnation that it met.
        std::function<void(HostId by, std::uint32_t met)> disowned;
        // That host has a link to another process that calls itself as this host does, and it works.
        std::function<void(HostId by, const std::string& why)> name_taken;
        // A host that proves its name wants to be in the list. `answer` may be called later, once.
        std::function<void(const Petition&, std::function<void(const PetitionAnswer&)> answer)> petition;
    };

    // An event may stop the mesh but not destroy it.
    static Result<std::unique_ptr<Mesh>> make(boost::asio::io_context& loop, MeshConfig config,
                                              Events events);
    virtual ~Mesh() = default;

    // Listens and connects. Returns the port; port 0 in the own address chooses a free one.
    virtual Result<std::uint16_t> start() = 0;
    // Closes the links: says goodbye after all payloads that the kernel takes at once. No event comes after
    // this, and nothing is sent.
    virtual void stop() = 0;

    // The list from now on. It may only grow: hosts keep their numbers and names, and this host its address.
    virtual void update(const std::vector<MeshConfig::Host>& hosts, Edition edition) = 0;

    // Closes the links to hosts whose certificates have been revoked.
    virtual void close_revoked() = 0;

    // `to` is another host; `payload` has at most frame_limit bytes. The mesh keeps it until it is
    // acknowledged or the receiving incarnation has ended, without a time limit.
    virtual void send(HostId to, std::string_view payload) = 0;

    // That host has sent a payload that cannot be right. Closes the link with the reason, and refuses another
    // one for ten times `silence`: time enough to notice that it is gone.
    virtual void shun(HostId peer, const std::string& why) = 0;

    virtual LinkStatus status(HostId peer) const = 0;
};

}  // namespace allot::net
