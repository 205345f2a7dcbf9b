#include "host/cluster.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/draw.hpp"
#include "core/model.hpp"
#include "protocols/agreement/register_properties.hpp"
#include "protocols/multilock/model.hpp"

namespace allot {

using agreement::Value;
using host::Answer;
using host::Host;
using host::Member;
using host::Program;
using host::Want;

namespace {

constexpr std::string_view semaphore_name = "s0";
constexpr std::uint32_t ticks_between_acts = 3;
constexpr std::uint32_t pauses_differ_by = 3;  // of two hosts that have refused each other

}  // namespace

// --- Parameters.

std::optional<std::string> Cluster::config_error(const Config& config) {
    const auto error = [](const char* flag, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
        return "--" + std::string(flag) + " " + std::to_string(value) + ": write a number from " +
               std::to_string(least) + " to " + std::to_string(most);
    };
    if (config.voters < 1 || config.voters > config.sites)
        return error("voters", config.voters, 1, config.sites);
    if (config.programs < 1 || config.programs > most_programs)
        return error("programs", config.programs, 1, most_programs);
    if (config.seats < 1) return "--seats 0: nobody would be served; write 1 or more";
    if (config.lease < config.grace + 2)
        return "--lease " + std::to_string(config.lease) + ": with --grace " + std::to_string(config.grace) +
               " write " + std::to_string(config.grace + 2) + " or more";
    for (const auto& [name, ticks] :
         {std::pair("lease", config.lease), std::pair("tolerance", config.tolerance)})
        if (ticks > agreement::most_ticks) return error(name, ticks, 0, agreement::most_ticks);
    // The clock of a member that is up may stand still for so many ticks of another.
    const std::uint32_t standstill = 2 * config.tolerance + 1;
    if (config.silence > 0 && config.silence <= standstill)
        return "--silence " + std::to_string(config.silence) + ": with --tolerance " +
               std::to_string(config.tolerance) + " write 0, or " + std::to_string(standstill + 1) +
               " or more";
    if (config.resources == 0 && config.permits == 0)
        return "--resources 0: with --permits 0 there is nothing to ask for; write 1 or more";
    if (config.resources == 0) return std::nullopt;
    return multilock::resources_error(config.resources, config.max_request);
}

host::Config Cluster::host_config(const Config& config) {
    host::Config all;
    const bool bounded = config.hosts.bound_overtakes;
    all.locks = {.seats = config.seats,
                 .loans = config.loans,
                 .line = {bounded ? config.overtakes : ~0u, config.hosts.give_way}};
    if (config.permits > 0) all.semaphores[semaphore_name] = {config.permits};
    all.hosts = config.sites;
    all.lease = config.lease;
    all.grace = config.grace;
    all.hold_off = config.lease + 2 * config.tolerance;
    all.silence = config.silence;
    all.return_within = config.return_within;
    all.views = config.views;
    all.adoption = config.adoption;
    all.rules = config.hosts;
    return all;
}

Member::Config Cluster::member_config(const Config& config) {
    Member::Config all{.host = host_config(config), .council = std::nullopt};
    if (config.engine == host::Engine::atomic) return all;
    agreement::CouncilConfig& council = all.council.emplace();
    council.hosts = config.sites;
    for (SiteId voter = 0; voter < config.voters; ++voter) council.voters.push_back(voter);
    council.formed = !config.first_start;
    council.spread = pauses_differ_by;
    council.voting = config.voting;
    return all;
}

// Every set of locks, each of them with a unit of the semaphore as well, and the unit alone.
std::vector<Demand> Cluster::demands(const Context& ctx) {
    std::vector<Demand> all;
    if (is_register(ctx)) return all;
    if (ctx.config.resources > 0) all = multilock::demands(multilock::resources_of(ctx.config), ctx.self);
    if (ctx.config.permits == 0) return all;
    const std::size_t sets = all.size();
    for (std::size_t i = 0; i < sets; ++i) {
        Demand with_unit = all[i];
        with_unit.resources.emplace_back(semaphore_name);
        all.push_back(std::move(with_unit));
    }
    all.push_back({1, {semaphore_name}});
    return all;
}

Want Cluster::want_of(const Demand& demand) {
    Want want;
    for (const ResourceId resource : demand.resources) {
        if (resource == ResourceId(semaphore_name))
            want.permits[resource] = demand.units;
        else
            want.locks.push_back(resource);
    }
    return want;
}

// A program beside the application asks for one lock; if there are none, for a unit of the semaphore.
Want Cluster::own_want(const Context& ctx, std::size_t program) const {
    Demand demand;
    if (ctx.config.resources > 0)
        demand.resources.emplace_back("r" + std::to_string((program - 1) % ctx.config.resources));
    else
        demand.resources.emplace_back(semaphore_name);
    return want_of(demand);
}

void Cluster::sample(Draw& draw) {
    const auto sites = draw.number("sites", 2, 7);
    // An operation of the hosts' own register takes several ticks, and a lease several operations.
    std::uint32_t longer = 0;
    if (draw.choice("engine", {"atomic", "hosts"}) == "hosts") {
        longer = 3;
        draw.number("voters", 1, std::min(sites, 5u));
        draw.choice("writes", {"instant", "late"});
        draw.toggle("first-start");
    }
    const auto resources = draw.number("resources", 1, 3);
    draw.number("max-request", 0, resources);
    draw.number("permits", 0, 2);
    draw.number("programs", 1, most_programs);
    draw.number("program-requests", 1, 4);
    draw.number("seats", 1, 4);
    draw.number("overtakes", 1, 4);
    draw.number("loans", 1, 2);
    const auto grace = draw.number("grace", 0, 1);
    draw.number("lease", grace + 2 + longer, grace + 5 + longer);
    const auto skew = draw.number("skew", 0, 1);
    const auto tolerance = draw.number("tolerance", skew, 1);
    draw.number("silence", 2 * tolerance + 2 + longer, 2 * tolerance + 4 + longer);
    draw.faults("whims", 2);
    draw.faults("daemon-deaths", 2);
    draw.faults("stops", 2);
    draw.number("return-within", 0, 2 * tolerance + 6);
    const auto crashes = draw.faults("crashes", 4);
    draw.faults("restarts", crashes);
    draw.faults("cuts", 4);
    // A longer pause may outlast the hold-off.
    if (skew < tolerance && draw.faults("pauses", 2) > 0) draw.number("pause-ticks", 1, 2);
    draw.toggle("cancel");
    draw.choice("backlog", {"3", "6"});
    draw.requests(6);
}

// --- The machine.

void Cluster::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

std::uint32_t Cluster::incarnation(const Context& ctx) const {
    constexpr std::uint32_t most_ends = 1u << 8;
    constexpr std::uint32_t most_lives = 1u << 16;
    return (ctx.incarnation * most_ends + ends_) * most_lives;
}

void Cluster::start(const Context& ctx, Effects& fx) {
    if (is_register(ctx)) return;
    programs_.resize(ctx.config.programs);
    for (std::size_t program = 1; program < programs_.size(); ++program) {
        programs_[program].requests_left = ctx.config.program_requests;
        await_act(program, fx);
    }
    if (ctx.config.whims > 0) fx.arm(Timer::whim, ticks_between_acts);
    if (ctx.config.stops > 0) fx.arm(Timer::leave, ticks_between_acts);
    raise_daemon(ctx, fx);
}

void Cluster::raise_daemon(const Context& ctx, Effects& fx) {
    alive_ = true;
    if (incarnation(ctx) > 0) tell_links(ctx, false, fx);
    step(ctx, fx, [&](const Member::Self& self, Member::Effects& out) {
        member_.start(self, incarnation(ctx) == 0, out);
    });
    act(ctx, fx, [&](Host& host, const Host::Self& self, host::Effects& out) {
        host.start(self);
        for (const host::Guardian::Program& one : guardian_.programs())
            host.adopt(self, one.key, one.want, one.fences, one.keeper, out);
        for (std::size_t program = 0; program < programs_.size(); ++program)
            if (programs_[program].phase == Phase::waiting)
                host.ask(self, key_of(program), programs_[program].want, out);
        host.call_register(self, out);
    });
}

void Cluster::end_daemon(const Context& ctx, Effects& fx) {
    alive_ = false;
    leaving_ = false;
    ++ends_;
    member_ = member_.after_crash(Disk::kept);
    tell_links(ctx, true, fx);
    fx.arm(Timer::rise, ticks_between_acts);
}

void Cluster::tell_links(const Context& ctx, bool ended, Effects& fx) const {
    if (ctx.config.return_within == 0) return;
    for (SiteId host = 0; host < ctx.config.sites; ++host)
        if (host != ctx.self) fx.send(host, host::LinkNews{ended});
}

// A daemon that is told to stop while something is held stays a member; that is as if it died.
void Cluster::leave(const Context& ctx, Effects& fx) {
    if (++stops_ < ctx.config.stops) fx.arm(Timer::leave, ticks_between_acts);
    const bool holds =
        std::ranges::any_of(programs_, [](const Program& one) { return one.phase == Phase::holding; });
    if (!alive_ || leaving_ || holds) return;
    leaving_ = true;
    for (std::size_t program = 0; program < programs_.size(); ++program)
        if (programs_[program].phase == Phase::waiting)
            act(ctx, fx, [&](Host& host, const Host::Self& self, host::Effects& out) {
                host.release(self, key_of(program), out);
            });
    member_.host().leave();
}

Cluster Cluster::after_crash(Disk disk) const {
    Cluster next;
    next.member_ = member_.after_crash(disk);
    next.value_ = value_;
    return next;
}

// A majority of the voters stays up, and so does the atomic register: nobody is served without it. The first
// start needs all voters.
bool Cluster::is_mortal(const Context& ctx) {
    if (is_register(ctx)) return false;
    if (ctx.config.engine == host::Engine::atomic) return true;
    return ctx.self > (ctx.config.first_start ? ctx.config.voters - 1 : ctx.config.voters / 2);
}

void Cluster::timeout(const Context& ctx, Timer timer, Effects& fx) {
    switch (timer) {
        case Timer::second:
        case Timer::third:
            return perform(ctx, static_cast<std::size_t>(timer) + 1, fx);
        case Timer::whim:
            if (++whims_ < ctx.config.whims) fx.arm(Timer::whim, ticks_between_acts);
            return member_.host().expel((ctx.self + 1) % ctx.config.sites);
        case Timer::die:
            ++deaths_;
            return alive_ ? end_daemon(ctx, fx) : void();
        case Timer::leave:
            return leave(ctx, fx);
        case Timer::rise:
            return raise_daemon(ctx, fx);
    }
}

void Cluster::tick(const Context& ctx, Effects& fx) {
    if (is_register(ctx)) return;
    if (alive_)
        step(ctx, fx, [&](const Member::Self& self, Member::Effects& out) { member_.tick(self, out); });
    if (!ctx.config.hosts.stop_in_time) return;
    for (const host::Guardian::Program& stopped : guardian_.tick()) {
        const auto program = static_cast<std::size_t>(stopped.key.session);
        stop(program, fx);
        if (alive_)
            act(ctx, fx, [&](Host& host, const Host::Self& self, host::Effects& out) {
                host.release(self, stopped.key, out);
            });
    }
}

void Cluster::synced(const Context& ctx, Effects& fx) {
    if (!alive_) return;
    step(ctx, fx, [&](const Member::Self& self, Member::Effects& out) { member_.synced(self, out); });
}

// --- The member.

template <class Action>
void Cluster::step(const Context& ctx, Effects& fx, Action&& action) {
    const Member::Config config = member_config(ctx.config);
    const Member::Self self{config, ctx.self, incarnation(ctx)};
    Member::Effects out;
    action(self, out);
    out.for_each_send([&](SiteId to, auto message) { fx.send(to, std::move(message)); });
    for (const Answer& one : out.answers) answer(ctx, one, fx);
    for (const std::string_view probe : out.probes) fx.reached(probe);
    const Host& host = member_.host();
    if (host.has_lease())
        guardian_.renew(host.lease_left(), host.myself(Member::host_self(self)).incarnation);
    if (out.persist) fx.persist();
    if (out.call) call(ctx, *out.call, fx);
    if (leaving_ && alive_ && host.has_left()) end_daemon(ctx, fx);
}

template <class Action>
void Cluster::act(const Context& ctx, Effects& fx, Action&& action) {
    step(ctx, fx, [&](const Member::Self& self, Member::Effects& out) { member_.act(self, out, action); });
}

void Cluster::answer(const Context& ctx, const Answer& answer, Effects& fx) {
    const auto number = static_cast<std::size_t>(answer.key.session);
    Program& program = programs_[number];
    switch (answer.kind) {
        case Answer::Kind::granted: {
            const host::Config config = host_config(ctx.config);
            program.phase = Phase::holding;
            program.fences = answer.fences;
            guardian_.begin({answer.key, program.want, answer.fences,
                             member_.host().myself({config, ctx.self, incarnation(ctx)}).incarnation});
            // A death matters only to programs that run.
            if (deaths_ < ctx.config.daemon_deaths) fx.arm(Timer::die, ticks_between_acts);
            if (number == 0)
                fx.granted(answer.fences);
            else
                await_act(number, fx);
            return;
        }
        case Answer::Kind::lost:
            guardian_.end(answer.key);
            return stop(number, fx);
        case Answer::Kind::refused:
            program = {.requests_left = program.requests_left};
            if (number == 0) fx.refused(answer.reason);
            return;
        case Answer::Kind::stop:
            return fx.reached("stop-in-time");
        case Answer::Kind::released:
            return;
    }
}

// The program is stopped, if it still runs.
void Cluster::stop(std::size_t number, Effects& fx) {
    Program& program = programs_[number];
    if (program.phase != Phase::holding) return;
    program = {.requests_left = program.requests_left};
    if (number == 0)
        fx.stopped();
    else
        await_act(number, fx);
}

// --- The programs.

void Cluster::request(const Context& ctx, const Demand& demand, Effects& fx) {
    ask(ctx, 0, want_of(demand), fx);
}

void Cluster::release(const Context& ctx, Effects& fx) {
    fx.released();
    let_go(ctx, 0, fx);
}

void Cluster::ask(const Context& ctx, std::size_t program, Want want, Effects& fx) {
    programs_[program].phase = Phase::waiting;
    programs_[program].want = std::move(want);
    if (!alive_ || leaving_) return;
    act(ctx, fx, [&](Host& host, const Host::Self& self, host::Effects& out) {
        host.ask(self, key_of(program), programs_[program].want, out);
    });
}

void Cluster::let_go(const Context& ctx, std::size_t program, Effects& fx) {
    programs_[program] = {.requests_left = programs_[program].requests_left};
    guardian_.end(key_of(program));
    if (!alive_) return;
    act(ctx, fx, [&](Host& host, const Host::Self& self, host::Effects& out) {
        host.release(self, key_of(program), out);
    });
}

void Cluster::await_act(std::size_t program, Effects& fx) const {
    const Program& one = programs_[program];
    if (one.phase == Phase::holding || one.requests_left > 0)
        fx.arm(static_cast<Timer>(program - 1), ticks_between_acts);
}

void Cluster::perform(const Context& ctx, std::size_t program, Effects& fx) {
    Program& one = programs_[program];
    if (one.phase == Phase::holding) {
        let_go(ctx, program, fx);
        return await_act(program, fx);
    }
    if (one.phase == Phase::waiting || one.requests_left == 0) return;
    --one.requests_left;
    ask(ctx, program, own_want(ctx, program), fx);
}

// --- The register.

void Cluster::call(const Context& ctx, const host::Call& call, Effects& fx) {
    const Value& known = member_.host().known();
    host::Ask ask{.incarnation = incarnation(ctx), .expected = known.id};
    if (call.change) {
        ask.change = Value{};
        ask.change->id = {ctx.self, incarnation(ctx), known.view + 1};
        ask.change->members = call.change->members;
        ask.change->certified = call.change->certified;
        ask.change->quiet = call.change->quiet;
    }
    fx.send(ctx.config.sites, std::move(ask));
}

// The atomic register.
void Cluster::take(const Context& ctx, SiteId from, const host::Ask& ask, Effects& fx) {
    if (!is_register(ctx)) return;
    if (ask.change && ask.expected == value_.id) {
        Value next = *ask.change;
        next.version = value_.version.next();
        next.parent = value_.id;
        next.view = value_.view + 1;
        value_ = std::move(next);
    }
    fx.send(from, host::Told{ask.incarnation, value_});
}

void Cluster::take(const Context& ctx, SiteId, const host::Told& told, Effects& fx) {
    if (!alive_ || told.incarnation != incarnation(ctx)) return;  // the answer to an earlier daemon
    step(ctx, fx,
         [&](const Member::Self& self, Member::Effects& out) { member_.returned(self, told.value, out); });
}

// --- Messages.

void Cluster::take(const Context& ctx, SiteId from, const host::LinkNews& news, Effects&) {
    if (alive_ && !is_register(ctx)) member_.host().ended(from, news.ended);
}

void Cluster::take(const Context& ctx, SiteId from, const auto& message, Effects& fx) {
    if (!alive_ || is_register(ctx)) return;
    step(ctx, fx,
         [&](const Member::Self& self, Member::Effects& out) { member_.receive(self, from, message, out); });
}

// --- Properties.

namespace {

constexpr PropertyName properties[]{
    {"one-user", "no lock is used by two programs"},
    {"at-most-k", "all programs that run use no more than k units of the semaphore"},
    {"fences-grow", "every grant of a resource has a higher fence than the one before"},
    {"lease-holds", "no program runs at a host whose lease has ended"},
    {"one-token", "no epoch has two tokens of one lock"},
    {"overtaken-seldom", "no request for locks is overtaken on its host more often than it may be"},
    {"free-at-once",
     "at rest no program waits for a single lock that is free, unless a set that was overtaken often or has "
     "lent others keeps it, or the program has waited since an earlier epoch"},
    agreement::one_value,
    agreement::one_chain,
    agreement::promise_kept,
};

}  // namespace

struct ClusterProperties {
    const View<Cluster>& view;
    Report& report;

