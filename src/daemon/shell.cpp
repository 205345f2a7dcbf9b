#include "daemon/shell.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <fmt/format.h>
#include <random>
#include <set>

#include "base/boot_clock.hpp"
#include "base/log.hpp"
#include "base/no_signals.hpp"
#include "base/spin_wait.hpp"
#include "base/stray_signals.hpp"
#include "daemon/certificate_watch.hpp"
#include "daemon/desk.hpp"
#include "daemon/engine.hpp"
#include "daemon/enquiries.hpp"
#include "daemon/entrances.hpp"
#include "daemon/epoch.hpp"
#include "daemon/founded.hpp"
#include "daemon/host_folder.hpp"
#include "daemon/incarnations.hpp"
#include "daemon/letters.hpp"
#include "daemon/mail.hpp"
#include "daemon/member_config.hpp"
#include "daemon/orders.hpp"
#include "daemon/progress.hpp"
#include "daemon/reload.hpp"
#include "daemon/roster.hpp"
#include "daemon/stop_at.hpp"
#include "daemon/tick_clock.hpp"
#include "host/objection.hpp"

namespace allot::daemon {

namespace {

using host::Host;
using host::Member;
using net::HostId;
using std::chrono::milliseconds;

// Names a disk that is found empty; no two are alike.
std::uint32_t fresh_disk() {
    std::random_device device;
    return std::max<std::uint32_t>(1, device());
}

class Shell {
public:
    // Hosts whose letters may have made the last daemon fail, and how.
    using Suspects = std::map<HostId, std::string>;
    using ReadAgain = std::function<Result<Config>()>;
    Shell(Config& file, Config config, const ReadAgain& read_again, Suspects suspects);

    Result<int> run();
    Suspects take_suspects() { return std::move(suspects_); }
    // Whether another one must follow, with a later number.
    bool begins_again() const { return begins_again_; }

private:
    std::optional<std::string> begin();
    std::optional<std::string> load_tls();
    void start_host();
    std::optional<std::string> listen();
    void wait_for_signal();
    void answer(int signal);
    void reload();
    void stop();
    void renew_last();
    bool has_renewed();
    void finish();
    void fail();

    // The host.
    Member::Self self() const { return {member_config_, self_, incarnation_, fresh_disk_, epoch_ms()}; }
    const Host& host() const { return member_.host(); }
    // Without the time of the calendar: each message needs this several times, and to read a clock takes
    // long.
    Host::Self host_self() const { return {member_config_.host, self_, incarnation_}; }
    Peer myself() const { return host().myself(host_self()); }
    template <class Action>
    void step(Action&& action);
    template <class Action>
    void act(Action&& action);
    void carry_out(Member::Effects& fx);
    bool must_wait(const Member::Effects& fx);
    void tell_programs();
    std::string name_of(HostId host) const { return config_.name_of(host); }

    // Time.
    void catch_up();
    void set_ticker();
    host::Ticks longest_sleep() const;
    BootClock::time_point deadline() const;

    // The other hosts.
    Engine::Subject engine_subject();
    Engine::Events engine_events();
    Mail::Events mail_events();
    std::optional<std::uint32_t> daemon_in_view(HostId one) const;
    void disowned(HostId by, std::uint32_t met);
    void begin_again(std::uint32_t used, const std::string& why);
    void follow_list();
    // Whether this daemon can work with a value of the register, from there or from a host that has read it.
    // follow: only another daemon can. refuse: none can, for the reason `why`.
    struct Verdict {
        enum class Kind : std::uint8_t { take, ignore, follow, refuse };
        Kind kind;
        std::string why{};
    };
    Verdict judge(const agreement::Value& value) const;
    bool obey(const Verdict& verdict, const agreement::Value& value);
    void follow(const agreement::Settings& settings);
    void tell_own_address();
    void raise_edition();
    void receive(HostId from, const Letter& letter);
    std::optional<std::string> objection_to(HostId from, const Letter& letter) const;
    void refuse(HostId from, const std::string& why);
    void failed_on_letter(HostId from, const std::string& how);
    void receive_letter(HostId, const Piece&) {}  // put together before
    void receive_letter(HostId from, const ReportQuery& query) { enquiries_.receive(from, query); }
    void receive_letter(HostId from, const ReportAnswer& answer) { enquiries_.receive(from, answer); }
    void receive_letter(HostId, const Evict& evict) { orders_.hear(evict); }
    void receive_letter(HostId from, const RegisterQuery& query) { engine_->receive(from, query); }
    void receive_letter(HostId from, const RegisterAnswer& answer) { engine_->receive(from, answer); }
    void receive_letter(HostId from, const host::Frame& message);
    void receive_letter(HostId from, const auto& message);
    void set_ended(HostId peer, bool has_ended);

