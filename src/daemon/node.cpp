#include "daemon/node.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include "base/log.hpp"
#include "core/bytes.hpp"
#include "core/json.hpp"
#include "daemon/auditor.hpp"
#include "daemon/desk.hpp"
#include "daemon/entrances.hpp"
#include "daemon/letters.hpp"
#include "daemon/overview.hpp"
#include "daemon/roll.hpp"
#include "daemon/sessions.hpp"
#include "daemon/state.hpp"
#include "daemon/survey.hpp"
#include "daemon/vigil.hpp"
#include "net/mesh.hpp"

namespace allot::daemon {

namespace {

using net::HostId;

class Node {
public:
    explicit Node(const Config& config)
        : config_(config),
          self_(config.self()),
          folder_(config.state),
          desk_(
              config,
              [this](Owner owner, const session::DaemonMessage& message) { sessions_.say(owner, message); },
              [this] { vigil_.check(); }),
          sessions_(
              loop_, config, desk_,
              [this](bool whole, std::function<void(const session::Status&)> done) {
                  (whole ? statuses_ : own_statuses_).ask(std::move(done));
              },
              [this](const session::Acquire& want) { return congestion(want); }),
          vigil_(loop_, config, vigil_events()),
          roll_(config),
          survey_(loop_, [this](HostId to, const Letter& letter) { send(to, letter); }),
          holders_stop_(loop_),
          expiry_(loop_),
          signals_(loop_, SIGTERM, SIGINT, SIGHUP) {}

    Result<int> run(bool fresh);

private:
    std::optional<std::string> begin(bool fresh);
    std::optional<std::string> make_mesh(const Beginning& beginning);
    void make_spaces();
    std::optional<std::string> enter_life(const Beginning& beginning);
    void wait_for_holders();
    void begin_locks();
    void raise_epoch(std::uint32_t epoch);
    std::string locks_wait();
    std::optional<std::string> listen();
    void wait_for_signal();
    SavedState state() const;
    void stop();

    net::Mesh::Events mesh_events();
    Vigil::Events vigil_events();
    void receive(HostId from, std::string_view payload);
    void receive_letter(HostId from, const SiteLetter& letter);
    void receive_letter(HostId from, const Alive& alive) { vigil_.receive(from, alive); }
    void receive_letter(HostId from, const Known& known) { vigil_.receive(from, known); }
    void receive_letter(HostId from, const Buried& buried) { vigil_.receive(from, buried); }
    void receive_letter(HostId from, const Refused& refused) { vigil_.receive(from, refused); }
    void receive_letter(HostId from, const Membership& membership);
    void receive_letter(HostId from, const ReportQuery& query) {
        send(from, ReportAnswer{query.number, own_report(query.locks)});
    }
    void receive_letter(HostId from, const ReportAnswer& answer) { survey_.receive(from, answer); }
    void send(HostId to, const Letter& letter);
    std::string congestion(const session::Acquire& want) const;
    void after_turn();
    void call_the_roll();
    Membership membership() const;
    void tell_membership();
    void look_for_obstacles();
    std::string trouble();

    void find_status(bool whole, std::function<void(const session::Status&)> done);
    void survey(bool whole, const std::vector<std::string>& locks, Survey::Done done);
    std::map<HostId, session::HostStatus> missing_from(const Survey::Reports& reports) const;
    Report own_report(const std::vector<std::string>& locks = {});
    std::set<HostId> absent_hosts() const;
    std::vector<TroubleReport> troubles();
    session::HostStatus status_of(HostId host) const;

