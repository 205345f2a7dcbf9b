// The invariants of a pool, its states after a fault, and its legitimate worlds.

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "core/model.hpp"
#include "protocols/pool/tree_pool.hpp"

namespace allot {

namespace pool {

Tally& Tally::operator+=(const Tally& more) {
    resources += more.resources;
    pushers += more.pushers;
    priorities += more.priorities;
    return *this;
}

bool Tally::exceeds(const Tally& all) const {
    return resources > all.resources || pushers > all.pushers || priorities > all.priorities;
}

std::string Tally::text() const {
    return std::to_string(resources) + " resource, " + std::to_string(pushers) + " pusher and " +
           std::to_string(priorities) + " priority tokens";
}

}  // namespace pool

namespace {

using pool::Tally;

// Messages in flight are sorted by channel, the oldest first.
struct ByChannel {
    using Ends = std::pair<SiteId, SiteId>;
    static Ends ends(const EnvelopeOf<TreePool::Message>* envelope) { return {envelope->from, envelope->to}; }
    bool operator()(const EnvelopeOf<TreePool::Message>* a, const Ends& b) const { return ends(a) < b; }
    bool operator()(const Ends& a, const EnvelopeOf<TreePool::Message>* b) const { return a < ends(b); }
};

}  // namespace

// All tokens, and their positions on the ring.
struct TreePool::Census {
    std::uint32_t number = 0;  // of the root
    Tally tokens;
    std::uint32_t controllers = 0;  // with that number
    bool marked = false;            // a controller, of any number

    // The one that is furthest round the ring; the others are behind it, copies that an early timer has sent.
    // They follow it and are dropped where it has been.
    const Controller* controller = nullptr;
    Tally behind;          // tokens it has passed, or that overtook it at the root
    bool in_order = true;  // its number and its way agree with the sites' memory