    std::string trouble() const;
    std::string warning() const;
    void log_silent_register();
    void after_turn();
    Desk::Ways ways();
    Orders::Ways order_ways();

    Config& file_;
    Config config_;  // the same, but it follows the register
    const ReadAgain& read_again_;
    const HostId self_;
    Member::Config member_config_;
    boost::asio::io_context loop_{1};
    SpinWait spin_wait_;
    HostFolder folder_;
    const std::uint32_t fresh_disk_ = fresh_disk();
    std::uint32_t incarnation_ = 0;
    bool is_another_boot_ = false;
    Member member_;
    std::unique_ptr<Engine> engine_;
    TickClock clock_;
    bool unsettled_ = true;  // something may be due earlier than the ticker knows
    Desk desk_;
    Mail mail_;
    std::vector<Member::Effects> untold_;  // what programs hear when the number of the view is on the disk
    std::set<host::SessionId> untold_sessions_;
    Progress progress_;
    Enquiries enquiries_;
    Orders orders_;
    net::Timer ticker_;
    net::Timer patience_;  // of an orderly stop
    net::Timer alarm_;
    std::optional<Alarms::Clock::time_point> alarm_set_;
    boost::asio::signal_set signals_;
    net::TlsPtr tls_;
    CertificateWatch certificate_watch_;
    Entrances entrances_;
    Suspects suspects_;
    enum class Renewal : std::uint8_t { none, wanted, begun };
    Renewal renewal_ = Renewal::none;                        // of the lease, before this daemon ends
    std::optional<BootClock::time_point> unanswered_since_;  // by the register
    std::string why_unanswered_;                             // as the log says it
    Stamp list_followed_;  // the version of the register's value with the list of hosts
    std::vector<agreement::Founded> founded_ = founded_of(config_);  // that this daemon runs with, as agreed
    bool told_address_ = false;
    bool stopping_ = false;
    bool stopped_ = false;
    bool begins_again_ = false;
    int exit_code_ = 0;
};

Shell::Shell(Config& file, Config config, const ReadAgain& read_again, Suspects suspects)
    : file_(file),
      config_(std::move(config)),
      read_again_(read_again),
      self_(config_.self()),
      member_config_(member_config(config_)),
      folder_(config_.state),
      engine_(Engine::make(loop_, config_, folder_, engine_subject(), engine_events())),
      desk_(loop_, config_, member_, ways()),
      mail_(loop_, config_, mail_events()),
      progress_(
          loop_, file_, config_, folder_,
          {.audit = [this](const std::string& event, const std::string& why) { desk_.note(event, why); },
           .noted = [this] { tell_programs(); }}),
      enquiries_(loop_, config_, member_, desk_, mail_,
                 {.self = [this] { return self(); },
                  .trouble = [this] { return trouble(); },
                  .remark = [this] { return certificate_watch_.trouble(); },
                  .warning = [this] { return warning(); },
                  .certificates = [this] { return certificate_watch_.condition(); },
                  .tells_grants = [this] { return !progress_.is_noting(); },
                  .reader = [this](const net::Identity& who) { return desk_.reader(who); }}),
      orders_(loop_, member_, desk_, mail_, order_ways()),
      ticker_(loop_),
      patience_(loop_),
      alarm_(loop_),
      signals_(loop_, SIGTERM, SIGINT, SIGQUIT),
      certificate_watch_(loop_),
      suspects_(std::move(suspects)) {
    signals_.add(SIGHUP);
}

// --- Beginning and end.

Result<int> Shell::run() {
    if (auto why = begin()) return Error{std::move(*why)};
    wait_for_signal();
    while (!loop_.stopped()) {
        if (!spin_wait_.until([this] { return loop_.poll_one() > 0; })) loop_.run_one();
        if (!begins_again_) after_turn();
    }
    return exit_code_;
}

std::optional<std::string> Shell::begin() {
    const auto before = folder_.open();
    if (!before) return before.error();
    folder_.write_in(config_.kept_edition());
    member_config_.least_view = before->view;
    // The register has them anyway.
    const auto settings = folder_.settings();
    if (!settings) log_error(settings.error() + ": it is not used");
    if (settings && *settings) member_config_.host.settings = **settings;
    if (auto why = engine_->open(*before)) return why;
    const auto incarnation = next_incarnation(*before, engine_->certified());
    if (!incarnation) return incarnation.error();
    incarnation_ = *incarnation;
    is_another_boot_ = !before->boot.empty() && before->boot != boot_id();
    if (const auto noted = folder_.note({incarnation_, before->view, boot_id(), before->quiet}); !noted)
        return noted.error();
    if (auto why = load_tls()) return why;
    if (auto why = mail_.open(daemon_of(incarnation_), tls_)) return why;
    for (const auto& [host, how] : std::exchange(suspects_, {})) mail_.shun(host, how);
    if (auto why = listen()) return why;
    // Last, because it starts the guardian, which outlives a daemon that is refused. Nobody who connects
    // before is heard yet.
    if (auto why = desk_.open()) return why;
    if (auto testament = engine_->testament(incarnation_)) desk_.set_testament(std::move(*testament));
    start_host();
    if (loop_.stopped()) return std::nullopt;  // it has failed, or another daemon must follow
    if (const std::string exposure = config_.exposure(); !exposure.empty()) log_warning(exposure);
    desk_.note("started");
    log_info(fmt::format("host {} is ready: incarnation {}, programs at {}", config_.host, incarnation_,
                         config_.socket));
    return std::nullopt;
}

std::optional<std::string> Shell::load_tls() {
    if (!config_.tls) return std::nullopt;
    auto tls = net::load_tls(*config_.tls);
    if (!tls) return tls.error();
    tls_ = *tls;
    certificate_watch_.start(*config_.tls, tls_, [this] {
        mail_.close_revoked();
        desk_.close_revoked(tls_);
    });
    return std::nullopt;
}

void Shell::start_host() {
    clock_.start();
    step([&](const Member::Self& self, Member::Effects& fx) { member_.start(self, false, fx); });
    step([&](const Member::Self& self, Member::Effects& fx) {
        // The desk knows whether it has found all programs when it has looked for them.
        std::vector<Wards::Ward> wards = desk_.taken_over();
        member_.host().start(Member::host_self(self), is_another_boot_ || desk_.knows_all(),
                             engine_->is_first());
        desk_.adopt(std::move(wards), fx);
        member_.act(self, fx, [](Host& host, const Host::Self& inner, host::Effects& out) {
            host.call_register(inner, out);
        });
    });
}

std::optional<std::string> Shell::listen() {
    return entrances_.open(
        loop_, config_, tls_, [this](net::StreamPtr stream) { desk_.accept(std::move(stream)); },
        enquiries_.pages());
}

void Shell::wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& failure, int signal) {
        if (failure) return;
        answer(signal);
        wait_for_signal();
    });
}

