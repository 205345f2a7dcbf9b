#include "net/mesh.hpp"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <random>

#include "base/address.hpp"
#include "base/ensure.hpp"
#include "net/peer.hpp"

namespace allot::net {

namespace {

// Delay before a standalone acknowledgement is sent.
constexpr std::chrono::milliseconds acknowledgement_delay{20};
// Maximum number of connections without a Hello; the oldest is dropped.
constexpr std::size_t strangers_limit = 256;

std::uint64_t drawn_number() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

// Maximum number of hosts that ask to join at once.
constexpr std::size_t petitions_limit = 16;

// Connections whose petition waits for its answer.
class Petitions final : public Wire::Owner {
public:
    bool is_full() const { return wires_.size() >= petitions_limit; }
    void add(const WirePtr& wire) {
        wire->hand_over_to(*this, hello_limit);
        wires_.push_back(wire);
    }
    void answer(const WirePtr& wire, const PetitionAnswer& answer, Edition edition) {
        if (!wire->is_open()) return;  // the other end has not waited
        std::string frame;
        put_petition_answer(answer, edition, frame);
        wire->write(frame);
        wire->close();
        std::erase(wires_, wire);
    }
    void clear() { wires_.clear(); }

private:
    bool frame(Wire&, std::string_view) override { return true; }
    void closed(Wire& wire, const std::string&) override {
        std::erase_if(wires_, [&](const WirePtr& one) { return one.get() == &wire; });
    }

    std::vector<WirePtr> wires_;
};

class MeshOfPeers final : public Mesh, public Wire::Owner {
public:
    MeshOfPeers(boost::asio::io_context& loop, MeshConfig config, Events events);

    Result<std::uint16_t> start() override;
    void stop() override;
    void update(const std::vector<MeshConfig::Host>& hosts, Edition edition) override;
    void close_revoked() override;
    void send(HostId to, std::string_view payload) override;
    void shun(HostId peer, const std::string& why) override;
    LinkStatus status(HostId peer) const override;

private:
    void accept(StreamPtr stream);
    bool frame(Wire& stranger, std::string_view content) override;
    void closed(Wire& stranger, const std::string& why) override;
    WirePtr no_stranger_any_more(const Wire& wire);
    bool turn_away(Wire& wire, Peer* suspect, const std::string& why);
    bool keep_out(Wire& wire, const std::string& why);
    bool hear_petition(const WirePtr& wire, const Petition& petition);
    Peer* peer_called(std::string_view name) const;

    bool is_late() const;
    void tick_later();
    void acknowledge_later();

    template <class F>
    void for_each_peer(F f) const {
        for (const auto& peer : peers_)
            if (peer) f(*peer);
    }

