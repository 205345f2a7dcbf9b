#include "daemon/shell.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <random>
#include <sys/resource.h>

#include "base/boot_clock.hpp"
#include "base/log.hpp"
#include "core/bytes.hpp"
#include "core/json.hpp"
#include "daemon/auditor.hpp"
#include "daemon/council_file.hpp"
#include "daemon/entrances.hpp"
#include "daemon/host_desk.hpp"
#include "daemon/host_folder.hpp"
#include "daemon/letters.hpp"
#include "daemon/member_report.hpp"
#include "daemon/overview.hpp"
#include "daemon/sessions.hpp"
#include "daemon/survey.hpp"
#include "daemon/wards.hpp"
#include "durable/file_register.hpp"
#include "net/mesh.hpp"

namespace allot::daemon {

namespace {

using agreement::Value;
using host::Host;
using host::Member;
using net::HostId;
using std::chrono::milliseconds;

// The Host counts time in ticks.
constexpr milliseconds tick{100};

host::Ticks ticks_in(milliseconds time) {
    return static_cast<host::Ticks>((time + tick - milliseconds(1)) / tick);
}

// No shorter than a lease on any clock whose rate is wrong by one in a hundred, and one tick for the one that
// has begun already.
host::Ticks hold_off_of(milliseconds lease) {
    constexpr milliseconds margin{200};
    return ticks_in(lease * 101 / 99 + margin) + 1;
}

host::Config host_config(const Config& config) {
    host::Config all;
    all.locks.seats = config.lock_seats;
    for (const auto& [name, semaphore] : config.semaphores) all.semaphores[name] = {semaphore.permits};
    all.hosts = static_cast<std::uint32_t>(config.hosts.size());
    all.lease = static_cast<host::Ticks>(config.agreed.lease / tick);
    all.grace = ticks_in(config.agreed.grace);
    all.hold_off = hold_off_of(config.agreed.lease);
    all.renew_every = std::max<host::Ticks>(1, all.lease / 3);
    all.silence = ticks_in(config.agreed.silence);
    all.alive_every = 0;
    all.return_within = ticks_in(config.agreed.return_within);
    return all;
}

Member::Config member_config(const Config& config) {
    Member::Config all{.host = host_config(config), .council = std::nullopt};
    if (config.agreed.engine != Register::Engine::hosts) return all;
    agreement::CouncilConfig& council = all.council.emplace();
    council.hosts = all.host.hosts;
    for (const std::uint32_t voter : config.voters()) council.voters.emplace_back(voter);
    council.retry_after = ticks_in(milliseconds(300));
    council.spread = ticks_in(milliseconds(1000));
    council.patience = 3 * all.host.silence;  // a copy of a live host is noticed before
    return all;
}

// Names a disk that is found empty; no two are alike.
std::uint32_t fresh_disk() {
    std::random_device device;
    return std::max<std::uint32_t>(1, device());
}

// The incarnations of a host in views are those of its daemon, each with room for its lives.
constexpr std::uint32_t bits_of_lives = 8;
std::uint32_t daemon_of(std::uint32_t incarnation) {
    return incarnation >> bits_of_lives;
}

// A folder that was put back from an earlier time, or copied, must not give a number out again: the clock is
// part of it. The numbers last until 2057.
std::uint32_t next_daemon(const HostFolder::Memory& before) {
    constexpr std::time_t first_minute = 29'456'640;  // of 2026
    const std::time_t minute = std::max<std::time_t>(0, std::time(nullptr) / 60 - first_minute);
    return std::max(daemon_of(before.incarnation) + 1, static_cast<std::uint32_t>(minute));
}

// Another kernel is another machine: no program of an earlier one still runs.
std::string boot_id() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    file >> id;
    return id;
}

class Shell {
public:
    explicit Shell(const Config& config);

    Result<int> run();
    // Whether another one must follow, with a later number.
    bool begins_again() const { return begins_again_; }

private:
    std::optional<std::string> begin();
    std::optional<std::string> open_register(const HostFolder::Memory& before);
    std::optional<std::string> open_file(const HostFolder::Memory& before);
    std::optional<std::string> make_mesh();
    void start_host();
    std::optional<std::string> listen();
    void wait_for_signal();
    void stop();
    void finish();

