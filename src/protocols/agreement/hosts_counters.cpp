#include "protocols/agreement/hosts_counters.hpp"

#include <algorithm>

#include "core/draw.hpp"
#include "core/model.hpp"
#include "protocols/agreement/register_properties.hpp"
#include "protocols/multilock/model.hpp"

namespace allot {

using namespace agreement;

std::optional<std::string> HostsCounters::config_error(const Config& config) {
    if (config.voters < 1 || config.voters > config.sites)
        return "--voters " + std::to_string(config.voters) + ": with --sites " +
               std::to_string(config.sites) + " write a number from 1 to " + std::to_string(config.sites);
    if (config.lease < 2)
        return "--lease " + std::to_string(config.lease) +
               ": it would end before it is renewed; write 2 or more";
    for (const auto& [name, ticks] :
         {std::pair("lease", config.lease), std::pair("tolerance", config.tolerance)})
        if (ticks > most_ticks)
            return "--" + std::string(name) + " " + std::to_string(ticks) + ": write at most " +
                   std::to_string(most_ticks);
    // The clock of a member that is up may stand still for so many ticks of another.
    const std::uint32_t standstill = 2 * config.tolerance + 1;
    if (config.silence <= standstill)
        return "--silence " + std::to_string(config.silence) + ": with --tolerance " +
               std::to_string(config.tolerance) + " write " + std::to_string(standstill + 1) + " or more";
    return Counters::config_error(config);
}

std::optional<Domain> HostsCounters::domain(const Context& ctx, std::string_view member) {
    return Counters::domain({ctx.config, ctx.self}, member);
}

std::vector<Demand> HostsCounters::demands(const Context& ctx) {
    return Counters::demands({ctx.config, ctx.self});
}

void HostsCounters::sample(Draw& draw) {
    const auto sites = draw.number("sites", 2, 7);
    draw.number("voters", 1, std::min(sites, 5u));
    const auto resources = draw.number("resources", 1, 3);
    draw.number("max-request", 0, resources);
    draw.number("lease", 2, 5);
    const auto skew = draw.number("skew", 0, 1);
    const auto tolerance = draw.number("tolerance", skew, 1);
    draw.number("silence", 2 * tolerance + 2, 2 * tolerance + 4);
    draw.faults("whims", 3);
    draw.choice("recovered", {"queues", "users"});
    draw.choice("writes", {"instant", "late"});
    const auto crashes = draw.faults("crashes", 4);
    draw.faults("restarts", crashes);
    draw.faults("cuts", 4);
    // A longer pause may outlast the hold-off.
    if (skew < tolerance && draw.faults("pauses", 2) > 0) draw.number("pause-ticks", 1, 2);
    draw.choice("backlog", {"3", "6"});
    draw.requests(6);
}

void HostsCounters::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void HostsCounters::start(const Context& ctx, Effects& fx) {
    consult(ctx, fx, [&](const Self& self, RegisterEffects& out) {
        register_.start(self, founders(ctx.config.voters), ctx.incarnation == 0, out);
    });
    begin_life(ctx, fx);
    if (ctx.config.whims > 0) fx.arm(Timer::whim, 1);
}

HostsCounters HostsCounters::after_crash(Disk disk) const {
    HostsCounters next;
    next.register_ = register_.after_crash(disk);
    return next;
}

// --- The program.

void HostsCounters::request(const Context& ctx, const Demand& demand, Effects& fx) {
    demand_ = demand;
    act(ctx, fx, [&](const auto& inner, auto& out) { epochs_.request(inner, demand, out); });
}

void HostsCounters::release(const Context& ctx, Effects& fx) {
    act(ctx, fx, [&](const auto& inner, auto& out) { epochs_.release(inner, out); });
}

void HostsCounters::cancel(const Context& ctx, Effects& fx) {
    act(ctx, fx, [&](const auto& inner, auto& out) { epochs_.cancel(inner, out); });
}

namespace {

void pass_on(const Notice& notice, HostsCounters::Effects& fx) {
    switch (notice.kind) {
        case Notice::Kind::granted:
            return fx.granted(notice.fences);
        case Notice::Kind::released:
            return fx.released();
        case Notice::Kind::revoked:
            return fx.revoked();
        case Notice::Kind::refused:
            return fx.refused(notice.reason);
        case Notice::Kind::stopped:
            return fx.stopped();
    }
}

}  // namespace

template <class Action>
void HostsCounters::act(const Context& ctx, Effects& fx, Action&& action) {
    Inner::Effects out;
    action(allot::Context<Inner::Config>{ctx.config, ctx.self, myself(ctx).incarnation}, out);
    for (const auto& send : out.sends())
        std::visit([&](const auto& message) { fx.send(send.to, message); }, send.message);
    for (const Notice& notice : out.notices()) pass_on(notice, fx);
    for (const std::string_view probe : out.probes()) fx.reached(probe);
}

// A majority of the voters stays up: nobody is served without it.
bool HostsCounters::is_mortal(const Context& ctx) {
    return ctx.self > ctx.config.voters / 2;
}

// --- Time.

void HostsCounters::tick(const Context& ctx, Effects& fx) {
    ++now_;
    end_lease(ctx, fx);
    end_hold_offs(ctx, fx);
    go_on(ctx, fx);
    for (SiteId peer = 0; peer < ctx.config.sites; ++peer)
        if (peer != ctx.self) fx.send(peer, Alive{});
}

// A wrong proposal may cost time, but nothing else.
void HostsCounters::timeout(const Context& ctx, Timer, Effects& fx) {
    has_whim_ = true;
    if (++whims_ < ctx.config.whims) fx.arm(Timer::whim, 1);
}

void HostsCounters::end_lease(const Context& ctx, Effects& fx) {
    if (!has_lease_ || now_ < deadline_) return;
    has_lease_ = false;
    if (!ctx.config.hosts.stop_in_time) return;
    fx.reached("lease-ended");
    act(ctx, fx, [&](const auto& inner, auto& out) { epochs_.lapse(inner, out); });
}

HostsCounters::Ticks HostsCounters::hold_off(const Config& config) {
    return config.lease + 2 * config.tolerance - (config.hosts.whole_hold_off ? 0 : 1);
}

void HostsCounters::end_hold_offs(const Context& ctx, Effects& fx) {
    const Ticks whole = hold_off(ctx.config);
    for (auto one = missing_.begin(); one != missing_.end();) {
        if (now_ < one->second + whole) {
            ++one;
            continue;
        }
        const Peer stopped = one->first;
        one = missing_.erase(one);
        act(ctx, fx,
            [&](const auto& inner, auto& out) { epochs_.detected(inner, Detection::stopped, stopped, out); });
    }
    if (quiet_ || first_seen_ == 0 || now_ < first_seen_ + whole) return;
    quiet_ = true;
    act(ctx, fx, [&](const auto& inner, auto& out) { epochs_.quiet(inner, out); });
}

// --- The register.

template <class Action>
void HostsCounters::consult(const Context& ctx, Effects& fx, Action&& action) {
    const Self self{ctx.self, ctx.incarnation, {ctx.config.voting, {}}};
    RegisterEffects out;
    action(self, out);
    register_.deliver_own(self, out);
    for (RegisterEffects::Send& send : out.sends)
        std::visit([&](auto& message) { fx.send(send.to, std::move(message)); }, send.message);
    if (out.persist) fx.persist();
    if (out.returned) returned(ctx, *out.returned, fx);
    if (!ctx.config.hosts.returned_views) see(ctx, register_.voter().value, fx);
}

// Each tick the operation under way tries again, or the next one begins.
void HostsCounters::go_on(const Context& ctx, Effects& fx) {
    consult(ctx, fx, [&](const Self& self, RegisterEffects& out) {
        if (register_.busy()) return register_.retry(self, out);
        asked_ = now_;
        const auto members = wanted_members(ctx);
        has_whim_ = false;
        if (members)
            register_.begin(self, Operation::exchange, {.members = *members}, {}, out);
        else
            register_.begin(self, Operation::quick, {}, {}, out);
    });
}

namespace {

// Removes the member that comes after `self`, in a circle.
void remove_next(std::vector<Peer>& members, SiteId self) {
    auto next = std::ranges::upper_bound(members, self, {}, &Peer::site);
    if (next == members.end()) next = members.begin();
    if (next != members.end() && next->site != self) members.erase(next);
}

}  // namespace

// The members of the view that this host would like to have; nothing if it likes the newest.
std::optional<std::vector<Peer>> HostsCounters::wanted_members(const Context& ctx) const {
    const Value& known = register_.known();
    std::vector<Peer> members = known.members;
    if (!is_member(ctx, known)) {
        std::erase_if(members, [&](const Peer& one) { return one.site == ctx.self; });
        members.push_back(myself(ctx));
        std::ranges::sort(members);
        return members;
    }
    if (!has_lease_) return std::nullopt;
    std::erase_if(members, [&](const Peer& one) { return is_silent(ctx, one); });
    if (has_whim_) remove_next(members, ctx.self);
    if (members == known.members) return std::nullopt;
    return members;
}

bool HostsCounters::is_silent(const Context& ctx, const Peer& member) const {
    if (member.site == ctx.self) return false;
    const auto heard = heard_.find(member.site);
    return now_ >= (heard == heard_.end() ? 0 : heard->second) + ctx.config.silence;
}

void HostsCounters::returned(const Context& ctx, const Value& value, Effects& fx) {
    const bool is_new = value.version > seen_.version;
    if (is_member(ctx, value)) {
        const Ticks from = ctx.config.hosts.from_question ? asked_ : now_;
        deadline_ = std::max(deadline_, from + ctx.config.lease);
    }
    see(ctx, value, fx);
    if (is_member(ctx, value)) renew(ctx, fx);
    if (!is_new) return;
    for (SiteId peer = 0; peer < ctx.config.sites; ++peer)
        if (peer != ctx.self) fx.send(peer, Learn{value});
}

void HostsCounters::renew(const Context& ctx, Effects& fx) {
    if (has_lease_ || now_ >= deadline_) return;
    has_lease_ = true;
    act(ctx, fx, [&](const auto& inner, auto& out) { epochs_.renewed(inner, out); });
}

// --- Views.

Peer HostsCounters::myself(const Context& ctx) const {
    constexpr std::uint32_t most_lives = 1u << 16;
    return {ctx.self, ctx.incarnation * most_lives + life_};
}

bool HostsCounters::is_member(const Context& ctx, const Value& value) const {
    return std::ranges::find(value.members, myself(ctx)) != value.members.end();
}

void HostsCounters::see(const Context& ctx, const Value& value, Effects& fx) {
    if (value.version <= seen_.version) return;
    const bool was_member = first_seen_ != 0;
    if (!is_member(ctx, value)) {
        seen_ = value;
        if (!was_member) return;
        fx.reached("next-life");
        ++life_;
        return begin_life(ctx, fx);
    }
    if (was_member)
        for (const Peer& member : seen_.members)
            if (std::ranges::find(value.members, member) == value.members.end())
                missing_.try_emplace(member, now_);
    if (!was_member) first_seen_ = now_;
    seen_ = value;
    const AgreedView view{value.view, value.members, {}};
    act(ctx, fx, [&](const auto& inner, auto& out) { epochs_.seen(inner, view, out); });
}

// A request goes on in the next life; a program that runs is stopped. There is no lease yet.
void HostsCounters::begin_life(const Context& ctx, Effects& fx) {
    const bool waits = epochs_.phase() == Phase::waiting;
    act(ctx, fx, [&](const auto& inner, auto& out) { epochs_.lapse(inner, out); });
    epochs_ = Inner();
    has_lease_ = false;
    deadline_ = 0;
    first_seen_ = 0;
    quiet_ = false;
    missing_.clear();
    act(ctx, fx, [&](const auto& inner, auto& out) {
        epochs_.lapse(inner, out);
        if (waits) epochs_.request(inner, demand_, out);
    });
}

// --- Messages of views.

void HostsCounters::take(const Context& ctx, SiteId from, const Inner::HostReport& report, Effects& fx) {
    act(ctx, fx, [&](const auto& inner, auto& out) { epochs_.receive(inner, from, report, out); });
}

void HostsCounters::take(const Context& ctx, SiteId from, const Inner::Frame& frame, Effects& fx) {
    act(ctx, fx, [&](const auto& inner, auto& out) { epochs_.receive(inner, from, frame, out); });
}

void HostsCounters::take(const Context&, SiteId, const Alive&, Effects&) {}

void HostsCounters::take(const Context& ctx, SiteId, const Learn& learn, Effects& fx) {
    register_.learn(learn.value);
    see(ctx, learn.value, fx);
}

void HostsCounters::synced(const Context& ctx, Effects& fx) {
    consult(ctx, fx, [&](const Self& self, RegisterEffects& out) { register_.synced(self, out); });
}

// --- Properties.

namespace {

constexpr PropertyName properties[]{
    {"one-holder", "no resource is used by two programs"},
    {"fences-grow", "every grant of a resource has a higher fence than the one before"},
    {"lease-holds", "no program runs at a host whose lease has ended"},
    one_value,
    one_chain,
    promise_kept,
};
constexpr std::array<std::string_view, 13> probes{
    "lease-ended",      "next-life",       "skipped-view",  "superseded-view", "early-report",
    "early-frame",      "void-frame",      "cold-start",    "single-member",   "deferred-release",
    "deferred-request", "stopped-program", "withheld-grant"};

}  // namespace

void HostsCounters::on_state(const View<HostsCounters>& view, Report& report) {
    multilock::check_one_holder(view, report);
    check_values(view, report);
    for (const auto* site : view.sites)
        if (site->up() && site->holding() && !site->protocol.has_lease())
            report.violated("lease-holds", "a program runs at a host without a lease");
}

constinit const Model<HostsCounters, FencesGrow> HostsCounters::model{
    .name = "hosts-counters",
    .problem = "agreement",
    .summary = "register, leases and views in one machine, with locks by counters",
    .source = "views as in Birman and Joseph: Exploiting virtual synchrony in distributed systems (1987)",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .domain = &domain,
    .sample = &sample,
    .requests = multilock::named_requests<HostsCounters>(&demands),
    .faults = {.mortal = &is_mortal},
    .durability = {.after_crash = &HostsCounters::after_crash},
};

}  // namespace allot