    SiteId hosts() const { return view.config.sites; }
    const Cluster& machine(SiteId id) const { return view.site(id).protocol; }
    bool up(SiteId id) const { return view.site(id).up(); }
    bool works(SiteId id) const {
        return up(id) && machine(id).alive_ && machine(id).daemon().views().works();
    }

    void check() const {
        check_users();
        check_leases();
        check_tokens();
        check_lines();
        check_rest();
        if (view.config.engine == host::Engine::hosts) agreement::check_values(view, report);
    }

    template <class F>
    void for_each_running(F&& f) const {
        for (SiteId id = 0; id < hosts(); ++id)
            for (const Program& program : machine(id).programs_)
                if (up(id) && program.phase == Phase::holding) f(id, program);
    }

    // Locks that a request has taken, though it may still wait for another kind.
    std::set<ResourceId> taken() const {
        std::set<ResourceId> all;
        for (SiteId id = 0; id < hosts(); ++id)
            for (const auto& request : machine(id).daemon().requests())
                if (request && request->taken > 0)
                    all.insert(request->want.locks.begin(), request->want.locks.end());
        return all;
    }

    void check_users() const {
        std::map<ResourceId, SiteId> users;
        std::uint32_t units = 0;
        for_each_running([&](SiteId host, const Program& program) {
            for (const auto& [semaphore, used] : program.want.permits) units += used;
            for (const ResourceId lock : program.want.locks) {
                const auto [place, first] = users.emplace(lock, host);
                if (!first)
                    report.violated("one-user", "programs of hosts " + std::to_string(place->second) +
                                                    " and " + std::to_string(host) + " use " + lock.name());
            }
        });
        if (units > view.config.permits)
            report.violated("at-most-k", std::to_string(units) + " units are in use of " +
                                             std::to_string(view.config.permits));
    }

