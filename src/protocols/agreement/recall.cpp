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
constexpr std::string_view copied_disk = "copied-disk";
constexpr std::string_view probes[]{rolled_back, asked_again, copied_disk};

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

Recall::Self Recall::self_of(const Context& ctx) const {
    return {.host = host_of(ctx.config, ctx.self),
            .incarnation = ctx.incarnation,
            .rules = {ctx.config.rules, {}},
            .nacks = ctx.config.nacks,
            .votes = asked_.empty() && !memory_.thrown_away};
}

// --- A voter that starts again.

void Recall::start(const Context& ctx, Effects& fx) {
    remembers_ = ctx.config.recalling.remember;
    step(ctx, fx, [&](const Self& self, RegisterEffects& out) {
        register_.start(self, founders(ctx.config.voters), ctx.incarnation == 0, out);
    });
    const SiteId me = host_of(ctx.config, ctx.self);
    const bool fresh = ctx.incarnation == 0 && ctx.self == me;
    const bool may_vote = !register_.voter().record.voters.empty() && !memory_.thrown_away;
    if (fresh || !may_vote || !ctx.config.recalling.ask_first) return;
    for (SiteId host = 0; host < ctx.config.sites; ++host)
        if (host != me && host == host_of(ctx.config, host)) asked_.push_back(host);
    if (!ctx.config.recalling.ask_all) asked_.pop_back();
    ask(ctx, fx);
}

void Recall::ask(const Context& ctx, Effects& fx) {
    for (SiteId machine = 0; machine < ctx.config.sites; ++machine)
        if (std::ranges::find(asked_, host_of(ctx.config, machine)) != asked_.end())
            fx.send(machine, WhichRank{{ctx.self, ctx.incarnation}});
    if (!asked_.empty()) fx.arm(Timer::ask, 1);
}

void Recall::receive(const Context& ctx, SiteId from, const WhichRank& message, Effects& fx) {
    if (is_old(ctx, message.sender) || refuses(ctx, message.sender, fx)) return;
    hear(ctx, message.sender, {}, fx);
    fx.send(from, HeardRank{message.sender.incarnation, heard_of(host_of(ctx.config, from)).rank});
}

void Recall::receive(const Context& ctx, SiteId from, const HeardRank& message, Effects& fx) {
    if (message.incarnation != ctx.incarnation) return;
    compare(ctx, message.rank, fx);
    std::erase(asked_, host_of(ctx.config, from));
    if (asked_.empty()) fx.disarm(Timer::ask);
}

void Recall::compare(const Context& ctx, const VoterRank& heard, Effects& fx) {
    if (heard <= rank() || memory_.thrown_away || !ctx.config.recalling.compare_ranks) return;
    fx.reached(rolled_back);
    throw_away(fx);
}

void Recall::throw_away(Effects& fx) {
    Memory next = memory_;
    next.thrown_away = true;
    write(std::move(next), fx);
}

// --- A disk on two machines.

bool Recall::is_copy(const Context& ctx, const Peer& sender) const {
    return sender.site != heard_of(host_of(ctx.config, sender.site)).sender.site;
}

// Nobody can know which of the two machines has the newer votes.
bool Recall::refuses(const Context& ctx, const Peer& sender, Effects& fx) {
    if (!is_copy(ctx, sender) || !ctx.config.recalling.one_machine) return false;
    fx.reached(copied_disk);
    fx.send(sender.site, Copied{});
    fx.send(heard_of(host_of(ctx.config, sender.site)).sender.site, Copied{});
    return true;
}

void Recall::receive(const Context&, SiteId, const Copied&, Effects& fx) {
    if (!memory_.thrown_away) throw_away(fx);
    asked_.clear();
    fx.disarm(Timer::ask);
}

// --- Memory.

VoterRank Recall::rank() const {
    const Voter& voter = register_.voter();
    return {voter.promised, voter.accepted.counter > 0 && voter.accepted == voter.promised};
}

// Every host has met the others at the first start.
Memory::Heard Recall::heard_of(SiteId host) const {
    const auto place = memory_.heard.find(host);
    return place == memory_.heard.end() ? Memory::Heard{.sender = {host, 0}, .rank = {}} : place->second;
}

bool Recall::is_old(const Context& ctx, const Peer& sender) const {
    return !is_copy(ctx, sender) &&
           sender.incarnation < heard_of(host_of(ctx.config, sender.site)).sender.incarnation;
}

void Recall::hear(const Context& ctx, const Peer& sender, const VoterRank& rank, Effects& fx) {
    const SiteId host = host_of(ctx.config, sender.site);
    const Memory::Heard before = heard_of(host);
    const Memory::Heard after{is_copy(ctx, sender) ? sender : std::max(before.sender, sender),
                              std::max(before.rank, rank)};
    if (after == before) return;
    Memory next = memory_;
    next.heard[host] = after;
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

template <class M>
void Recall::receive(const Context& ctx, SiteId from, const Framed<M>& message, Effects& fx) {
    if (is_old(ctx, message.sender) && ctx.config.recalling.new_links) return;
    if (refuses(ctx, message.sender, fx)) return;
    hear(ctx, message.sender, message.rank, fx);
    compare(ctx, message.heard, fx);
    step(ctx, fx, [&](const Self& self, RegisterEffects& out) {
        register_.receive(self, host_of(ctx.config, from), M(message), out);
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
        const auto known = heard_of(to).rank;
        for (SiteId machine = 0; machine < ctx.config.sites; ++machine) {
            if (host_of(ctx.config, machine) != to) continue;
            std::visit(
                [&]<class M>(const M& one) {
                    fx.send(machine, Framed<M>{one, {ctx.self, ctx.incarnation}, told, known});
                },
                message);
        }
    }
    if (!returned_) return;
    phase_ = Phase::holding;
    fx.disarm(Timer::retry);
    fx.granted({std::exchange(returned_, std::nullopt)->version});
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
    step(ctx, fx, [&](const Self& self, RegisterEffects& out) { register_.begin(self, kind, {}, {}, out); });
}

void Recall::timeout(const Context& ctx, Timer timer, Effects& fx) {
    if (timer == Timer::ask) {
        fx.reached(asked_again);
        return ask(ctx, fx);
    }
    if (register_.may_attempt() && register_.attempts() < ctx.config.ballots) {
        fx.arm(Timer::retry, first_wait << std::min(register_.attempts(), 4u));
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

    Memory::Heard heard_of(const Peer& peer) const { return here.heard_of(host_of(ctx.config, peer.site)); }
    template <class M>
    bool operator()(const Framed<M>& message) const {
        const Memory::Heard heard = heard_of(message.sender);
        if (here.is_old(ctx, message.sender) && ctx.config.recalling.new_links) return true;
        if (here.is_copy(ctx, message.sender)) return false;
        if (message.sender > heard.sender || message.rank > heard.rank) return false;
        if (message.heard > here.rank() && !here.memory_.thrown_away) return false;
        return !here.register_.heeds(here.self_of(ctx), sender.register_, 1, M(message));
    }
    bool operator()(const WhichRank& message) const {
        const SiteId me = host_of(ctx.config, ctx.self);
        const bool waits = std::ranges::find(sender.asked_, me) != sender.asked_.end();
        return here.is_old(ctx, message.sender) ||
               (message.sender == heard_of(message.sender).sender && !waits);
    }
    bool operator()(const HeardRank& message) const {
        return message.incarnation != ctx.incarnation ||
               (here.asked_.empty() && (message.rank <= here.rank() || here.memory_.thrown_away));
    }
    bool operator()(const Copied&) const { return here.memory_.thrown_away && here.asked_.empty(); }
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