    const Config& config_;
    const HostId self_;
    boost::asio::io_context loop_{1};
    StateFolder folder_;
    std::uint32_t incarnation_ = 0;
    std::set<HostId> full_;   // take nothing, and enough waits for them
    std::set<HostId> unmet_;  // before the locks begin: who has not said yet that nothing stands against it
    std::set<HostId> met_;
    bool holders_may_live_ = false;
    std::uint32_t epoch_ = 0;  // the highest of all hosts
    Desk desk_;
    Sessions sessions_;
    Auditor auditor_{config_, sessions_};
    std::unique_ptr<net::Mesh> mesh_;
    Vigil vigil_;
    Roll roll_;
    Roll::Spaces memberships_;  // as the others know them
    bool roll_called_ = false;
    std::map<std::uint32_t, Clock::time_point> hopeless_since_;
    Survey survey_;
    SharedAnswer<session::Status> statuses_{loop_, [this](auto done) { find_status(true, std::move(done)); }};
    SharedAnswer<session::Status> own_statuses_{loop_,
                                                [this](auto done) { find_status(false, std::move(done)); }};
    SharedAnswer<std::string> metrics_{loop_,
                                       [this](const auto& done) { done(metrics_page(own_report(), desk_)); }};
    net::Timer holders_stop_;  // set: programs of an earlier process may still use locks
    net::Timer expiry_;
    std::optional<Clock::time_point> expiry_set_;
    boost::asio::signal_set signals_;
    net::TlsPtr tls_;
    Entrances entrances_;
    int exit_code_ = 0;
    std::string bytes_;
};

// --- Beginning and end.

// Each program is a descriptor, and the usual limit is low for historical reasons only.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<int> Node::run(bool fresh) {
    raise_descriptor_limit();
    if (auto why = begin(fresh)) return Error{std::move(*why)};
    wait_for_signal();
    std::signal(SIGPIPE, SIG_IGN);
    while (!loop_.stopped()) {
        loop_.run_one();
        after_turn();
    }
    return exit_code_;
}

std::optional<std::string> Node::begin(bool fresh) {
    if (auto why = auditor_.open(desk_)) return why;
    const auto beginning = folder_.open(config_.agreement(), fresh);
    if (!beginning) return beginning.error();
    incarnation_ = beginning->incarnation;
    if (auto why = make_mesh(*beginning)) return why;
    make_spaces();
    // Alone, a host that has lost its state begins anew, and its fences must still grow.
    raise_epoch(beginning->epoch + (beginning->after_a_crash && config_.hosts.size() == 1 ? 1 : 0));
    if (auto why = enter_life(*beginning)) return why;
    if (const auto port = mesh_->start(); !port) return port.error();
    if (auto why = listen()) return why;
    // Only now: a start that fails must leave what was saved as it is.
    if (const auto begun = folder_.begin(); !begun) return begun.error();
    auditor_.note("started");
    log_info(fmt::format("host {} is ready: incarnation {}, programs at {}", config_.host, incarnation_,
                         config_.socket));
    return std::nullopt;
}

std::optional<std::string> Node::make_mesh(const Beginning& beginning) {
    net::MeshConfig config;
    for (const Config::Host& host : config_.hosts) config.hosts.push_back({host.name, host.address});
    config.self = self_;
    config.incarnation = beginning.incarnation;
    config.agreement = config_.agreement();
    config.plaintext = config_.plaintext;
    config.heartbeat = config_.heartbeat;
    config.silence = config_.dead_after;
    // Who comes back must be heard before it is held for dead.
    config.retry_last = std::min(config.retry_last, std::max(config.retry_first, config_.dead_after / 4));
    config.watch_processes = config_.detector == Config::Detector::automatic;
    if (config_.tls) {
        auto tls = net::load_tls(*config_.tls);
        if (!tls) return tls.error();
        config.tls = tls_ = *tls;
    }
    auto mesh = net::Mesh::make(loop_, std::move(config), mesh_events());
    if (!mesh) return mesh.error();
    mesh_ = std::move(*mesh);
    return std::nullopt;
}

void Node::make_spaces() {
    const auto hosts = static_cast<std::uint32_t>(config_.hosts.size());
    const auto post = [this](std::uint32_t space) {
        return [this, space](SiteId from, SiteId to, std::string_view message) {
            send(to % static_cast<std::uint32_t>(config_.hosts.size()),
                 SiteLetter{space, from, to, std::string(message)});
        };
    };
    desk_.add_space(make_locks({hosts, config_.lock_seats, self_}, post(0)));
    for (const auto& [name, semaphore] : config_.semaphores)
        desk_.add_space(make_semaphore({hosts, std::min(semaphore.permits, most_permit_seats), self_},
                                       semaphore.permits, semaphore.max_request, post(desk_.spaces())));
}

std::optional<std::string> Node::enter_life(const Beginning& beginning) {
    for (HostId host = 0; host < config_.hosts.size(); ++host)
        if (host != self_) unmet_.insert(host);
    if (beginning.saved) {
        const SavedState& saved = *beginning.saved;
        const bool good = mesh_->resume(saved.links) && vigil_.resume(saved.vigil) &&
                          desk_.resume(saved.desk) && sessions_.resume(saved.sessions);
        desk_.set_life(vigil_.life());
        if (!good)
            return fmt::format(
                "{}: the saved state cannot be read; stop all hosts, then start each with --fresh",
                config_.state);
        vigil_.go_on(beginning.forgetful);
        if (!desk_.space(0).begun()) wait_for_holders();  // it may have been stopped while it waited for them
        begin_locks();
        return std::nullopt;
    }
    // Tokens that were elsewhere, or under way, would exist twice if the locks began anew.
    if (beginning.after_a_crash && config_.hosts.size() > 1) {
        desk_.space(0).close(
            "its daemon ended without saving its state; stop all hosts, then start each with --fresh");
        log_error("the daemon of this host ended without saving its state: its locks are lost");
    }
    vigil_.start({.life = beginning.life,
                  .holders_may_live = beginning.holders_may_live,
                  .refused = beginning.refused,
                  .forgetful = beginning.forgetful});
    if (beginning.holders_may_live) wait_for_holders();
    begin_locks();
    return std::nullopt;
}

// What an earlier process gave out is not known here. Its programs are told so when they come back.
void Node::wait_for_holders() {
    holders_may_live_ = true;
    holders_stop_.set(config_.stop_within, [this] {
        holders_may_live_ = false;
        tell_membership();
        begin_locks();
    });
}

// Locks have one life only, and their tokens begin at their homes. A host without a state may have lost it,
// and its tokens may be elsewhere: whoever knows of an earlier incarnation disowns this one. So locks begin
// when everybody else was met, and nowhere programs may use any that were given out before.
void Node::begin_locks() {
    Space& locks = desk_.space(0);
    if (holders_may_live_ || !unmet_.empty() || locks.begun() || !locks.closed().empty()) return;
    locks.begin_life(0);
    desk_.pump();
}

// A token goes from host to host, so all must count on from the same number. Each knows the epochs of all
// others when its locks begin, so each has found the same highest one by then.
void Node::raise_epoch(std::uint32_t epoch) {
    epoch_ = std::max(epoch_, epoch);
    desk_.raise_fences(epoch_);
    folder_.note_epoch(epoch_);
}

std::string Node::locks_wait() {
    if (desk_.space(0).begun() || !desk_.space(0).closed().empty()) return "";
    if (std::ranges::includes(met_, unmet_))
        return fmt::format("locks are granted {} ms after the start: earlier holders may still run",
                           config_.stop_within.count());
    std::vector<std::string> names;
    for (const HostId host : unmet_)
        if (!met_.contains(host)) names.push_back(config_.hosts[host].name);
    return fmt::format("locks are granted when this host has met all others; missing: {}",
                       fmt::join(names, " and "));
}

std::optional<std::string> Node::listen() {
    HttpPages pages;
    pages.status = [this](const std::function<void(std::string)>& done) {
        statuses_.ask([done](const session::Status& status) { done(json_text(to_json(status)) + "\n"); });
    };
    pages.metrics = [this](const auto& done) { metrics_.ask(done); };
    pages.health = [this] { return trouble(); };
    return entrances_.open(
        loop_, config_, tls_, [this](net::StreamPtr stream) { sessions_.accept(std::move(stream)); },
        std::move(pages));
}

// Who stops without having saved its state has lost its locks: rather it goes on.
void Node::wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& failure, int) {
        if (failure) return;
        const auto room = folder_.rehearse(state());
        if (room) return stop();
        log_error(
            fmt::format("cannot save the state, so the daemon continues: {}; make room and stop it again, or "
                        "lose the locks of this host with SIGKILL",
                        room.error()));
        wait_for_signal();
    });
}