    // The host.
    Member::Self self() const { return {member_config_, self_, incarnation_, fresh_disk_}; }
    const Host& host() const { return member_.host(); }
    Peer myself() const { return host().myself(Member::host_self(self())); }
    template <class Action>
    void step(Action&& action);
    template <class Action>
    void act(Action&& action);
    void carry_out(Member::Effects& fx);
    void note_progress();
    void call(const host::Call& call);
    void engine_failed(const std::string& why);
    std::string name_of(HostId host) const { return config_.name_of(host); }

    // Time.
    void catch_up();
    void set_ticker();
    host::Ticks longest_sleep() const;
    BootClock::time_point deadline() const;
    std::chrono::microseconds valid_for() const;

    // Links.
    net::Mesh::Events mesh_events();
    void send(HostId to, const Letter& letter);
    void receive(HostId from, std::string_view payload);
    void receive_letter(HostId from, const ReportQuery& query) {
        send(from, ReportAnswer{query.number, own_report()});
    }
    void receive_letter(HostId from, const ReportAnswer& answer) { survey_.receive(from, answer); }
    void receive_letter(HostId from, const host::Frame& message);
    void receive_letter(HostId from, const auto& message);
    void compare_voters(HostId from, const agreement::Hello& hello);
    void give_way(const std::string& why);
    void set_ended(HostId peer, bool has_ended) {
        member_.host().ended(peer, has_ended);
        unsettled_ = true;
    }

    // For people to see.
    MemberReport member_report() const { return {config_, member_, self(), tick}; }
    std::string trouble() const;
    Report own_report();
    session::HostStatus status_of(HostId host) const;
    void find_status(bool whole, const std::function<void(const session::Status&)>& done);

    void after_turn();
    HostDesk::Ways ways();