void Shell::answer(int signal) {
    if (signal == SIGHUP) return stopping_ ? void() : reload();
    desk_.note("stopped", fmt::format("SIG{}", ::sigabbrev_np(signal)));
    stop();
}

// Leases that programs have stay as they are, whatever the rules say now.
void Shell::reload() {
    const auto file = read_again_();
    if (!file) return log_error(fmt::format("SIGHUP: {}; the former settings stay in use", file.error()));
    const Differences found = differences(file_, *file);
    log_info(fmt::format("SIGHUP: {}", found.taken_text()));
    if (!found.after_restart.empty()) log_warning("SIGHUP: " + found.after_restart_text());
    take_over(*file, file_);
    take_over(*file, config_);
    set_log_level(config_.log_level);
    const Member::Config renewed = member_config(config_);
    member_config_.sessions.limits = renewed.sessions.limits;
    member_config_.sessions.allow = renewed.sessions.allow;
    member_config_.host.most_weight = renewed.host.most_weight;
    mail_.follow_limits();
    desk_.reconsider();
    if (tls_) net::look_at(tls_);
    desk_.note("reloaded", found.taken_text());
}

// Without holders the host leaves, so that nobody waits for it. With holders it stays a member: the next
// daemon goes on with their programs.
void Shell::stop() {
    if (stopping_) return finish();  // somebody is impatient
    stopping_ = true;
    entrances_.close();
    desk_.close_all();
    if (desk_.holds_anything()) return renew_last();
    desk_.end_all();
    member_.host().leave();
    unsettled_ = true;
    // A view that cannot be completed must not keep the daemon; the others remove this host then.
    patience_.set(config_.agreed.lease, [this] { finish(); });
}

