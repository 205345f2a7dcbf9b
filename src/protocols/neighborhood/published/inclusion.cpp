#include "protocols/neighborhood/published/inclusion.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "core/model.hpp"
#include "protocols/neighborhood/inclusion.hpp"
#include "protocols/neighborhood/prompt.hpp"

namespace allot {

using neighborhood::LateRelinquish;

InclusionPublished::Config::Config() {
    const neighborhood::InclusionRules::Config usual;
    graph = usual.graph;
    bounds = usual.bounds;
}

std::optional<std::string> InclusionPublished::config_error(const Config& config) {
    auto reason = instance_error(config);
    if (!reason) reason = neighborhood::upper_bounds_error(config);
    if (reason) *reason += default_bounds_note(config, Config());
    return reason;
}

void InclusionPublished::sample(Draw& draw) {
    neighborhood::InclusionRules::sample(draw);
}

void InclusionPublished::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void InclusionPublished::start(const Context& ctx, Effects&) {
    const neighborhood::Configuration& in = ctx.config.starts_in;
    phase_ = in[ctx.self] ? Phase::holding : Phase::idle;
    for (const SiteId site : ctx.config.closed[ctx.self])
        if (ctx.config.repairs.start_out ? !in[site] : in[site]) granted_.insert({Stamp{}, site});
}

// StampedSite-Sequence.
void InclusionPublished::request(const Context& ctx, const Demand&, Effects& fx) {
    phase_ = Phase::holding;
    fx.granted();
    for (const SiteId site : ctx.config.closed[ctx.self]) fx.send(site, Release{});
}

// Exit-Sequence. It ends with the last Grant.
void InclusionPublished::release(const Context& ctx, Effects& fx) {
    phase_ = Phase::leaving;
    clock_ = clock_.next();
    grants_ = 0;
    for (const SiteId site : ctx.config.closed[ctx.self]) fx.send(site, Request{clock_});
}

void InclusionPublished::receive(const Context& ctx, SiteId from, const Request& request, Effects& fx) {
    clock_ = max(clock_, request.stamp);
    const StampedSite entry{request.stamp, from};
    pending_.insert(entry);
    if (granted_.size() < ctx.config.size(ctx.self) - ctx.config.ranges[ctx.self].low) return grant_next(fx);
    if (preempting_ || granted_.empty() || *granted_.rbegin() < entry) return;
    preempting_ = granted_.rbegin()->second;
    fx.send(*preempting_, Preempt{});
}

void InclusionPublished::receive(const Context& ctx, SiteId, const Grant& grant, Effects& fx) {
    clock_ = max(clock_, grant.clock);
    ++grants_;
    if (phase_ != Phase::leaving || grants_ != static_cast<std::int32_t>(ctx.config.size(ctx.self))) return;
    phase_ = Phase::idle;
    fx.released();
}

void InclusionPublished::receive(const Context&, SiteId from, const Release&, Effects& fx) {
    if (preempting_ == from) preempting_.reset();
    take(granted_, from);
    if (!pending_.empty()) grant_next(fx);
}

void InclusionPublished::receive(const Context&, SiteId from, const Preempt&, Effects& fx) {
    if (!in()) return;
    --grants_;
    fx.send(from, Relinquish{});
}

void InclusionPublished::receive(const Context& ctx, SiteId from, const Relinquish&, Effects& fx) {
    preempting_.reset();
    if (const auto entry = take(granted_, from)) {
        pending_.insert(*entry);
        return grant_next(fx);
    }
    ensure(ctx.config.late != LateRelinquish::undefined, "a permission is returned that nobody had");
    if (ctx.config.late == LateRelinquish::grant && !pending_.empty()) grant_next(fx);
}

void InclusionPublished::grant_next(Effects& fx) {
    const StampedSite next = *pending_.begin();
    pending_.erase(pending_.begin());
    granted_.insert(next);
    fx.send(next.second, Grant{clock_});
}

std::optional<InclusionPublished::StampedSite> InclusionPublished::take(StampedSites& entries, SiteId site) {
    const auto place = std::ranges::find(entries, site, &StampedSite::second);
    if (place == entries.end()) return std::nullopt;
    const StampedSite entry = *place;
    entries.erase(place);
    return entry;
}

void InclusionPublished::on_state(const View<InclusionPublished>& view, Report& report) {
    for (SiteId self = 0; self < view.sites.size(); ++self) {
        const auto count = static_cast<std::uint32_t>(std::ranges::count_if(
            view.config.closed[self], [&](SiteId site) { return view.site(site).protocol.in(); }));
        if (!view.config.ranges[self].contains(count))
            report.violated("within-bounds", std::to_string(count) + " of site " + std::to_string(self) +
                                                 " and its neighbours are in service");
    }
}

namespace {

constexpr std::array properties{
    PropertyName{"within-bounds", "in each neighbourhood at least l sites are in service"},
};

}  // namespace

constinit const Model<InclusionPublished> InclusionPublished::model{
    .name = "inclusion-published",
    .problem = "neighborhood",
    .summary = "inclusion as printed in the paper, defects included",
    .source = neighborhood::paper,
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .derive = [](Config& config) { config.derive(); },
    .config_error = &config_error,
    .founders = [](const Config& config) { return config.founders; },
    .sample = &sample,
    .requests = {.forever = true},
    .faults = {.mortal = &mortal},
    .reduction = {.prompt = &neighborhood::is_to_itself<Message>, .clock = &InclusionPublished::clock},
};

}  // namespace allot