    void check_leases() const {
        for_each_running([&](SiteId id, const Program&) {
            const Cluster& here = machine(id);
            if (here.daemon().has_lease() || here.guardian_.left() > 0) return;
            report.violated("lease-holds",
                            "a program runs at host " + std::to_string(id) + " without a lease");
        });
    }

    void check_tokens() const {
        std::map<std::pair<std::uint32_t, ResourceId>, int> tokens;
        const auto add = [&](std::uint32_t epoch, ResourceId lock) {
            if (++tokens[{epoch, lock}] == 2)
                report.violated("one-token",
                                "epoch " + std::to_string(epoch) + " has two tokens of " + lock.name());
        };
        const auto add_all = [&](const host::Frame& frame) {
            if (const auto* message = std::get_if<host::Locks::Message>(&frame.message))
                Counters::for_each_token(message->message, [&](ResourceId lock) { add(frame.epoch, lock); });
        };
        for (SiteId id = 0; id < hosts(); ++id) {
            if (!works(id)) continue;
            const host::Host& here = machine(id).daemon();
            here.locks().for_each_token([&](ResourceId lock) { add(*here.views().epoch(), lock); });
            for (const auto& [from, frame] : here.views().early_frames()) add_all(frame);
        }
        for (const auto* envelope : view.flight)
            if (const auto* frame = std::get_if<host::Frame>(&envelope->message)) add_all(*frame);
    }

