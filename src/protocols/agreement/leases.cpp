#include "protocols/agreement/leases.hpp"

#include <algorithm>

#include "core/draw.hpp"
#include "core/model.hpp"

namespace allot {

using namespace agreement;

namespace {

constexpr Peer user{0, 0};

constexpr std::string_view renewed = "renewed";
constexpr std::string_view late_answer = "late-answer";
constexpr std::string_view stopped_by_time = "stopped-by-time";
constexpr std::string_view stopped_by_removal = "stopped-by-removal";
constexpr std::string_view read_by_attempt = "read-by-attempt";
constexpr std::string_view held_off = "held-off";
constexpr std::string_view asked_twice = "question-waits";
constexpr std::string_view probes[]{renewed,         late_answer, stopped_by_time, stopped_by_removal,
                                    read_by_attempt, held_off,    asked_twice};

}  // namespace

std::optional<std::string> Leases::config_error(const Config& config) {
    const auto number = [](const char* name, std::uint32_t value) {
        return "--" + std::string(name) + " " + std::to_string(value) + ": ";
    };
    if (config.sites < 2)
        return number("sites", config.sites) + "there are a user and a remover; write at least 2";
    if (config.voters < 1 || config.voters > config.sites)
        return number("voters", config.voters) + "with --sites " + std::to_string(config.sites) +
               " write a number from 1 to " + std::to_string(config.sites);
    for (const auto& [name, ticks] :
         {std::pair("lease", config.lease), std::pair("tolerance", config.tolerance)})
        if (ticks > most_ticks) return number(name, ticks) + "write at most " + std::to_string(most_ticks);
    if (config.lease < 1) return number("lease", config.lease) + "a lease lasts; write at least 1";
    if (config.grace < 1) return number("grace", config.grace) + "programs take time; write at least 1";
    if (config.ballots < 1) return number("ballots", 0) + "an operation needs a ballot; write at least 1";
    if (config.through_peer && config.sites < 3)
        return number("sites", config.sites) + "--through-peer needs a third site; write at least 3";
    return std::nullopt;
}

// A run shows one removal at most. In half of the runs everything is as small as it can be, and the programs
// ask without end: then many of them ask around the removal.
void Leases::sample_around_removal(Draw& draw) {
    const auto sites = draw.number("sites", 3, 3);
    draw.number("voters", std::min(sites, 3u), std::min(sites, 3u));
    draw.number("lease", 1, 1);
    draw.number("renewals", 0, 0);
    draw.number("ballots", 1, 4);
    draw.choice("copies", {"100"});
    draw.choice("requests", {"any"});
    if (sites > 2 && draw.toggle("through-peer")) return;
    const auto crashes = draw.coin() ? draw.number("crashes", 3, 3) : 0;
    draw.number("restarts", crashes, crashes);
    draw.number("lost-disks", crashes, crashes);
}

void Leases::sample(Draw& draw) {
    if (draw.coin()) return sample_around_removal(draw);
    const auto sites = draw.coin() ? draw.number("sites", 3, 3) : draw.number("sites", 2, 7);
    draw.number("voters", draw.coin() ? std::min(sites, 3u) : 1, std::min(sites, 5u));
    draw.number("lease", 1, draw.coin() ? 4 : 16);
    draw.number("renewals", 0, 4);
    draw.number("ballots", 1, 4);
    draw.toggle("nacks");
    draw.choice("copies", {"1", "1", "100"});
    draw.requests(3);
    const bool kernel = draw.coin() && draw.toggle("one-kernel");
    if (kernel && draw.toggle("orphans")) {
        const auto grace = draw.number("grace", 1, 4);
        draw.number("orphan-ticks", grace, grace);
    }
    if (sites > 2 && !kernel) draw.toggle("through-peer");
    const auto tolerance = draw.number("tolerance", 0, draw.coin() ? 0 : 1);
    const auto skew = draw.number("skew", 0, tolerance);
    const auto crashes = draw.number("crashes", kernel ? 1 : 0, 3);
    draw.number("restarts", crashes / 2, crashes);
    draw.number("lost-disks", crashes / 2, crashes);
    draw.faults("cuts", 2);
    // A longer pause may outlast the hold-off.
    if (skew < tolerance && draw.faults("pauses", 2) > 0) draw.number("pause-ticks", 1, 2);
    if (draw.coin()) return;
    draw.faults("lose", 4);
    draw.faults("duplicate", 2);
    draw.choice("writes", {"instant", "late"});
}

void Leases::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

// Everybody who is there from the start is a member by the first value, which nobody proposed.
bool Leases::is_member(const Value& value) {
    return value.id == ValueId{} || std::ranges::find(value.members, user) != value.members.end();
}

std::uint32_t Leases::hold_off(const Config& config) {
    const std::uint32_t whole = config.one_kernel ? config.grace : config.lease + 2 * config.tolerance;
    return whole - (config.leasing.whole_hold_off ? 0 : 1);
}

void Leases::start(const Context& ctx, Effects& fx) {
    step(ctx, fx, [&](const Self& self, RegisterEffects& out) {
        register_.start(self, founders(ctx.config.voters), ctx.incarnation == 0, out);
    });
}

Leases Leases::after_crash(Disk disk) const {
    Leases next;
    next.register_ = register_.after_crash(disk);
    return next;
}

// A later incarnation of the user is another host: it would have to join.
bool Leases::may_request(const Context& ctx) const {
    if (is_user(ctx)) return !removed_ && ctx.incarnation == user.incarnation;
    if (register_.busy()) return false;
    return !is_remover(ctx) || !ctx.config.one_kernel || dead_;
}

void Leases::request(const Context& ctx, const Demand&, Effects& fx) {
    phase_ = Phase::waiting;
    if (!is_user(ctx)) return look(ctx, fx);
    if (left_ > 0) return run(ctx, fx);
    if (!age_) ask(ctx, fx);
}

void Leases::release(const Context&, Effects& fx) {
    phase_ = Phase::idle;
    fx.disarm(Timer::renew);
    fx.released();
}

// --- The user.

void Leases::ask(const Context& ctx, Effects& fx) {
    age_ = 0;
    if (!ctx.config.through_peer) return begin(ctx, Operation::quick, fx);
    fx.send(peer(ctx.config), Ask{++questions_});
    fx.arm(Timer::retry, 1);
}

void Leases::receive(const Context& ctx, SiteId, const Told& message, Effects& fx) {
    if (!age_ || message.number != questions_) return;
    fx.disarm(Timer::retry);
    answered(ctx, message.value, fx);
}

void Leases::answered(const Context& ctx, const Value& value, Effects& fx) {
    const std::uint32_t spent = ctx.config.leasing.from_question ? *age_ : 0;
    age_.reset();
    if (!is_member(value)) {
        removed_ = true;
        left_ = 0;
        if (phase_ == Phase::holding) fx.reached(stopped_by_removal);
        return stop(fx, "the host was removed");
    }
    left_ = std::max(left_, ctx.config.lease - spent);
    if (spent == ctx.config.lease) fx.reached(late_answer);
    if (phase_ == Phase::idle) return;
    if (left_ == 0) return stop(fx, "the answer came too late");
    run(ctx, fx);
}

void Leases::run(const Context& ctx, Effects& fx) {
    if (phase_ == Phase::waiting) {
        phase_ = Phase::holding;
        fx.granted();
    } else {
        fx.reached(renewed);
    }
    if (renewals_ < ctx.config.renewals && !age_) fx.arm(Timer::renew, 1);
}

void Leases::stop(Effects& fx, const char* reason) {
    fx.disarm(Timer::renew);
    if (phase_ == Phase::holding) fx.stopped();
    if (phase_ == Phase::waiting) fx.refused(reason);
    phase_ = Phase::idle;
}

void Leases::pass_time(const Context& ctx, Effects& fx) {
    if (age_) age_ = std::min(*age_ + 1, ctx.config.lease);
    if (ctx.config.one_kernel || left_ == 0 || --left_ > 0 || phase_ != Phase::holding) return;
    fx.reached(stopped_by_time);
    stop(fx, "");
}

// The incarnation that was a member is over, and its programs with it.
void Leases::adopt(const Context&, const input::Adopt&, Effects& fx) {
    phase_ = Phase::holding;
    stop(fx, "");
}

// --- The others.

void Leases::look(const Context& ctx, Effects& fx) {
    if (saw_removal_) return enter(ctx, fx);
    if (!ctx.config.leasing.not_from_proposal) count_from_now(ctx);
    looks_ = true;
    begin(ctx, is_remover(ctx) ? Operation::exchange : Operation::quick, fx);
}

void Leases::looked(const Context& ctx, const Value& value, Effects& fx) {
    looks_ = false;
    if (!is_member(value)) {
        saw_removal_ = true;
        count_from_now(ctx);
        return enter(ctx, fx);
    }
    if (phase_ != Phase::waiting) return;
    phase_ = Phase::idle;
    fx.refused("site 0 is a member");
}

void Leases::count_from_now(const Context& ctx) {
    if (!wait_) wait_ = hold_off(ctx.config);
}

bool Leases::may_enter(const Config& config) const {
    if (!saw_removal_) return false;
    if (config.one_kernel && (programs_stopped_ || !config.leasing.programs_stop)) return true;
    return wait_ == 0;
}

void Leases::enter(const Context& ctx, Effects& fx) {
    if (phase_ != Phase::waiting || !may_enter(ctx.config)) return;
    phase_ = Phase::holding;
    fx.granted();
}

void Leases::tick(const Context& ctx, Effects& fx) {
    if (is_user(ctx)) return pass_time(ctx, fx);
    if (!wait_ || *wait_ == 0 || --*wait_ > 0) return;
    fx.reached(held_off);
    enter(ctx, fx);
}

bool Leases::watches(const Context& ctx, SiteId peer) const {
    return ctx.config.one_kernel && peer == user.site;
}

void Leases::detected(const Context& ctx, Detection detection, Peer peer, Effects& fx) {
    if (peer != user) return;
    const bool silent = detection == Detection::suspected && !ctx.config.leasing.certain_deaths;
    if (detection == Detection::dead || silent) dead_ = true;
    if (detection == Detection::stopped) programs_stopped_ = true;
    enter(ctx, fx);
}

void Leases::receive(const Context& ctx, SiteId from, const Ask& message, Effects& fx) {
    const LeaseRules& rules = ctx.config.leasing;
    if (!rules.not_from_memory) return fx.send(from, Told{message.number, register_.known()});
    if (!rules.new_read && register_.busy()) {
        answering_ = message;
        return;
    }
    if (register_.busy()) fx.reached(asked_twice);
    asked_ = message;
    read_for_user(ctx, fx);
}

void Leases::read_for_user(const Context& ctx, Effects& fx) {
    if (!asked_ || register_.busy()) return;
    answering_ = std::exchange(asked_, std::nullopt);
    begin(ctx, Operation::quick, fx);
}

// --- The register.

template <class Action>
void Leases::step(const Context& ctx, Effects& fx, Action&& action) {
    const Self self{ctx.self, ctx.incarnation, {ctx.config.rules, {}}, ctx.config.nacks};
    RegisterEffects out;
    action(self, out);
    register_.deliver_own(self, out);
    for (RegisterEffects::Send& send : out.sends)
        std::visit([&](auto& message) { fx.send(send.to, std::move(message)); }, send.message);
    if (out.persist) fx.persist();
    if (!is_user(ctx) && !ctx.config.leasing.not_from_acceptance && !is_member(register_.voter().value))
        count_from_now(ctx);
    if (out.returned) returned(ctx, *out.returned, fx);
}

void Leases::begin(const Context& ctx, Operation kind, Effects& fx) {
    std::vector<Peer> others;
    for (SiteId site = 1; site < ctx.config.sites; ++site) others.push_back({site, 0});
    fx.arm(Timer::retry, 1);
    step(ctx, fx, [&](const Self& self, RegisterEffects& out) {
        register_.begin(self, kind, {.members = std::move(others)}, {}, out);
    });
}

void Leases::returned(const Context& ctx, const Value& value, Effects& fx) {
    fx.disarm(Timer::retry);
    if (is_user(ctx)) return answered(ctx, value, fx);
    if (answering_) fx.send(user.site, Told{std::exchange(answering_, std::nullopt)->number, value});
    if (looks_) looked(ctx, value, fx);
    read_for_user(ctx, fx);
}

void Leases::synced(const Context& ctx, Effects& fx) {
    step(ctx, fx, [&](const Self& self, RegisterEffects& out) { register_.synced(self, out); });
}

void Leases::timeout(const Context& ctx, Timer timer, Effects& fx) {
    if (timer == Timer::renew) {
        ++renewals_;
        return ask(ctx, fx);
    }
    if (!register_.busy() || register_.attempts() >= ctx.config.ballots) return give_up(ctx, fx);
    fx.reached(read_by_attempt);
    fx.arm(Timer::retry, 1u << std::min(register_.attempts(), 4u));
    step(ctx, fx, [&](const Self& self, RegisterEffects& out) { register_.retry(self, out); });
}

void Leases::give_up(const Context& ctx, Effects& fx) {
    register_.give_up();
    age_.reset();
    answering_.reset();
    if (phase_ == Phase::waiting && (looks_ || is_user(ctx))) {
        phase_ = Phase::idle;
        fx.refused("no quorum of voters has answered");
    }
    looks_ = false;
    if (is_user(ctx) && phase_ == Phase::holding) run(ctx, fx);
    read_for_user(ctx, fx);
}

// --- Properties.

namespace {

constexpr PropertyName no_overlap{"no-overlap",
                                  "the program of a removed host and that of another never run at once"};
constexpr PropertyName stopped_in_time{
    "stopped-in-time", "when a hold-off is over, the program of the removed host does not run any more"};
constexpr PropertyName properties[]{no_overlap, stopped_in_time};

}  // namespace

void Leases::on_state(const View<Leases>& view, Report& report) {
    const auto& removed = view.site(user.site);
    if (removed.in_use() == nullptr) return;
    for (const auto* site : view.sites) {
        if (site != &removed && site->in_use() != nullptr)
            report.violated(no_overlap.name, "the program of the removed host and another one run at once");
        if (site->protocol.may_enter(view.config))
            report.violated(stopped_in_time.name, "a hold-off is over, and the removed host runs a program");
    }
}

constinit const Model<Leases> Leases::model{
    .name = "leases",
    .problem = "agreement",
    .summary = "a host runs its program under a lease, and another one after the removal of the first",
    .source = "leases as in Gray and Cheriton: Leases, an efficient mechanism for cache consistency (1989)",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .sample = &sample,
    .requests = {.may_request = &Leases::may_request},
    .timers = {.fair = [](Timer timer) { return timer == Timer::retry; },
               .replaces = [](Timer timer, const Message&) { return timer == Timer::retry; },
               .backs_off = [](Timer) { return true; }},
    .faults = {.hears = {Detection::trusted, Detection::dead, Detection::suspected, Detection::stopped},
               .watches = &Leases::watches,
               .needs_anchor = [](const Config&) { return false; }},
    .durability = {.after_crash = &Leases::after_crash},
};

}  // namespace allot
