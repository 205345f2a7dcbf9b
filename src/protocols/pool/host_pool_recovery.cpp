// The recovery of a pool per host (specs: kinds, sections 1.2, 1.3 and 1.6): units that are used rest where
// the first controller finds them, and the root makes tokens of the others.
#include "protocols/pool/host_pool.hpp"

namespace allot {

using agreement::Claim;
using host_pool::Seat;
using host_pool::Timer;

HostPool::Config HostPool::among(const Config& config, std::uint32_t sites, std::uint32_t view) {
    Config fewer = config;
    fewer.sites = sites;
    fewer.units = config.units_in(view);
    return fewer;
}

void HostPool::abandon() {
    std::erase(line_, 0u);
    seats_.front() = {};
}

// A program that has let go is not mentioned. Those that wait say their places in the line.
agreement::Holdings HostPool::holdings(const Context&) const {
    agreement::Holdings mine;
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
        const Seat& one = seats_[seat];
        if (one.phase == Phase::holding && !one.acted)
            mine.push_back({.seat = seat, .phase = one.phase, .demand = {one.units, {}}, .birth = {}});
    }
    for (std::size_t place = 0; place < line_.size(); ++place) {
        const std::uint32_t seat = line_[place];
        mine.push_back({.seat = seat,
                        .phase = Phase::waiting,
                        .demand = {seats_[seat].units, {}},
                        .birth = agreement::Birth{0, {.stamp = {}, .sum = place}}});
    }
    return mine;
}

// The first epoch begins like all others, so that its tokens exist.
void HostPool::found(const Context& ctx, Effects& fx) {
    *this = rebuild(ctx, {*this, {}}, {}, fx);
}

HostPool HostPool::rebuild(const Context& ctx, const agreement::Before<HostPool>& before,
                           std::span<const Claim> claims, Effects& fx) {
    const pool::Beginning beginning = HostPool::beginning(ctx, before.site, claims);
    HostPool site;
    site.surplus_ = std::max(beginning.used, ctx.config.units) - ctx.config.units;
    site.take_seats(before.site);
    site.take_claims(ctx, before.site, claims, fx);
    site.await_acts(fx);
    if (ctx.config.sites == 1) fx.reached("alone");
    fx.disarm(Timer::controller);
    fx.disarm(Timer::pace);
    site.act(ctx, fx, [&](const NodeContext& self, NodeEffects& out) {
        site.node_ = TreePool::resumed(self, beginning, out);
    });
    site.serve(ctx, fx);
    site.settle(ctx, fx);
    return site;
}

pool::Beginning HostPool::beginning(const Context& ctx, const HostPool& before,
                                    std::span<const Claim> claims) {
    const auto& rules = ctx.config.hosts;
    std::uint32_t own = 0;
    std::uint32_t all = 0;
    for (const Claim& claim : claims) {
        if (claim.phase != Phase::holding) continue;
        all += claim.demand.units;
        if (claim.host == ctx.self) own += claim.demand.units;
    }
    pool::Beginning beginning{.parked = std::vector(own, TreePool::first_channel(at(ctx))),
                              .counts_first = ctx.config.census && ctx.incarnation > 0,
                              .used = rules.make_unused ? all : 0,
                              .counted = rules.count_own_users ? own : 0,
                              .number = rules.fresh_number ? 1u : 0u};
    if (!rules.park_anew) beginning.parked = before.node_.parked();
    return beginning;
}

// Programs beside the application that no claim mentions: one that let go before the report is idle; one
// whose request the report left out asks again.
void HostPool::take_seats(const HostPool& before) {
    seats_.resize(before.seats_.size());
    for (std::size_t seat = 1; seat < seats_.size(); ++seat) {
        const Seat& old = before.seats_[seat];
        const bool waited = old.phase == Phase::waiting;
        const bool counts = waited && old.requests_left != seats::Requests::any_number;
        seats_[seat] = {.requests_left = old.requests_left + (counts ? 1 : 0),
                        .acted = waited || (old.acted && old.phase != Phase::holding)};
    }
}

void HostPool::take_claims(const Context& ctx, const HostPool& before, std::span<const Claim> claims,
                           Effects& fx) {
    for (const Claim& claim : claims) {
        if (claim.host != ctx.self) continue;
        const Seat& old = before.seats_[claim.seat];
        const bool waits = claim.phase == Phase::waiting;
        Seat& seat = seats_[claim.seat];
        if (waits && claim.demand.units > ctx.config.units) {
            seat = {.requests_left = old.requests_left};
            fx.reached("refused-at-thaw");
            if (claim.seat == 0) fx.refused("there are not so many units any more");
            continue;
        }
        seat = {.phase = claim.phase,
                .units = claim.demand.units,
                .requests_left = old.requests_left,
                .acted = old.acted && !waits};
        if (waits) line_.push_back(claim.seat);
        fx.reached(waits ? "waited-before" : "used-before");
    }
}

void HostPool::await_acts(Effects& fx) const {
    for (std::size_t seat = 1; seat < seats_.size(); ++seat) {
        if (!seats_[seat].acted)
            await_act(seat, fx);
        else
            fx.reached(seats_[seat].phase == Phase::holding ? "let-go-frozen" : "asked-frozen");
    }
}

}  // namespace allot
