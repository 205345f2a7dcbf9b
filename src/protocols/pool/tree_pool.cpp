#include "protocols/pool/tree_pool.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/draw.hpp"

namespace allot {

namespace {

// Adds one, up to `most`.
void bump(std::uint32_t& count, std::uint32_t most) {
    count = std::min(count + 1, most);
}

}  // namespace

// A timer counts ticks in 32 bits.
std::optional<std::string> TreePool::timeout_error(const Config& config) {
    constexpr std::uint64_t most = 0xFFFFFFFF;
    if (config.longest_timeout() <= most) return std::nullopt;
    const std::string doubled = " doubled " + std::to_string(config.backoff) + " times (--backoff)";
    if (config.timeout == 0)
        return "--backoff " + std::to_string(config.backoff) + ": the time for " +
               std::to_string(config.sites) + " sites," + doubled + ", is too long; write a smaller one";
    const std::uint64_t period = config.pacing ? config.period : 0;
    return "--timeout " + std::to_string(config.timeout) + "," + doubled +
           ", is too long; write a number from 0 to " + std::to_string((most - period) >> config.backoff);
}

std::optional<std::string> TreePool::needs_error(const Config& config) {
    const pool::Needs& needs = config.needs;
    const std::string flag = "--needs " + needs.text() + ": ";
    if (needs.any()) return std::nullopt;
    if (needs.size() > 1 && needs.size() != config.sites)
        return flag + "these are the needs of " + std::to_string(needs.size()) + " sites, with --sites " +
               std::to_string(config.sites);
    if (needs.largest() > config.max_request)
        return flag + "a request takes up to --max-request " + std::to_string(config.max_request) +
               "; write --max-request " + std::to_string(needs.largest());
    if (config.min_request != 1) return flag + "leave --min-request out";
    return std::nullopt;
}

std::optional<std::string> TreePool::config_error(const Config& config) {
    const auto number = [](const char* flag, std::uint32_t value, std::uint32_t low, std::uint32_t high) {
        return "--" + std::string(flag) + " " + std::to_string(value) + ": write a number from " +
               std::to_string(low) + " to " + std::to_string(high);
    };
    if (config.units < 1 || config.units > most_units) return number("units", config.units, 1, most_units);
    if (config.max_request < 1 || config.max_request > config.units)
        return number("max-request", config.max_request, 1, config.units) + ", as many as there are units";
    if (config.min_request > config.max_request)
        return number("min-request", config.min_request, 0, config.max_request);
    if (auto why = needs_error(config)) return why;
    if (const auto listed = config.tree.listed_sites(); listed && *listed != config.sites)
        return "--tree " + config.tree.text() + ": this is a tree of " + std::to_string(*listed) +
               " sites; write --sites " + std::to_string(*listed);
    if (config.modulus == 1) return "--modulus 1: write 0 (enough for --cmax) or a number from 2 on";
    if (config.numbers_for_cmax() > 0xFFFFFFFF)
        return "--cmax " + std::to_string(config.cmax) +
               ": there are not enough numbers; write a smaller one";
    if (config.backoff > 16) return number("backoff", config.backoff, 0, 16);
    return timeout_error(config);
}

std::optional<std::string> TreePool::noise_error(const Config& config, std::uint64_t noise) {
    if (noise <= config.cmax || config.modulus > 0) return std::nullopt;
    return "--noise " + std::to_string(noise) + ": the controller has numbers for " +
           std::to_string(config.cmax) + " stale messages per channel; write --cmax " + std::to_string(noise);
}

pool::Tally TreePool::Config::all() const {
    if (sites == 1) return {};
    return {units, stage >= pool::Variant::pusher ? 1u : 0u, stage >= pool::Variant::priority ? 1u : 0u};
}

std::vector<Demand> TreePool::demands(const Context& ctx) {
    std::vector<Demand> list;
    if (!ctx.config.needs.any()) {
        for (const std::uint32_t units : ctx.config.needs.of(ctx.self)) list.push_back({units, {}});
        return list;
    }
    for (std::uint32_t units = ctx.config.min_request; units <= ctx.config.max_request; ++units)
        list.push_back({units, {}});
    return list;
}

Demand TreePool::draw_demand(const Context& ctx, Random& random) {
    if (!ctx.config.needs.any()) {
        const auto& amounts = ctx.config.needs.of(ctx.self);
        return {amounts[random(amounts.size())], {}};
    }
    const std::uint32_t low = ctx.config.min_request;
    return {low + static_cast<std::uint32_t>(random(ctx.config.max_request - low + 1)), {}};
}

namespace {

// The needs that the user has fixed. If they make no sense, the run is refused later, with the reason.
pool::Needs fixed_needs(const Draw& draw) {
    const auto given = draw.drawn().find("needs");
    if (given == draw.drawn().end()) return {};
    const auto needs = pool::Needs::parse("needs", given->second);
    return needs ? *needs : pool::Needs{};
}

}  // namespace

// With `taint` the pool survives losses, unless the root decides while they go on; it survives a timer that
// is always too fast only if the root decides some day. A duplicated message is a fault after which nothing
// is guaranteed for a while.
void TreePool::sample(Draw& draw) {
    const pool::Needs needs = fixed_needs(draw);
    const auto listed = static_cast<std::uint32_t>(needs.size());
    const auto least = std::max(1u, needs.largest());
    const auto sites = listed > 1 ? draw.number("sites", listed, listed) : draw.number("sites", 1, 6);
    const auto units = draw.number("units", least, std::max(4u, least));
    const auto most = draw.number("max-request", least, units);
    if (needs.any()) draw.number("min-request", 0, most);
    draw.choice("tree", {"chain", "star", "binary"});
    draw.toggle("cancel");
    draw.toggle("drain");
    draw.toggle("pacing");
    const bool patient = draw.number("copies", 1, 3) == 1;
    const bool loses = sites > 1 && draw.faults("lose", 3) > 0;
    if (!loses) draw.faults("duplicate", 1);
    if (loses)
        draw.choice("patience", {patient ? "0" : "16"});
    else
        draw.choice("patience", {"2", "16"});
}

// --- The application.

void TreePool::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void TreePool::start(const Context& ctx, Effects& fx) {
    if (!is_root(ctx) || ctx.config.sites == 1) return;
    if (ctx.config.full()) {
        fx.arm(Timer::controller, 1);
        return;
    }
    seen_.pushers = ctx.config.all().pushers == 0 ? 1 : 0;  // as if they existed: none is made
    seen_.priorities = ctx.config.all().priorities == 0 ? 1 : 0;
    create(ctx, {}, fx);
    seen_ = {};
}

void TreePool::request(const Context& ctx, const Demand& demand, Effects& fx) {
    ensure(phase_ == Phase::idle, "a request while another is open");
    if (demand.units > ctx.config.max_request)
        return fx.refused("at most " + std::to_string(ctx.config.max_request) + " units at once");
    phase_ = Phase::waiting;
    need_ = demand.units;
    settle(ctx, fx);
    if (phase_ != Phase::waiting || !ctx.config.pacing) return;
    if (is_root(ctx))
        wake(ctx, fx);
    else
        send(ctx, 0, Wanted{}, fx);
}

void TreePool::release(const Context& ctx, Effects& fx) {
    let_go(ctx, fx);
    phase_ = Phase::idle;
    fx.released();
    settle(ctx, fx);
}

// As if the request were granted nothing and released.
void TreePool::cancel(const Context& ctx, Effects& fx) {
    release(ctx, fx);
}

// A single site has no ring: everything that it may ask for is there.
bool TreePool::satisfied(const Context& ctx) const {
    return reserved_.size() >= need_ || ctx.config.sites == 1;
}

// In the same step as its cause: otherwise the next units would overtake the priority token, and waits would
// be unbounded (erratum 16).
void TreePool::settle(const Context& ctx, Effects& fx) {
    if (ctx.config.repairs.settle_at_once)
        sweep(ctx, fx);
    else
        fx.arm(Timer::sweep, 1);
}

void TreePool::sweep(const Context& ctx, Effects& fx) {
    if (phase_ == Phase::waiting && satisfied(ctx)) {
        phase_ = Phase::holding;
        fx.granted();
    }
    const bool keeps = phase_ == Phase::holding && !ctx.config.repairs.pass_when_served;
    if (priority_ && phase_ != Phase::waiting && !keeps) {
        const Channel channel = *priority_;
        priority_.reset();
        pass_on(ctx, channel, Priority{}, fx);
    }
    if (deferred_ && !in_use()) {
        const Deferred waited = *deferred_;
        deferred_.reset();
        take(ctx, waited.channel, waited.controller, fx);
    }
}

// --- Programs beside the request.

void TreePool::set_aside() {
    ensure(phase_ == Phase::holding, "only what was granted is set aside");
    parked_.insert(parked_.end(), reserved_.begin(), reserved_.end());
    std::ranges::sort(parked_);
    reserved_.clear();
    phase_ = Phase::idle;
}

// Units are alike: those of the lowest channels go.
void TreePool::give_back(const Context& ctx, std::uint32_t units, Effects& fx) {
    const auto end =
        parked_.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(units, parked_.size()));
    for (auto unit = parked_.begin(); unit != end; ++unit) pass_on(ctx, *unit, Resource{}, fx);
    parked_.erase(parked_.begin(), end);
    settle(ctx, fx);
}

