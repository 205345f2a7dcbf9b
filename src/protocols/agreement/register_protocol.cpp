#include "protocols/agreement/register_protocol.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "core/model.hpp"
#include "protocols/agreement/lone_run.hpp"
#include "protocols/agreement/register_properties.hpp"

namespace allot {

using namespace agreement;

namespace agreement {

namespace {

std::optional<Operation> operation_of(char letter) {
    switch (letter) {
        case 'C':
            return Operation::exchange;
        case 'I':
            return Operation::change;
        case 'Q':
            return Operation::quick;
        case 'G':
            return Operation::glance;
        case 'R':
            return Operation::read;
        case 'S':
            return Operation::seal;
        default:
            return std::nullopt;
    }
}

bool is_operation(char letter) {
    return operation_of(letter).has_value();
}

}  // namespace

Result<Scripts> Scripts::parse(std::string_view name, std::string_view text) {
    Scripts read;
    read.text_ = text;
    read.scripts_ = split_list(text);
    for (const std::string& script : read.scripts_)
        if (script != "-" && (script.empty() || !std::ranges::all_of(script, is_operation)))
            return Error{"--" + std::string(name) + " " + std::string(text) +
                         ": write letters C, I, R, Q, G or S for each site, or -, as in QC or C,C,-"};
    return read;
}

std::optional<Operation> Scripts::operation(SiteId site, std::uint32_t taken) const {
    const std::string& script = scripts_[scripts_.size() == 1 ? 0u : std::uint32_t{site}];
    return operation_of(script[taken % script.size()]);
}

void NeverOlder::observe(const Event& event, Report& report) {
    if (event.kind == Event::Kind::requested) at_least[event.site] = newest;
    if (event.kind == Event::Kind::granted) {
        const Stamp version = event.fences.front();
        if (version < at_least[event.site])
            report.violated("never-older",
                            "a value is returned that is older than one that was returned "
                            "before the operation began");
        newest = max(newest, version);
    }
    if (event.kind != Event::Kind::requested) at_least.erase(event.site);
}

}  // namespace agreement

std::optional<std::string> RegisterProtocol::config_error(const Config& config) {
    if (config.voters < 1 || config.voters > config.sites)
        return "--voters " + std::to_string(config.voters) + ": with --sites " +
               std::to_string(config.sites) + " write a number from 1 to " + std::to_string(config.sites);
    if (config.ballots < 1) return "--ballots 0: an operation needs a ballot; write at least 1";
    if (config.scripts.size() != 1 && config.scripts.size() != config.sites)
        return "--scripts " + config.scripts.text() + ": write one script, or " +
               std::to_string(config.sites) + " of them, one per site";
    return std::nullopt;
}

void RegisterProtocol::sample(Draw& draw) {
    const auto sites = draw.number("sites", 2, 7);
    draw.number("voters", 1, std::min(sites, 5u));
    draw.number("ballots", 1, 4);
    draw.number("looks", 0, 2);
    if (draw.choice("scripts", {"C", "QC", "CQ", "IQ", "SCQ", "CSQR"}).find('S') != std::string::npos)
        draw.number("seals", 1, 3);
    draw.requests(3);
    const auto crashes = draw.faults("crashes", 3);
    draw.faults("restarts", crashes);
    draw.faults("lose", 4);
    draw.faults("duplicate", 2);
    draw.choice("writes", {"instant", "late"});
}

std::vector<VoterId> RegisterProtocol::successors(const Context& ctx) const {
    std::vector<VoterId> voters;
    for (const VoterId& voter : register_.record().voters)
        voters.push_back({(voter.host + ctx.config.shift) % ctx.config.sites, 1});
    std::ranges::sort(voters);
    return voters;
}

void RegisterProtocol::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

template <class Action>
void RegisterProtocol::step(const Context& ctx, Effects& fx, Action&& action) {
    const Self self = self_of(ctx);
    RegisterEffects out;
    action(self, out);
    register_.deliver_own(self, out);
    act(out, fx);
}

void RegisterProtocol::act(RegisterEffects& out, Effects& fx) {
    for (RegisterEffects::Send& send : out.sends) {
        if (std::holds_alternative<Nack>(send.message)) fx.reached("refused-ballot");
        if (std::holds_alternative<Moved>(send.message)) fx.reached("moved-voters");
        if (std::holds_alternative<Format>(send.message)) fx.reached("next-generation");
        fx.send(send.to, std::move(send.message));
    }
    if (out.persist) fx.persist();
    if (!out.returned) return;
    phase_ = Phase::holding;
    fx.disarm(Timer::retry);
    fx.granted({out.returned->version});
}

void RegisterProtocol::start(const Context& ctx, Effects& fx) {
    step(ctx, fx, [&](const Self& self, RegisterEffects& out) {
        register_.start(self, founders(ctx.config.voters), ctx.incarnation == 0, out);
    });
}

bool RegisterProtocol::may_request(const Context& ctx) const {
    return ctx.config.scripts.operation(ctx.self, taken_).has_value();
}

void RegisterProtocol::request(const Context& ctx, const Demand&, Effects& fx) {
    Operation kind = *ctx.config.scripts.operation(ctx.self, taken_++);
    if (kind == Operation::seal && register_.record().generation > ctx.config.seals) kind = Operation::read;
    phase_ = Phase::waiting;
    fx.arm(Timer::retry, first_wait);
    step(ctx, fx, [&](const Self& self, RegisterEffects& out) {
        register_.begin(self, kind, {}, successors(ctx), out);
    });
}

void RegisterProtocol::timeout(const Context& ctx, Timer, Effects& fx) {
    if (register_.may_attempt() && register_.attempts() < ctx.config.ballots) {
        fx.arm(Timer::retry, first_wait << std::min(register_.attempts(), 4u));
        return step(ctx, fx, [&](const Self& self, RegisterEffects& out) { register_.retry(self, out); });
    }
    fx.reached("no-answer");
    register_.give_up();
    phase_ = Phase::idle;
    fx.refused("no quorum of voters has answered");
}

void RegisterProtocol::release(const Context&, Effects& fx) {
    phase_ = Phase::idle;
    fx.released();
}

void RegisterProtocol::synced(const Context& ctx, Effects& fx) {
    step(ctx, fx, [&](const Self& self, RegisterEffects& out) { register_.synced(self, out); });
}

RegisterProtocol RegisterProtocol::after_crash(Disk disk) const {
    RegisterProtocol next;
    next.register_ = register_.after_crash(disk);
    next.known_before_ = known_before_;
    if (register_.known().id.number > 0) next.known_before_.push_back(register_.known());
    return next;
}

bool RegisterProtocol::ignores(const Context& ctx, const RegisterProtocol& receiver,
                               const RegisterProtocol& sender, const Message& message) {
    const std::uint32_t generations = ctx.config.scripts.seal() ? ctx.config.seals + 1 : 1;
    return !receiver.register_.heeds(self_of(ctx), sender.register_, generations, message);
}

// --- Properties.

namespace {

constexpr PropertyName never_older{"never-older",
                                   "an operation returns no older value than one returned before it began"};
constexpr PropertyName ends_alone{
    "ends-alone", "a proposer alone with a majority of voters ends within two ballots (--lone-runs on)"};
constexpr PropertyName properties[]{one_value,      one_chain,   promise_kept, answers_written,
                                    one_per_ballot, never_older, ends_alone};
constexpr std::string_view probes[]{
    "refused-ballot",   // a voter has promised a higher ballot
    "moved-voters",     // a voter of an earlier generation names its successors
    "next-generation",  // the next voters get the last value of a generation
    "no-answer",        // an operation has no ballot left
};

}  // namespace

void RegisterProtocol::on_state(const View<RegisterProtocol>& view, Report& report) {
    check_values(view, report);
    check_answers(view, report);
    check_ballots(view, report);
    if (view.config.lone_runs) check_lone_runs(view, report);
}

// A proposer meets the voters of several generations where there are seals; there, every host must be up.
void RegisterProtocol::check_lone_runs(const View<RegisterProtocol>& view, Report& report) {
    std::vector<LoneHost> hosts;
    std::vector<SiteId> up;
    std::vector<SiteId> voters;
    Stamp newest;
    std::uint32_t generations = 1;
    for (SiteId host = 0; host < view.sites.size(); ++host) {
        const Register& state = view.site(host).protocol.register_;
        hosts.push_back({state, view.site(host).incarnation});
        newest = max(newest, state.known().version);
        generations = std::max(generations, state.record().generation);
        if (!view.site(host).up()) continue;
        up.push_back(host);
        if (state.record().names({host, state.voter().disk})) voters.push_back(host);
    }
    const bool seals = view.config.scripts.seal();
    const std::uint32_t ballots = 2 * (seals ? generations + 1 : 1);
    if (seals && up.size() < hosts.size()) return;
    for (const SiteId proposer : up) {
        const Record& record = hosts[proposer].state.record();
        for (const auto& live : seals ? std::vector(1, up) : majorities(record, voters)) {
            const auto value = lone_run(hosts, proposer, live, view.config.rules, ballots);
            if (!value || value->version < newest)
                report.violated(ends_alone.name, "site " + std::to_string(proposer) +
                                                     (value ? " gets an old value" : " gets no answer") +
                                                     " though a majority answers it at once");
        }
    }
}

constinit const Model<RegisterProtocol, NeverOlder> RegisterProtocol::model{
    .name = "register",
    .problem = "agreement",
    .summary = "one agreed value, kept by a few voters; generations of voters follow each other",
    .source = "Rystsov: CASPaxos, replicated state machines without logs (2018)",
    .links = Links::unordered,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .sample = &sample,
    .requests = {.may_request = &RegisterProtocol::may_request},
    .timers = {.fair = [](Timer) { return true; }, .backs_off = [](Timer) { return true; }},
    .durability = {.after_crash = &RegisterProtocol::after_crash},
    .reduction = {.ignores = &ignores},
};

}  // namespace allot