    const Config& config_;
    const HostId self_;
    Member::Config member_config_;
    boost::asio::io_context loop_{1};
    HostFolder folder_;
    durable::FileRegister register_;  // with the engine `file` ...
    Descriptor occupied_;
    CouncilFile council_file_;  // ... and with the engine `hosts`
    const std::uint32_t fresh_disk_ = fresh_disk();
    std::uint32_t incarnation_ = 0;
    std::uint32_t calls_ = 0;  // changes that this daemon has proposed
    bool is_another_boot_ = false;
    bool is_first_ = false;  // nothing has run before the first view
    Member member_;
    std::string engine_problem_;
    std::string folder_problem_;
    BootClock::time_point began_ = BootClock::now();
    std::uint64_t ticks_ = 0;  // that the host has seen since then
    bool unsettled_ = true;    // something may be due earlier than the ticker knows
    std::optional<std::uint32_t> shown_view_;
    HostDesk desk_;
    Sessions sessions_;
    Wards wards_;
    Auditor auditor_{config_, sessions_};
    std::unique_ptr<net::Mesh> mesh_;
    // The newest daemon of each other host that this one has met.
    struct Met {
        std::uint32_t daemon = 0;
        bool connected = false;
    };
    std::map<HostId, Met> met_;
    // Letters to a daemon that this one has not met yet.
    struct Early {
        std::uint32_t daemon = 0;
        std::vector<std::string> letters;
    };
    std::map<HostId, Early> early_;
    std::optional<BootClock::time_point> taken_since_;  // another process has the name of this host
    std::set<HostId> other_lists_;                      // hosts whose files name other voters
    Survey survey_;
    SharedAnswer<session::Status> statuses_{loop_, [this](const auto& done) { find_status(true, done); }};
    SharedAnswer<session::Status> own_statuses_{loop_,
                                                [this](const auto& done) { find_status(false, done); }};
    SharedAnswer<std::string> metrics_{loop_,
                                       [this](const auto& done) { done(metrics_page(own_report(), desk_)); }};
    net::Timer ticker_;
    net::Timer patience_;  // of an orderly stop
    net::Timer expiry_;
    std::optional<Clock::time_point> expiry_set_;
    boost::asio::signal_set signals_;
    net::TlsPtr tls_;
    Entrances entrances_;
    bool stopping_ = false;
    bool stopped_ = false;
    bool begins_again_ = false;
    int exit_code_ = 0;
    std::string bytes_;
};

Shell::Shell(const Config& config)
    : config_(config),
      self_(config.self()),
      member_config_(member_config(config)),
      folder_(config.state),
      register_(config.agreed.file),
      council_file_(
          loop_, config.state,
          [this] { step([&](const Member::Self& self, Member::Effects& fx) { member_.synced(self, fx); }); }),
      desk_(
          config,
          [this](Owner owner, const session::DaemonMessage& message) { sessions_.say(owner, message); },
          ways()),
      sessions_(
          loop_, config, desk_,
          [this](bool whole, std::function<void(const session::Status&)> done) {
              (whole ? statuses_ : own_statuses_).ask(std::move(done));
          },
          [](const session::Acquire&) { return std::string(); }),
      wards_(loop_, config,
             [this](Owner owner, session::Ticket ticket, const std::string& why) {
                 desk_.lose(owner, ticket, why);
             }),
      survey_(loop_, [this](HostId to, const ReportQuery& query) { send(to, query); }),
      ticker_(loop_),
      patience_(loop_),
      expiry_(loop_),
      signals_(loop_, SIGTERM, SIGINT, SIGHUP) {}

// --- Beginning and end.

// Each program is a descriptor, and the usual limit is low for historical reasons only.
void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<int> Shell::run() {
    raise_descriptor_limit();
    if (auto why = begin()) return Error{std::move(*why)};
    wait_for_signal();
    std::signal(SIGPIPE, SIG_IGN);
    while (!loop_.stopped()) {
        loop_.run_one();
        after_turn();
    }
    return exit_code_;
}

std::optional<std::string> Shell::begin() {
    if (auto why = auditor_.open(desk_)) return why;
    const auto before = folder_.open();
    if (!before) return before.error();
    if (auto why = open_register(*before)) return why;
    incarnation_ = next_daemon(*before) << bits_of_lives;
    is_another_boot_ = !before->boot.empty() && before->boot != boot_id();
    if (auto why = wards_.open()) return why;
    if (const auto noted = folder_.note({incarnation_, before->view, boot_id(), before->quiet}); !noted)
        return noted.error();
    sessions_.set_followed([this](Owner owner, session::Ticket ticket, const Descriptor& process) {
        wards_.follow(*desk_.find(owner, ticket), *sessions_.record(owner), process);
    });
    sessions_.set_moved([this](Owner owner) {
        for (const auto* lease : desk_.leases_of(owner)) wards_.move(*lease, *sessions_.record(owner));
    });
    if (auto why = make_mesh()) return why;
    if (const auto port = mesh_->start(); !port) return port.error();
    start_host();
    if (auto why = listen()) return why;
    auditor_.note("started");
    log_info(fmt::format("host {} is ready: incarnation {}, programs at {}", config_.host, incarnation_,
                         config_.socket));
    return std::nullopt;
}

std::optional<std::string> Shell::open_register(const HostFolder::Memory& before) {
    member_config_.least_view = before.view;
    if (config_.agreed.engine == Register::Engine::file) return open_file(before);
    member_config_.council->view = before.view;
    member_config_.council->quiet = before.quiet;
    auto files = council_file_.read();
    if (!files) return files.error();
    if (*files) member_ = Member(std::move(**files));
    return std::nullopt;
}

std::optional<std::string> Shell::open_file(const HostFolder::Memory& before) {
    auto occupied = register_.occupy(config_.host);
    if (!occupied) return occupied.error();
    occupied_ = std::move(*occupied);
    const bool after_earlier_version = before.incarnation == 0 && before.view > 0;
    if (after_earlier_version)
        if (const auto made = register_.found(before.view, false); !made) return made.error();
    const auto value = register_.read();
    if (!value) return value.error();
    is_first_ = value->members.empty() && value->quiet;
    if (value->view >= member_config_.least_view) return std::nullopt;
    return fmt::format(
        "{}: it holds view {}, and this host has worked in view {}: the register was wiped, or put back from "
        "an earlier time",
        config_.agreed.file, value->view, member_config_.least_view);
}

void Shell::start_host() {
    began_ = BootClock::now();
    std::vector<Wards::Ward> wards = wards_.taken_over();
    for (Wards::Ward& ward : wards) {
        desk_.adopt(ward.lease);
        sessions_.adopt(ward.lease.owner, ward.session, ward.lease.ticket, std::move(ward.command));
    }
    step([&](const Member::Self& self, Member::Effects& fx) { member_.start(self, false, fx); });
    act([&](Host& host, const Host::Self& self, host::Effects& fx) {
        host.start(self, is_another_boot_ || wards_.knows_all(), is_first_);
        for (const Wards::Ward& ward : wards)
            host.adopt(self, {ward.lease.owner, ward.lease.ticket}, HostDesk::want_of(ward.lease.want),
                       desk_.fences_of(ward.lease), wards_.keeper(), fx);
        host.call_register(self, fx);
    });
}

std::optional<std::string> Shell::listen() {
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

void Shell::wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& failure, int) {
        if (!failure) stop();
    });
}