// The channel on which units that are used rest, so that the first controller, which a site expects from
// channel 0, finds them: at the root they are behind it as it sets out, so it counts them with those of the
// last channel.
TreePool::Channel TreePool::first_channel(const Context& ctx) {
    return is_root(ctx) ? std::max(ctx.config.degree(ctx.self), 1u) - 1 : 0;
}

TreePool TreePool::resumed(const Context& ctx, const pool::Beginning& beginning, Effects& fx) {
    TreePool site;
    if (ctx.config.sites == 1) return site;
    site.parked_ = beginning.parked;
    if (!is_root(ctx)) return site;
    const pool::Tally all = ctx.config.all();
    site.awake_ = ctx.config.pacing ? 2 : 0;
    site.seen_ = {beginning.used, all.pushers == 0 ? 1u : 0u, all.priorities == 0 ? 1u : 0u};
    if (!beginning.counts_first) site.create(ctx, {}, fx);
    site.seen_ = {};
    if (!ctx.config.full()) return site;
    site.number_ = beginning.number % ctx.config.numbers();
    site.send(ctx, 0, Controller{site.number_, false, beginning.counted, 0, false}, fx);
    site.arm(ctx, fx);
    return site;
}

// --- Resource, pusher and priority tokens. While the root has tokens erased, it discards those that it
// meets.

