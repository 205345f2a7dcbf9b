#include "protocols/neighborhood/escrow.hpp"

#include <algorithm>
#include <utility>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "protocols/neighborhood/ways.hpp"

namespace allot {

using neighborhood::Configuration;
using neighborhood::Prospect;
using neighborhood::Will;

// --- The configuration.

namespace {

constexpr std::uint64_t effort_for_a_freeze = 200'000;
constexpr std::uint8_t most_doublings = 3;

// Breadth first: parents, and the order in which sites were found.
struct Hops {
    std::vector<SiteId> parent;
    std::vector<SiteId> order;
};

Hops hops_from(const neighborhood::Closed& closed, SiteId from) {
    Hops hops{std::vector<SiteId>(closed.size(), from), {from}};
    std::vector<bool> found(closed.size(), false);
    found[from] = true;
    for (std::size_t i = 0; i < hops.order.size(); ++i)
        for (const SiteId next : closed[hops.order[i]]) {
            if (found[next]) continue;
            found[next] = true;
            hops.parent[next] = hops.order[i];
            hops.order.push_back(next);
        }
    return hops;
}

// Halfway between two sites that are far apart.
SiteId middle(const neighborhood::Closed& closed) {
    const SiteId end = hops_from(closed, 0).order.back();
    const Hops hops = hops_from(closed, end);
    std::vector<SiteId> path{hops.order.back()};
    while (path.back() != end) path.push_back(hops.parent[path.back()]);
    return path[path.size() / 2];
}

// Sites that share a neighbourhood get different colours; the number of colours is small.
std::vector<std::uint32_t> coloured(const neighborhood::Closed& closed) {
    constexpr std::uint32_t none = 0xFFFFFFFF;
    std::vector<std::uint32_t> colours(closed.size(), none);
    std::vector<SiteId> taken_for(closed.size() + 1, none);
    for (SiteId site = 0; site < closed.size(); ++site) {
        for (const SiteId around : closed[site])
            for (const SiteId other : closed[around])
                if (colours[other] != none) taken_for[colours[other]] = site;
        std::uint32_t colour = 0;
        while (taken_for[colour] == site) ++colour;
        colours[site] = colour;
    }
    return colours;
}

}  // namespace

Result<Escrow::Coordinator> Escrow::Coordinator::parse(std::string_view name, std::string_view text) {
    if (text == "middle") return Coordinator{};
    const auto site = parse_number(name, text, 0, 0xFFFFFFFF);
    if (!site) return Error{site.error() + ", or middle"};
    return Coordinator{static_cast<SiteId>(*site)};
}

Escrow::Config::Config() {
    graph = *Graph::parse("graph", "path:3");
    bounds = neighborhood::Bounds::by_default("0,1;1,2;0,2");
}

void Escrow::Config::derive() {
    Neighborhood::derive();
    root = coordinator.site.value_or(middle(closed));
    if (root >= sites) return;
    const Hops hops = hops_from(closed, root);
    parent = hops.parent;
    children.assign(sites, {});
    for (const SiteId site : hops.order)
        if (site != root) children[parent[site]].push_back(site);
    // The last site found is at the largest distance.
    depth = 0;
    for (SiteId site = hops.order.back(); site != root; site = parent[site]) ++depth;
    colour = coloured(closed);
}

std::optional<std::string> Escrow::config_error(const Config& config) {
    if (config.root >= config.sites)
        return "--coordinator " + config.coordinator.text() + ": the sites are 0 to " +
               std::to_string(config.sites - 1) + ", or write middle";
    auto reason = instance_error(config);
    if (!reason) reason = hopeless(config);
    if (reason) *reason += default_bounds_note(config, Config());
    return reason;
}

// Small graphs of all shapes, with bounds that leave room for one more or one less.
void Escrow::sample(Draw& draw) {
    if (draw.knows("graph") || draw.knows("bounds")) return;
    struct Instance {
        const char* graph;
        const char* bounds;
    };
    static constexpr std::array<Instance, 8> instances{{{"path:3", "0,1;1,2;0,2"},
                                                        {"path:4", "1,2;1,2;0,2;0,2"},
                                                        {"cycle:4", "0,2"},
                                                        {"cycle:5", "1,2"},
                                                        {"complete:3", "1,2"},
                                                        {"complete:4", "1,3"},
                                                        {"complete:5", "2,3"},
                                                        {"star:4", "1,3;0,1;0,1;1,2"}}};
    std::vector<std::string> names;
    for (const Instance& instance : instances) names.emplace_back(instance.graph);
    const std::string graph = draw.choice("graph", names);
    draw.choice("bounds", {std::ranges::find(instances, graph, &Instance::graph)->bounds});
}

// --- The requesting site.

void Escrow::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void Escrow::start(const Context& ctx, Effects&) {
    const Configuration& in = ctx.config.starts_in;
    phase_ = in[ctx.self] ? Phase::holding : Phase::idle;
    count_ = neighborhood::count_in(ctx.config.closed[ctx.self], in);
}

void Escrow::request(const Context& ctx, const Demand&, Effects& fx) {
    ensure(phase_ == Phase::idle, "a request while another is open");
    phase_ = Phase::waiting;
    begin(ctx, fx);
}

void Escrow::release(const Context& ctx, Effects& fx) {
    ensure(phase_ == Phase::holding, "a site that is not in service leaves it");
    phase_ = Phase::leaving;
    begin(ctx, fx);
}

void Escrow::begin(const Context& ctx, Effects& fx) {
    if (hopeless_) return refuse(ctx, fx);
    fx.disarm(Timer::idle);
    if (std::exchange(waited_for_, false)) send_up(ctx, Willing{ctx.self, true}, fx);
    if (gos_ == ctx.config.size(ctx.self)) return turn_by_plan(ctx, fx);
    if (!frozen_ && !is_planned(ctx.self)) return attempt(ctx, fx);
    stage_ = TryState::ready;
    carry_on(ctx, fx);
}

void Escrow::attempt(const Context& ctx, Effects& fx) {
    stage_ = TryState::trying;
    unanswered_ = ctx.config.size(ctx.self);
    refusals_ = wakes_ = 0;
    fx.disarm(Timer::retry);
    send_around(ctx, Try{!in()}, fx);
}

void Escrow::receive(const Context& ctx, SiteId from, const Ok&, Effects& fx) {
    yes_.insert(from);
    answered(ctx, fx);
}

void Escrow::receive(const Context& ctx, SiteId, const No&, Effects& fx) {
    ++refusals_;
    answered(ctx, fx);
}

void Escrow::answered(const Context& ctx, Effects& fx) {
    ensure(stage_ == TryState::trying && unanswered_ > 0, "an answer to a site that does not try");
    if (--unanswered_ > 0) return;
    if (refusals_ > 0) {
        give_up_try(ctx, fx);
    } else {
        send_around(ctx, Commit{!in()}, fx);
        turn_round(ctx, fx);
    }
    report_if_settled(ctx, fx);
}

void Escrow::give_up_try(const Context& ctx, Effects& fx) {
    fx.reached("no-room");
    for (const SiteId site : yes_) fx.send(site, Cancel{!in()});
    yes_.clear();
    stage_ = wakes_ >= refusals_ ? TryState::ready : TryState::blocked;
    carry_on(ctx, fx);
}

// A Wake may belong to an earlier try; then the next try only comes too early.
void Escrow::receive(const Context& ctx, SiteId, const Wake&, Effects& fx) {
    if (stage_ != TryState::trying && stage_ != TryState::blocked) return;
    ++wakes_;
    if (stage_ != TryState::blocked || wakes_ < refusals_) return;
    stage_ = TryState::ready;
    carry_on(ctx, fx);
}

// A waiting site without a planned turn tries again when it may, and its patience runs out, also while it is
// frozen.
void Escrow::carry_on(const Context& ctx, Effects& fx) {
    if ((stage_ != TryState::blocked && stage_ != TryState::ready) || is_planned(ctx.self)) return;
    if (stage_ == TryState::ready) {
        refusals_ = wakes_ = 0;
        if (!frozen_) fx.arm(Timer::retry, ctx.config.retry_within);
    }
    if (help_ != Help::none || ctx.config.rescue_after == 0) return;
    help_ = Help::timed;
    const std::uint64_t ticks =
        std::uint64_t{ctx.config.rescue_after} * (ctx.config.size(ctx.self) + ctx.config.depth / 2);
    fx.arm(Timer::rescue, static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks, 0xFFFFFFFF)));
}