// The next daemon has most time to come back if the lease has just been renewed.
void Shell::renew_last() {
    if (!host().has_lease()) return finish();
    patience_.set(config_.agreed.lease / 6, [this] { finish(); });
    renewal_ = Renewal::wanted;
    has_renewed();
}

// A call that began before does not count: another one follows it.
bool Shell::has_renewed() {
    if (renewal_ == Renewal::none || host().is_asking()) return false;
    if (renewal_ == Renewal::begun) return true;
    renewal_ = Renewal::begun;
    act([](Host& host, const Host::Self& self, host::Effects& fx) { host.call_register(self, fx); });
    return false;
}

void Shell::finish() {
    if (std::exchange(stopped_, true)) return;
    ticker_.cancel();
    patience_.cancel();
    mail_.close();
    log_info(fmt::format("host {} has stopped", config_.host));
    loop_.stop();
}

void Shell::fail() {
    exit_code_ = 1;
    loop_.stop();
}

// --- The member.

template <class Action>
void Shell::step(Action&& action) {
    progress_.step_begins();
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
    if (list_followed_ != host().known().version) follow_list();
    const bool reports = std::ranges::any_of(fx.sends, [](const host::Effects::Send& send) {
        return std::holds_alternative<host::HostReport>(send.message);
    });
    if (reports) stop_at("before-report");
    if (progress_.has_news(host())) stop_at("before-completion");
    progress_.note(host(), myself().incarnation);
    desk_.stop_lost(fx);
    if (host().has_lease()) desk_.renew(deadline(), myself().incarnation);
    fx.for_each_send([this](SiteId to, auto message) { mail_.send(to, std::move(message)); });
    if (reports) boost::asio::post(loop_, [] { stop_at("after-report"); });  // the links have sent it then
    if (must_wait(fx))
        untold_.push_back(fx);
    else
        desk_.tell(fx);
    for (const host::Dropped& one : fx.dropped)
        mail_.shun(one.from, "it sent a message that cannot be right: " + one.why);
    if (fx.persist) engine_->persist();
    if (fx.call) engine_->call(self(), *fx.call);
    if (stopping_ && (host().has_left() || has_renewed())) finish();
    if (host().is_worn_out(host_self()) && !begins_again_)
        begin_again(myself().incarnation, "this host was removed and joined again too often for one daemon");
}

