#include "protocols/pool/published/tree_pool.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/model.hpp"

namespace allot {

namespace {

void bump(std::uint32_t& count, std::uint32_t most) {
    count = std::min(count + 1, most);
}

}  // namespace

std::optional<std::string> TreePoolPublished::config_error(const Config& config) {
    if (config.sites < 2)
        return "--sites " + std::to_string(config.sites) + ": the listing needs two or more";
    TreePool::Config repaired;
    repaired.sites = config.sites;
    repaired.units = config.units;
    repaired.max_request = config.max_request;
    repaired.tree = config.tree;
    repaired.cmax = config.cmax;
    return TreePool::config_error(repaired);
}

std::vector<Demand> TreePoolPublished::demands(const Context& ctx) {
    std::vector<Demand> list;
    for (std::uint32_t units = 1; units <= ctx.config.max_request; ++units) list.push_back({units, {}});
    return list;
}

void TreePoolPublished::send(const Context& ctx, Channel channel, const Message& message, Effects& fx) {
    fx.send(ctx.config.tree.neighbour(ctx.self, channel, ctx.config.sites), message);
}

void TreePoolPublished::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void TreePoolPublished::start(const Context& ctx, Effects& fx) {
    fx.arm(Timer::sweep, 1);
    if (is_root(ctx)) fx.arm(Timer::controller, 8 * ctx.config.sites);
}

void TreePoolPublished::request(const Context&, const Demand& demand, Effects&) {
    ensure(phase_ == Phase::idle, "a request while another is open");
    phase_ = Phase::waiting;
    need_ = demand.units;
}

// Lines 79-88, 66-72.
void TreePoolPublished::release(const Context& ctx, Effects& fx) {
    let_go(ctx, fx);
    phase_ = Phase::idle;
    fx.released();
}

void TreePoolPublished::let_go(const Context& ctx, Effects& fx) {
    for (const Channel channel : reserved_) {
        if (is_last(ctx, channel)) bump(seen_.resources, ctx.config.units + 1);
        send(ctx, next(ctx, channel), Resource{}, fx);
    }
    reserved_.clear();
}

// Lines 10-19, 9-15.
void TreePoolPublished::receive(const Context& ctx, SiteId from, const Resource& token, Effects& fx) {
    const auto channel = channel_of(ctx, from);
    if (!channel || reset_) return;
    if (phase_ == Phase::waiting && reserved_.size() < need_) {
        reserved_.insert(std::upper_bound(reserved_.begin(), reserved_.end(), *channel), *channel);
        return;
    }
    if (is_last(ctx, *channel)) bump(seen_.resources, ctx.config.units + 1);
    send(ctx, next(ctx, *channel), token, fx);
}

// Lines 20-35, 16-25.
void TreePoolPublished::receive(const Context& ctx, SiteId from, const Pusher& token, Effects& fx) {
    const auto channel = channel_of(ctx, from);
    if (!channel || reset_) return;
    const bool unsatisfied = phase_ != Phase::waiting || reserved_.size() < need_;
    if (priority_ && unsatisfied && phase_ != Phase::holding) let_go(ctx, fx);
    if (is_last(ctx, *channel)) bump(seen_.pushers, 2);
    send(ctx, next(ctx, *channel), token, fx);
}

// Lines 36-42, 26-32.
void TreePoolPublished::receive(const Context& ctx, SiteId from, const Priority& token, Effects& fx) {
    const auto channel = channel_of(ctx, from);
    if (!channel || reset_) return;
    if (!priority_)
        priority_ = *channel;
    else
        send(ctx, next(ctx, *channel), token, fx);
}

void TreePoolPublished::receive(const Context& ctx, SiteId from, const Controller& controller, Effects& fx) {
    const auto channel = channel_of(ctx, from);
    if (!channel) return;
    last_ = controller;
    if (is_root(ctx)) return steer(ctx, *channel, fx);
    come_back(ctx, *channel);
    relay(ctx, *channel, fx);
}

// Lines 43-73 of the root. The end of line 65 closes line 44, so the rest is done for every controller.
void TreePoolPublished::steer(const Context& ctx, Channel channel, Effects& fx) {
    const bool valid = channel == successor_ && last_.number == number_;
    if (valid) {
        successor_ = next(ctx, successor_);
        if (successor_ == 0) finish_traversal(ctx);
        create(ctx, fx);
    } else if (ctx.config.repairs.answer_valid) {
        return;
    }
    add_resting(ctx, channel);
    last_.number = number_;
    last_.marked = reset_;
    send(ctx, successor_, last_, fx);
    fx.arm(Timer::controller, 8 * ctx.config.sites);
}

// Lines 46-54.
void TreePoolPublished::finish_traversal(const Context& ctx) {
    number_ = (number_ + 1) % ctx.config.numbers();
    reset_ = last_.resources + seen_.resources > ctx.config.units ||
             last_.priorities + seen_.priorities > 1 || seen_.pushers > 1;
    if (!reset_) return;
    reserved_.clear();
    priority_.reset();
}

// Lines 55-64.
void TreePoolPublished::create(const Context& ctx, Effects& fx) {
    if (last_.priorities + seen_.priorities < 1) send(ctx, 0, Priority{}, fx);
    for (; last_.resources + seen_.resources < ctx.config.units; ++seen_.resources)
        send(ctx, 0, Resource{}, fx);
    if (seen_.pushers < 1) send(ctx, 0, Pusher{}, fx);
}

// Lines 34-41 of the others: a controller from a child.
void TreePoolPublished::come_back(const Context& ctx, Channel channel) {
    ok_ = false;
    if (channel != successor_ || number_ != last_.number || successor_ == 0) return;
    successor_ = next(ctx, successor_);
    ok_ = true;
    if (last_.marked) reserved_.clear();
}

// Lines 43-59 of the others, which the printed brackets leave outside the reception.
void TreePoolPublished::relay(const Context& ctx, Channel channel, Effects& fx) {
    if (channel == 0) {
        ok_ = true;
        if (number_ != last_.number) {
            successor_ = std::min(1u, ctx.config.degree(ctx.self) - 1);
            if (last_.marked) {
                reserved_.clear();
                priority_.reset();
            }
        }
    }
    if (!ok_) return;
    add_resting(ctx, channel);
    send(ctx, successor_, Controller{number_, last_.marked, last_.resources, last_.priorities}, fx);
}

void TreePoolPublished::add_resting(const Context& ctx, Channel channel) {
    const auto resting = static_cast<std::uint32_t>(std::count(reserved_.begin(), reserved_.end(), channel));
    last_.resources = std::min(last_.resources + resting, ctx.config.units + 1);
    if (priority_ == channel) bump(last_.priorities, 2);
}

void TreePoolPublished::timeout(const Context& ctx, Timer timer, Effects& fx) {
    if (timer == Timer::controller) {  // lines 96-99
        send(ctx, successor_, Controller{number_, reset_, 0, 0}, fx);
        fx.arm(Timer::controller, 8 * ctx.config.sites);
        return;
    }
    if (!is_root(ctx) && !ctx.config.repairs.inside_receive)
        for (Channel channel = 0; channel < ctx.config.degree(ctx.self); ++channel) relay(ctx, channel, fx);
    act(ctx, fx);
    fx.arm(Timer::sweep, 1);
}

// Lines 75-78 and 89-95, 62-65 and 73-76.
void TreePoolPublished::act(const Context& ctx, Effects& fx) {
    if (phase_ == Phase::waiting && reserved_.size() >= need_) {
        phase_ = Phase::holding;
        fx.granted();
    }
    if (!priority_ || (phase_ == Phase::waiting && reserved_.size() < need_)) return;
    if (is_last(ctx, *priority_)) bump(seen_.priorities, 2);
    send(ctx, next(ctx, *priority_), Priority{}, fx);
    priority_.reset();
}

void TreePoolPublished::on_state(const View<TreePoolPublished>& view, Report& report) {
    pool::Tally tokens;
    std::uint32_t controllers = 0;
    std::uint64_t held = 0;
    for (const auto* envelope : view.flight) {
        tokens.resources += std::holds_alternative<Resource>(envelope->message);
        tokens.pushers += std::holds_alternative<Pusher>(envelope->message);
        tokens.priorities += std::holds_alternative<Priority>(envelope->message);
        controllers += std::holds_alternative<Controller>(envelope->message);
    }
    for (const auto* site : view.sites) {
        const TreePoolPublished& process = site->protocol;
        tokens.resources += static_cast<std::uint32_t>(process.reserved_.size());
        tokens.priorities += process.priority_.has_value();
        if (process.phase_ == Phase::holding) held += process.reserved_.size();
    }
    if (held > view.config.units) report.violated("at-most-l", std::to_string(held) + " units are held");
    if (tokens.resources > view.config.units || tokens.pushers > 1 || tokens.priorities > 1)
        report.violated("no-surplus", "there are " + std::to_string(tokens.resources) + " resource, " +
                                          std::to_string(tokens.pushers) + " pusher and " +
                                          std::to_string(tokens.priorities) + " priority tokens");
    if (controllers > 1) report.violated("one-controller", std::to_string(controllers) + " are in flight");
}

namespace {

constexpr std::array properties{
    PropertyName{"at-most-l", "no more than l units are held"},
    PropertyName{"no-surplus", "no kind of token has more tokens than it should have"},
    PropertyName{"one-controller", "there is never more than one controller"},
};

}  // namespace

constinit const Model<TreePoolPublished> TreePoolPublished::model{
    .name = "tree-pool-published",
    .problem = "pool",
    .summary = "the pool as the paper prints it: its controllers multiply",
    .source =
        "Datta, Devismes, Horn and Larmore: Self-Stabilizing k-out-of-l Exclusion on Tree Networks, "
        "Algorithms 1 and 2",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .config_error = &config_error,
    .requests = {.demands = &demands,
                 .capacity = [](const Config& config) -> std::uint64_t { return config.units; },
                 .capacity_is_bound = true},
    .timers = {.fair = &fair, .replaces = &replaces},
};

}  // namespace allot