SavedState Node::state() const {
    return {.agreement = config_.agreement(),
            .incarnation = incarnation_,
            .vigil = vigil_.saved(),
            .links = mesh_->saved(),
            .desk = desk_.saved(),
            .sessions = sessions_.saved()};
}

// Programs see their connection end; those that come back to the next run find everything as it was.
void Node::stop() {
    auditor_.note("stopped");
    entrances_.close();
    sessions_.close_all();
    vigil_.stop();
    mesh_->stop([this] {
        log_info(fmt::format("host {} has stopped", config_.host));
        loop_.stop();
    });
    if (const auto saved = folder_.save(state()); !saved) {
        log_error("cannot save the state: " + saved.error());
        exit_code_ = 1;
    }
}

// --- Links.

net::Mesh::Events Node::mesh_events() {
    net::Mesh::Events events;
    events.received = [this](HostId from, std::string_view payload) { receive(from, payload); };
    events.connected = [this](HostId peer, std::uint32_t, bool) {
        send(peer, membership());
        vigil_.connected(peer);
    };
    events.disconnected = [this](HostId peer) { roll_.forget(peer); };
    events.ended = [this](HostId peer, std::uint32_t) { vigil_.ended(peer); };
    events.silent = [this](HostId peer) { vigil_.silent(peer); };
    events.heard = [this](HostId peer) { vigil_.heard(peer); };
    events.congestion = [this](HostId peer, bool full) {
        full ? void(full_.insert(peer)) : void(full_.erase(peer));
    };
    events.disowned = [this](HostId by, std::uint32_t met) {
        folder_.note_loss(met);
        log_error(
            fmt::format("host {} knows more about this host than {} contains: the state of an earlier "
                        "process is lost. Start this host again to take part without locks; or stop all "
                        "hosts, then start each with --fresh",
                        config_.hosts[by].name, config_.state));
        exit_code_ = 1;
        loop_.stop();
    };
    return events;
}

