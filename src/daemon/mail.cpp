#include "daemon/mail.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "core/bytes.hpp"

namespace allot::daemon {

Mail::Mail(boost::asio::io_context& loop, const Config& config, Events events)
    : loop_(loop),
      config_(config),
      self_(config.self()),
      events_(std::move(events)),
      parcels_(Parcels::longest_letter(config)) {}

// --- Links.

std::optional<std::string> Mail::open(std::uint32_t daemon, const net::TlsPtr& tls) {
    auto mesh = net::Mesh::make(loop_, mesh_config(daemon, tls), mesh_events());
    if (!mesh) return mesh.error();
    mesh_ = std::move(*mesh);
    if (const auto port = mesh_->start(); !port) return port.error();
    return std::nullopt;
}

std::vector<net::MeshConfig::Host> Mail::hosts() const {
    std::vector<net::MeshConfig::Host> all;
    for (const Config::Host& host : config_.hosts)
        all.push_back({host.name, config_.address_of(host), host.takes_part()});
    return all;
}

net::MeshConfig Mail::mesh_config(std::uint32_t daemon, const net::TlsPtr& tls) const {
    net::MeshConfig config;
    config.hosts = hosts();
    config.self = self_;
    config.incarnation = daemon;
    config.agreement = config_.agreement();
    config.settings = config_.agreed_settings();
    config.required = config_.required_settings();
    config.edition = config_.edition;
    config.tls = tls;
    config.plaintext = config_.plaintext;
    config.heartbeat = config_.agreed.silence / 4;
    config.silence = config_.agreed.silence;
    config.retry_last = std::min(config.retry_last, std::max(config.retry_first, config.silence / 4));
    config.watch_processes = config_.agreed.engine == Register::Engine::file;  // under one kernel
    return config;
}

net::Mesh::Events Mail::mesh_events() {
    net::Mesh::Events events;
    events.received = [this](HostId from, std::string_view payload) { receive(from, payload); };
    events.connected = [this](HostId peer, std::uint32_t daemon, bool fresh) {
        connected(peer, daemon, fresh);
    };
    events.disconnected = [this](HostId peer) {
        events_.ended(peer, true);
        met_[peer].connected = false;
    };
    events.ended = [this](HostId peer, std::uint32_t) { events_.ended(peer, true); };
    events.sign = events_.sign;
    events.disowned = events_.disowned;
    events.petition = events_.petition;
    events.name_taken = [this](HostId, const std::string& why) { give_way(why); };
    return events;
}

void Mail::connected(HostId peer, std::uint32_t daemon, bool fresh) {
    taken_since_.reset();
    if (fresh) parcels_.forget(peer);
    events_.ended(peer, false);
    met_[peer] = {daemon, true};
    events_.met(peer);
    if (early_[peer].daemon != daemon) return;
    for (const std::string& early : std::exchange(early_[peer], {}).payloads) mesh_->send(peer, early);
}

// The link of a machine that lost its power seems to work until it is silent.
void Mail::give_way(const std::string& why) {
    if (!taken_since_) taken_since_ = BootClock::now();
    if (BootClock::now() - *taken_since_ < 2 * config_.agreed.silence) return;
    log_error(why +
              ". Two daemons must not have one name: stop one of them, and let it have a name and a "
              "state folder of its own");
    events_.name_taken();
}

// --- Letters.

// The hosts may have agreed on one that is in no list here yet.
void Mail::send(HostId to, const Letter& letter) {
    if (to >= config_.hosts.size() || to == self_) return;
    bytes_.clear();
    encode_dated(letter, bytes_, config_.sent_edition());
    const bool is_report = std::holds_alternative<host::HostReport>(letter);
    if (is_report) report_bytes_ = bytes_.size();
    const bool to_anybody = !is_report && !std::holds_alternative<host::Frame>(letter);
    Parcels::split(bytes_, config_.sent_edition(),
                   [&](std::string_view payload) { post(to, to_anybody, payload); });
}

void Mail::send_to_all(const Letter& letter) {
    for (const HostId host : config_.others()) send(host, letter);
}

void Mail::post(HostId to, bool to_anybody, std::string_view payload) {
    const Met& met = met_[to];
    if (to_anybody) return met.connected ? mesh_->send(to, payload) : void();
    const std::optional<std::uint32_t> wanted = events_.member(to);
    if (!wanted) return;
    if (met.daemon == *wanted) return mesh_->send(to, payload);
    if (met.daemon > *wanted) return;  // its receiver has ended
    if (early_[to].daemon != *wanted) early_[to] = {*wanted, {}};
    early_[to].payloads.emplace_back(payload);
}

void Mail::receive(HostId from, std::string_view payload) {
    if (const auto letter = letter_in(from, payload)) events_.received(from, *letter);
}

// The letter that this payload completes, if it completes one. A piece is a sign of life.
std::optional<Letter> Mail::letter_in(HostId from, std::string_view payload) {
    auto letter = from_dated_bytes<Letter>(payload);
    if (const Piece* piece = letter ? std::get_if<Piece>(&*letter) : nullptr) {
        events_.sign(from);
        const auto parcel = parcels_.add(from, *piece);
        if (!parcel) events_.malformed(from, parcel.error());
        if (!parcel || !*parcel) return std::nullopt;
        letter = from_dated_bytes<Letter>(**parcel);
        if (letter && std::holds_alternative<Piece>(*letter)) letter.reset();
    }
    if (!letter) events_.malformed(from, "it is malformed");
    return letter;
}

}  // namespace allot::daemon
