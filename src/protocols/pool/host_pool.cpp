#include "protocols/pool/host_pool.hpp"

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "core/model.hpp"

namespace allot {

using host_pool::Seat;
using host_pool::Timer;

// --- Parameters.

std::optional<std::string> HostPool::config_error(const Config& config) {
    const auto error = [](const char* flag, std::uint64_t value, std::uint64_t most) {
        return "--" + std::string(flag) + " " + std::to_string(value) + ": write a number from 1 to " +
               std::to_string(most);
    };
    const auto wrong = [](std::uint64_t value, std::uint64_t most) { return value < 1 || value > most; };
    if (auto why = TreePool::config_error(config)) return why;
    // The root would have to remember programs whose units it has erased (TreePool::must_wait).
    if (config.drain) return "--drain: a host does not wait for its programs; leave the flag out";
    if (wrong(config.seats, seats::most_seats)) return error("seats", config.seats, seats::most_seats);
    if (wrong(config.seat_units, config.max_request))
        return error("seat-units", config.seat_units, config.max_request);
    for (const std::uint32_t units : config.resize.counts)
        if (units > TreePool::most_units)
            return "--resize " + config.resize.text() + ": write numbers from 0 to " +
                   std::to_string(TreePool::most_units);
    return std::nullopt;
}

std::uint32_t HostPool::Config::units_in(std::uint32_t view) const {
    const std::uint32_t resized = view == 0 ? 0 : resize.of(view - 1);
    return resized == 0 ? units : resized;
}

std::uint32_t HostPool::Config::most_units() const {
    return std::max(units, std::ranges::max(resize.counts));
}

std::optional<Domain> HostPool::domain(const Context& ctx, std::string_view member) {
    if (member == "units") return Domain{0, ctx.config.max_request};
    // A controller counts units in excess, too, of which the configuration knows nothing.
    if (member == "resources") return Domain{0, TreePool::most_units + 1};
    if (member == "line") return Domain{0, ctx.config.seats - 1};
    if (member == "seat") return Domain{0, ctx.config.seats - 1};
    return TreePool::domain(at(ctx), member);
}

void HostPool::sample(Draw& draw) {
    TreePool::sample(draw);
    draw.number("seats", 1, seats::most_seats);
    draw.choice("seat-requests", {"1", "3", "any"});
}

// --- Programs.

void HostPool::start(const Context& ctx, Effects& fx) {
    seats_.resize(ctx.config.seats);
    for (std::size_t seat = 1; seat < seats_.size(); ++seat) {
        seats_[seat].requests_left = ctx.config.seat_requests.of(ctx.self);
        await_act(seat, fx);
    }
    act(ctx, fx, [&](const NodeContext& self, NodeEffects& out) { node_.start(self, out); });
}

void HostPool::await_act(std::size_t seat, Effects& fx) const {
    const Seat& one = seats_[seat];
    const bool asks = one.phase == Phase::idle && one.requests_left > 0;
    if (one.phase == Phase::holding || asks) fx.arm(act_of(seat), seats::ticks_between_acts);
}

void HostPool::timeout(const Context& ctx, Timer timer, Effects& fx) {
    if (timer >= Timer::second) {
        wake(timer);
        return settle(ctx, fx);
    }
    act(ctx, fx, [&](const NodeContext& self, NodeEffects& out) {
        node_.timeout(self, static_cast<TreePool::Timer>(timer), out);
    });
    serve(ctx, fx);
}

void HostPool::wake(Timer timer) {
    if (timer >= Timer::second) seats_[seat_of(timer)].acted = true;
}

// Those that let go come first.
void HostPool::settle(const Context& ctx, Effects& fx) {
    for (std::size_t seat = 1; seat < seats_.size(); ++seat)
        if (seats_[seat].acted && seats_[seat].phase == Phase::holding) {
            let_go(ctx, seat, fx);
            await_act(seat, fx);
        }
    for (std::size_t seat = 1; seat < seats_.size(); ++seat)
        if (seats_[seat].acted && seats_[seat].phase == Phase::idle) {
            std::uint32_t& left = seats_[seat].requests_left;
            if (left != seats::Requests::any_number) --left;
            seats_[seat].acted = false;
            if (ctx.config.seat_units <= ctx.config.units)
                ask(ctx, seat, ctx.config.seat_units, fx);
            else
                await_act(seat, fx);
        }
}

void HostPool::stop_programs(Effects& fx) {
    for (std::size_t seat = 1; seat < seats_.size(); ++seat) {
        if (seats_[seat].phase != Phase::holding) continue;
        seats_[seat].acted = true;
        fx.disarm(act_of(seat));
    }
}

void HostPool::request(const Context& ctx, const Demand& demand, Effects& fx) {
    ensure(phase() == Phase::idle, "a request while another is open");
    if (demand.units > ctx.config.max_request)
        return fx.refused("at most " + std::to_string(ctx.config.max_request) + " units at once");
    if (demand.units > ctx.config.units) return fx.refused("there are not so many units any more");
    ask(ctx, 0, demand.units, fx);
}

void HostPool::release(const Context& ctx, Effects& fx) {
    end(ctx, 0, fx);
    fx.released();
    serve(ctx, fx);
}

// --- The line.

void HostPool::ask(const Context& ctx, std::size_t seat, std::uint32_t units, Effects& fx) {
    seats_[seat] = {.phase = Phase::waiting, .units = units, .requests_left = seats_[seat].requests_left};
    line_.push_back(static_cast<std::uint32_t>(seat));
    if (!node_.parked().empty()) fx.reached("used-beside");
    serve(ctx, fx);
}

void HostPool::let_go(const Context& ctx, std::size_t seat, Effects& fx) {
    end(ctx, seat, fx);
    serve(ctx, fx);
}

// A program gives back what it uses, or leaves the line. If it was the first, its site gives back what it has
// collected.
void HostPool::end(const Context& ctx, std::size_t seat, Effects& fx) {
    const Seat ended = std::exchange(seats_[seat], {.requests_left = seats_[seat].requests_left});
    const bool first = !line_.empty() && line_.front() == seat;
    std::erase(line_, static_cast<std::uint32_t>(seat));
    if (ended.phase == Phase::holding && !ended.revoked)
        act(ctx, fx,
            [&](const NodeContext& self, NodeEffects& out) { node_.give_back(self, ended.units, out); });
    if (first && node_.phase() == Phase::waiting)
        act(ctx, fx, [&](const NodeContext& self, NodeEffects& out) { node_.cancel(self, out); });
}

void HostPool::serve(const Context& ctx, Effects& fx) {
    while (!line_.empty() && node_.phase() == Phase::idle && may_ask(ctx.config))
        act(ctx, fx, [&](const NodeContext& self, NodeEffects& out) {
            node_.request(self, {seats_[line_.front()].units, {}}, out);
        });
}

// A site that is alone grants at once what it is asked for.
bool HostPool::may_ask(const Config& config) const {
    if (config.sites == 1 && config.hosts.count_alone) return fits_alone(config);
    return config.hosts.ask_beside_users || in_use() == 0;
}

bool HostPool::fits_alone(const Config& config) const {
    return in_use() + seats_[line_.front()].units <= config.units;
}

TreePool::Config HostPool::with_surplus(TreePool::Config config) const {
    config.units += surplus_;
    return config;
}

// A unit that comes round to the root ahead of the controller was not counted in this traversal.
bool HostPool::drops(const Context& ctx, SiteId from, const Message& message) {
    const bool comes_round =
        surplus_ > 0 && ctx.self == Tree::root && std::holds_alternative<TreePool::Resource>(message) &&
        ctx.config.tree.channel(ctx.self, from, ctx.config.sites) == TreePool::first_channel(at(ctx));
    if (comes_round) --surplus_;
    return comes_round;
}

std::uint64_t HostPool::in_use() const {
    std::uint64_t units = 0;
    for (const Seat& seat : seats_)
        if (seat.phase == Phase::holding) units += seat.units;
    return units;
}

void HostPool::give(const Context& ctx, const NodeEffects& out, Effects& fx) {
    for (const auto& change : out.timers()) {
        if (change.timer == static_cast<std::uint32_t>(Timer::controller) && !ctx.config.resend) continue;
        change.armed ? fx.arm(static_cast<Timer>(change.timer), change.ticks)
                     : fx.disarm(static_cast<Timer>(change.timer));
    }
    for (const std::string_view probe : out.probes()) fx.reached(probe);
    for (const auto& send : out.sends()) fx.send(send.to, send.message);
}

// The first of the line has its units.
void HostPool::enter(const Context& ctx, Effects& fx) {
    const std::uint32_t seat = line_.front();
    line_.erase(line_.begin());
    seats_[seat].phase = Phase::holding;
    node_.set_aside();
    if (seat == 0)
        fx.granted();
    else
        await_act(seat, fx);
    if (ctx.config.repairs.pass_when_served || !line_.empty()) return;
    NodeEffects out;  // the priority token, which it does not keep for nobody
    node_.settle(at(ctx), out);
    give(ctx, out, fx);
}

// The root has erased what was used here; units that come later belong to others.
void HostPool::revoke(const Context& ctx, Effects& fx) {
    for (std::size_t seat = 0; seat < seats_.size() && ctx.config.sites > 1; ++seat) {
        Seat& one = seats_[seat];
        if (one.phase != Phase::holding || one.revoked || one.units == 0) continue;
        one.revoked = true;
        if (seat == 0) fx.revoked();
    }
}

std::optional<std::string> HostPool::objection(const Context& ctx, SiteId from, const Message& message) {
    if (!ctx.config.tree.channel(ctx.self, from, ctx.config.sites))
        return "a token from a host that is no neighbour in the tree";
    if (std::holds_alternative<TreePool::Controller>(message) && !ctx.config.full())
        return "a controller, which this pool does not have";
    if (std::holds_alternative<TreePool::Wanted>(message) && !ctx.config.pacing)
        return "a hint, which only a pool with pacing has";
    return std::nullopt;
}

}  // namespace allot
