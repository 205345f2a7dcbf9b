#include "host/semaphore.hpp"

#include <algorithm>

#include "base/ensure.hpp"

namespace allot::host {

using agreement::Claim;
using agreement::Holding;
using agreement::Holdings;

namespace {

// A host may have any number of seats, so one that has not answered may use all permits.
HostPermits::Config protocol_config(const Semaphore::Context& ctx) {
    HostPermits::Config config;
    config.sites = ctx.epoch.members;
    config.permits = ctx.config.permits;
    config.max_request = ctx.config.permits;
    config.seats = ctx.config.permits;
    config.seat_requests = {{0}};
    return config;
}

}  // namespace

// --- Requests.

void Semaphore::end(RequestId request) {
    if (std::erase_if(unasked_, [&](const auto& one) { return one.first == request; }) > 0) return;
    const auto seat = std::ranges::find(seats_, std::optional(request), &Seat::request);
    ensure(seat != seats_.end(), "a request for permits ends that nobody made");
    seat->request.reset();
    ended_.insert(static_cast<std::uint32_t>(seat - seats_.begin()));
}

void Semaphore::adopt(RequestId request, std::uint32_t units) {
    seats_.push_back({request, Phase::holding, units});
    site_.open(seats_.size() - 1);
}

// --- Steps.

void Semaphore::settle(const Context& ctx, Effects& fx) {
    run(ctx, fx);
}

void Semaphore::receive(const Context& ctx, SiteId from, const Message& message, Effects& fx) {
    act(ctx, fx, [&](const auto& at, auto& out) {
        site_.handle(at, input::Receive<Message>{from, message}, out);
    });
    run(ctx, fx);
}

template <class Action>
void Semaphore::act(const Context& ctx, Effects& fx, Action&& action) {
    const HostPermits::Config config = protocol_config(ctx);
    HostPermits::Effects out;
    action(allot::Context<HostPermits::Config>{config, ctx.epoch.place, ctx.epoch.number}, out);
    for (const auto& send : out.sends()) fx.sends.push_back({send.to, send.message});
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
        Seat& mine = seats_[seat];
        if (mine.phase != Phase::waiting || site_.seats()[seat].phase != Phase::holding) continue;
        mine.phase = Phase::holding;
        if (!mine.request) continue;  // it is over, and the site hears of it next
        std::vector<Fence> fences;
        if (config.permits == 1)
            fences.push_back(
                in_epoch(ctx.epoch.number, at_place(site_.seats()[seat].stamp, ctx.epoch.place)));
        fx.grants.push_back({*mine.request, std::move(fences)});
    }
}

// Requests that are over free what others wait for, so they come first.
void Semaphore::run(const Context& ctx, Effects& fx) {
    for (const std::uint32_t seat : std::exchange(ended_, {})) {
        act(ctx, fx, [&](const auto& at, auto& out) { site_.let_go(at, seat, out); });
        seats_[seat] = {};
    }
    for (const auto& [request, units] : std::exchange(unasked_, {})) seat(ctx, request, units, fx);
}

void Semaphore::seat(const Context& ctx, RequestId request, std::uint32_t units, Effects& fx) {
    const std::uint32_t seat = free_seat();
    seats_[seat] = {request, Phase::waiting, units};
    act(ctx, fx, [&](const auto& at, auto& out) { site_.ask(at, seat, units, out); });
}

std::uint32_t Semaphore::free_seat() {
    const auto free = std::ranges::find(seats_, Phase::idle, &Seat::phase);
    const auto seat = static_cast<std::uint32_t>(free - seats_.begin());
    if (free == seats_.end()) seats_.emplace_back();
    site_.open(seat);
    return seat;
}

// --- From epoch to epoch.

Holdings Semaphore::holdings(const Context& ctx) const {
    const HostPermits::Config config = protocol_config(ctx);
    Holdings known = site_.holdings({config, ctx.epoch.place, ctx.epoch.number});
    Holdings mine;
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
        const Seat& one = seats_[seat];
        if (!one.request) continue;
        const auto place = std::ranges::find(known, seat, &Holding::seat);
        mine.push_back({.seat = seat, .phase = one.phase, .demand = {one.units, {}}});
        if (place != known.end()) mine.back().birth = place->birth;
    }
    return mine;
}

void Semaphore::forget_epoch() {
    site_.forget_epoch({});
}

void Semaphore::rebuild(const Context& ctx, const std::vector<Claim>& claims, Effects& fx) {
    const std::vector<std::optional<SiteId>> strangers(ctx.epoch.members);
    act(ctx, fx, [&](const auto& at, auto& out) {
        site_ = HostPermits::rebuild(at, {site_, strangers}, claims, out);
    });
    // Seats whose request ended before the report are idle now.
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
        if (site_.seats()[seat].phase != Phase::idle) continue;
        seats_[seat] = {};
        ended_.erase(seat);
    }
    run(ctx, fx);
}

}  // namespace allot::host