    Surroundings here_;
    std::vector<std::unique_ptr<Peer>> peers_;  // by host; null for this host
    std::unique_ptr<Listener> listener_;
    std::deque<WirePtr> strangers_;
    Petitions petitions_;
    LogOnce logged_;
    Timer heartbeat_;
    Timer acknowledgements_;
    bool acknowledging_ = false;  // the timer of acknowledgements runs
    bool started_ = false;
};

MeshOfPeers::MeshOfPeers(boost::asio::io_context& loop, MeshConfig config, Events events)
    : here_{.loop = loop,
            .config = std::move(config),
            .events = std::move(events),
            .mark = mark_of_this_process(),
            .process = drawn_number(),
            .random = Random(drawn_number()),
            .acknowledgement_owed = [this] { acknowledge_later(); }},
      heartbeat_(loop),
      acknowledgements_(loop) {
    for (HostId id = 0; id < here_.config.hosts.size(); ++id)
        peers_.push_back(id == here_.config.self ? nullptr : std::make_unique<Peer>(here_, id));
}

Result<std::uint16_t> MeshOfPeers::start() {
    ensure(!started_, "a mesh is started twice");
    const Patience patience{.handshake_ms = static_cast<std::uint32_t>(here_.config.handshake.count())};
    auto listener = listen_tcp(
        here_.loop, here_.self().address, here_.config.tls,
        [this](StreamPtr stream) { accept(std::move(stream)); }, patience);
    if (!listener) return Error{fmt::format("cannot listen for other hosts: {}", listener.error())};
    listener_ = std::move(*listener);
    started_ = true;
    for_each_peer([](Peer& peer) { peer.start(); });
    tick_later();
    return listener_->port();
}

void MeshOfPeers::stop() {
    if (std::exchange(here_.stopped, true)) return;
    listener_.reset();
    strangers_.clear();
    petitions_.clear();
    heartbeat_.cancel();
    acknowledgements_.cancel();
    for_each_peer([](Peer& peer) { peer.stop(); });
}

void MeshOfPeers::update(const std::vector<MeshConfig::Host>& hosts, Edition edition) {
    here_.config.edition = edition;
    const MeshConfig::Host self = here_.self();
    std::vector<MeshConfig::Host> all = hosts;
    // The file of this host may name more than the others have agreed on.
    for (std::size_t id = all.size(); id < peers_.size(); ++id) {
        all.push_back(here_.config.hosts[id]);
        all.back().present = false;
    }
    all[here_.config.self] = self;
    here_.config.hosts = std::move(all);
    while (peers_.size() < here_.config.hosts.size()) {
        const auto id = static_cast<HostId>(peers_.size());
        peers_.push_back(std::make_unique<Peer>(here_, id));
        if (started_ && !here_.stopped) peers_.back()->start();
    }
    if (started_ && !here_.stopped) for_each_peer([](Peer& peer) { peer.look_at_list(); });
}

void MeshOfPeers::close_revoked() {
    if (!here_.stopped) for_each_peer([](Peer& peer) { peer.close_if_revoked(); });
}

void MeshOfPeers::send(HostId to, std::string_view payload) {
    ensure(to < peers_.size() && peers_[to], "a payload is sent to an unknown host, or to this one");
    if (here_.stopped) return;
    peers_[to]->send(payload);
}

void MeshOfPeers::shun(HostId peer, const std::string& why) {
    ensure(peer < peers_.size() && peers_[peer], "an unknown host is shunned, or this one");
    if (!here_.stopped) peers_[peer]->shun(why);
}

LinkStatus MeshOfPeers::status(HostId peer) const {
    ensure(peer < peers_.size() && peers_[peer],
           "the status of an unknown host, or of this one, is asked for");
    return peers_[peer]->status();
}

// --- Incoming connections

void MeshOfPeers::accept(StreamPtr stream) {
    if (strangers_.size() == strangers_limit) {
        logged_.refusal(strangers_.front()->identity(), "too many connections have not said hello");
        strangers_.pop_front();
    }
    strangers_.push_back(std::make_shared<Wire>(here_.loop, std::move(stream), *this));
    strangers_.back()->start(here_.config.handshake);
}

bool MeshOfPeers::frame(Wire& stranger, std::string_view content) {
    const WirePtr wire = no_stranger_any_more(stranger);
    if (const std::string why = here_.objection_to(wire->identity()); !why.empty())
        return keep_out(*wire, why);
    if (is_petition(content)) {
        const auto petition = read_petition(content);
        return petition ? hear_petition(wire, *petition) : turn_away(*wire, nullptr, petition.error());
    }
    const auto hello = read_hello(content);
    // A certificate identifies the sender even if its Hello is malformed.
    if (!hello) {
        const auto& hosts = wire->identity().hosts;
        return turn_away(*wire, hosts.empty() ? nullptr : peer_called(hosts.front()), hello.error());
    }
    Peer* const peer = peer_called(hello->from);
    const std::string name = printable(hello->from);
    if (here_.config.tls && !wire->identity().may_speak_as(hello->from))
        return turn_away(*wire, peer, contradiction(name, wire->identity()));
    if (peer == nullptr)
        return turn_away(
            *wire, nullptr,
            fmt::format("host {} is not in the cluster; `allot cluster join` brings it in", name));
    std::string objection = objection_to(here_, *hello, wire->identity(), peer->host());
    if (objection.empty() && peer->id() > here_.config.self)
        objection = fmt::format("the first of two hosts connects: that is {}, which tries {}",
                                here_.self().name, peer->host().address);
    if (!objection.empty()) return turn_away(*wire, peer, objection);
    return peer->meet(wire, *hello);
}

// The answer may take a while; the other end may be gone by then.
bool MeshOfPeers::hear_petition(const WirePtr& wire, const Petition& petition) {
    std::string objection = objection_to(here_, petition, wire->identity());
    if (!here_.events.petition) objection = "no host can join here";
    if (petitions_.is_full()) objection = "too many hosts want to join at once; try again";
    if (!objection.empty()) return turn_away(*wire, nullptr, objection);
    petitions_.add(wire);
    const Edition edition = spoken_by_both(petition.opening.newest);
    here_.tell(here_.events.petition, petition,
               [this, edition, weak = std::weak_ptr(wire)](const auto& answer) {
                   if (const WirePtr open = weak.lock()) petitions_.answer(open, answer, edition);
               });
    return true;
}

void MeshOfPeers::closed(Wire& stranger, const std::string& why) {
    const WirePtr wire = no_stranger_any_more(stranger);
    logged_.refusal(wire->identity(), why);
}

WirePtr MeshOfPeers::no_stranger_any_more(const Wire& wire) {
    const auto place = std::find_if(strangers_.begin(), strangers_.end(),
                                    [&wire](const WirePtr& one) { return one.get() == &wire; });
    ensure(place != strangers_.end(), "a connection that is not in a handshake is taken for one");
    WirePtr found = *place;
    strangers_.erase(place);
    return found;
}

bool MeshOfPeers::turn_away(Wire& wire, Peer* suspect, const std::string& why) {
    logged_.refusal(wire.identity(), why);
    if (suspect != nullptr) suspect->note_problem(why);
    wire.refuse(here_.to_tell(why));
    return false;
}

// A stranger learns what every host would say, and changes nothing.
bool MeshOfPeers::keep_out(Wire& wire, const std::string& why) {
    if (here_.config.tls) return turn_away(wire, nullptr, why);
    logged_.refusal(wire.identity(), fmt::format("{}; {}", why, believed_without_tls));
    wire.refuse(std::string(believed_without_tls));
    return false;
}

Peer* MeshOfPeers::peer_called(std::string_view name) const {
    for (const auto& peer : peers_)
        if (peer && peer->host().name == name) return peer.get();
    return nullptr;
}

// --- Timers: one for all heartbeats, one for all acknowledgements

bool MeshOfPeers::is_late() const {
    return Timer::Clock::now() > heartbeat_.expiry() + here_.config.heartbeat;
}

void MeshOfPeers::tick_later() {
    heartbeat_.set(here_.config.heartbeat, [this] {
        const bool late = is_late();
        for_each_peer([&](Peer& peer) {
            if (!here_.stopped) peer.tick(late);
        });
        if (!here_.stopped) tick_later();
    });
}

void MeshOfPeers::acknowledge_later() {
    if (std::exchange(acknowledging_, true)) return;
    acknowledgements_.set(acknowledgement_delay, [this] {
        acknowledging_ = false;
        for_each_peer([](Peer& peer) { peer.acknowledge_owed(); });
    });
}

// --- Errors in a configuration

std::string host_error(const MeshConfig& config, const MeshConfig::Host& host) {
    if (!host.present) return "";
    if (const auto address = parse_host_port(host.address); !address)
        return fmt::format("host {}: {}", host.name, address.error());
    const auto same_name = [&](const MeshConfig::Host& other) { return other.name == host.name; };
    if (host.name.empty() || std::count_if(config.hosts.begin(), config.hosts.end(), same_name) > 1)
        return fmt::format("host \"{}\": each host needs a name of its own", host.name);
    if (!config.tls && !config.plaintext && !is_loopback_address(host.address))
        return fmt::format(
            "host {} at {}: links beyond this machine need TLS (`allot cert` makes certificates), "
            "or plaintext allowed explicitly, by plaintext = true in [cluster]",
            host.name, host.address);
    return "";
}

std::string config_error(const MeshConfig& config) {
    if (config.self >= config.hosts.size()) return fmt::format("host {}: not configured", config.self);
    for (const MeshConfig::Host& host : config.hosts)
        if (std::string wrong = host_error(config, host); !wrong.empty()) return wrong;
    if (config.heartbeat.count() <= 0 || config.silence < 2 * config.heartbeat)
        return fmt::format("silence {} ms: write at least twice the heartbeat, which is {} ms",
                           config.silence.count(), config.heartbeat.count());
    if (config.retry_first.count() <= 0 || config.retry_last < config.retry_first)
        return fmt::format("retry {} ms to {} ms: write a larger time second", config.retry_first.count(),
                           config.retry_last.count());
    return "";
}

}  // namespace

Result<std::unique_ptr<Mesh>> Mesh::make(boost::asio::io_context& loop, MeshConfig config, Events events) {
    if (std::string wrong = config_error(config); !wrong.empty()) return Error{std::move(wrong)};
    return std::unique_ptr<Mesh>(new MeshOfPeers(loop, std::move(config), std::move(events)));
}

}  // namespace allot::net