    void check_lines() const {
        for (SiteId id = 0; id < hosts(); ++id)
            machine(id).daemon().locks().line().for_each([&](const host::Line::Entry& entry) {
                if (entry.overtaken > view.config.overtakes)
                    report.violated("overtaken-seldom", "a request of host " + std::to_string(id) +
                                                            " was overtaken " +
                                                            std::to_string(entry.overtaken) + " times");
            });
    }

    // Nothing is under way between hosts that work in one epoch and have their leases.
    bool at_rest() const {
        for (const auto* envelope : view.flight)
            if (std::holds_alternative<host::Frame>(envelope->message) ||
                std::holds_alternative<host::HostReport>(envelope->message))
                return false;
        for (SiteId id = 0; id < hosts(); ++id) {
            const host::Host& here = machine(id).daemon();
            if (!works(id) || here.lease_left() <= view.config.grace ||
                here.views().epoch() != machine(0).daemon().views().epoch() ||
                here.views().members().size() != hosts())
                return false;
        }
        return true;
    }

    void check_rest() const {
        if (!at_rest()) return;
        const auto used = taken();
        for (SiteId id = 0; id < hosts(); ++id) {
            const host::Host& here = machine(id).daemon();
            for (host::RequestId number = 0; number < here.requests().size(); ++number) {
                const auto& request = here.requests()[number];
                if (!request || request->taken > 0 || request->want.locks.size() != 1) continue;
                if (here.locks().is_carried(number)) continue;
                const ResourceId lock = request->want.locks.front();
                if (used.contains(lock) || is_kept(lock) || is_owed(here, lock)) continue;
                report.violated("free-at-once", "a program of host " + std::to_string(id) + " waits for " +
                                                    lock.name() + ", which is free");
            }
        }
    }

