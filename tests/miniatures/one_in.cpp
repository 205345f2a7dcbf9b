#include "miniatures/one_in.hpp"

#include <algorithm>
#include <utility>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "core/model.hpp"

namespace allot::miniatures {

std::optional<std::string> OneIn::config_error(const Config& config) {
    if (config.sites != 2) return "--sites " + std::to_string(config.sites) + ": write 2";
    return std::nullopt;
}

void OneIn::sample(Draw& draw) {
    draw.number("sites", 2, 2);
    draw.choice("initial", {"both-in", "first-out", "second-out"});
}

void OneIn::handle(const Context& ctx, const Input& input, Effects& fx) {
    dispatch(*this, ctx, input, fx);
}

void OneIn::start(const Context& ctx, Effects&) {
    if (ctx.config.initial == Initial::both_in) return;
    lent_ = ctx.config.initial == Initial::first_out ? 0 : 1;
    if (lent_ == ctx.self) phase_ = Phase::holding;
}

void OneIn::request(const Context& ctx, const Demand&, Effects& fx) {
    ensure(phase_ == Phase::idle, "a request while another is open");
    phase_ = Phase::waiting;
    if (std::exchange(owes_welcome_, false)) fx.send(other(ctx), Welcome{});
    fx.send(first_asked(ctx), Ask{});
}

void OneIn::receive(const Context&, SiteId from, const Ask&, Effects& fx) {
    if (!lent_) return lend(from, fx);
    ensure(!asked_, "with two sites at most one waits while another has the permission");
    asked_ = from;
}

void OneIn::receive(const Context& ctx, SiteId from, const Permit&, Effects& fx) {
    ensure(phase_ == Phase::waiting, "a permission that nobody asked for");
    if (from == first_asked(ctx)) return fx.send(1 - from, Ask{});
    phase_ = Phase::holding;
    fx.granted();
}

void OneIn::release(const Context& ctx, Effects& fx) {
    phase_ = Phase::leaving;
    fx.send(other(ctx), Enter{});
    if (ctx.config.repairs.free_when_in) return;
    fx.send(0, Free{});
    fx.send(1, Free{});
}

void OneIn::receive(const Context&, SiteId from, const Enter&, Effects& fx) {
    if (phase_ == Phase::idle)
        owes_welcome_ = true;
    else
        fx.send(from, Welcome{});
}

void OneIn::receive(const Context& ctx, SiteId, const Welcome&, Effects& fx) {
    ensure(phase_ == Phase::leaving, "a Welcome for a site that is in");
    phase_ = Phase::idle;
    if (ctx.config.repairs.free_when_in) {
        fx.send(0, Free{});
        fx.send(1, Free{});
    }
    fx.released();
}

void OneIn::receive(const Context&, SiteId from, const Free&, Effects& fx) {
    ensure(lent_ == from, "a permission that somebody else has");
    lent_.reset();
    if (asked_) lend(*std::exchange(asked_, std::nullopt), fx);
}

void OneIn::lend(SiteId to, Effects& fx) {
    lent_ = to;
    fx.send(to, Permit{});
}

void OneIn::on_state(const View<OneIn>& view, Report& report) {
    const auto is_out = [](Phase phase) { return phase == Phase::holding || phase == Phase::leaving; };
    if (std::all_of(view.sites.begin(), view.sites.end(),
                    [&](const auto* site) { return is_out(site->application.phase); }))
        report.violated("one-in", "both sites are out of service");
    for (SiteId site = 0; site < view.sites.size(); ++site) {
        if (!view.site(site).holding()) continue;
        for (const auto* keeper : view.sites)
            if (keeper->protocol.lent_ != site)
                report.violated("permitted", "site " + std::to_string(site) + " is out without permission");
    }
}

namespace {

constexpr std::array properties{
    PropertyName{"one-in", "at least one site is in service"},
    PropertyName{"permitted", "a site that is out has both permissions"},
};

}  // namespace

constinit const Model<OneIn> OneIn::model{
    .name = "one-in",
    .problem = "miniature",
    .summary = "of two sites at least one is in service",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .config_error = &config_error,
    .sample = &sample,
    .requests = {.forever = true},
};

}  // namespace allot::miniatures