// Without holders the host leaves, so that nobody waits for it. With holders it stays a member: the next
// daemon goes on with their programs.
void Shell::stop() {
    if (stopping_) return finish();  // somebody is impatient
    stopping_ = true;
    auditor_.note("stopped");
    entrances_.close();
    sessions_.close_all();
    const auto leases = desk_.leases();
    const bool holds = std::ranges::any_of(leases, [](const auto* lease) { return lease->granted; });
    if (holds) {
        return finish();
    }
    for (const auto* lease : leases) desk_.release(lease->owner, lease->ticket);
    member_.host().leave();
    unsettled_ = true;
    // A view that cannot be completed must not keep the daemon; the others remove this host then.
    patience_.set(config_.agreed.lease, [this] { finish(); });
    wait_for_signal();
}

void Shell::finish() {
    stopped_ = true;
    ticker_.cancel();
    patience_.cancel();
    mesh_->stop([this] {
        log_info(fmt::format("host {} has stopped", config_.host));
        loop_.stop();
    });
}

// --- The member.

template <class Action>
void Shell::step(Action&& action) {
    Member::Effects fx;
    action(self(), fx);
    carry_out(fx);
    unsettled_ = true;
}

// Requests and the messages that serve them make nothing due.
template <class Action>
void Shell::act(Action&& action) {
    Member::Effects fx;
    member_.act(self(), fx, action);
    carry_out(fx);
}

void Shell::carry_out(Member::Effects& fx) {
    note_progress();
    for (const host::Answer& answer : fx.answers)
        if (answer.kind == host::Answer::Kind::lost) wards_.stop(answer.key.session, answer.key.ticket);
    if (host().has_lease()) wards_.renew(deadline(), myself().incarnation);
    fx.for_each_send([this](SiteId to, auto message) { send(to, std::move(message)); });
    for (const host::Answer& answer : fx.answers) desk_.answer(answer);
    if (fx.persist) council_file_.write(member_.council().files());
    if (fx.call) call(*fx.call);
    if (stopping_ && host().has_left()) finish();
}

// The numbers are on the disk before anybody hears of them.
void Shell::note_progress() {
    const std::uint32_t incarnation = myself().incarnation;
    const std::uint32_t view = host().views().epoch().value_or(0);
    if (incarnation <= folder_.memory().incarnation && view <= folder_.memory().view &&
        (!host().views().works() || shown_view_ == view))
        return;
    HostFolder::Memory memory = folder_.memory();
    memory.incarnation = std::max(memory.incarnation, incarnation);
    memory.quiet &= view <= memory.view;
    memory.view = std::max(memory.view, view);
    const auto noted = folder_.note(memory);
    if (!noted && folder_problem_.empty())
        log_error("cannot write what must survive a crash: " + noted.error());
    folder_problem_ = noted ? "" : noted.error();
    if (!host().views().works() || host().views().epoch() == shown_view_) return;
    shown_view_ = host().views().epoch();
    std::vector<std::string> names;
    for (const Peer& member : host().views().members()) names.push_back(name_of(member.site));
    const std::string text = fmt::format("view {}: {}", *shown_view_, fmt::join(names, ", "));
    log_info(text);
    auditor_.note("view", text);
}