void Escrow::timeout(const Context& ctx, Timer timer, Effects& fx) {
    if (timer == Timer::retry) return attempt(ctx, fx);
    if (timer == Timer::idle) {
        waited_for_ = true;
        return send_up(ctx, Willing{ctx.self, false}, fx);
    }
    fx.reached("pleaded");
    help_ = Help::pleaded;
    send_up(ctx, Plea{ctx.self, !in()}, fx);
}

void Escrow::turn_round(const Context& ctx, Effects& fx) {
    if (in()) {
        phase_ = Phase::idle;
        fx.released();
    } else {
        phase_ = Phase::holding;
        fx.granted();
    }
    stop_asking(ctx, fx);
}

void Escrow::stop_asking(const Context& ctx, Effects& fx) {
    stage_ = TryState::none;
    yes_.clear();
    refusals_ = wakes_ = 0;
    fx.disarm(Timer::retry);
    if (help_ == Help::pleaded && ctx.config.repairs.plead_once) return;
    help_ = Help::none;
    fx.disarm(Timer::rescue);
}

void Escrow::refuse(const Context& ctx, Effects& fx) {
    fx.reached("never");
    phase_ = in() ? Phase::holding : Phase::idle;
    stop_asking(ctx, fx);
    fx.refused("no order of turns that keeps to the bounds lets this site turn round, ever");
}