void TreePool::receive(const Context& ctx, SiteId from, const Resource& token, Effects& fx) {
    const auto channel = channel_of(ctx, from);
    if (!channel || reset_) return;
    count(ctx, *channel, token, Moment::arrival);
    if (phase_ == Phase::waiting && !satisfied(ctx))
        reserved_.insert(std::upper_bound(reserved_.begin(), reserved_.end(), *channel), *channel);
    else
        pass_on(ctx, *channel, token, fx);
    settle(ctx, fx);
}

void TreePool::receive(const Context& ctx, SiteId from, const Pusher& token, Effects& fx) {
    const auto channel = channel_of(ctx, from);
    if (!channel || reset_) return;
    const bool entitled = phase_ == Phase::holding || (phase_ == Phase::waiting && satisfied(ctx));
    const bool spared = priority_.has_value() == ctx.config.repairs.push_without_priority;
    if (!entitled && !spared) let_go(ctx, fx);
    count(ctx, *channel, token, Moment::arrival);
    pass_on(ctx, *channel, token, fx);
    settle(ctx, fx);
}

void TreePool::receive(const Context& ctx, SiteId from, const Priority& token, Effects& fx) {
    const auto channel = channel_of(ctx, from);
    if (!channel || reset_) return;
    if (!priority_) {
        count(ctx, *channel, token, Moment::arrival);
        priority_ = *channel;
    } else {
        if (ctx.config.repairs.count_passing) count(ctx, *channel, token, Moment::arrival);
        send(ctx, next(ctx, *channel), token, fx);
    }
    settle(ctx, fx);
}

void TreePool::let_go(const Context& ctx, Effects& fx) {
    for (const Channel channel : reserved_) pass_on(ctx, channel, Resource{}, fx);
    reserved_.clear();
}

void TreePool::pass_on(const Context& ctx, Channel channel, const Message& token, Effects& fx) {
    count(ctx, channel, token, Moment::departure);
    send(ctx, next(ctx, channel), token, fx);
}

void TreePool::send(const Context& ctx, Channel channel, const Message& message, Effects& fx) {
    if (is_root(ctx) && channel == 0 && idles(ctx)) {
        fx.reached("held-back");
        outbox_.push_back(message);
        fx.arm(Timer::pace, ctx.config.period);
        // Only after a fault are there too many.
        if (outbox_.size() > ctx.config.outbox_size()) flush(ctx, fx);
        return;
    }
    // After a fault the outbox may be filled although the root does not idle: nothing overtakes it.
    if (is_root(ctx) && channel == 0 && !outbox_.empty()) flush(ctx, fx);
    fx.send(ctx.config.tree.neighbour(ctx.self, channel, ctx.config.sites), message);
}

