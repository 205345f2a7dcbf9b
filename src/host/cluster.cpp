#include "host/cluster.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/model.hpp"
#include "protocols/multilock/model.hpp"

namespace allot {

using agreement::Value;
using host::Host;
using host::Member;
using host::Program;
using host::SessionEffects;
using host::Sessions;

namespace {

constexpr std::uint32_t ticks_between_acts = 3;

// Units without an order come last.
std::vector<Fence> ordered(const std::vector<Fence>& fences) {
    return {fences.begin(), std::ranges::find(fences, Fence())};
}

}  // namespace

// --- The machine.

void Cluster::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

std::uint32_t Cluster::incarnation(const Context& ctx) const {
    constexpr std::uint32_t most_ends = 1u << 12;
    return (ctx.incarnation * most_ends + ends_) * ctx.config.lives;
}

// Nobody has heard of a latecomer before its first daemon starts.
bool Cluster::is_late(const Context& ctx) const {
    return ctx.incarnation == 0 && ends_ == 0 && ctx.self + ctx.config.latecomers >= ctx.config.sites;
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
    if (ctx.config.full_disks > 0) fx.arm(Timer::fill, ticks_between_acts);
    if (ctx.config.resizes > 0) fx.arm(Timer::resize, ticks_between_acts);
    if (ctx.config.successions > 0) fx.arm(Timer::succeed, ticks_between_acts);
    alive_ = !is_late(ctx);
    if (alive_)
        raise_daemon(ctx, fx);
    else
        fx.arm(Timer::rise, ticks_between_acts);
}

void Cluster::raise_daemon(const Context& ctx, Effects& fx) {
    alive_ = true;
    uncertified_.reset();
    if (incarnation(ctx) > 0 || is_late(ctx)) tell_links(ctx, {.ended = false}, fx);
    step(ctx, fx, [&](const Member::Self& self, Member::Effects& out) {
        member_.start(self, incarnation(ctx) == 0, out);
    });
    act(ctx, fx, [&](Host& host, const Host::Self& self, host::Effects&) { host.start(self); });
    step(ctx, fx, [&](const Member::Self& self, Member::Effects& out) {
        for (const host::Guardian::Program& one : guardian_.programs())
            member_.adopt(self, one.lease, one.keeper, out);
    });
    greet(ctx, fx);
    act(ctx, fx,
        [&](Host& host, const Host::Self& self, host::Effects& out) { host.call_register(self, out); });
}

void Cluster::end_daemon(const Context& ctx, Effects& fx) {
    alive_ = false;
    leaving_ = false;
    const host::Config config = host_config(ctx.config);
    if (ctx.config.kernel)
        uncertified_ = member_.host().myself({config, ctx.self, incarnation(ctx)}).incarnation;
    ++ends_;
    unwritten_ = false;
    member_ = member_.after_crash(Disk::kept);
    tell_links(ctx, {.ended = true}, fx);
    testify(ctx, fx);
    fx.arm(Timer::rise, ticks_between_acts);
}

void Cluster::tell_links(const Context& ctx, const host::LinkNews& news, Effects& fx) const {
    if (ctx.config.return_within == 0 && ctx.config.latecomers == 0 && !ctx.config.kernel) return;
    for (SiteId host = 0; host < ctx.config.sites; ++host)
        if (host != ctx.self) fx.send(host, news);
}

// The guardian notices when the last program has ended.
void Cluster::testify(const Context& ctx, Effects& fx) {
    const bool programs_run = !guardian_.programs().empty() && ctx.config.hosts.await_programs;
    if (!uncertified_ || programs_run) return;
    tell_links(ctx, {.ended = true, .gone = std::exchange(uncertified_, std::nullopt)}, fx);
}

// A daemon that is told to stop while something is held stays a member; that is as if it died.
void Cluster::leave(const Context& ctx, Effects& fx) {
    if (++stops_ < ctx.config.stops) fx.arm(Timer::leave, ticks_between_acts);
    const bool holds =
        std::ranges::any_of(programs_, [](const Program& one) { return one.phase == Phase::holding; });
    if (!alive_ || leaving_ || (holds && ctx.config.hosts.drain_first)) return;
    leaving_ = true;
    converse(ctx, fx, [&](Sessions& sessions, const Sessions::Self& self, SessionEffects& out) {
        sessions.end_all(self, out);
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
        case Timer::fill:
            return fill_disk(fx);
        case Timer::room:
            return make_room(ctx, fx);
        case Timer::free:
            return return_abandoned(ctx, fx);
        case Timer::resize:
            return resize(ctx, fx);
        case Timer::succeed:
            return succeed(ctx, fx);
    }
}

void Cluster::tick(const Context& ctx, Effects& fx) {
    if (is_register(ctx)) return;
    if (alive_)
        step(ctx, fx, [&](const Member::Self& self, Member::Effects& out) { member_.tick(self, out); });
    const bool stops = ctx.config.hosts.stop_in_time && (alive_ || ctx.config.hosts.guard);
    if (!stops || ctx.config.fenced || ctx.config.sticky) return;
    for (const host::Guardian::Program& stopped : guardian_.tick()) {
        const host::Key key = stopped.lease.key;
        stop(key.session, fx);
        if (alive_)
            converse(ctx, fx, [&](Sessions& sessions, const Sessions::Self& self, SessionEffects& out) {
                sessions.hear(self, key.session, session::Release{key.ticket}, out);
            });
    }
    testify(ctx, fx);
}

void Cluster::return_abandoned(const Context& ctx, Effects& fx) {
    if (!alive_) return;
    act(ctx, fx, [](Host& host, const Host::Self& self, host::Effects& out) {
        std::vector<host::Key> abandoned;
        for (const auto& request : host.requests())
            if (request && request->is_left_behind_at(self.host)) abandoned.push_back(request->key);
        for (const host::Key& key : abandoned) host.give_back(self, key, out);
    });
}

// The orders of several operators cross each other.
void Cluster::resize(const Context& ctx, Effects& fx) {
    if (++resizes_ < ctx.config.resizes) fx.arm(Timer::resize, ticks_between_acts);
    if (!alive_) return;
    act(ctx, fx, [&](Host& host, const Host::Self& self, host::Effects& out) {
        host.propose(self, settings_of(ctx.config, resizes_), out);
    });
}

// Each host has another one in mind. Machines that may die for good are never most of the voters.
void Cluster::succeed(const Context& ctx, Effects& fx) {
    if (++successions_ < ctx.config.successions) fx.arm(Timer::succeed, ticks_between_acts);
    if (!alive_) return;
    const std::uint32_t lasting = ctx.config.voters;
    const std::uint32_t most = std::min(ctx.config.sites, 2 * lasting - 1);
    const std::uint32_t voters = successions_ % 2 == 1 ? 1 : most - (most % 2 == 0 ? 1 : 0);
    act(ctx, fx, [&](Host& host, const Host::Self& self, host::Effects& out) {
        agreement::Settings settings = host.settings();
        settings.voters.clear();
        for (std::uint32_t i = 0; i < voters; ++i)
            settings.voters.emplace_back(i < lasting ? (ctx.self + successions_ + i) % lasting : i);
        host.propose(self, std::move(settings), out);
    });
}

// --- The disk.

void Cluster::write(Effects& fx) {
    unwritten_ = disk_is_full_;
    if (!disk_is_full_) fx.persist();
}

void Cluster::fill_disk(Effects& fx) {
    ++fills_;
    disk_is_full_ = true;
    fx.arm(Timer::room, ticks_between_acts);
}

void Cluster::make_room(const Context& ctx, Effects& fx) {
    disk_is_full_ = false;
    if (unwritten_) write(fx);
    if (fills_ < ctx.config.full_disks) fx.arm(Timer::fill, ticks_between_acts);
}

// An earlier write may become durable while a later one waits for room: the member hears of both at once.
void Cluster::synced(const Context& ctx, Effects& fx) {
    if (!alive_ || unwritten_) return;
    step(ctx, fx, [&](const Member::Self& self, Member::Effects& out) { member_.synced(self, out); });
}

// --- The member.

template <class Action>
void Cluster::step(const Context& ctx, Effects& fx, Action&& action) {
    const Member::Config config = member_config(ctx.config);
    const Member::Self self{config, ctx.self, incarnation(ctx)};
    Member::Effects out;
    const std::uint32_t permits_before = permits_now();
    action(self, out);
    out.for_each_send([&](SiteId to, auto message) { fx.send(to, std::move(message)); });
    if (ctx.config.resizes > 0) note_permits(std::max(permits_before, permits_now()));
    for (const host::ToProgram& told : out.told) hear(ctx, told, fx);
    for (const std::string_view probe : out.probes) fx.reached(probe);
    const Host& host = member_.host();
    if (ctx.config.sticky && std::ranges::any_of(host.requests(), [&](const auto& one) {
            return one && one->is_left_behind_at(ctx.self);
        }))
        fx.arm(Timer::free, ticks_between_acts);
    if (host.has_lease())
        guardian_.renew(host.lease_left(), host.myself(Member::host_self(self)).incarnation);
    if (out.persist) write(fx);
    if (out.call) call(ctx, *out.call, fx);
    if (alive_ && ((leaving_ && host.has_left()) || host.is_worn_out(Member::host_self(self))))
        end_daemon(ctx, fx);
}

template <class Action>
void Cluster::act(const Context& ctx, Effects& fx, Action&& action) {
    step(ctx, fx, [&](const Member::Self& self, Member::Effects& out) { member_.act(self, out, action); });
}

template <class Action>
void Cluster::converse(const Context& ctx, Effects& fx, Action&& action) {
    step(ctx, fx,
         [&](const Member::Self& self, Member::Effects& out) { member_.converse(self, out, action); });
}

// A program may hear of its grant in a later epoch. If it goes on with what another program left behind, that
// was granted before; a machine that was down in between does not know when. A step may grant something and
// then begin an epoch with fewer permits, so it counts with the larger number.
void Cluster::note_permits(std::uint32_t permits) {
    const Host& host = member_.host();
    for (std::size_t number = 0; number < programs_.size(); ++number) {
        Program& program = programs_[number];
        if (program.phase != Phase::waiting) continue;
        const host::Request* request = host.find(key_of(number));
        const bool has_units = request != nullptr && request->complete();
        if (has_units == program.grant.has_value()) continue;
        program.grant.reset();
        if (!has_units) continue;
        if (!request->ownership) {
            program.grant = host::Granted{*host.views().epoch(), permits};
            continue;
        }
        if (!request->taken_up) kept_grants_[request->ownership->id] = {*host.views().epoch(), permits};
        const auto kept = kept_grants_.find(request->ownership->id);
        program.grant = kept == kept_grants_.end() ? host::Granted{} : kept->second;
    }
}

std::uint32_t Cluster::permits_now() const {
    return member_.host().settings_in_force().permits_of(semaphore_name);
}

void Cluster::hear(const Context& ctx, const host::ToProgram& told, Effects& fx) {
    const auto number = static_cast<std::size_t>(told.session);
    if (told.asked_ms) return begin(ctx, number, fx);
    const bool is_released = std::holds_alternative<session::Released>(told.message);
    if (is_released && programs_[number].phase == Phase::leaving) {
        guardian_.end(key_of(number));
        programs_[number] = {};
        fx.released();
        return testify(ctx, fx);
    }
    if (!told.ended) return;
    if (const auto* lost = std::get_if<session::Lost>(&told.message)) {
        guardian_.end(told.ended->key);
        return programs_[number].phase == Phase::waiting ? refuse(number, lost->reason, fx)
                                                         : stop(number, fx);
    }
    if (const auto* refused = std::get_if<session::Refused>(&told.message))
        refuse(number, refused->reason, fx);
}

void Cluster::refuse(std::size_t number, const std::string& why, Effects& fx) {
    programs_[number] = {.requests_left = programs_[number].requests_left};
    if (number == 0)
        fx.refused(why);
    else
        await_act(number, fx);
}

void Cluster::begin(const Context& ctx, std::size_t number, Effects& fx) {
    const host::Config config = host_config(ctx.config);
    const host::Request* request = member_.host().find(key_of(number));
    if (request == nullptr) return;  // it is lost again in the step in which it was granted
    Program& program = programs_[number];
    program.phase = Phase::holding;
    program.fences = request->fences;
    guardian_.begin({.lease = {.key = request->key,
                               .want = request->want,
                               .fences = request->fences,
                               .open = member_.sessions().find(number)->open.at(request->key.ticket),
                               .session = name_of(number),
                               .caller = {},
                               .command = {},
                               .fenced = request->fenced,
                               .ownership = request->ownership},
                     .keeper = member_.host().myself({config, ctx.self, incarnation(ctx)}).incarnation});
    // A death matters only to programs that run.
    if (deaths_ < ctx.config.daemon_deaths) fx.arm(Timer::die, ticks_between_acts);
    if (number == 0)
        fx.granted(request->taken_up ? std::vector<Fence>() : ordered(program.fences));
    else
        await_act(number, fx);
}

// The program is stopped, if it still runs.
void Cluster::stop(std::size_t number, Effects& fx) {
    Program& program = programs_[number];
    const Phase before = program.phase;
    if (before != Phase::holding && before != Phase::leaving) return;
    program = {.requests_left = program.requests_left};
    if (number == 0)
        before == Phase::leaving ? fx.released() : fx.stopped();
    else
        await_act(number, fx);
}

// --- The programs.

void Cluster::request(const Context& ctx, const Demand& demand, Effects& fx) {
    ask(ctx, 0, want_of(demand), fx);
}

void Cluster::release(const Context& ctx, Effects& fx) {
    const bool ends_later = ctx.config.sticky && programs_[0].phase == Phase::holding;
    if (!ends_later) {
        fx.released();
        return let_go(ctx, 0, fx);
    }
    programs_[0].phase = Phase::leaving;
    if (alive_) say_release(ctx, 0, fx);
}

void Cluster::ask(const Context& ctx, std::size_t program, Want want, Effects& fx) {
    programs_[program].phase = Phase::waiting;
    programs_[program].want = std::move(want);
    if (alive_ && !leaving_) say_wish(ctx, program, fx);
}

void Cluster::say_wish(const Context& ctx, std::size_t program, Effects& fx) {
    session::Acquire acquire{.ticket = key_of(program).ticket};
    for (const ResourceId lock : programs_[program].want.locks) acquire.locks.push_back(lock.name());
    for (const auto& [semaphore, units] : programs_[program].want.permits)
        acquire.permits.push_back({semaphore.name(), units});
    converse(ctx, fx, [&](Sessions& sessions, const Sessions::Self& self, SessionEffects& out) {
        sessions.hear(self, program, acquire, out);
    });
}

void Cluster::connect(const Context& ctx, std::size_t program, Effects& fx) {
    converse(ctx, fx, [&](Sessions& sessions, const Sessions::Self& self, SessionEffects& out) {
        const session::Hello hello{.command = {}, .resume = name_of(program)};
        ensure(static_cast<bool>(sessions.hello(self, {program, name_of(program), {}}, hello, out)),
               "a program is refused");
    });
}

// All programs connect to a daemon that is new, and those that wait ask again.
void Cluster::greet(const Context& ctx, Effects& fx) {
    for (std::size_t program = 0; program < programs_.size(); ++program) {
        connect(ctx, program, fx);
        if (programs_[program].phase == Phase::waiting && ctx.config.hosts.ask_again)
            say_wish(ctx, program, fx);
        if (programs_[program].phase == Phase::leaving) say_release(ctx, program, fx);
    }
}

void Cluster::let_go(const Context& ctx, std::size_t program, Effects& fx) {
    programs_[program] = {.requests_left = programs_[program].requests_left};
    guardian_.end(key_of(program));
    if (!alive_) return testify(ctx, fx);
    say_release(ctx, program, fx);
}

void Cluster::say_release(const Context& ctx, std::size_t program, Effects& fx) {
    converse(ctx, fx, [&](Sessions& sessions, const Sessions::Self& self, SessionEffects& out) {
        sessions.hear(self, program, session::Release{key_of(program).ticket}, out);
    });
}

// The program dies, and another one takes its place.
void Cluster::replace(const Context& ctx, std::size_t program, Effects& fx) {
    programs_[program] = {.requests_left = programs_[program].requests_left};
    guardian_.end(key_of(program));
    if (!alive_) return testify(ctx, fx);
    converse(ctx, fx, [&](Sessions& sessions, const Sessions::Self& self, SessionEffects& out) {
        sessions.disconnected(self, program, out);
    });
    connect(ctx, program, fx);
}

void Cluster::await_act(std::size_t program, Effects& fx) const {
    const Program& one = programs_[program];
    if (one.phase == Phase::holding || one.requests_left > 0)
        fx.arm(static_cast<Timer>(program - 1), ticks_between_acts);
}

void Cluster::perform(const Context& ctx, std::size_t program, Effects& fx) {
    Program& one = programs_[program];
    if (one.phase == Phase::holding) {
        if (ctx.config.sticky)
            replace(ctx, program, fx);
        else
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
        const auto number = static_cast<std::uint32_t>(StampAccess::value(known.version) + 1);
        ask.next = call.change->applied_to(known, {ctx.self, incarnation(ctx), number});
    }
    fx.send(ctx.config.sites, std::move(ask));
}

// The atomic register.
void Cluster::take(const Context& ctx, SiteId from, const host::Ask& ask, Effects& fx) {
    if (!is_register(ctx)) return;
    if (ask.next && ask.expected == value_.id) value_ = *ask.next;
    fx.send(from, host::Told{ask.incarnation, value_});
}

void Cluster::take(const Context& ctx, SiteId, const host::Told& told, Effects& fx) {
    if (!alive_ || told.incarnation != incarnation(ctx)) return;  // the answer to an earlier daemon
    step(ctx, fx,
         [&](const Member::Self& self, Member::Effects& out) { member_.returned(self, told.value, out); });
}

// --- Messages.

void Cluster::take(const Context& ctx, SiteId from, const host::LinkNews& news, Effects& fx) {
    if (!alive_ || is_register(ctx)) return;
    member_.host().ended(from, news.ended);
    if (news.gone) member_.host().certify({from, *news.gone});
    if (!news.ended)
        step(ctx, fx, [&](const Member::Self& self, Member::Effects& out) { member_.met(self, from, out); });
}

void Cluster::take(const Context& ctx, SiteId from, const auto& message, Effects& fx) {
    if (!alive_ || is_register(ctx)) return;
    step(ctx, fx,
         [&](const Member::Self& self, Member::Effects& out) { member_.receive(self, from, message, out); });
}

}  // namespace allot