    void note(const Message& message) {
        tokens += TreePool::tokens(message);
        const auto* found = std::get_if<Controller>(&message);
        if (found == nullptr) return;
        controllers += found->number == number;
        marked = marked || found->marked;
    }
    // True if the counts so far match the tokens it has left behind.
    bool counts_right(const Tally& seen) const {
        return controller->resources + seen.resources == behind.resources &&
               controller->priorities + seen.priorities == behind.priorities &&
               seen.pushers == behind.pushers;
    }
    void walk(const View<TreePool>& view);
};

Tally TreePool::tokens(const Message& message) {
    return {std::holds_alternative<Resource>(message) ? 1u : 0u,
            std::holds_alternative<Pusher>(message) ? 1u : 0u,
            std::holds_alternative<Priority>(message) ? 1u : 0u};
}

Tally TreePool::tokens() const {
    return {static_cast<std::uint32_t>(reserved_.size() + parked_.size()), 0, priority_ ? 1u : 0u};
}

TreePool::Census TreePool::census(const View<TreePool>& view) {
    Census census{.number = view.site(Tree::root).protocol.number_};
    for (const auto* envelope : view.flight) census.note(envelope->message);
    for (const auto* site : view.sites) census.tokens += site->protocol.tokens();
    for (const Message& message : view.site(Tree::root).protocol.outbox_) census.note(message);
    if (view.sites.size() > 1) census.walk(view);
    return census;
}

// A station is a site and the channel by which one arrives there. A token that rests at the root and came in
// by the last channel is the first thing behind the controller, which then left by channel 0. Controllers
// with other numbers may only be ahead of it: the root drops them before it gets there.
void TreePool::Census::walk(const View<TreePool>& view) {
    const Config& config = view.config;
    boost::container::small_vector<std::optional<Channel>, 16> sent_to(view.sites.size());
    SiteId here = Tree::root;
    Channel arrival = config.degree(here) - 1;
    std::uint32_t left = controllers;  // endless, if one is between sites that are no neighbours
    for (std::uint32_t hops = 0; left > 0 && hops < 2 * (config.sites - 1); ++hops) {
        const TreePool& site = view.site(here).protocol;
        behind.resources += site.resting(arrival);
        behind.priorities += site.priority_ == arrival;
        const Channel departure = (arrival + 1) % config.degree(here);
        const SiteId there = config.tree.neighbour(here, departure, config.sites);
        sent_to[here] = departure;
        // The newest message of a channel is the furthest behind, and the root's outbox is behind them all.
        const auto pass = [&](const Message& message) {
            if (left == 0) return;
            const auto* found = std::get_if<Controller>(&message);
            if (found == nullptr) {
                behind += TreePool::tokens(message);
                return;
            }
            in_order = in_order && found->number == number;
            if (found->number != number) return;
            controller = found;
            --left;
        };
        if (here == Tree::root && departure == 0)
            std::for_each(site.outbox_.rbegin(), site.outbox_.rend(), pass);
        const auto [oldest, end] =
            std::equal_range(view.flight.begin(), view.flight.end(), std::pair(here, there), ByChannel{});
        for (auto message = end; message != oldest;) pass((*--message)->message);
        arrival = *config.tree.channel(there, here, config.sites);
        here = there;
    }
    in_order = in_order && controller != nullptr && left == 0;
    for (SiteId self = 0; self < view.sites.size(); ++self) {
        const TreePool& site = view.site(self).protocol;
        const bool knows_it = site.number_ == number;
        in_order = in_order && (sent_to[self] ? knows_it && site.successor_ == *sent_to[self] : !knows_it);
    }
}

// Duplicated messages duplicate tokens: nothing is guaranteed until they have been erased.
void TreePool::on_state(const View<TreePool>& view, Report& report) {
    for (SiteId self = 0; self < view.sites.size(); ++self) check_site(view, self, report);
    if (view.duplicates && !legal(view)) return;
    const std::uint64_t used = units_in_use(view);
    if (used > view.config.units)
        report.violated("at-most-l", std::to_string(used) + " of " + std::to_string(view.config.units) +
                                         " units are in use");
    const Census census = TreePool::census(view);
    const TreePool& root = view.site(Tree::root).protocol;
    const Tally all = view.config.all();
    if (census.tokens.exceeds(all)) report.violated("no-surplus", "there are " + census.tokens.text());
    if (root.reset_ || census.marked) report.violated("no-reset", "tokens are being erased");
    if (view.loses) return;
    // Before the root has made the first tokens there are none.
    if (census.tokens != all && census.tokens != Tally{})
        report.violated("exact", "there are " + census.tokens.text());
    if (census.controller != nullptr && !root.tainted_ && !census.counts_right(root.seen_))
        report.violated("exact", "the controller has left behind " + census.behind.text() +
                                     ", which is not what was counted");
}

// A program uses its grant until it releases it, whatever happened to the tokens. With `drain` no site is
// told to stop, so all count.
std::uint64_t TreePool::units_in_use(const View<TreePool>& view) {
    std::uint64_t used = 0;
    for (const auto* site : view.sites) {
        const bool told_to_stop = site->application.revoked && !view.config.drain;
        if (site->protocol.phase_ == Phase::holding && !told_to_stop) used += site->protocol.need_;
    }
    return used;
}

void TreePool::check_site(const View<TreePool>& view, SiteId self, Report& report) {
    const TreePool& site = view.site(self).protocol;
    if (const auto why = size_error(view, self)) report.violated("sizes", *why);
    if (!site.rests_rightly())
        report.violated("priority-rests", "site " + std::to_string(self) + " keeps the priority token");
}

std::optional<std::string> TreePool::size_error(const View<TreePool>& view, SiteId self) {
    const TreePool& site = view.site(self).protocol;
    const std::size_t kept = site.reserved_.size();
    const bool revoked = view.site(self).application.revoked;
    std::size_t most = site.need_;
    if (site.phase_ == Phase::idle || view.config.sites == 1 || revoked) most = 0;
    // With `drain` a holding root erases its own units first; none are made before its release.
    const bool drains = view.config.drain && site.reset_;
    const bool right = site.phase_ == Phase::holding && !drains ? kept == most : kept <= most;
    if (right && site.need_ <= view.config.max_request) return std::nullopt;
    return "site " + std::to_string(self) + " keeps " + std::to_string(kept) + " units and needs " +
           std::to_string(site.need_);
}

// All tokens exist, and a controller that has counted right and that all sites will accept.
bool TreePool::legal(const View<TreePool>& view) {
    for (SiteId self = 0; self < view.sites.size(); ++self) {
        const TreePool& site = view.site(self).protocol;
        if (size_error(view, self) || !site.rests_rightly() || site.deferred_) return false;
    }
    if (view.config.sites == 1) return true;
    const Census census = TreePool::census(view);
    const TreePool& root = view.site(Tree::root).protocol;
    if (census.tokens != view.config.all() || root.reset_ || census.marked) return false;
    if (!view.config.full()) return true;
    return census.in_order && census.counts_right(root.seen_);
}

// Members that only the root uses are unchanged elsewhere.
std::optional<Domain> TreePool::domain(const Context& ctx, std::string_view member) {
    const Config& config = ctx.config;
    const std::uint64_t degree = config.degree(ctx.self);
    const std::uint64_t last = degree == 0 ? 0 : degree - 1;
    if (member == "phase") return Domain{0, static_cast<std::uint64_t>(Phase::holding)};
    if (member == "need") return Domain{0, config.max_request};
    if (member == "reserved") return Domain{0, last, degree == 0 ? 0 : config.max_request};
    if (member == "priority" || member == "successor" || member == "channel") return Domain{0, last};
    if (member == "number") return Domain{0, config.numbers() - 1};
    if (member == "marked") return Domain{0, 1};
    if (member == "wanted") return Domain{0, config.pacing ? 1u : 0u};
    // The controller and the root's tally share names and bounds; confine() handles the tallies of others.
    if (member == "resources") return Domain{0, config.units + 1};
    if (member == "pushers" || member == "priorities") return Domain{0, 2};
    const bool root = is_root(ctx) && degree > 0;
    if (member == "reset") return Domain{0, root ? 1u : 0u};
    if (member == "tainted") return Domain{0, root && config.taint ? 1u : 0u};
    if (member == "undecided")
        return Domain{0, root && config.taint && config.patience > 0 ? config.patience - 1 : 0};
    if (member == "doubled") return Domain{0, root ? config.backoff : 0};
    if (member == "awake") return Domain{0, root && config.pacing ? 2u : 0u};
    if (member == "outbox") return Domain{0, 0, root ? config.outbox_size() : 0};
    return std::nullopt;
}

void TreePool::confine(const Context& ctx) {
    std::ranges::sort(reserved_);
    std::ranges::sort(parked_);
    if (!is_root(ctx)) seen_ = {};
    if (!is_root(ctx) || !ctx.config.pacing) outbox_.clear();
    if (!ctx.config.drain) deferred_.reset();
    if (ctx.config.degree(ctx.self) == 0) {
        seen_ = {};
        reserved_.clear();
        parked_.clear();
        outbox_.clear();
        priority_.reset();
        deferred_.reset();
    }
}

std::vector<SiteId> TreePool::channels(const Context& ctx) {
    std::vector<SiteId> neighbours;
    for (Channel channel = 0; channel < ctx.config.degree(ctx.self); ++channel)
        neighbours.push_back(ctx.config.tree.neighbour(ctx.self, channel, ctx.config.sites));
    return neighbours;
}

namespace {

constexpr std::array properties{
    PropertyName{
        "at-most-l",
        "programs use no more than l units; without drain, sites that were told to stop do not count"},
    PropertyName{"no-surplus", "no kind of token has more tokens than it should have"},
    PropertyName{"no-reset", "the root never has tokens erased"},
    PropertyName{"exact", "if no message gets lost, no token is missing and the controller counts right"},
    PropertyName{"sizes", "no site keeps more units than it asked for, or any without asking"},
    PropertyName{"priority-rests", "the priority token stays only at a site whose request is not satisfied"},
};
constexpr std::array<std::string_view, 8> probes{"traversal", "created",        "reset",
                                                 "undecided", "decided-anyway", "stale-controller",
                                                 "deferred",  "held-back"};

}  // namespace

constinit const Model<TreePool> TreePool::model{
    .name = "tree-pool",
    .problem = "pool",
    .summary = "l units on a tree, up to k at once; repairs itself from any state",
    .source =
        "after Datta, Devismes, Horn and Larmore: Self-Stabilizing k-out-of-l Exclusion on Tree Networks",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .domain = &domain,
    .sample = &sample,
    .requests = {.asks = [](const Context& ctx) { return ctx.config.needs.asks(ctx.self); },
                 .demands = &demands,
                 .draw = &draw_demand,
                 .capacity = [](const Config& config) -> std::uint64_t { return config.units; },
                 .capacity_is_bound = true},
    .timers = {.fair = &fair, .replaces = &replaces},
    .stabilisation = {.confine = &TreePool::confine,
                      .channels = &channels,
                      .legal = &legal,
                      .demand = &TreePool::demand,
                      .noise_error = &noise_error},
};

}  // namespace allot