// --- State for the neighbourhood.

bool Escrow::has_room(const Context& ctx, bool enter) const {
    if (ctx.config.repairs.hold_back && (frozen_ || !agenda_.empty())) return false;
    const auto [low, high] = ctx.config.ranges[ctx.self];
    return enter ? count_ + entering_ + 1 <= high : count_ >= low + leaving_ + 1;
}

void Escrow::receive(const Context& ctx, SiteId from, const Try& attempt, Effects& fx) {
    watch_.erase(from);
    if (has_room(ctx, attempt.enter)) {
        ++aside(attempt.enter);
        fx.send(from, Ok{});
    } else {
        watch_[from] = attempt.enter;
        fx.send(from, No{});
    }
}

void Escrow::receive(const Context& ctx, SiteId, const Commit& commit, Effects& fx) {
    --aside(commit.enter);
    count(commit.enter);
    wake_up(ctx, fx);
}

void Escrow::receive(const Context& ctx, SiteId, const Cancel& cancel, Effects& fx) {
    --aside(cancel.enter);
    wake_up(ctx, fx);
}

void Escrow::wake_up(const Context& ctx, Effects& fx) {
    for (auto one = watch_.begin(); one != watch_.end();) {
        if (!has_room(ctx, one->second)) {
            ++one;
            continue;
        }
        if (ctx.config.repairs.wake) fx.send(one->first, Wake{});
        one = watch_.erase(one);
    }
}

// --- The freeze.

void Escrow::receive(const Context& ctx, SiteId, const Freeze&, Effects& fx) {
    freeze(ctx, fx);
}

void Escrow::freeze(const Context& ctx, Effects& fx) {
    const auto& children = ctx.config.children[ctx.self];
    frozen_ = true;
    fx.disarm(Timer::retry);
    gathering_ = Gathering{false, static_cast<std::uint32_t>(children.size()) + 1, {}};
    for (const SiteId child : children) fx.send(child, Freeze{});
    watch_own_turn(ctx, fx);
    report_if_settled(ctx, fx);
}

// True if the site stays as it is until the next plan.
bool Escrow::settled(const Context& ctx) const {
    const bool tries = stage_ == TryState::trying && ctx.config.repairs.finish_tries;
    const bool turns = !agenda_.empty() && ctx.config.repairs.finish_plan;
    return !tries && !turns;
}

void Escrow::report_if_settled(const Context& ctx, Effects& fx) {
    if (!gathering_ || gathering_->settled || !settled(ctx)) return;
    gathering_->settled = true;
    Frozen own;
    if (in()) own.in.insert(ctx.self);
    if (asks()) own.waiting.insert(ctx.self);
    gathered(ctx, own, fx);
}

void Escrow::receive(const Context& ctx, SiteId, const Frozen& frozen, Effects& fx) {
    gathered(ctx, frozen, fx);
}

void Escrow::gathered(const Context& ctx, const Frozen& part, Effects& fx) {
    ensure(gathering_.has_value(), "a report of an unknown freeze");
    Frozen& so_far = gathering_->so_far;
    if (frozen_) {
        so_far.in.insert(part.in.begin(), part.in.end());
        so_far.waiting.insert(part.waiting.begin(), part.waiting.end());
    }
    if (--gathering_->missing > 0) return;
    const Frozen all = std::move(so_far);
    gathering_.reset();
    if (ctx.self != ctx.config.root) return send_up(ctx, all, fx);
    frozen_ ? decide(ctx, all, fx) : freeze_if_due(ctx, fx);
}