Vigil::Events Node::vigil_events() {
    const auto each_semaphore = [this](auto&& f) {
        for (std::uint32_t space = 1; space < desk_.spaces(); ++space) f(desk_.space(space));
        desk_.pump();
    };
    Vigil::Events events;
    events.trusted = [each_semaphore](HostId host, std::uint32_t life) {
        each_semaphore([&](Space& space) { space.trusted(host, life); });
    };
    events.dead = [each_semaphore](HostId host, std::uint32_t life) {
        each_semaphore([&](Space& space) { space.dead(host, life); });
    };
    events.begin_life = [this, each_semaphore](std::uint32_t life) {
        folder_.note_life(life);
        desk_.set_life(life);
        // Alone, nobody is left who would have to take a newcomer in: the group is founded again.
        const std::uint32_t first = config_.hosts.size() == 1 ? 0 : life;
        each_semaphore([&](Space& space) { space.begin_life(first); });
    };
    events.end_life = [each_semaphore](const std::string& why) {
        each_semaphore([&](Space& space) { space.end_life(why); });
    };
    events.standing = [each_semaphore](bool standing, const std::string& why) {
        each_semaphore([&](Space& space) { space.stand(standing, why); });
    };
    events.holders_stopped = [each_semaphore] {
        each_semaphore([](Space& space) { space.holders_stopped(); });
    };
    events.takes_part = [this](HostId host) { return roll_.takes_part(host, desk_.spaces() - 1); };
    events.keep = [this](const Vigil::Lives& refused, bool forgetful) {
        return folder_.note_refused(refused, forgetful);
    };
    events.send = [this](HostId to, const Letter& letter) { send(to, letter); };
    events.link = [this](HostId host) { return mesh_->status(host); };
    events.anything_claimed = [this] {
        for (std::uint32_t space = 1; space < desk_.spaces(); ++space)
            if (!desk_.space(space).view().taken.empty()) return true;
        return false;
    };
    return events;
}