// A token that arrives at the root on its last channel has been round the ring.
void TreePool::count(const Context& ctx, Channel channel, const Message& token, Moment moment) {
    const bool now = (moment == Moment::arrival) == ctx.config.repairs.count_arrivals;
    if (!is_root(ctx) || channel + 1 != ctx.config.degree(ctx.self) || !now || !ctx.config.full()) return;
    if (std::holds_alternative<Resource>(token)) bump(seen_.resources, ctx.config.units + 1);
    if (std::holds_alternative<Pusher>(token)) bump(seen_.pushers, 2);
    if (std::holds_alternative<Priority>(token)) bump(seen_.priorities, 2);
}

// --- The controller.

void TreePool::receive(const Context& ctx, SiteId from, const Controller& controller, Effects& fx) {
    const auto channel = channel_of(ctx, from);
    const bool well_formed = controller.number < ctx.config.numbers() &&
                             controller.resources <= ctx.config.units + 1 && controller.priorities <= 2;
    if (!channel || !well_formed || !ctx.config.full()) return;
    take(ctx, *channel, controller, fx);
    settle(ctx, fx);
}

void TreePool::take(const Context& ctx, Channel channel, const Controller& controller, Effects& fx) {
    if (!is_valid(ctx, channel, controller)) {
        fx.reached("stale-controller");
    } else if (must_wait(ctx, channel, controller)) {
        fx.reached("deferred");
        deferred_ = Deferred{channel, controller};
    } else if (is_root(ctx)) {
        steer(ctx, channel, controller, fx);
    } else {
        relay(ctx, channel, controller, fx);
    }
}

// It comes from where it was sent to, with the number it was sent with; from the parent with any number.
bool TreePool::is_valid(const Context& ctx, Channel channel, const Controller& controller) const {
    if (!is_root(ctx) && channel == 0) return true;
    return channel == successor_ && controller.number == number_;
}

// Behind a marked controller no token can overtake it while it waits: the root sends none.
bool TreePool::must_wait(const Context& ctx, Channel channel, const Controller& controller) const {
    if (!ctx.config.drain || !in_use()) return false;
    if (is_root(ctx)) return reset_ && next(ctx, successor_) == 0;
    return controller.marked && (channel != 0 || controller.number != number_);
}

void TreePool::steer(const Context& ctx, Channel channel, Controller controller, Effects& fx) {
    successor_ = next(ctx, successor_);
    if (successor_ == 0)
        finish_traversal(ctx, controller, fx);
    else if (!ctx.config.repairs.create_at_end)
        create(ctx, controller, fx);
    controller.marked = reset_;
    hand_on(ctx, channel, controller, fx);
    arm(ctx, fx);
}

void TreePool::relay(const Context& ctx, Channel channel, const Controller& controller, Effects& fx) {
    const bool fresh = controller.number != number_;
    if (channel != 0) {
        successor_ = next(ctx, successor_);
        if (controller.marked) erase(ctx, ctx.config.repairs.erase_priority, fx);
    } else if (fresh) {
        if (ctx.config.repairs.adopt_number) number_ = controller.number;
        successor_ = std::min(1u, ctx.config.degree(ctx.self) - 1);
        if (controller.marked) erase(ctx, true, fx);
    } else if (!ctx.config.repairs.forward_duplicates) {
        return;
    }
    hand_on(ctx, channel, controller, fx);
}

// The tokens that rest here and came in by the same channel are behind it now.
void TreePool::hand_on(const Context& ctx, Channel channel, Controller controller, Effects& fx) {
    const std::uint32_t most = ctx.config.units + 1;
    controller.number = number_;
    controller.resources = std::min(controller.resources + resting(channel), most);
    if (priority_ == channel) bump(controller.priorities, 2);
    if (ctx.config.pacing) controller.wanted = controller.wanted || phase_ == Phase::waiting;
    send(ctx, successor_, controller, fx);
}

std::uint32_t TreePool::resting(Channel channel) const {
    return static_cast<std::uint32_t>(std::ranges::count(reserved_, channel) +
                                      std::ranges::count(parked_, channel));
}