// A grant waits until the number of its view is on the disk, and so does all that the same program hears
// next, but for signs of life: a program without them gives up its daemon, and all leases.
bool Shell::must_wait(const Member::Effects& fx) {
    if (!progress_.is_noting()) return false;
    const auto waits = [this](const host::ToProgram& told) {
        const bool is_sign = std::holds_alternative<session::Pong>(told.message);
        return told.asked_ms || (!is_sign && untold_sessions_.contains(told.session));
    };
    if (std::ranges::none_of(fx.told, waits)) return false;
    for (const host::ToProgram& told : fx.told) untold_sessions_.insert(told.session);
    return true;
}

void Shell::tell_programs() {
    if (progress_.is_noting()) return;
    untold_sessions_.clear();
    for (Member::Effects& fx : std::exchange(untold_, {})) desk_.tell(fx);
}

// --- Time.

// All ticks that have passed come before whatever happens now.
void Shell::catch_up() {
    const std::uint64_t passed = clock_.take();
    if (passed == 0) return;
    // After so many ticks nothing is left that another one would change.
    const std::uint64_t most = member_config_.host.lease + member_config_.host.hold_off;
    const auto missed = static_cast<std::uint32_t>(std::min(passed, most));
    const bool late = missed * tick >= config_.agreed.silence / 2;
    step([&](const Member::Self& self, Member::Effects& fx) { member_.tick(self, fx, missed, late); });
}

// Nobody is awake for ticks in which nothing happens.
void Shell::set_ticker() {
    const host::Ticks sleep = std::min(member_.due_in(self()), longest_sleep());
    ticker_.set(std::max(BootClock::duration::zero(), clock_.after(sleep) - BootClock::now()), [this] {
        catch_up();
        log_silent_register();
        unsettled_ = true;
    });
}

// A host that overslept by half of the silence accuses nobody, so it must not sleep for so long.
host::Ticks Shell::longest_sleep() const {
    return std::max<host::Ticks>(1, member_config_.host.silence * 2 / 5);
}

// A lease ends with a tick, never later than it should.
BootClock::time_point Shell::deadline() const {
    return clock_.after(host().lease_left());
}

// --- The other hosts.

Mail::Events Shell::mail_events() {
    return {
        .received = [this](HostId from, const Letter& letter) { receive(from, letter); },
        .malformed = [this](HostId from, const std::string& why) { refuse(from, why); },
        .sign =
            [this](HostId peer) {
                catch_up();
                act([&](Host& host, const Host::Self& self, host::Effects& fx) {
                    host.heard(self, peer, fx);
                });
                unsettled_ = true;  // an idle daemon that woke for this need not wake again so soon
            },
        .met =
            [this](HostId peer) {
                catch_up();
                step([&](const Member::Self& self, Member::Effects& fx) { member_.met(self, peer, fx); });
            },
        .ended = [this](HostId peer, bool has_ended) { set_ended(peer, has_ended); },
        .disowned = [this](HostId by, std::uint32_t met) { disowned(by, met); },
        .name_taken = [this] { fail(); },
        .member = [this](HostId host) { return daemon_in_view(host); },
        .petition = [this](const net::Petition& petition,
                           const Orders::Welcome& answer) { orders_.hear(petition, answer); },
    };
}

// Before anything is sent to a host that is new in the list.
void Shell::follow_list() {
    list_followed_ = host().known().version;
    const agreement::Settings& settings = host().settings();
    if (settings.hosts.empty()) return;
    // A host that is removed from the list learns it while there is a link to it.
    for (const HostId other : config_.others())
        if (!settings.admits(other)) mail_.send(other, host::Learn{host().known()});
    config_.hosts = agreed_hosts(file_, settings);
    if (config_.edition != 0 && config_.edition < settings.edition())
        log_info(
            fmt::format("all hosts know edition {} and write it from now on; an earlier allot can take no "
                        "part any more",
                        settings.edition()));
    config_.edition = settings.edition();
    folder_.write_in(config_.edition);
    mail_.follow_list();
    if (settings.admits(self_)) return;
    if (const auto noted = folder_.note_settings(settings); !noted) log_error(noted.error());
    const std::string why = "this host is not in the cluster any more";
    log_warning(why + "; `allot cluster join` brings it back");
    desk_.note("left", why);
    boost::asio::post(loop_, [this] { finish(); });
}

