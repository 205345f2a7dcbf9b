// The recovery of permits per host (specs: kinds, sections 4.2 and 4.3): those who use and those who wait get
// the first stamps of the epoch, in their order, and each host works out the answers that it would have got
// and given. No message is sent.
#include "protocols/semaphore/host_permits.hpp"

namespace allot {

using agreement::Claim;
using host_permits::Seat;

namespace {

Stamp stamp_of(std::size_t number) {
    Stamp stamp;
    for (std::size_t i = 0; i < number; ++i) stamp = stamp.next();
    return stamp;
}

// The claim in this place of the order has this stamp.
Stamp stamp_in(std::span<const Claim> claims, const Claim& claim) {
    return stamp_of(static_cast<std::size_t>(&claim - claims.data()) + 1);
}

// The units of a host that go before a waiting request.
std::uint32_t units_before(std::span<const Claim> claims, const Claim& waiting, SiteId host) {
    std::uint32_t units = 0;
    for (const Claim& claim : claims)
        if (claim.host == host && (claim.phase == Phase::holding || &claim < &waiting))
            units += claim.demand.units;
    return units;
}

}  // namespace

HostPermits::Config HostPermits::among(const Config& config, std::uint32_t sites, std::uint32_t view) {
    Config fewer = config;
    fewer.sites = sites;
    if (config.repairs.view_permits) fewer.permits = config.permits_in(view);
    return fewer;
}

// A program that has let go is not mentioned.
agreement::Holdings HostPermits::holdings(const Context& ctx) const {
    const auto& repairs = ctx.config.repairs;
    agreement::Holdings mine;
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
        const Seat& one = seats_[seat];
        if (one.phase == Phase::idle || (one.phase == Phase::holding && one.acted)) continue;
        agreement::Holding& holding = mine.emplace_back();
        holding = {.seat = seat, .phase = one.phase, .demand = {one.units, {}}};
        if (one.phase == Phase::waiting) holding.birth = one.birth;
        if (one.phase == Phase::waiting && !repairs.keep_birth)
            holding.birth = agreement::Birth{ctx.incarnation, {.stamp = one.stamp}};
        if (one.phase == Phase::waiting && !repairs.order_by_birth)
            holding.birth = agreement::Birth{0, {.stamp = one.stamp}};
    }
    return mine;
}

// Only designs that keep permissions look at those of the old epoch.
void HostPermits::forget_epoch(const Config& config) {
    clock_ = {};
    debts_.clear();
    for (Seat& seat : seats_) seat.bounds.clear();
    if (config.repairs.clear_permissions && config.repairs.drop_permissions) permitted_.clear();
}

// The claims that a new epoch can serve: a view may have lowered k. Users go on; that they may exceed k is no
// matter, because nobody enters until enough of them have let go.
std::vector<Claim> HostPermits::fitting(const Config& config, std::span<const Claim> claims) {
    std::vector<Claim> kept;
    std::uint32_t used = 0;
    for (const Claim& claim : claims) {
        const bool uses = claim.phase == Phase::holding;
        if (uses) used += claim.demand.units;
        const bool user_fits = used <= config.permits || !uses || config.repairs.keep_users;
        const bool waiter_fits = claim.demand.units <= config.permits || uses || !config.repairs.refuse_large;
        if (user_fits && waiter_fits) kept.push_back(claim);
    }
    return kept;
}

void HostPermits::refuse_large(const Context& ctx, std::span<const Claim> claims, Effects& fx) const {
    for (const Claim& claim : claims)
        if (claim.host == ctx.self && claim.phase == Phase::waiting &&
            seats_[claim.seat].phase == Phase::idle) {
            fx.reached("refused-at-thaw");
            if (claim.seat == 0)
                fx.refused("there are not so many permits any more");
            else
                await_act(claim.seat, fx);
        }
}