void Node::send(HostId to, const Letter& letter) {
    bytes_.clear();
    encode(letter, bytes_);
    if (bytes_.size() <= net::MeshConfig{}.frame_limit) return mesh_->send(to, bytes_);
    log_error(fmt::format("a message of {} bytes is too long to send", bytes_.size()));
    // What it carried is lost.
    if (const auto* site = std::get_if<SiteLetter>(&letter))
        desk_.space(site->space)
            .close("a message was too long to send; stop all hosts, then start each with --fresh");
}

// Any lock may be anywhere. Semaphores do not write to a host whose life is over.
std::string Node::congestion(const session::Acquire& want) const {
    const auto involved = [&](HostId host) { return !want.locks.empty() || !vigil_.is_buried(host); };
    const auto host = std::ranges::find_if(full_, involved);
    if (host == full_.end()) return "";
    return fmt::format(
        "host {} does not acknowledge messages, and {} bytes wait for it; bring it back, or stop all hosts, "
        "remove it from their configurations and start each with --fresh",
        config_.hosts[*host].name, mesh_->status(*host).unacknowledged_bytes);
}

void Node::receive(HostId from, std::string_view payload) {
    vigil_.check();
    const auto letter = from_bytes<Letter>(payload);
    if (!letter) return log_error(fmt::format("host {} sent a malformed message", config_.hosts[from].name));
    std::visit([&](const auto& kind) { receive_letter(from, kind); }, *letter);
    desk_.pump();
}

void Node::receive_letter(HostId from, const SiteLetter& letter) {
    const bool mine = letter.space < desk_.spaces() &&
                      letter.from % config_.hosts.size() == from;  // nobody speaks for the seats of others
    if (!mine || !desk_.space(letter.space).deliver(letter.from, letter.to, letter.message))
        log_error(fmt::format("host {} sent a message that no seat understands", config_.hosts[from].name));
}

// It is the first that everybody writes.
void Node::receive_letter(HostId from, const Membership& membership) {
    roll_.heard(from, membership.spaces);
    raise_epoch(membership.epoch);
    met_.insert(from);
    if (membership.settled) unmet_.erase(from);
    begin_locks();
}

// What was asked for may have a deadline that is nearer than all before.
void Node::after_turn() {
    folder_.try_again();
    call_the_roll();
    look_for_obstacles();
    const auto next = desk_.expire(Clock::now());
    if (next == expiry_set_) return;
    expiry_set_ = next;
    if (next)
        expiry_.set(*next - Clock::now(), [] {});
    else
        expiry_.cancel();
}

void Node::call_the_roll() {
    Roll::Spaces spaces;
    for (std::uint32_t space = 1; space < desk_.spaces(); ++space)
        if (desk_.space(space).takes_part()) spaces.push_back(space);
    if (roll_called_ && spaces == memberships_) return;
    roll_called_ = true;
    memberships_ = spaces;
    roll_.heard(self_, std::move(spaces));
    tell_membership();
}

Membership Node::membership() const {
    return {.spaces = memberships_, .epoch = epoch_, .settled = !holders_may_live_};
}

void Node::tell_membership() {
    for (HostId host = 0; host < config_.hosts.size(); ++host)
        if (host != self_ && mesh_->status(host).connected) send(host, membership());
}

// Words of several hosts may overtake each other: only what lasts is believed.
void Node::look_for_obstacles() {
    constexpr std::chrono::seconds believed_after{1};
    for (std::uint32_t number = 1; number < desk_.spaces(); ++number) {
        Space& space = desk_.space(number);
        if (roll_.prospect(number) != Roll::Prospect::hopeless) {
            hopeless_since_.erase(number);
            space.obstruct("");
            continue;
        }
        const auto since = hopeless_since_.try_emplace(number, Clock::now()).first->second;
        if (!space.closed().empty() || Clock::now() < since + believed_after) continue;
        space.obstruct(roll_.obstacle(number));
        log_error(fmt::format("semaphore {}: {}", desk_.name_of_space(number), space.closed()));
        desk_.pump();
    }
}

// --- What there is to see.