// A host that nobody has let join calls itself by the number of another one, and one that knows nothing of
// the cluster yet may have other times. It must not act like that.
Shell::Verdict Shell::judge(const agreement::Value& value) const {
    using Kind = Verdict::Kind;
    if (stopped_ || begins_again_) return {Kind::ignore};
    if (!value.settings || value.settings->hosts.empty()) return {Kind::take};
    const auto& hosts = value.settings->hosts;
    const bool has_number = self_ < hosts.size() && hosts[self_].name == config_.host;
    if (has_number && value.settings->founded == founded_) return {Kind::take};
    if (std::ranges::find(hosts, config_.host, &agreement::HostSettings::name) == hosts.end())
        return {Kind::refuse,
                fmt::format("host {} is not in the cluster that has this register; `allot cluster join "
                            "ADDRESS --config FILE` brings it there",
                            config_.host)};
    const auto config = with_agreed(file_, *value.settings);
    if (!config) return {Kind::refuse, config.error()};
    // Another version of allot may write the same settings in other words.
    return {has_number && founded_of(*config) == founded_of(config_) ? Kind::take : Kind::follow};
}

// Carries the verdict out. True if the member is to hear of the value.
bool Shell::obey(const Verdict& verdict, const agreement::Value& value) {
    using Kind = Verdict::Kind;
    if (verdict.kind == Kind::take && value.settings && !value.settings->hosts.empty())
        founded_ = value.settings->founded;
    if (verdict.kind == Kind::follow) follow(*value.settings);
    if (verdict.kind == Kind::refuse) {
        log_error(verdict.why);
        fail();
    }
    return verdict.kind == Kind::take;
}

// Another daemon follows that has these settings.
void Shell::follow(const agreement::Settings& settings) {
    if (const auto noted = folder_.note_settings(settings); !noted) {
        log_error(noted.error());
        return fail();
    }
    log_info("the cluster has agreed on other settings than this daemon has; it begins again with them");
    begins_again_ = true;
    loop_.stop();
}

// The file of a host is right about its own address.
void Shell::tell_own_address() {
    if (!std::exchange(told_address_, host().has_lease()) && told_address_ && !config_.address.empty() &&
        config_.has_address())
        orders_.tell_address({.opening = {}, .name = config_.host, .address = config_.address});
}

// The first member asks for the next edition when it has met all hosts, and all of them know it.
void Shell::raise_edition() {
    const agreement::Settings& settings = host().settings();
    const auto& members = host().known().members;
    if (settings.edition() >= newest_edition || !host().has_lease() || members.empty() ||
        members.front().site != self_)
        return;
    const auto known_by_all = [this] {
        Edition known = newest_edition;
        for (const HostId other : config_.others())
            known = std::min(known, mail_.status(other).newest_edition);
        return known;
    };
    if (known_by_all() > settings.edition()) orders_.raise(known_by_all);
}

std::optional<std::uint32_t> Shell::daemon_in_view(HostId one) const {
    const auto& members = host().views().newest().members;
    const auto member = std::ranges::find(members, SiteId(one), &Peer::site);
    if (member == members.end()) return std::nullopt;
    return daemon_of(member->incarnation);
}

void Shell::disowned(HostId by, std::uint32_t met) {
    begin_again(met << bits_of_lives,
                fmt::format("host {} has met a later daemon of this host: the clock was set back, or {} was "
                            "put back from an earlier time",
                            name_of(by), config_.state));
}

