#include "daemon/vigil.hpp"

#include <fmt/format.h>

#include "core/bytes.hpp"
#include "net/log.hpp"

namespace allot::daemon {

using net::HostId;

Vigil::Vigil(boost::asio::io_context& loop, const Config& config, Events events)
    : loop_(loop), config_(config), events_(std::move(events)), self_(config.self()), pause_(loop) {
    peers_.resize(config.hosts.size());
}

void Vigil::start(std::uint32_t life, bool after_a_crash) {
    life_ = life;
    if (after_a_crash)
        pause();
    else
        begin();
}

// Until the programs of an earlier life have stopped, and if need be until a majority is heard.
void Vigil::pause() {
    pausing_ = true;
    pause_.set(config_.stop_within, [this] {
        pausing_ = false;
        judge();
    });
}

std::string Vigil::saved() const {
    std::vector<Record> records(peers_.begin(), peers_.end());
    return to_bytes(Saved{life_, living_, records});
}

bool Vigil::resume(std::string_view bytes) {
    const auto saved = from_bytes<Saved>(bytes);
    if (!saved || saved->peers.size() != peers_.size()) return false;
    life_ = saved->life;
    living_ = saved->living;
    for (std::size_t i = 0; i < peers_.size(); ++i) static_cast<Record&>(peers_[i]) = saved->peers[i];
    if (!living_) pause();
    return true;
}

void Vigil::begin() {
    living_ = true;
    events_.begin_life(life_);
    for (HostId host = 0; host < peers_.size(); ++host)
        if (host != self_) events_.send(host, Alive{life_});
}

void Vigil::start_over(std::uint32_t life, const std::string& why) {
    log_warning(fmt::format("{}; permits held here are lost, and life {} begins in {} ms", why, life,
                            config_.stop_within.count()));
    living_ = false;
    life_ = life;
    events_.end_life(why);
    pause();
}

// --- What others say.

void Vigil::connected(HostId host) {
    Watched& peer = peers_[host];
    peer.ended = false;
    if (living_) events_.send(host, Alive{life_});
}

void Vigil::receive(HostId from, const Alive& alive) {
    Watched& peer = peers_[from];
    if (alive.life < peer.buried) return events_.send(from, Buried{peer.buried - 1});
    if (alive.life > peer.life) {
        // Its programs of the life before have stopped, or it would not have begun this one.
        peer.life = alive.life - 1;
        bury(from);
        peer.life = alive.life;
    }
    if (peer.death && !peer.ended) peer.death.reset();
    if (peer.trusted == alive.life + 1) return;
    peer.trusted = alive.life + 1;
    events_.trusted(from, alive.life);
}

void Vigil::receive(HostId from, const Buried& buried) {
    if (buried.life < life_) return;
    start_over(buried.life + 1, fmt::format("host {} holds this host for dead", config_.hosts[from].name));
}

// --- What the links notice.

void Vigil::ended(HostId host) {
    Watched& peer = peers_[host];
    peer.ended = true;
    if (peer.buried <= peer.life) bury_later(host);
    judge();
}

void Vigil::silent(HostId host) {
    peers_[host].silent = true;
    judge();
}

void Vigil::heard(HostId host) {
    Watched& peer = peers_[host];
    peer.silent = false;
    if (!peer.ended) peer.death.reset();
    judge();
}

// Nobody knows what became of it. Who is watched by the kernel is not dead for being silent, and who has
// stopped in order, or ended, is not elsewhere.
bool Vigil::is_missing(HostId host) const {
    const net::LinkStatus link = events_.link(host);
    return peers_[host].silent && !peers_[host].ended && !link.watched && !link.parted;
}

bool Vigil::with_majority() const {
    std::size_t present = peers_.size();
    for (HostId host = 0; host < peers_.size(); ++host)
        if (host != self_ && is_missing(host)) --present;
    return 2 * present > peers_.size();
}

void Vigil::judge() {
    if (!with_majority()) return withdraw();
    events_.hold_back(false);
    if (!living_ && !pausing_) begin();
    for (HostId host = 0; host < peers_.size(); ++host) {
        Watched& peer = peers_[host];
        if (host == self_ || peer.ended || peer.buried > peer.life) continue;
        if (seems_over(host))
            bury_later(host);
        else
            peer.death.reset();
    }
}

// Others may be about to declare this life over. Nobody here may be let in any more, and who is in must go;
// and what is heard of nobody says nothing about them.
void Vigil::withdraw() {
    events_.hold_back(true);
    for (Watched& peer : peers_)
        if (!peer.ended) peer.death.reset();
    if (living_ && events_.anything_claimed()) start_over(life_ + 1, "no majority of the hosts is heard");
}

bool Vigil::seems_over(HostId host) const {
    return peers_[host].ended || is_missing(host) || (peers_[host].silent && events_.link(host).parted);
}

void Vigil::bury_later(HostId host) {
    Watched& peer = peers_[host];
    if (peer.death) return;
    peer.death = std::make_unique<net::Timer>(loop_);
    peer.death->set(config_.stop_within, [this, host] {
        peers_[host].death.reset();
        if (seems_over(host)) bury(host);
    });
}

void Vigil::bury(HostId host) {
    Watched& peer = peers_[host];
    if (peer.buried > peer.life) return;
    log_warning(fmt::format("host {}: life {} is over", config_.hosts[host].name, peer.life));
    peer.buried = peer.life + 1;
    // The protocols hear only of the death of whom they have trusted.
    if (peer.trusted < peer.life + 1) events_.trusted(host, peer.life);
    peer.trusted = peer.life + 1;
    events_.dead(host, peer.life);
}

}  // namespace allot::daemon
