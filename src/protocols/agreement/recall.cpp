#include "protocols/agreement/recall.hpp"

#include <algorithm>

#include "core/draw.hpp"
#include "core/model.hpp"
#include "protocols/agreement/register_properties.hpp"

namespace allot {

using namespace agreement;

namespace {

constexpr std::string_view asked_again = "asked-again";
constexpr std::string_view probes[]{probe::rolled_back, asked_again, probe::copied_disk};

}  // namespace

std::optional<std::string> Recall::config_error(const Config& config) {
    if (config.scripts.seal())
        return "--scripts " + config.scripts.text() + ": recall has one generation; write no S";
    if (config.twin && config.sites <= std::max(config.voters, 2u))
        return "--sites " + std::to_string(config.sites) +
               ": --twin needs a site that does not vote; write at least " +
               std::to_string(std::max(config.voters, 2u) + 1);
    return RegisterProtocol::config_error({.sites = config.sites,
                                           .voters = config.voters,
                                           .ballots = config.ballots,
                                           .scripts = config.scripts});
}

// One disk is rolled back at most: a second host that forgets may have been the one who knew. There are two
// voters at least: a lone one that proposes commits without a word to anybody.
void Recall::sample(Draw& draw) {
    const auto sites = draw.coin() ? draw.number("sites", 3, 3) : draw.number("sites", 2, 7);
    draw.number("voters", std::min(sites, 2u), std::min(sites, draw.coin() ? 3u : 5u));
    draw.number("ballots", 1, draw.coin() ? 1 : 4);
    draw.toggle("nacks");
    draw.choice("scripts", {"C", "CG", "GC", "GGGC", "QC", "IQ"});
    draw.choice("copies", {"1", "1", "100"});
    draw.choice("requests", {"1", "2", "3", "any"});
    const auto crashes = draw.number("crashes", 1, 3);
    draw.number("restarts", crashes, crashes);
    draw.number("restored-disks", 1, 1);
    draw.choice("writes", {"instant", "late"});
    if (draw.coin()) return;
    draw.faults("lose", 4);
    draw.faults("duplicate", 2);
}

void Recall::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

Recall::Self Recall::self_of(const Context& ctx) {
    Self self{.machine = ctx.self,
              .incarnation = ctx.incarnation,
              .machines = ctx.config.sites,
              .twin = std::nullopt,
              .recalling = ctx.config.recalling,
              .rules = {ctx.config.rules, {}},
              .nacks = ctx.config.nacks};
    if (ctx.config.twin) self.twin = ctx.config.sites - 1;
    return self;
}

template <class Action>
void Recall::step(const Context& ctx, Effects& fx, Action&& action) {
    RecallingEffects out;
    action(self_of(ctx), out);
    for (RecallingEffects::Send& send : out.sends)
        std::visit([&](auto& message) { fx.send(send.to, std::move(message)); }, send.message);
    for (const std::string_view probe : out.probes) fx.reached(probe);
    if (out.persist) fx.persist();
    if (!recalling_.awaits_ranks()) fx.disarm(Timer::ask);
    if (!out.returned) return;
    phase_ = Phase::holding;
    fx.disarm(Timer::retry);
    fx.granted({out.returned->version});
}

void Recall::start(const Context& ctx, Effects& fx) {
    step(ctx, fx, [&](const Self& self, RecallingEffects& out) {
        recalling_.start(self, founders(ctx.config.voters), ctx.incarnation == 0, out);
    });
    if (recalling_.awaits_ranks()) fx.arm(Timer::ask, 1);
}

void Recall::take(const Context& ctx, SiteId from, const Message& message, Effects& fx) {
    step(ctx, fx,
         [&](const Self& self, RecallingEffects& out) { recalling_.receive(self, from, message, out); });
}

void Recall::synced(const Context& ctx, Effects& fx) {
    step(ctx, fx, [&](const Self& self, RecallingEffects& out) { recalling_.synced(self, out); });
}

Recall Recall::after_crash(Disk disk) const {
    Recall next;
    next.recalling_ = recalling_.after_crash(disk);
    return next;
}

// --- The application.

bool Recall::may_request(const Context& ctx) const {
    return ctx.self == host_of(ctx.config, ctx.self) &&
           ctx.config.scripts.operation(ctx.self, taken_).has_value();
}

void Recall::request(const Context& ctx, const Demand&, Effects& fx) {
    const Operation kind = *ctx.config.scripts.operation(ctx.self, taken_++);
    phase_ = Phase::waiting;
    fx.arm(Timer::retry, first_wait);
    step(ctx, fx, [&](const Self& self, RecallingEffects& out) { recalling_.begin(self, kind, {}, out); });
}

void Recall::timeout(const Context& ctx, Timer timer, Effects& fx) {
    if (timer == Timer::ask) {
        fx.reached(asked_again);
        fx.arm(Timer::ask, 1);
        return step(ctx, fx, [&](const Self& self, RecallingEffects& out) { recalling_.ask(self, out); });
    }
    const Register& inner = recalling_.inner();
    if (inner.may_attempt() && inner.attempts() < ctx.config.ballots) {
        fx.arm(Timer::retry, first_wait << std::min(inner.attempts(), 4u));
        return step(ctx, fx, [&](const Self& self, RecallingEffects& out) { recalling_.retry(self, out); });
    }
    recalling_.give_up();
    phase_ = Phase::idle;
    fx.refused("no quorum of voters has answered");
}

void Recall::release(const Context&, Effects& fx) {
    phase_ = Phase::idle;
    fx.released();
}

bool Recall::ignores(const Context& ctx, const Recall& receiver, const Recall& sender,
                     const Message& message) {
    return !receiver.recalling_.heeds(self_of(ctx), sender.recalling_, message);
}

// --- Properties.

namespace {

constexpr PropertyName never_older{"never-older",
                                   "an operation returns no older value than one returned before it began"};
constexpr PropertyName properties[]{one_value, one_chain, promise_kept, never_older};

}  // namespace

constinit const Model<Recall, NeverOlder> Recall::model{
    .name = "recall",
    .problem = "agreement",
    .summary = "voters whose disks are rolled back ask their peers before they vote",
    .source = "for the register after Rystsov: CASPaxos, replicated state machines without logs (2018)",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &check_values<Recall>,
    .probes = probes,
    .config_error = &config_error,
    .sample = &sample,
    .requests = {.may_request = &Recall::may_request},
    .timers = {.fair = [](Timer) { return true; },
               .replaces =
                   [](Timer timer, const Message& message) {
                       return timer == Timer::retry || std::holds_alternative<WhichRank>(message) ||
                              std::holds_alternative<HeardRank>(message) ||
                              std::holds_alternative<Copied>(message);
                   },
               .backs_off = [](Timer) { return true; }},
    .durability = {.after_crash = &Recall::after_crash},
    .reduction = {.ignores = &ignores},
};

}  // namespace allot