std::string Node::trouble() {
    if (const std::string gaps = auditor_.problem(); !gaps.empty()) return "the audit log has gaps: " + gaps;
    if (!folder_.problem().empty()) return "cannot write what must survive a crash: " + folder_.problem();
    if (const std::string& closed = desk_.space(0).closed(); !closed.empty()) return closed;
    const auto all = troubles();
    if (all.empty()) return "";
    const TroubleReport& first = all.front();
    return first.semaphore.empty() ? first.why : fmt::format("semaphore {}: {}", first.semaphore, first.why);
}

std::vector<TroubleReport> Node::troubles() {
    std::vector<TroubleReport> all;
    if (std::string why = locks_wait(); !why.empty()) all.push_back({.why = std::move(why)});
    for (std::uint32_t number = 1; number < desk_.spaces(); ++number) {
        std::string why = roll_.obstacle(number);
        if (why.empty()) why = vigil_.obstacle();
        if (!why.empty())
            all.push_back({desk_.name_of_space(number), std::move(why),
                           roll_.prospect(number) == Roll::Prospect::hopeless});
    }
    return all;
}

// Who answers nobody, or has lost the locks that it had: only a killed daemon comes back as a later
// incarnation.
std::set<HostId> Node::absent_hosts() const {
    std::set<HostId> absent;
    for (HostId host = 0; host < config_.hosts.size(); ++host) {
        if (host == self_) continue;
        const net::LinkStatus link = mesh_->status(host);
        if (!link.connected || link.incarnation > 0) absent.insert(host);
    }
    return absent;
}

Report Node::own_report(const std::vector<std::string>& locks) {
    Report report = report_of(config_, desk_, sessions_, desk_.positions(), desk_.tokens());
    report.locks_lost = !desk_.space(0).closed().empty();
    report.troubles = troubles();
    add_places(report, desk_.space(0), locks, absent_hosts());
    report.host.incarnation = incarnation_;
    for (HostId host = 0; host < config_.hosts.size(); ++host) {
        if (host == self_) continue;
        const net::LinkStatus link = mesh_->status(host);
        report.host.links.push_back({link.host,
                                     link.silent      ? "silent"
                                     : link.connected ? "up"
                                                      : "down",
                                     link.problem, link.sent, link.received, link.reconnects,
                                     link.unacknowledged_bytes});
    }
    return report;
}

session::HostStatus Node::status_of(HostId host) const {
    const net::LinkStatus link = mesh_->status(host);
    session::HostStatus status{.name = config_.hosts[host].name, .incarnation = link.incarnation};
    status.state = vigil_.is_lost(host) ? "lost"
                   : link.silent        ? "silent"
                   : link.connected     ? "unknown"
                                        : "unreachable";
    return status;
}

void Node::survey(bool whole, const std::vector<std::string>& locks, Survey::Done done) {
    std::set<HostId> others;
    for (HostId host = 0; whole && host < config_.hosts.size(); ++host)
        if (host != self_ && mesh_->status(host).connected) others.insert(host);
    survey_.ask(others, locks, {{self_, own_report(locks)}}, std::move(done));
}

std::map<HostId, session::HostStatus> Node::missing_from(const Survey::Reports& reports) const {
    std::map<HostId, session::HostStatus> missing;
    for (HostId host = 0; host < config_.hosts.size(); ++host)
        if (!reports.contains(host)) missing[host] = status_of(host);
    return missing;
}

// Of locks that seem to be at a host that is not there everybody is asked again: somebody may know better.
void Node::find_status(bool whole, std::function<void(const session::Status&)> done) {
    const auto finish = [this, done = std::move(done)](const Survey::Reports& reports) {
        done(overview(config_, reports, missing_from(reports)));
    };
    survey(whole, {}, [this, whole, finish](const Survey::Reports& reports) {
        const auto locks = unclear_locks(config_, reports, missing_from(reports));
        locks.empty() ? finish(reports) : survey(whole, locks, finish);
    });
}

}  // namespace

Result<int> run_node(const Config& config, bool fresh) {
    set_log_name(config.host);
    return Node(config).run(fresh);
}

}  // namespace allot::daemon
