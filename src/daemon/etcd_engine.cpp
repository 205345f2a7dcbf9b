#include "daemon/etcd_engine.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/log.hpp"
#include "daemon/etcd_key.hpp"
#include "durable/register_record.hpp"

namespace allot::daemon {

using agreement::Value;
using etcd::Found;
using std::chrono::milliseconds;

EtcdEngine::EtcdEngine(boost::asio::io_context& loop, const Config& config, const Subject& subject,
                       Events events)
    : Engine(config, subject, std::move(events)),
      loop_(loop),
      hears_(subject.hears),
      send_(subject.send),
      rest_(loop) {}

std::optional<std::string> EtcdEngine::open(const HostFolder::Memory&) {
    auto settings = etcd_settings(config_);
    if (!settings) return settings.error();
    relay_ = std::make_unique<EtcdRelay>(
        loop_, *settings, time_of_call(config_),
        [this](net::HostId to, const RegisterAnswer& answer) { send_(to, answer); });
    client_ = std::make_unique<etcd::Client>(loop_, std::move(*settings));
    return std::nullopt;
}

std::string EtcdEngine::trouble(const host::Member::Self&) const {
    if (trouble_ != Trouble::none) return problem_;
    return has_answered_ ? restraint_.reason() : "this host waits for the first answer of etcd";
}

// --- Calls.

void EtcdEngine::call(const host::Member::Self& self, const host::Call& call) {
    client_->cancel_read();  // of a call that another host has answered
    asked_ = {.change = call.change,
              .id = {self.host, self.incarnation, ++calls_},
              .known = member_.host().known().version,
              .until = net::Timer::Clock::now() + time_of_call(config_),
              .is_open = true};
    rest_.cancel();
    const auto rest = rests_until_ - net::Timer::Clock::now();
    rest.count() > 0 ? rest_.set(rest, [this] { ask(); }) : ask();
    // It need not find out again that etcd is away.
    if (trouble_ == Trouble::silent || trouble_ == Trouble::relayed) ask_others();
}

// A host that wants a change calls again with the next tick: it must not keep etcd busy as long as the change
// is forbidden, or the content is not obeyed.
void EtcdEngine::rest() {
    rests_until_ = net::Timer::Clock::now() + config_.agreed.lease / 6;
}

milliseconds EtcdEngine::time_left() const {
    return std::chrono::duration_cast<milliseconds>(asked_.until - net::Timer::Clock::now());
}

namespace {

std::string advice_on(const std::string& problems) {
    if (problems.find("certificate") != std::string::npos)
        return "see that [register.tls] and etcd's certificates fit together";
    return "see that a majority of its members runs, and that this host reaches them";
}

}  // namespace

void EtcdEngine::ask() {
    client_->read(
        time_left(),
        [this](const Result<Found>& found) {
            if (found) return heard(*found);
            if (!asked_.is_open) return;
            helper_ = static_cast<net::HostId>((helper_ + 1) % config_.hosts.size());
            fail(Trouble::silent, fmt::format("etcd does not serve this host: {}; {}", found.error(),
                                              advice_on(found.error())));
        },
        [this] { ask_others(); });
}

void EtcdEngine::heard(const Found& found) {
    has_answered_ = true;
    asked_.is_served = true;
    follow(found);
    if (!asked_.is_open) return note(Trouble::none, "");  // another host was faster
    const auto value = value_in(found, config_.agreed.key);
    if (!value) return fail(Trouble::content, value.error() + ": it is not obeyed; " + began_again_advice());
    // A value that this host knew before it asked is never followed by an earlier one.
    if (value->version < asked_.known) return fail(Trouble::content, went_back(*value));
    restraint_.see(here(), *value);
    may_change(*value) ? exchange(found, *value) : answer(*value);
}

Restraint::Here EtcdEngine::here() const {
    constexpr int leases_until_dead = 20;
    return {.self = asked_.id.host,
            .hears = hears_,
            .silence = config_.agreed.silence,
            .patience = leases_until_dead * config_.agreed.lease,
            .now = net::Timer::Clock::now()};
}

// A register below the views in which this host has worked has forgotten them: nothing is built on it.
bool EtcdEngine::may_change(const Value& newest) {
    if (!asked_.change || newest.view < member_config_.least_view) return false;
    const auto& of = asked_.change->of;
    if (of && *of != agreement::ValueName{newest.id, newest.version}) return false;
    const bool is_forbidden = restraint_.forbids(here(), *asked_.change);
    if (is_forbidden) rest();
    return !is_forbidden;
}

// The read before has not used up all the time, or this one gets a little more.
void EtcdEngine::exchange(const Found& found, const Value& newest) {
    const agreement::Change change = *std::exchange(asked_.change, std::nullopt);
    const Value next = change.applied_to(newest, asked_.id);
    const milliseconds patience = client_->settings().patience;
    client_->exchange(
        found, {{config_.agreed.key, durable::text_of(next)}},
        std::clamp(time_left(), patience, 2 * patience),
        [this](const Result<etcd::Exchanged>& exchanged) { exchanged ? heard(exchanged->newest) : ask(); });
}

void EtcdEngine::answer(const Value& value) {
    asked_.is_open = false;
    if (asked_.is_served) note(Trouble::none, "");
    events_.returned(value);
}

void EtcdEngine::fail(Trouble kind, const std::string& why) {
    asked_.is_open = false;
    if (kind == Trouble::content) rest();
    note(kind, "the register cannot be used: " + why);
    member_.host().forget_call();
    events_.changed();
}

// Each failed call of an outage names the endpoints in another order: one line is enough.
void EtcdEngine::note(Trouble kind, const std::string& problem) {
    const bool is_news = kind != trouble_ || (kind == Trouble::content && problem != problem_);
    trouble_ = kind;
    problem_ = problem;
    if (!is_news) return;
    if (kind == Trouble::none) return log_info("the register can be used again");
    log_error(problem);
}

// --- Through other hosts.

// An answer to an earlier daemon of this host must not count for this one.
std::uint64_t EtcdEngine::question() const {
    return std::uint64_t{asked_.id.incarnation} << 32 | asked_.id.number;
}

// Two of those with a link: one may not reach etcd, either. A host that wants a change calls with every tick,
// and its questions must not keep the others busy.
void EtcdEngine::ask_others() {
    const auto now = net::Timer::Clock::now();
    if (asked_.others_are_asked || now < may_ask_others_) return;
    asked_.others_are_asked = true;
    may_ask_others_ = now + config_.agreed.lease / 6;
    constexpr int most = 2;
    const auto hosts = static_cast<net::HostId>(config_.hosts.size());
    int asked = 0;
    for (net::HostId i = 0; i < hosts && asked < most; ++i) {
        const net::HostId other = (helper_ + i) % hosts;
        if (other == asked_.id.host || !hears_(other)) continue;
        send_(other, RegisterQuery{question()});
        ++asked;
    }
}

// It may only be read: a change waits until this host reaches etcd.
void EtcdEngine::receive(net::HostId from, const RegisterAnswer& answered) {
    if (!asked_.is_open || asked_.is_served || answered.number != question()) return;
    if (answered.value.version < asked_.known) return;
    helper_ = from;
    note(Trouble::relayed,
         fmt::format("etcd does not serve this host, which reads the register through {}: {}",
                     config_.name_of(from), client_->problems()));
    answer(answered.value);
}

std::string EtcdEngine::began_again_advice() const {
    return fmt::format(
        "put back the newest content, or stop all hosts and their programs, and begin again with `allot "
        "cluster init --above {}`",
        std::max(member_.host().known().view, member_config_.least_view));
}

std::string EtcdEngine::went_back(const Value& found) const {
    return fmt::format(
        "etcd key {}: it holds view {}, and this host has seen view {}: the key was wiped, or etcd was put "
        "back "
        "from an earlier time; {}",
        config_.agreed.key, found.view, member_.host().known().view, began_again_advice());
}

// --- The watch.

// A watch that has not told a change which an earlier answer showed is deaf.
void EtcdEngine::follow(const Found& found) {
    const bool is_deaf = watch_ && watch_->told() < seen_;
    seen_ = found.mod_revision();
    if (watch_ && !is_deaf && watch_->endpoint() == client_->endpoint()) return;
    watch_ = std::make_unique<etcd::Watch>(
        loop_, client_->settings(), client_->endpoint(), found.revision,
        etcd::Watch::Events{.changed = [this](const etcd::Entry& entry) { learn(entry); },
                            .ended = [this](const std::string& why) { lose_watch(why); }});
}

// A read says so if the content is no value.
void EtcdEngine::learn(const etcd::Entry& entry) {
    watch_problem_.clear();
    const auto value = durable::parse_value(entry.value, config_.agreed.key);
    if (value) events_.learned(*value);
}

void EtcdEngine::lose_watch(const std::string& why) {
    const std::string problem = fmt::format("{}: {}", watch_->endpoint().text(), why);
    if (std::exchange(watch_problem_, problem) != problem)
        log_info("the watch of etcd has ended: " + problem + "; this host reads, and watches again");
    watch_.reset();
}

}  // namespace allot::daemon