void Escrow::receive(const Context& ctx, SiteId, const Thaw&, Effects& fx) {
    thaw(ctx, fx);
}

// All sites report up the tree that they have heard of the freeze, instead of what they have settled.
void Escrow::thaw(const Context& ctx, Effects& fx) {
    for (const SiteId child : ctx.config.children[ctx.self]) fx.send(child, Thaw{});
    frozen_ = false;
    fx.disarm(Timer::idle);
    wake_up(ctx, fx);
    if (ctx.config.repairs.carry_on) carry_on(ctx, fx);
    if (!gathering_) return;
    gathering_->so_far = {};
    if (!std::exchange(gathering_->settled, true)) gathered(ctx, {}, fx);
}

// --- The coordinator.

void Escrow::receive(const Context& ctx, SiteId, const Plea& plea, Effects& fx) {
    if (ctx.self != ctx.config.root) return send_up(ctx, plea, fx);
    pleas_.insert(std::ranges::upper_bound(pleas_, plea.site, {}, &Plea::site), plea);
    freeze_if_due(ctx, fx);
}

void Escrow::receive(const Context& ctx, SiteId, const Willing& willing, Effects& fx) {
    if (ctx.self != ctx.config.root) return send_up(ctx, willing, fx);
    if (!willing.now) {
        unwilling_.insert(willing.site);
        if (gathering_ && frozen_) thaw(ctx, fx);
        return;
    }
    unwilling_.erase(willing.site);
    freeze_if_due(ctx, fx);
}

// A freeze waits for the turns of the plan before. No site is stopped while one of these turns belongs to a
// site that takes its time.
void Escrow::freeze_if_due(const Context& ctx, Effects& fx) {
    if (!frozen_ && !gathering_ && unwilling_.empty() && !pleas_.empty()) freeze(ctx, fx);
}

// All sites are frozen: these are in service, and these wait. Later pleas belong to the next freeze.
void Escrow::decide(const Context& ctx, const Frozen& all, Effects& fx) {
    const Config& config = ctx.config;
    Plan plan;
    const Sites waiting = hear_pleas(all, plan, fx);
    Configuration in(config.sites, false);
    for (const SiteId site : all.in) in[site] = true;
    std::vector<Will> wills(config.sites, Will::idle);
    for (const SiteId site : waiting) wills[site] = Will::wants;
    neighborhood::Ways ways(neighborhood::Position(config.closed, config.ranges, in), std::move(wills));
    const std::uint64_t effort = effort_for_a_freeze << doublings_;
    auto left = lead_over_willing(ctx, waiting, effort / 2, ways, plan);
    lead_over_anybody(ctx, std::move(left), effort - effort / 2, ways, plan);
    plan.turns = ways.turns();
    take_up(ctx, plan, fx);
}

// All sites that wait: the cost of a freeze does not depend on their number. Some may have begun to wait
// after they reported, and pleaded since.
Escrow::Sites Escrow::hear_pleas(const Frozen& all, Plan& plan, Effects& fx) {
    Sites waiting = all.waiting;
    for (const Plea& plea : std::exchange(pleas_, {})) {
        plan.heard.insert(plea.site);
        if (all.in.contains(plea.site) == plea.enter)
            fx.reached("turned-before-plan");
        else
            waiting.insert(plea.site);
    }
    return waiting;
}

// First the sites for which other waiting sites make room: no other site has to wait for their turns. Returns
// the rest. Each gets an equal share of the remaining effort. Ordered by colours, so that consecutive turns
// of the plan can mostly happen at the same time.
std::vector<SiteId> Escrow::lead_over_willing(const Context& ctx, const Sites& waiting, std::uint64_t effort,
                                              neighborhood::Ways& ways, Plan& plan) {
    const Config& config = ctx.config;
    std::vector<SiteId> sites(waiting.begin(), waiting.end());
    std::ranges::stable_sort(sites, {}, [&](SiteId site) { return config.colour[site]; });
    std::vector<SiteId> left;
    std::size_t to_come = sites.size();
    for (const SiteId site : sites) {
        std::uint64_t share = effort / to_come--;
        if (!ways.wants(site)) continue;  // another site's way led over it
        effort -= share;
        if (config.prospects[site].prospect == Prospect::never)
            plan.never.insert(site);
        else if (!ways.lead_to(site, Will::wants, share))
            left.push_back(site);
        effort += share;
    }
    return left;
}