void Shell::call(const host::Call& call) {
    auto value = [&] {
        if (!call.change) return register_.read();
        Value next;
        next.id = {self_, incarnation_, ++calls_};
        next.members = call.change->members;
        next.certified = call.change->certified;
        next.quiet = call.change->quiet;
        return register_.exchange(host().known(), std::move(next));
    }();
    if (!value) return engine_failed(value.error());
    if (!engine_problem_.empty()) log_info("the register can be read again");
    engine_problem_.clear();
    step([&](const Member::Self& self, Member::Effects& fx) { member_.returned(self, *value, fx); });
}

void Shell::engine_failed(const std::string& why) {
    if (engine_problem_ != why) log_error("the register cannot be used: " + why);
    engine_problem_ = why;
    member_.host().forget_call();
}

// --- Time.

// All ticks that have passed come before whatever happens now.
void Shell::catch_up() {
    const auto passed = static_cast<std::uint64_t>((BootClock::now() - began_) / tick);
    if (passed == ticks_) return;
    // After so many ticks nothing is left that another one would change.
    const std::uint64_t most = member_config_.host.lease + member_config_.host.hold_off;
    const auto missed = static_cast<std::uint32_t>(std::min(passed - ticks_, most));
    const bool late = missed * tick >= config_.agreed.silence / 2;
    ticks_ = passed;
    step([&](const Member::Self& self, Member::Effects& fx) { member_.tick(self, fx, missed, late); });
}

// Nobody is awake for ticks in which nothing happens.
void Shell::set_ticker() {
    const host::Ticks sleep = std::min(member_.due_in(self()), longest_sleep());
    const BootClock::time_point next = began_ + static_cast<std::int64_t>(ticks_ + sleep) * tick;
    ticker_.set(std::max(BootClock::duration::zero(), next - BootClock::now()), [this] {
        catch_up();
        unsettled_ = true;
    });
}

// A host that overslept by half of the silence accuses nobody, so it must not sleep for so long.
host::Ticks Shell::longest_sleep() const {
    return std::max<host::Ticks>(1, (member_config_.host.silence - 1) / 2);
}

// A lease ends with a tick, never later than it should.
BootClock::time_point Shell::deadline() const {
    return began_ + static_cast<std::int64_t>(ticks_ + host().lease_left()) * tick;
}

std::chrono::microseconds Shell::valid_for() const {
    const auto left = wards_.deadline() - BootClock::now();
    return std::max(std::chrono::microseconds(0), std::chrono::floor<std::chrono::microseconds>(left));
}

// --- Links.