// The next daemon has a number after this one.
void Shell::begin_again(std::uint32_t used, const std::string& why) {
    progress_.use_up(used);
    log_error(why + ". This daemon begins again");
    desk_.note("disowned", why);
    begins_again_ = true;
    loop_.stop();
}

void Shell::set_ended(HostId peer, bool has_ended) {
    member_.host().ended(peer, has_ended);
    unsettled_ = true;
    engine_->ended(peer, has_ended);
}

void Shell::receive(HostId from, const Letter& letter) {
    if (begins_again_) return;
    catch_up();
    if (const auto why = objection_to(from, letter)) return refuse(from, *why);
    try {
        std::visit([&](const auto& kind) { receive_letter(from, kind); }, letter);
    } catch (const std::exception& failure) {
        failed_on_letter(from, failure.what());
    }
}

// The member judges messages of the machine itself.
std::optional<std::string> Shell::objection_to(HostId from, const Letter& letter) const {
    if (const auto* answer = std::get_if<ReportAnswer>(&letter))
        return objection(config_.name_of(from), *answer);
    if (const auto* evict = std::get_if<Evict>(&letter)) return objection(*evict);
    if (const auto* answer = std::get_if<RegisterAnswer>(&letter))
        return host::objection(host().edge(host_self()), answer->value);
    return std::nullopt;
}

void Shell::refuse(HostId from, const std::string& why) {
    act([&](Host& host, const Host::Self& self, host::Effects& fx) {
        host.refuse_message(self, from, why, fx);
    });
    unsettled_ = true;
}

// A handler that fails in the middle leaves a state that nobody may use, not even to begin the next life of
// this host, which takes requests over from it. So the next daemon begins, in this process, as after a crash:
// with what is on the disk and what the guardian knows. Programs go on, and the others make a new epoch. It
// has no link to the sender at first, who could do the same again.
void Shell::failed_on_letter(HostId from, const std::string& how) {
    suspects_[from] = "a message made this host fail: " + how;
    begin_again(myself().incarnation,
                fmt::format("a message of host {} made this daemon fail: {}", name_of(from), how));
}

void Shell::receive_letter(HostId from, const host::Frame& message) {
    act([&](Host& host, const Host::Self& self, host::Effects& fx) {
        host.receive(self, from, message, fx);
    });
}

void Shell::receive_letter(HostId from, const auto& message) {
    if constexpr (std::is_same_v<decltype(message), const agreement::Hello&>) engine_->compare(from, message);
    step([&](const Member::Self& self, Member::Effects& fx) { member_.receive(self, from, message, fx); });
}

Engine::Subject Shell::engine_subject() {
    return {
        .member = member_,
        .config = member_config_,
        .hears =
            [this](HostId host) {
                if (host >= config_.hosts.size()) return false;  // gone from the file
                const net::LinkStatus link = mail_.status(host);
                return link.connected && !link.silent;
            },
        .send = [this](HostId to, const Letter& letter) { mail_.send(to, letter); },
    };
}

Engine::Events Shell::engine_events() {
    return {
        .returned =
            [this](const agreement::Value& value) {
                if (!obey(judge(value), value)) return;
                catch_up();
                step([&](const Member::Self& self, Member::Effects& fx) {
                    member_.returned(self, value, fx);
                });
            },
        .learned =
            [this](const agreement::Value& value) {
                if (!obey(judge(value), value)) return;
                catch_up();
                step(
                    [&](const Member::Self& self, Member::Effects& fx) { member_.learned(self, value, fx); });
            },
        .synced =
            [this] {
                catch_up();
                step([&](const Member::Self& self, Member::Effects& fx) { member_.synced(self, fx); });
            },
        .changed = [this] { unsettled_ = true; },
        .failed = [this] { fail(); },
    };
}

// --- Programs.