void TreePool::finish_traversal(const Context& ctx, Controller& controller, Effects& fx) {
    const Config& config = ctx.config;
    fx.reached("traversal");
    number_ = (number_ + 1) % config.numbers();
    if (may_decide(ctx, fx)) {
        reset_ = controller.resources + seen_.resources > config.units ||
                 controller.priorities + seen_.priorities > 1 || seen_.pushers > 1;
        if (reset_) {
            fx.reached("reset");
            erase(ctx, true, fx);
        }
        if (!reset_ || !config.repairs.create_at_end) create(ctx, controller, fx);
    }
    tainted_ = false;
    if (config.repairs.zero_counts) {
        seen_ = {};
        controller.resources = controller.priorities = 0;
    }
    if (config.pacing) {
        awake_ = controller.wanted || phase_ == Phase::waiting ? 2 : std::max(awake_, 1u) - 1;
        controller.wanted = false;
        if (awake_ > 0) flush(ctx, fx);
    }
}

// A count may be wrong if the timer fired because a message was lost. A timer that fires every time is too
// fast, and nothing was lost.
bool TreePool::may_decide(const Context& ctx, Effects& fx) {
    const bool doubtful = ctx.config.taint && tainted_ && !reset_;
    if (!tainted_ && doubled_ > 0) --doubled_;
    if (!doubtful) {
        undecided_ = 0;
        return true;
    }
    if (ctx.config.patience > 0 && ++undecided_ >= ctx.config.patience) {
        fx.reached("decided-anyway");
        undecided_ = 0;
        return true;
    }
    fx.reached("undecided");
    return false;
}

// Makes the missing tokens.
void TreePool::create(const Context& ctx, const Controller& controller, Effects& fx) {
    if (controller.priorities + seen_.priorities < 1) send(ctx, 0, Priority{}, fx);
    for (; controller.resources + seen_.resources < ctx.config.units; ++seen_.resources) {
        fx.reached("created");
        send(ctx, 0, Resource{}, fx);
    }
    if (seen_.pushers < 1) send(ctx, 0, Pusher{}, fx);
}

// Tells the holder, unless its units are not made again before it releases them.
void TreePool::erase(const Context& ctx, bool priority_too, Effects& fx) {
    const bool loses = (phase_ == Phase::holding && !reserved_.empty()) || !parked_.empty();
    if (loses && !(is_root(ctx) && ctx.config.drain)) fx.revoked();
    reserved_.clear();
    parked_.clear();
    if (priority_too) priority_.reset();
}

void TreePool::timeout(const Context& ctx, Timer timer, Effects& fx) {
    if (timer == Timer::pace) return flush(ctx, fx);
    if (timer == Timer::sweep) return sweep(ctx, fx);
    const bool held_back = holds_back_controller();
    flush(ctx, fx);
    if (!held_back && !deferred_) {
        tainted_ = ctx.config.taint;
        bump(doubled_, ctx.config.backoff);
        fx.send(ctx.config.tree.neighbour(ctx.self, successor_, ctx.config.sites),
                Controller{number_, reset_, 0, 0, false});
    }
    arm(ctx, fx);
    settle(ctx, fx);
}

void TreePool::arm(const Context& ctx, Effects& fx) const {
    // A controller that is held back is not lost.
    const std::uint64_t held_back = holds_back_controller() ? ctx.config.period : 0;
    fx.arm(Timer::controller,
           static_cast<std::uint32_t>((ctx.config.first_timeout() << doubled_) + held_back));
}

// --- Pacing.

void TreePool::receive(const Context& ctx, SiteId from, const Wanted& hint, Effects& fx) {
    const auto channel = channel_of(ctx, from);
    if (!channel || !ctx.config.pacing) return;
    if (is_root(ctx))
        wake(ctx, fx);
    else if (*channel != 0)
        send(ctx, 0, hint, fx);
}

// The present traversal may have passed the waiting site already; the next one meets it, and keeps the root
// awake.
void TreePool::wake(const Context& ctx, Effects& fx) {
    awake_ = 2;
    flush(ctx, fx);
}

bool TreePool::holds_back_controller() const {
    return std::any_of(outbox_.begin(), outbox_.end(),
                       [](const Message& message) { return std::holds_alternative<Controller>(message); });
}

void TreePool::flush(const Context& ctx, Effects& fx) {
    const bool controller_leaves = holds_back_controller();
    fx.disarm(Timer::pace);
    for (const Message& message : outbox_)
        fx.send(ctx.config.tree.neighbour(ctx.self, 0, ctx.config.sites), message);
    outbox_.clear();
    if (controller_leaves) arm(ctx, fx);
}

}  // namespace allot