HostPermits HostPermits::rebuild(const Context& ctx, const Before& before, std::span<const Claim> all,
                                 Effects& fx) {
    const auto& repairs = ctx.config.repairs;
    const std::vector<Claim> claims = fitting(ctx.config, all);
    HostPermits site;
    const auto users = std::ranges::count(claims, Phase::holding, &Claim::phase);
    if (repairs.raise_clock)
        site.clock_ = stamp_of(claims.size() - (repairs.count_users ? 0 : static_cast<std::size_t>(users)));
    site.take_seats(ctx, before.site, claims);
    site.refuse_large(ctx, all, fx);
    site.take_permissions(ctx, before, claims);
    if (repairs.keep_debts) site.take_debts(ctx, claims);
    if (repairs.enter_at_once) site.enter(ctx, fx);
    site.reach_probes(ctx, claims, fx);
    site.settle(ctx, fx);
    return site;
}

void HostPermits::reach_probes(const Context& ctx, std::span<const Claim> claims, Effects& fx) const {
    if (!debts_.empty()) fx.reached("carried-debt");
    for (const Claim& claim : claims) {
        if (claim.host != ctx.self || claim.phase != Phase::waiting) continue;
        const Seat& seat = seats_[claim.seat];
        if (seat.phase == Phase::holding) fx.reached("entry-at-thaw");
        if (!seat.bounds.empty()) fx.reached("carried-bound");
        if (seat.birth->epoch + 1 < ctx.incarnation) fx.reached("carried-twice");
    }
    for (const Seat& seat : seats_)
        if (seat.acted) fx.reached(seat.phase == Phase::holding ? "let-go-frozen" : "asked-frozen");
}

// A program beside the application that let go before the report is idle; one whose request the report left
// out asks again.
void HostPermits::take_seats(const Context& ctx, const HostPermits& before, std::span<const Claim> claims) {
    for (const Seat& old : before.seats_) {
        Seat& seat = seats_.emplace_back();
        seat.requests_left = old.requests_left;
        seat.acted = old.acted && old.phase != Phase::holding;
    }
    for (const Claim& claim : claims) {
        if (claim.host != ctx.self) continue;
        const Seat& old = before.seats_[claim.seat];
        Seat& seat = seats_[claim.seat];
        seat.phase = claim.phase;
        seat.units = claim.demand.units;
        seat.stamp = stamp_in(claims, claim);
        const agreement::Birth now{ctx.incarnation, {.stamp = seat.stamp}};
        if (claim.phase == Phase::waiting) seat.birth = old.phase == Phase::waiting ? old.birth : now;
        seat.acted = old.acted;
    }
}

// The answers that the waiting seats would have got.
void HostPermits::take_permissions(const Context& ctx, const Before& before, std::span<const Claim> claims) {
    const auto& repairs = ctx.config.repairs;
    for (SiteId host = 0; host < ctx.config.sites; ++host) {
        if (host == ctx.self) continue;
        const auto place = before.places[host];
        const auto old = place ? before.site.permitted_.find(*place) : before.site.permitted_.end();
        const bool had_answer = old != before.site.permitted_.end();
        if (had_answer && !repairs.clear_permissions) permitted_[host] = old->second;
        for (const Claim& claim : claims) {
            if (claim.host != ctx.self || claim.phase != Phase::waiting) continue;
            const std::uint32_t units = units_before(claims, claim, host);
            const Seat& waited = before.site.seats_[claim.seat];
            const bool kept = had_answer && !repairs.drop_permissions && waited.phase == Phase::waiting &&
                              old->second >= waited.stamp;
            if (units == 0 || kept)
                permitted_[host] = max(permitted_[host], seats_[claim.seat].stamp);
            else if (repairs.keep_bounds)
                seats_[claim.seat].bounds[host] = units;
        }
    }
}

// The answers that this host would owe.
void HostPermits::take_debts(const Context& ctx, std::span<const Claim> claims) {
    for (const Claim& claim : claims)
        if (claim.host != ctx.self && claim.phase == Phase::waiting &&
            units_before(claims, claim, ctx.self) > 0)
            debts_.insert({claim.host, stamp_in(claims, claim)});
}

}  // namespace allot
