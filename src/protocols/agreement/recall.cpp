#include "protocols/agreement/recall.hpp"

#include <algorithm>

#include "core/draw.hpp"
#include "core/model.hpp"
#include "protocols/agreement/register_properties.hpp"

namespace allot {

using namespace agreement;

namespace {

constexpr std::string_view rolled_back = "rolled-back";
constexpr std::string_view asked_again = "asked-again";
constexpr std::string_view probes[]{rolled_back, asked_again};

}  // namespace

std::optional<std::string> Recall::config_error(const Config& config) {
    if (config.scripts.seal())
        return "--scripts " + config.scripts.text() + ": recall has one generation; write no S";
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

Recall::Self Recall::self_of(const Context& ctx) const {
    return {.host = ctx.self,
            .incarnation = ctx.incarnation,
            .rules = ctx.config.rules,
            .nacks = ctx.config.nacks,
            .votes = asked_.empty() && !memory_.thrown_away};
}

// --- A voter that starts again.

void Recall::start(const Context& ctx, Effects& fx) {
    remembers_ = ctx.config.recalling.remember;
    step(ctx, fx, [&](const Self& self, RegisterEffects& out) {
        register_.start(self, founders(ctx.config.voters), ctx.incarnation == 0, out);
    });
    const bool may_vote = !register_.voter().record.voters.empty() && !memory_.thrown_away;
    if (ctx.incarnation == 0 || !may_vote || !ctx.config.recalling.ask_first) return;
    for (SiteId host = 0; host < ctx.config.sites; ++host)
        if (host != ctx.self) asked_.push_back(host);
    if (!ctx.config.recalling.ask_all) asked_.pop_back();
    ask(ctx, fx);
}

void Recall::ask(const Context& ctx, Effects& fx) {
    for (const SiteId host : asked_) fx.send(host, WhichRank{{ctx.self, ctx.incarnation}});
    if (!asked_.empty()) fx.arm(Timer::ask, 1);
}

void Recall::receive(const Context&, SiteId from, const WhichRank& message, Effects& fx) {
    if (is_old(message.sender)) return;
    hear(message.sender, {}, fx);
    fx.send(from, HeardRank{message.sender.incarnation, heard_of(from).rank});
}

void Recall::receive(const Context& ctx, SiteId from, const HeardRank& message, Effects& fx) {
    if (message.incarnation != ctx.incarnation) return;
    compare(message.rank, fx);
    std::erase(asked_, from);
    if (asked_.empty()) fx.disarm(Timer::ask);
}

void Recall::compare(const VoterRank& heard, Effects& fx) {
    if (heard <= rank() || memory_.thrown_away) return;
    fx.reached(rolled_back);
    Memory next = memory_;
    next.thrown_away = true;
    write(std::move(next), fx);
}

// --- Memory.

VoterRank Recall::rank() const {
    const Voter& voter = register_.voter();
    return {voter.promised, voter.accepted.counter > 0 && voter.accepted == voter.promised};
}

Memory::Heard Recall::heard_of(SiteId host) const {
    const auto place = memory_.heard.find(host);
    return place == memory_.heard.end() ? Memory::Heard{} : place->second;
}

bool Recall::is_old(const Peer& sender) const {
    return sender.incarnation < heard_of(sender.site).incarnation;
}

void Recall::hear(const Peer& sender, const VoterRank& rank, Effects& fx) {
    const Memory::Heard before = heard_of(sender.site);
    const Memory::Heard after{std::max(before.incarnation, sender.incarnation), std::max(before.rank, rank)};
    if (after == before) return;
    Memory next = memory_;
    next.heard[sender.site] = after;
    write(std::move(next), fx);
}

void Recall::write(Memory memory, Effects& fx) {
    if (!synced_) synced_ = memory_;
    memory_ = std::move(memory);
    fx.persist();
}

Recall Recall::after_crash(Disk disk) const {
    Recall next;
    next.register_ = register_.after_crash(disk);
    if (disk == Disk::lost) return next;
    next.memory_ = synced_ && disk == Disk::kept ? *synced_ : memory_;
    if (!remembers_) next.memory_.heard.clear();
    return next;
}

// --- The register.

void Recall::receive(const Context& ctx, SiteId from, const Framed& message, Effects& fx) {
    if (is_old(message.sender) && ctx.config.recalling.new_links) return;
    hear(message.sender, message.rank, fx);
    compare(message.heard, fx);
    step(ctx, fx, [&](const Self& self, RegisterEffects& out) {
        register_.receive(self, from, message.message, out);
    });
}

template <class Action>
void Recall::step(const Context& ctx, Effects& fx, Action&& action) {
    const Self self = self_of(ctx);
    RegisterEffects out;
    action(self, out);
    register_.deliver_own(self, out);
    for (RegisterEffects::Send& send : out.sends) unsaid_.emplace_back(send.to, std::move(send.message));
    if (out.returned) returned_ = std::move(out.returned);
    if (out.persist) {
        if (!synced_) synced_ = memory_;
        fx.persist();
    }
    if (!synced_ || !ctx.config.recalling.write_first) speak(ctx, fx);
}

void Recall::synced(const Context& ctx, Effects& fx) {
    synced_.reset();
    step(ctx, fx, [&](const Self& self, RegisterEffects& out) { register_.synced(self, out); });
}

// Answers always tell the rank: they are the vote.
void Recall::speak(const Context& ctx, Effects& fx) {
    for (auto& [to, message] : std::exchange(unsaid_, {})) {
        const bool request = std::holds_alternative<Prepare>(message) ||
                             std::holds_alternative<Accept>(message) || std::holds_alternative<Read>(message);
        const VoterRank told = request && !ctx.config.recalling.own_rank ? VoterRank{} : rank();
        fx.send(to, Framed{{ctx.self, ctx.incarnation}, told, heard_of(to).rank, std::move(message)});
    }
    if (!returned_) return;
    phase_ = Phase::holding;
    fx.disarm(Timer::retry);
    fx.granted({std::exchange(returned_, std::nullopt)->version});
}

// --- The application.

bool Recall::may_request(const Context& ctx) const {
    return ctx.config.scripts.operation(ctx.self, taken_).has_value();
}

void Recall::request(const Context& ctx, const Demand&, Effects& fx) {
    const Operation kind = *ctx.config.scripts.operation(ctx.self, taken_++);
    phase_ = Phase::waiting;
    fx.arm(Timer::retry, 1);
    step(ctx, fx, [&](const Self& self, RegisterEffects& out) { register_.begin(self, kind, {}, {}, out); });
}

void Recall::timeout(const Context& ctx, Timer timer, Effects& fx) {
    if (timer == Timer::ask) {
        fx.reached(asked_again);
        return ask(ctx, fx);
    }
    if (register_.may_attempt() && register_.attempts() < ctx.config.ballots) {
        fx.arm(Timer::retry, 1u << std::min(register_.attempts(), 4u));
        return step(ctx, fx, [&](const Self& self, RegisterEffects& out) { register_.retry(self, out); });
    }
    register_.give_up();
    returned_.reset();
    phase_ = Phase::idle;
    fx.refused("no quorum of voters has answered");
}

void Recall::release(const Context&, Effects& fx) {
    phase_ = Phase::idle;
    fx.released();
}

// --- Messages that can still act.

struct Recall::Ignores {
    const Context& ctx;
    const Recall& here;
    const Recall& sender;

    bool operator()(const Framed& message) const {
        const Memory::Heard heard = here.heard_of(message.sender.site);
        if (here.is_old(message.sender) && ctx.config.recalling.new_links) return true;
        if (message.sender.incarnation > heard.incarnation || message.rank > heard.rank) return false;
        if (message.heard > here.rank() && !here.memory_.thrown_away) return false;
        return !here.register_.heeds(here.self_of(ctx), sender.register_, false, message.message);
    }
    bool operator()(const WhichRank& message) const {
        const bool waits = std::ranges::find(sender.asked_, ctx.self) != sender.asked_.end();
        return here.is_old(message.sender) ||
               (message.sender.incarnation == here.heard_of(message.sender.site).incarnation && !waits);
    }
    bool operator()(const HeardRank& message) const {
        return message.incarnation != ctx.incarnation ||
               (here.asked_.empty() && (message.rank <= here.rank() || here.memory_.thrown_away));
    }
};

bool Recall::ignores(const Context& ctx, const Recall& receiver, const Recall& sender,
                     const Message& message) {
    return std::visit(Ignores{ctx, receiver, sender}, message);
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
    .timers = {
        .fair = [](Timer) { return true; },
        .replaces = [](Timer timer,
                       const Message& message) { return timer == Timer::retry || message.index() > 0; },
        .backs_off = [](Timer) { return true; }},
    .durability = {.after_crash = &Recall::after_crash},
    .reduction = {.ignores = &ignores},
};

}  // namespace allot
