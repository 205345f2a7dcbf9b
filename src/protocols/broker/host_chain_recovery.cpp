// The recovery of the ordered chain per host (specs: kinds, sections 3.1 and 3.2): those who use devices are
// first in line at the homes of the new epoch, and those who wait ask again. A device whose host is no member
// is lost: its user stays its user, and those who wait for it fail.
#include <algorithm>

#include "protocols/broker/host_chain.hpp"

namespace allot {

using agreement::Claim;
using host_chain::Devices;
using host_chain::Seat;

namespace {

Stamp stamp_of(std::size_t number) {
    Stamp stamp;
    for (std::size_t i = 0; i < number; ++i) stamp = stamp.next();
    return stamp;
}

// The requests of an epoch begin with those of the claims, in their order, so that all homes name them alike.
OwnId request_of(std::span<const Claim> claims, const Claim& claim) {
    return {claim.host, stamp_of(static_cast<std::size_t>(&claim - claims.data()) + 1)};
}

bool lacks(const Devices& some, const Devices& others) {
    return std::ranges::any_of(others,
                               [&](ResourceId one) { return std::ranges::find(some, one) == some.end(); });
}

}  // namespace

// Where bound devices live among these members.
HostChain::Config HostChain::among(const Config& config, const std::vector<Peer>& members, std::uint32_t) {
    Config here = config;
    here.sites = static_cast<std::uint32_t>(members.size());
    for (auto& [device, host] : here.bound.hosts) {
        if (!host) continue;
        const auto place = std::ranges::find(members, *host, &Peer::site);
        const bool is_member = place != members.end();
        host = is_member ? std::optional(static_cast<SiteId>(place - members.begin())) : std::nullopt;
    }
    return here;
}

// A program that has let go is not mentioned.
agreement::Holdings HostChain::holdings(const Context& ctx) const {
    agreement::Holdings mine;
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
        const Seat& one = seats_[seat];
        if (one.phase == Phase::idle || (one.phase == Phase::holding && one.acted)) continue;
        agreement::Holding& holding = mine.emplace_back();
        holding = {.seat = seat, .phase = one.phase, .demand = {1, one.wanted}};
        if (!ctx.config.repairs.report_lost)
            std::erase_if(holding.demand.resources, [&](ResourceId device) {
                return std::ranges::find(one.lost, device) != one.lost.end();
            });
    }
    return mine;
}

void HostChain::forget_epoch(const Config&) {
    clock_ = {};
    lines_.clear();
}

HostChain HostChain::rebuild(const Context& ctx, const agreement::Before<HostChain>& before,
                             std::span<const Claim> claims, Effects& fx) {
    HostChain site;
    site.clock_ = stamp_of(claims.size());
    site.take_users(ctx, claims);
    site.take_seats(ctx, before.site, claims, fx);
    site.settle(ctx, fx);
    return site;
}

void HostChain::take_users(const Context& ctx, std::span<const Claim> claims) {
    for (const Claim& claim : claims) {
        if (claim.phase != Phase::holding || !ctx.config.repairs.keep_users) continue;
        for (const ResourceId device : claim.demand.resources)
            if (ctx.config.home(device) == ctx.self)
                lines_[device].queue.push_back({request_of(claims, claim), {}, {}});
    }
}

// A program beside the application that let go before the report is idle. One that waits asks again here; the
// application is asked for its request again by the views.
void HostChain::take_seats(const Context& ctx, const HostChain& before, std::span<const Claim> claims,
                           Effects& fx) {
    for (const Seat& old : before.seats_) {
        Seat& seat = seats_.emplace_back();
        seat.requests_left = old.requests_left;
        seat.acted = old.acted && old.phase != Phase::holding;
        if (old.phase == Phase::waiting && !ctx.config.repairs.ask_again) seat = old;
    }
    for (const Claim& claim : claims) {
        if (claim.host != ctx.self || claim.phase != Phase::holding) continue;
        const Seat& old = before.seats_[claim.seat];
        Seat& seat = seats_[claim.seat];
        seat.phase = Phase::holding;
        seat.request = request_of(claims, claim);
        seat.wanted = claim.demand.resources;
        seat.lost = ctx.config.lost(seat.wanted);
        seat.acted = old.acted;
        if (lacks(old.lost, seat.lost)) fx.reached("told-lost");
        if (lacks(seat.lost, old.lost)) fx.reached("got-back");
        if (!seat.lost.empty() && seat.lost == old.lost) fx.reached("kept-lost");
    }
    for (std::size_t seat = 0; seat < before.seats_.size() && ctx.config.repairs.ask_again; ++seat) {
        const Seat& old = before.seats_[seat];
        if (old.phase != Phase::waiting) continue;
        fx.reached("asked-again");
        if (seat > 0) ask_or_wait(ctx, seat, old.wanted, fx);
    }
}

}  // namespace allot