std::optional<std::string> Shell::make_mesh() {
    net::MeshConfig config;
    for (const Config::Host& host : config_.hosts) config.hosts.push_back({host.name, host.address});
    config.self = self_;
    config.incarnation = daemon_of(incarnation_);
    config.agreement = config_.agreement();
    config.plaintext = config_.plaintext;
    config.heartbeat = config_.agreed.silence / 4;
    config.silence = config_.agreed.silence;
    config.retry_last = std::min(config.retry_last, std::max(config.retry_first, config.silence / 4));
    config.watch_processes = config_.agreed.engine == Register::Engine::file;  // under one kernel
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

net::Mesh::Events Shell::mesh_events() {
    net::Mesh::Events events;
    events.received = [this](HostId from, std::string_view payload) { receive(from, payload); };
    events.connected = [this](HostId peer, std::uint32_t incarnation, bool) {
        taken_since_.reset();
        set_ended(peer, false);
        met_[peer] = {incarnation, true};
        step([&](const Member::Self& self, Member::Effects& fx) { member_.met(self, peer, fx); });
        if (early_[peer].daemon != incarnation) return;
        for (const std::string& letter : std::exchange(early_[peer], {}).letters) mesh_->send(peer, letter);
    };
    events.name_taken = [this](HostId, const std::string& why) { give_way(why); };
    events.ended = [this](HostId peer, std::uint32_t) { set_ended(peer, true); };
    events.sign = [this](HostId peer) {
        catch_up();
        act([&](Host& host, const Host::Self& self, host::Effects& fx) {
            host.receive(self, peer, host::Alive{}, fx);
        });
    };
    events.disconnected = [this](HostId peer) {
        set_ended(peer, true);
        met_[peer].connected = false;
    };
    events.disowned = [this](HostId by, std::uint32_t met) {
        HostFolder::Memory memory = folder_.memory();
        memory.incarnation = std::max(memory.incarnation, met << bits_of_lives);
        if (const auto noted = folder_.note(memory); !noted) log_error(noted.error());
        log_error(
            fmt::format("host {} has met a later daemon of this host: the clock was set back, or {} was "
                        "put back from an earlier time. This daemon begins again",
                        name_of(by), config_.state));
        begins_again_ = true;
        loop_.stop();
    };
    return events;
}

// The link of a machine that lost its power seems to work until it is silent.
void Shell::give_way(const std::string& why) {
    if (!taken_since_) taken_since_ = BootClock::now();
    if (BootClock::now() - *taken_since_ < 2 * config_.agreed.silence) return;
    log_error(why +
              ". Two daemons must not have one name: stop one of them, and let it have a name and a "
              "state folder of its own");
    exit_code_ = 1;
    loop_.stop();
}

// Reports and messages of an epoch go to one incarnation, which this host may know from the register before
// there is a link to it. All else goes to whoever is there.
void Shell::send(HostId to, const Letter& letter) {
    bytes_.clear();
    encode(letter, bytes_);
    if (bytes_.size() > net::MeshConfig{}.frame_limit)
        return log_error(
            fmt::format("a message of {} bytes for host {} is too long to send", bytes_.size(), name_of(to)));
    const Met& met = met_[to];
    const bool is_for_anybody =
        !std::holds_alternative<host::HostReport>(letter) && !std::holds_alternative<host::Frame>(letter);
    if (is_for_anybody) return met.connected ? mesh_->send(to, bytes_) : void();
    const auto& members = host().views().newest().members;
    const auto member = std::ranges::find(members, SiteId(to), &Peer::site);
    if (member == members.end()) return;
    const std::uint32_t wanted = daemon_of(member->incarnation);
    if (met.daemon == wanted) return mesh_->send(to, bytes_);
    if (met.daemon > wanted) return;  // its receiver has ended
    if (early_[to].daemon != wanted) early_[to] = {wanted, {}};
    early_[to].letters.push_back(bytes_);
}

void Shell::receive(HostId from, std::string_view payload) {
    const auto letter = from_bytes<Letter>(payload);
    if (!letter) return log_error(fmt::format("host {} sent a malformed message", name_of(from)));
    catch_up();
    std::visit([&](const auto& kind) { receive_letter(from, kind); }, *letter);
}

void Shell::receive_letter(HostId from, const host::Frame& message) {
    act([&](Host& host, const Host::Self& self, host::Effects& fx) {
        host.receive(self, from, message, fx);
    });
}

void Shell::receive_letter(HostId from, const auto& message) {
    if constexpr (std::is_same_v<decltype(message), const agreement::Hello&>) compare_voters(from, message);
    step([&](const Member::Self& self, Member::Effects& fx) { member_.receive(self, from, message, fx); });
}

// Such hosts ignore each other until the register is formed; then its own list counts.
void Shell::compare_voters(HostId from, const agreement::Hello& hello) {
    if (hello.list == member_config_.council->voters || !other_lists_.insert(from).second) return;
    std::vector<std::string> theirs, ours;
    for (const SiteId voter : hello.list) theirs.push_back(name_of(voter));
    for (const SiteId voter : member_config_.council->voters) ours.push_back(name_of(voter));
    log_error(
        fmt::format("host {} says that {} keep the register, the file of this host says {}: write the "
                    "same register.voters everywhere",
                    name_of(from), fmt::join(theirs, ", "), fmt::join(ours, ", ")));
}

// --- Programs.

HostDesk::Ways Shell::ways() {
    return {
        .wake = [this] { catch_up(); },
        .ask =
            [this](const host::Key& key, const host::Want& want) {
                act([&](Host& host, const Host::Self& self, host::Effects& fx) {
                    host.ask(self, key, want, fx);
                });
            },
        .release =
            [this](const host::Key& key) {
                act([&](Host& host, const Host::Self& self, host::Effects& fx) {
                    host.release(self, key, fx);
                });
            },
        .valid_for = [this] { return valid_for(); },
        .unordered_fence = [this] { return std::uint64_t{host().views().epoch().value_or(0)} << 40 | self_; },
        .granted =
            [this](const LeaseBook::Lease& lease) { wards_.begin(lease, *sessions_.record(lease.owner)); },
        .ended = [this](const LeaseBook::Lease& lease, bool was_lost) { wards_.end(lease, was_lost); },
    };
}

// A request may have a deadline that is nearer than all before.
void Shell::after_turn() {
    if (std::exchange(unsettled_, false) && !stopped_) set_ticker();
    const auto next = desk_.expire(Clock::now());
    if (next == expiry_set_) return;
    expiry_set_ = next;
    if (next)
        expiry_.set(*next - Clock::now(), [] {});
    else
        expiry_.cancel();
}

// --- For people to see.

std::string Shell::trouble() const {
    if (const std::string gaps = auditor_.problem(); !gaps.empty()) return "the audit log has gaps: " + gaps;
    if (!folder_problem_.empty()) return "cannot write what must survive a crash: " + folder_problem_;
    if (!wards_.problem().empty()) return "there is no guardian: " + wards_.problem();
    if (!engine_problem_.empty()) return "the register cannot be used: " + engine_problem_;
    if (!council_file_.problem().empty())
        return "cannot write what must survive a crash: " + council_file_.problem();
    return member_report().trouble();
}

Report Shell::own_report() {
    const MemberReport member = member_report();
    Report report = report_of(config_, desk_, sessions_, member.positions(), member.tokens());
    if (std::string why = trouble(); !why.empty()) {
        report.troubles.push_back({.why = why});
        report.host.note = why;
        for (const auto& [name, semaphore] : config_.semaphores) report.troubles.push_back({name, why});
    }
    if (!host().views().works()) report.host.state = "joining";
    report.host.incarnation = myself().incarnation;
    for (HostId host = 0; host < config_.hosts.size(); ++host) {
        if (host == self_) continue;
        const net::LinkStatus link = mesh_->status(host);
        const char* state = link.silent ? "silent" : link.connected ? "up" : "down";
        report.host.links.push_back({link.host, state, link.problem, link.sent, link.received,
                                     link.reconnects, link.unacknowledged_bytes});
    }
    return report;
}

session::HostStatus Shell::status_of(HostId host) const {
    const net::LinkStatus link = mesh_->status(host);
    session::HostStatus status{.name = name_of(host), .incarnation = link.incarnation};
    const auto& members = member_.host().known().members;
    const bool member = std::ranges::find(members, SiteId(host), &Peer::site) != members.end();
    status.state = !member ? "removed" : link.silent ? "silent" : link.connected ? "unknown" : "unreachable";
    return status;
}

void Shell::find_status(bool whole, const std::function<void(const session::Status&)>& done) {
    std::set<HostId> others;
    for (HostId host = 0; whole && host < config_.hosts.size(); ++host)
        if (host != self_ && mesh_->status(host).connected) others.insert(host);
    survey_.ask(others, {{self_, own_report()}}, [this, done](const Survey::Reports& reports) {
        std::map<HostId, session::HostStatus> missing;
        for (HostId host = 0; host < config_.hosts.size(); ++host)
            if (!reports.contains(host)) missing[host] = status_of(host);
        done(overview(config_, reports, missing));
    });
}

}  // namespace

Result<int> run_shell(const Config& config) {
    set_log_name(config.host);
    while (true) {
        Shell shell(config);
        auto code = shell.run();
        if (!shell.begins_again()) return code;
    }
}

}  // namespace allot::daemon
