#include "daemon/vigil.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/address.hpp"
#include "base/log.hpp"
#include "core/bytes.hpp"
#include "net/process_watch.hpp"
#include "net/stream.hpp"

namespace allot::daemon {

using net::HostId;
using std::chrono::milliseconds;

namespace {

std::uint64_t as_number(Vigil::Clock::time_point time) {
    return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

Vigil::Clock::time_point as_time(std::uint64_t number) {
    return Vigil::Clock::time_point(Vigil::Clock::duration(static_cast<Vigil::Clock::rep>(number)));
}

// The clock counts from the start of the machine: its times mean nothing after another one.
std::string this_boot() {
    const auto mark = net::mark_of_this_process();
    return mark ? mark->boot : "";
}

}  // namespace

Vigil::Vigil(boost::asio::io_context& loop, const Config& config, Events events)
    : loop_(loop),
      config_(config),
      events_(std::move(events)),
      self_(config.self()),
      pause_(loop),
      stopping_(loop),
      tick_(loop) {
    peers_.resize(config.hosts.size());
    for (HostId host = 0; host < peers_.size(); ++host) {
        peers_[host].refused_by.resize(peers_.size());
        peers_[host].same_kernel = config.detector == Config::Detector::automatic &&
                                   is_loopback_address(config.hosts[self_].address) &&
                                   is_loopback_address(config.hosts[host].address);
    }
}

void Vigil::start(const Start& start) {
    life_ = start.life;
    forgetful_ = start.forgetful;
    for (std::size_t i = 0; i < std::min(peers_.size(), start.refused.size()); ++i)
        peers_[i].refused = start.refused[i];
    if (start.holders_may_live)
        pause_.set(config_.stop_within, [this] { begin(); });
    else
        begin();
    tick();
}

std::string Vigil::saved() const {
    Saved saved{.life = life_, .living = living_, .records = {peers_.begin(), peers_.end()}};
    // Bounded, since what the kernel promised does not hold across a restart.
    if (standing_) {
        saved.boot = this_boot();
        saved.standing_until = as_number(std::min(standing_until_, Clock::now() + answer_lasts()));
    }
    return to_bytes(saved);
}

bool Vigil::resume(std::string_view bytes) {
    const auto saved = from_bytes<Saved>(bytes);
    if (!saved || saved->records.size() != peers_.size()) return false;
    life_ = saved->life;
    living_ = saved->living;
    for (std::size_t i = 0; i < peers_.size(); ++i) static_cast<Record&>(peers_[i]) = saved->records[i];
    if (!saved->boot.empty() && saved->boot == this_boot()) carried_until_ = as_time(saved->standing_until);
    return true;
}

// As it was when it was saved, unless that was too long ago.
void Vigil::go_on(bool forgetful) {
    forgetful_ = forgetful;
    if (!living_) pause_.set(config_.stop_within, [this] { begin(); });
    stopping_.set(config_.stop_within, [this] { holders_stopped(); });
    standing_ = living_;
    standing_since_ = Clock::now();
    tick();
    if (standing_) events_.standing(true, "");
}

void Vigil::stop() {
    tick_.cancel();
    pause_.cancel();
    stopping_.cancel();
    for_each_peer([](HostId, Watched& peer) { peer.death.reset(); });
}

void Vigil::begin() {
    living_ = true;
    events_.begin_life(life_);
    for_each_peer([&](HostId host, Watched&) { say_alive(host); });
    judge();
}

void Vigil::start_over(std::uint32_t life, const std::string& why) {
    log_warning(fmt::format("{}; permits held here are lost, and seat incarnation {} begins in {} ms", why,
                            life, config_.stop_within.count()));
    living_ = false;
    disputed_ = false;
    life_ = life;
    carried_until_ = {};
    for_each_peer([](HostId, Watched& peer) { peer.answered.reset(); });
    standing_ = false;
    events_.end_life(why);
    events_.standing(false, why);
    pause_.set(config_.stop_within, [this] { begin(); });
}

// --- Standing.

void Vigil::tick() {
    for_each_peer([&](HostId host, const Watched& peer) {
        if (!peer.answered || !cannot_refuse(host)) say_alive(host);  // one answer of the others is enough
    });
    judge();
    if (peers_.size() > 1) tick_.set(config_.heartbeat, [this] { tick(); });
}

// Only to who can hear it: what is late is of no use.
void Vigil::say_alive(HostId host) {
    if (living_ && events_.link(host).connected) events_.send(host, Alive{life_, as_number(Clock::now())});
}

void Vigil::judge() {
    look_at_watches();
    standing_until_ = std::max(majority_answers_until(), carried_until_);
    stand(living_ && Clock::now() < standing_until_);
    if (living_ && disputed_ && may_start_over())
        return start_over(life_ + 1, "not all hosts answer this seat incarnation any more");
    // A host that is being cut off hears of some later than of others, and one that is back hears some again
    // before others. It must not use the moment before it knows.
    const auto now = Clock::now();
    const bool sure =
        standing_ && standing_until_ - now > answer_lasts() / 2 && now - standing_since_ > answer_lasts() / 2;
    for_each_peer([&](HostId host, const Watched& peer) {
        if (sure && peer.silent && !peer.ended && may_refuse(host) && members_beside(host) > 0) refuse(host);
    });
}

void Vigil::look_at_watches() {
    for_each_peer([&](HostId host, Watched& peer) {
        const bool watched = events_.link(host).watched;
        if (peer.watched && !watched) peer.unwatched_since = Clock::now();
        peer.watched = watched;
    });
}

// A new life is no member until others take it in. If several hosts are refused at once, by each other for
// instance, one after the other begins anew: otherwise the only members left may be lost next.
bool Vigil::may_start_over() const {
    // What is known of the others is old then. Those that somebody refuses may do the same at this moment.
    if (!standing_) return members_beside(self_, true) > 0;
    if (events_.anything_claimed()) return false;
    for (HostId host = 0; host < self_; ++host)
        if (events_.link(host).connected && peers_[host].refused > peers_[host].life)
            return false;  // it comes first
    return 2 * members_beside(self_) > peers_.size();
}

// Of those that are here, this host included.
std::size_t Vigil::members_beside(HostId one, bool whom_nobody_refuses) const {
    std::size_t members = 0;
    for (HostId host = 0; host < peers_.size(); ++host) {
        const bool here = host == self_ || events_.link(host).connected;
        const bool counts = !whom_nobody_refuses || !is_refused(host);
        if (here && host != one && counts && events_.takes_part(host)) ++members;
    }
    return members;
}

bool Vigil::is_refused(HostId host) const {
    const Watched& peer = peers_[host];
    const auto refuses = [&](std::uint32_t lives) { return lives > peer.life; };
    return refuses(peer.refused) || std::ranges::any_of(peer.refused_by, refuses);
}

// Who is watched by the kernel is not dead for being silent, nor was it while it was watched. Nor is somebody
// under the same kernel who was not met since the start: it may count on that (below).
bool Vigil::may_refuse(HostId host) const {
    const net::LinkStatus link = events_.link(host);
    if (Clock::now() < peers_[host].unwatched_since + config_.dead_after) return false;
    return link.parted || (!link.watched && (!peers_[host].same_kernel || peers_[host].met));
}

// It will not hold this host for dead because of silence. One that does not run cannot either, but it may be
// back, and be seen by others only; under the same kernel it would refuse nobody that it has not met.
bool Vigil::cannot_refuse(HostId host) const {
    const net::LinkStatus link = events_.link(host);
    return link.watched || (peers_[host].same_kernel && (peers_[host].ended || link.parted));
}

std::string Vigil::obstacle() const {
    if (!living_) return "permits are granted again when their earlier holders have had time to stop";
    std::vector<std::string> silent;
    for (HostId host = 0; host < peers_.size(); ++host)
        if (host != self_ && peers_[host].silent && !peers_[host].ended)
            silent.push_back(config_.hosts[host].name);
    const std::string hosts = fmt::format("{}", fmt::join(silent, " and "));
    if (forgetful_)
        return "this host has lost its promises to others and takes part when it has met all of them";
    if (!standing_)
        return silent.empty() ? "no majority of the hosts answers"
                              : fmt::format("no majority of the hosts answers; {} is silent", hosts);
    // Those that the kernel watches are not held for dead: permits wait for them.
    for (HostId host = 0; host < peers_.size(); ++host)
        if (host != self_ && peers_[host].silent && events_.link(host).watched)
            return fmt::format(
                "host {} runs but is silent; continue its daemon if it was stopped, and look at its link",
                config_.hosts[host].name);
    return "";
}

Vigil::Clock::time_point Vigil::majority_answers_until() {
    std::vector<Clock::time_point> until;
    for_each_peer([&](HostId host, const Watched& peer) {
        // It may have refused this life before it was met.
        if (!peer.answered || peer.refuses_us > life_) return;
        until.push_back(cannot_refuse(host) ? Clock::time_point::max() : *peer.answered + answer_lasts());
    });
    const std::size_t needed = peers_.size() / 2;  // beside this host
    if (needed == 0) return Clock::time_point::max();
    if (until.size() < needed) return {};
    std::ranges::sort(until, std::ranges::greater());
    return until[needed - 1];
}

void Vigil::holders_stopped() {
    check();
    events_.holders_stopped();
}

void Vigil::stand(bool standing) {
    if (std::exchange(standing_, standing) == standing) return;
    standing_since_ = Clock::now();
    const std::string why = standing ? "" : "no majority of the hosts answers";
    if (!standing) {
        log_warning(why + "; permits held here are lost");
        stopping_.set(config_.stop_within, [this] { holders_stopped(); });
    }
    events_.standing(standing, why);
}

// --- What others say.

void Vigil::connected(HostId host) {
    peers_[host].ended = false;
    peers_[host].silent = false;
    peers_[host].met = true;
    // First of all: it may have forgotten what this host said, and what it said itself.
    for_each_peer([&](HostId other, const Watched& peer) {
        if (other == host) return;
        if (peer.refused > 0)
            events_.send(host, Refused{self_, other, peer.refused - 1, peer.buried == peer.refused});
        if (peer.refused_by[host] > 0)
            events_.send(host, Refused{host, other, peer.refused_by[host] - 1, false});
    });
    say_alive(host);
    judge();
}

void Vigil::receive(HostId from, const Alive& alive) {
    Watched& peer = peers_[from];
    if (alive.life < peer.refused)
        return events_.send(from, Buried{peer.refused - 1, peer.buried == peer.refused});
    if (alive.life > peer.life) {
        // Its programs of the life before have stopped, or it would not have begun this one.
        bury(from, alive.life - 1);
        peer.life = alive.life;
    }
    peer.reminded = true;
    if (!remembers()) return;
    if (peer.trusted <= alive.life) {
        peer.trusted = alive.life + 1;
        events_.trusted(from, alive.life);
    }
    events_.send(from, Known{alive.life, alive.sent});
}

void Vigil::receive(HostId from, const Known& known) {
    const auto sent = as_time(known.sent);
    if (known.life != life_ || !living_ || sent > Clock::now()) return;
    Watched& peer = peers_[from];
    peer.answered = std::max(peer.answered.value_or(sent), sent);
    judge();
}

// That some do not answer this life any more does not end it, as long as a majority does. But it will not
// last as long as one that all answer, so a new one begins when nobody minds.
void Vigil::receive(HostId from, const Buried& buried) {
    if (buried.life < life_) return;
    peers_[from].refuses_us = buried.life + 1;
    if (buried.over)
        return start_over(buried.life + 1,
                          fmt::format("host {} has declared this host dead", config_.hosts[from].name));
    disputed_ = true;
    judge();
}

void Vigil::receive(HostId, const Refused& refused) {
    if (refused.host >= peers_.size() || refused.by >= peers_.size() || refused.host == self_) return;
    if (refused.by == self_) return remember(refused.host, refused.life + 1);
    // There has been that life, also if this host has never heard of it, or has forgotten.
    if (refused.life > peers_[refused.host].life) {
        bury(refused.host, refused.life - 1);
        peers_[refused.host].life = refused.life;
    }
    std::uint32_t& lives = peers_[refused.host].refused_by[refused.by];
    lives = std::max(lives, refused.life + 1);
    if (refused.buried)
        bury(refused.host, refused.life);
    else
        count_refusals(refused.host);
}

// --- What the links notice.

void Vigil::ended(HostId host) {
    Watched& peer = peers_[host];
    peer.ended = true;
    if (peer.buried <= peer.life) bury_later(host, peer.life);
    judge();
}

void Vigil::silent(HostId host) {
    peers_[host].silent = true;
    judge();
}

void Vigil::heard(HostId host) {
    peers_[host].silent = false;
    judge();
}

// --- Lives that are over.

void Vigil::refuse(HostId host) {
    Watched& peer = peers_[host];
    if (peer.refused > peer.life) return;
    const std::uint32_t before = std::exchange(peer.refused, peer.life + 1);
    if (!keep()) {
        // Whoever counts on what a crash makes this host forget would let two hold what only one may.
        peer.refused = before;
        return;
    }
    log_warning(fmt::format("host {}: silent for {} ms, seat incarnation {} is refused",
                            config_.hosts[host].name, config_.dead_after.count(), peer.life));
    for_each_peer([&](HostId other, Watched&) {
        if (other != host) events_.send(other, Refused{self_, host, peer.life, false});
    });
    count_refusals(host);
}

// Others count on it already.
void Vigil::remember(HostId host, std::uint32_t lives) {
    if (peers_[host].refused >= lives) return;
    peers_[host].refused = lives;
    keep();
}

bool Vigil::keep() {
    Lives all;
    for (const Watched& peer : peers_) all.push_back(peer.refused);
    return events_.keep(all, forgetful_);
}

// Somebody may count on a refusal that this host does not know of. Whom it was told to tells it when they
// meet.
bool Vigil::remembers() {
    const auto missing = [&](const Watched& peer) { return &peer != &peers_[self_] && !peer.reminded; };
    if (forgetful_ && std::ranges::none_of(peers_, missing)) {
        forgetful_ = false;
        forgetful_ = !keep();
    }
    return !forgetful_;
}

void Vigil::count_refusals(HostId host) {
    const Watched& peer = peers_[host];
    const auto refusal = [&](std::uint32_t lives) { return lives > peer.life; };
    const auto all = std::ranges::count_if(peer.refused_by, refusal) + (refusal(peer.refused) ? 1 : 0);
    if (2 * static_cast<std::size_t>(all) > peers_.size()) bury_later(host, peer.life);
}

void Vigil::bury_later(HostId host, std::uint32_t life) {
    Watched& peer = peers_[host];
    if (peer.death || peer.buried > life) return;
    peer.death = std::make_unique<net::Timer>(loop_);
    peer.death->set(config_.stop_within, [this, host, life] {
        check();
        peers_[host].death.reset();
        bury(host, life);
    });
}

void Vigil::bury(HostId host, std::uint32_t life) {
    Watched& peer = peers_[host];
    if (peer.buried > life) return;
    log_warning(fmt::format("host {}: seat incarnation {} has ended", config_.hosts[host].name, life));
    peer.life = std::max(peer.life, life);
    peer.buried = life + 1;
    remember(host, peer.buried);
    // The protocols hear only of the death of whom they have trusted.
    if (peer.trusted <= life) events_.trusted(host, life);
    peer.trusted = std::max(peer.trusted, life + 1);
    events_.dead(host, life);
}

}  // namespace allot::daemon