// Sites for which the last freeze found no way come last, because the last share is the largest: the whole
// rest.
void Escrow::lead_over_anybody(const Context& ctx, std::vector<SiteId> sites, std::uint64_t effort,
                               neighborhood::Ways& ways, Plan& plan) {
    std::vector<std::size_t> rank(ctx.config.sites, 0);
    for (std::size_t i = 0; i < overdue_.size(); ++i) rank[overdue_[i]] = i + 1;
    std::ranges::stable_sort(sites, {}, [&](SiteId site) { return rank[site]; });
    overdue_.clear();
    std::size_t after_it = sites.size();
    for (const SiteId site : sites) {
        std::uint64_t share = --after_it == 0 ? effort : effort / (2 * after_it);
        if (!ways.wants(site)) continue;
        effort -= share;
        const Prospect prospect = find_way(ways, site, share);
        if (prospect == Prospect::never) plan.never.insert(site);
        if (prospect == Prospect::unknown) overdue_.push_back(site);
        effort += share;
    }
    doublings_ = overdue_.empty() ? 0 : std::min<std::uint8_t>(doublings_ + 1, most_doublings);
    // Next time another of them is the last.
    if (!overdue_.empty()) std::rotate(overdue_.begin(), overdue_.end() - 1, overdue_.end());
}

// --- The plan.

void Escrow::receive(const Context& ctx, SiteId, const Plan& plan, Effects& fx) {
    take_up(ctx, plan, fx);
}

void Escrow::take_up(const Context& ctx, const Plan& plan, Effects& fx) {
    for (const SiteId child : ctx.config.children[ctx.self]) fx.send(child, plan);
    frozen_ = false;
    for (const SiteId site : plan.turns)
        if (std::ranges::binary_search(ctx.config.closed[ctx.self], site)) agenda_.push_back(site);
    if (!agenda_.empty()) fx.send(agenda_.front(), Go{});
    wake_up(ctx, fx);
    if (plan.heard.contains(ctx.self)) help_ = Help::none;
    if (plan.never.contains(ctx.self)) {
        hopeless_ = true;
        if (asks()) refuse(ctx, fx);
    }
    if (ctx.config.repairs.carry_on) carry_on(ctx, fx);
}

// The coordinator need not know sites that want to turn round soon.
void Escrow::watch_own_turn(const Context& ctx, Effects& fx) {
    if (frozen_ && is_planned(ctx.self) && !asks()) fx.arm(Timer::idle, ctx.config.rescue_after);
}

bool Escrow::is_planned(SiteId site) const {
    return std::ranges::find(agenda_, site) != agenda_.end();
}

void Escrow::receive(const Context& ctx, SiteId, const Go&, Effects& fx) {
    if (++gos_ == ctx.config.size(ctx.self) && asks()) turn_by_plan(ctx, fx);
}

void Escrow::turn_by_plan(const Context& ctx, Effects& fx) {
    fx.reached("turned-by-plan");
    gos_ = 0;
    send_around(ctx, Adjust{!in()}, fx);
    turn_round(ctx, fx);
}

void Escrow::receive(const Context& ctx, SiteId from, const Adjust& adjust, Effects& fx) {
    ensure(!agenda_.empty() && agenda_.front() == from, "a planned turn out of order");
    agenda_.erase(agenda_.begin());
    watch_.erase(from);
    count(adjust.enter);
    if (from == ctx.self) watch_own_turn(ctx, fx);
    if (!agenda_.empty()) return fx.send(agenda_.front(), Go{});
    wake_up(ctx, fx);
    report_if_settled(ctx, fx);
    carry_on(ctx, fx);
}

// The coordinator tells itself.
template <class Letter>
void Escrow::send_up(const Context& ctx, const Letter& letter, Effects& fx) {
    fx.send(ctx.config.parent[ctx.self], letter);
}

template <class Letter>
void Escrow::send_around(const Context& ctx, const Letter& letter, Effects& fx) {
    for (const SiteId site : ctx.config.closed[ctx.self]) fx.send(site, letter);
}

}  // namespace allot