    bool is_kept(ResourceId lock) const {
        for (SiteId id = 0; id < hosts(); ++id)
            if (machine(id).daemon().locks().is_kept_by_lender(lock)) return true;
        return false;
    }

    // Whether a set that was overtaken as often as it may be waits for the lock on this host, or whether all
    // seats are taken.
    bool is_owed(const host::Host& here, ResourceId lock) const {
        bool owed = false;
        std::uint32_t seated = 0;
        here.locks().line().for_each([&](const host::Line::Entry& entry) {
            const bool wants =
                std::ranges::find(entry.demand.resources, lock) != entry.demand.resources.end();
            seated += entry.stage != host::Line::Entry::Stage::waits;
            owed |= wants && entry.overtaken >= view.config.overtakes;
        });
        return owed || seated >= view.config.seats;
    }
};

void Cluster::on_state(const View<Cluster>& view, Report& report) {
    ClusterProperties{view, report}.check();
}

constinit const Model<Cluster, FencesGrow> Cluster::model{
    .name = "cluster",
    .problem = "host",
    .summary = "whole hosts: programs, locks and permits, views, leases, the register",
    .source = "views as in Birman and Joseph: Exploiting virtual synchrony in distributed systems (1987)",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .probes = host::probes,
    .config_error = &config_error,
    .sites =
        [](const Config& config) { return config.sites + (config.engine == host::Engine::atomic ? 1 : 0); },
    .sample = &sample,
    .requests = {.asks = &may_ask,
                 .demands = &demands,
                 .resources = [](const Config& config) { return config.resources; }},
    .timers = {.fair =
                   [](Timer timer) {
                       return timer == Timer::second || timer == Timer::third || timer == Timer::rise;
                   }},
    .faults = {.mortal = &is_mortal},
    .durability = {.after_crash = &Cluster::after_crash},
};

}  // namespace allot