Desk::Ways Shell::ways() {
    return {
        .obey = [this](const session::Order& order, const host::Caller& by,
                       const Orders::Done& done) { orders_.obey(order, by, done); },
        .wake = [this] { catch_up(); },
        .self = [this] { return self(); },
        .carry_out = [this](Member::Effects& fx) { carry_out(fx); },
        .status =
            [this](bool whole, const StatusReader& reader, std::function<void(const session::Status&)> done) {
                enquiries_.ask_status(whole, reader, std::move(done));
            },
    };
}

Orders::Ways Shell::order_ways() {
    return {
        .propose =
            [this](const agreement::Settings& settings) {
                act([&](Host& host, const Host::Self& self, host::Effects& fx) {
                    host.propose(self, settings, fx);
                });
                unsettled_ = true;
            },
        .withdraw = [this] { member_.host().withdraw_proposal(); },
        .certify = [this](Peer gone, bool has_ended) { member_.host().certify(gone, has_ended); },
        .find_voteless =
            [this](std::function<void(const std::set<std::string>&)> done) {
                enquiries_.ask_status(true, {.others = host::Reading::none},
                                      [this, done = std::move(done)](const session::Status& status) {
                                          catch_up();
                                          done(voteless_of(status));
                                      });
            },
        .trouble = [this] { return enquiries_.trouble(); },
    };
}

// There may be an alarm that is nearer than all before.
void Shell::after_turn() {
    tell_own_address();
    raise_edition();
    orders_.look();
    if (progress_.take_new_epoch()) progress_.finish_epoch(member_, mail_.take_report_bytes());
    if (std::exchange(unsettled_, false) && !stopped_) set_ticker();
    // A timer that is set too early costs less than one that is set again for each request.
    const auto next = desk_.next_alarm();
    if (!next || (alarm_set_ && *alarm_set_ <= *next)) return;
    alarm_set_ = next;
    alarm_.set(*next - Alarms::Clock::now(), [this] {
        alarm_set_.reset();
        desk_.pass_time();
    });
}

std::string Shell::trouble() const {
    if (std::string why = desk_.trouble(); !why.empty()) return why;
    if (!progress_.problem().empty()) return "cannot write what must survive a crash: " + progress_.problem();
    return engine_->trouble(self());
}

std::string Shell::warning() const {
    std::string exposure = config_.exposure();
    return exposure.empty() ? certificate_watch_.warning() : exposure;
}

// A start takes a moment, and so does a view; only a longer time is worth a line.
void Shell::log_silent_register() {
    const std::string why = stopping_ ? "" : enquiries_.trouble_of_register();
    if (why.empty()) {
        if (!std::exchange(why_unanswered_, {}).empty() && !stopping_) log_info("the register answers");
        return unanswered_since_.reset();
    }
    if (!unanswered_since_) unanswered_since_ = BootClock::now();
    if (why == why_unanswered_ || BootClock::now() - *unanswered_since_ < config_.agreed.silence) return;
    log_warning(host().has_lease() ? why : "nothing is granted here: " + why);
    why_unanswered_ = why;
}

}  // namespace

Result<int> run_shell(Config file, const std::function<Result<Config>()>& read_again) {
    ignore_stray_signals();
    set_log_name(file.host);
    set_log_level(file.log_level);
    std::optional<NoSignals> between;  // two shells, so that each signal finds one that answers it
    Shell::Suspects suspects;
    while (true) {
        // The settings file is read again, and complained about, when its folder is open.
        const auto settings = HostFolder(file.state).settings();
        const bool is_agreed = settings && *settings && !(*settings)->hosts.empty();
        auto config = is_agreed ? with_agreed(file, **settings) : Result<Config>(file);
        if (!config) return Error{config.error()};
        if (auto why = config->unlisted()) return Error{std::move(*why)};
        Shell shell(file, std::move(*config), read_again, std::exchange(suspects, {}));
        between.reset();
        auto code = shell.run();
        if (!shell.begins_again()) return code;
        suspects = shell.take_suspects();
        between.emplace();
    }
}

}  // namespace allot::daemon
