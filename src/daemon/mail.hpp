// Letters to and from the other hosts, over the mesh of links. A letter may be longer than a payload of a
// link, and it may be meant for one daemon of a host only, which this one has perhaps not met yet.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/boot_clock.hpp"
#include "daemon/config.hpp"
#include "daemon/letters.hpp"
#include "daemon/parcels.hpp"
#include "net/mesh.hpp"

namespace allot::daemon {

class Mail {
public:
    using HostId = net::HostId;

    struct Events {
        std::function<void(HostId from, const Letter&)> received;
        // Something came that is no letter.
        std::function<void(HostId from, const std::string& why)> malformed;
        // That host lives: a sign of life came, or a piece of a letter.
        std::function<void(HostId)> sign;
        // There is a link to that host.
        std::function<void(HostId)> met;
        // The daemon of that host has ended, or its link has; or it is back.
        std::function<void(HostId, bool has_ended)> ended;
        // That host has met a later daemon of this host.
        std::function<void(HostId by, std::uint32_t met)> disowned;
        // Another daemon has the name of this host, and keeps it.
        std::function<void()> name_taken;
        // The daemon of that host in the newest view, if the host is a member.
        std::function<std::optional<std::uint32_t>(HostId)> member;
        // A host that proved its name wants to join.
        std::function<void(const net::Petition&, const std::function<void(const net::PetitionAnswer&)>&)>
            petition;
    };

    Mail(boost::asio::io_context& loop, const Config& config, Events events);

    // Listens and connects, as this daemon of the own host. The error, if there is one.
    std::optional<std::string> open(std::uint32_t daemon, const net::TlsPtr& tls);
    // The list of hosts has changed.
    void follow_list() { mesh_->update(hosts(), config_.edition); }
    void close_revoked() {
        if (mesh_) mesh_->close_revoked();
    }
    // No event comes after this, and nothing is sent.
    void close() { mesh_->stop(); }

    // Reports and messages of an epoch go to one daemon, which this host may know from the register before
    // there is a link to it. All else goes to the daemon that is connected, if there is one.
    void send(HostId to, const Letter& letter);
    void send_to_all(const Letter& letter);
    // That host has sent a letter that cannot be right: closes the link with the reason.
    void shun(HostId host, const std::string& why) { mesh_->shun(host, why); }

    net::LinkStatus status(HostId host) const { return mesh_->status(host); }
    // The limits of this host have changed.
    void follow_limits() { parcels_.set_longest(Parcels::longest_letter(config_)); }
    // The length of the newest report that was sent; the second call returns 0.
    std::size_t take_report_bytes() { return std::exchange(report_bytes_, 0); }

private:
    std::vector<net::MeshConfig::Host> hosts() const;
    net::MeshConfig mesh_config(std::uint32_t daemon, const net::TlsPtr& tls) const;
    net::Mesh::Events mesh_events();
    void connected(HostId peer, std::uint32_t daemon, bool fresh);
    void give_way(const std::string& why);
    void post(HostId to, bool to_anybody, std::string_view payload);
    void receive(HostId from, std::string_view payload);
    std::optional<Letter> letter_in(HostId from, std::string_view payload);

    boost::asio::io_context& loop_;
    const Config& config_;
    const HostId self_;
    Events events_;
    std::unique_ptr<net::Mesh> mesh_;
    // The newest daemon of each other host that this one has met.
    struct Met {
        std::uint32_t daemon = 0;
        bool connected = false;
    };
    std::map<HostId, Met> met_;
    // Payloads for a daemon that this one has not met yet.
    struct Early {
        std::uint32_t daemon = 0;
        std::vector<std::string> payloads;
    };
    std::map<HostId, Early> early_;
    std::optional<BootClock::time_point> taken_since_;  // another process has the name of this host
    Parcels parcels_;
    std::size_t report_bytes_ = 0;
    std::string bytes_;
};

}  // namespace allot::daemon
