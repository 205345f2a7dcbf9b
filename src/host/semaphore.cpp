#include "host/semaphore.hpp"

#include <algorithm>
#include <utility>

#include "base/ensure.hpp"
#include "core/model.hpp"

namespace allot::host {

using agreement::Claim;
using agreement::Holding;
using agreement::Holdings;

namespace {

// A host may have any number of seats, so one that has not answered may use all permits.
HostPermits::Config protocol_config(const Semaphore::Context& ctx) {
    HostPermits::Config config;
    config.sites = ctx.epoch.members;
    config.permits = ctx.permits;
    config.max_request = ctx.permits;
    config.seats = ctx.permits;
    config.seat_requests = {{0}};
    config.repairs = ctx.config.repairs;
    return config;
}

}  // namespace

// --- Requests.

void Semaphore::ask(RequestId request, std::uint32_t units) {
    const Order order = line_.empty() ? 0 : line_.rbegin()->first + 1;
    line_[order] = {request, units};
    orders_[request] = order;
}

void Semaphore::end(RequestId request) {
    if (const auto place = orders_.find(request); place != orders_.end()) return withdraw(place->second);
    const auto seat = seat_of_.extract(request);
    ensure(!seat.empty(), "a request for permits ends that nobody made");
    seats_[seat.mapped()].request.reset();
    ended_.insert(seat.mapped());
}

// A short line is numbered from 0 on, so that equal lines are equal values.
void Semaphore::withdraw(Order order) {
    orders_.erase(line_.at(order).first);
    line_.erase(order);
    constexpr std::size_t short_line = 8;
    if (line_.size() > short_line) return;
    for (const auto& [before, one] : std::exchange(line_, {})) {
        orders_[one.first] = line_.size();
        line_.emplace(line_.size(), one);
    }
}

void Semaphore::adopt(RequestId request, std::uint32_t units) {
    seats_.emplace_back();
    site_.open(seats_.size() - 1);
    set(static_cast<std::uint32_t>(seats_.size() - 1), {request, Phase::holding, units});
}

void Semaphore::set(std::uint32_t seat, const Seat& content) {
    if (seats_[seat].request) seat_of_.erase(*seats_[seat].request);
    seats_[seat] = content;
    idle_.erase(seat);
    waiting_.erase(seat);
    if (content.phase == Phase::idle) idle_.insert(seat);
    if (content.phase == Phase::waiting) waiting_.insert(seat);
    if (content.request) seat_of_[*content.request] = seat;
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

// Programs may still use more units than there are now, so the settings do not bound the units.
std::optional<std::string> Semaphore::objection(const Context& ctx, const Message& message) const {
    HostPermits::Config config = protocol_config(ctx);
    config.seats = 1u << 16;
    config.max_request = 1u << 14;
    const HostPermits::Context receiver{config, ctx.epoch.place, ctx.epoch.number};
    if (auto why = message_error<HostPermits>(receiver, message)) return why;
    return site_.objection(receiver, message);
}

template <class Action>
void Semaphore::act(const Context& ctx, Effects& fx, Action&& action) {
    const HostPermits::Config config = protocol_config(ctx);
    HostPermits::Effects out;
    action(allot::Context<HostPermits::Config>{config, ctx.epoch.place, ctx.epoch.number}, out);
    for (const auto& send : out.sends()) fx.sends.push_back({send.to, send.message});
    for (auto next = waiting_.begin(); next != waiting_.end();) {
        const std::uint32_t seat = *next++;
        if (site_.seats()[seat].phase != Phase::holding) continue;
        Seat mine = seats_[seat];
        mine.phase = Phase::holding;
        set(seat, mine);
        if (!mine.request) continue;  // it is over, and the site hears of it next
        const Fence fence =
            config.permits == 1
                ? in_epoch(ctx.epoch.fence, at_place(site_.seats()[seat].stamp, ctx.epoch.place))
                : Fence();
        fx.grants.push_back({*mine.request, {fence}});
    }
}

// Requests that are over free what others wait for, so they come first.
void Semaphore::run(const Context& ctx, Effects& fx) {
    for (const std::uint32_t seat : std::exchange(ended_, {})) {
        if (site_.seats()[seat].phase != Phase::idle)
            act(ctx, fx, [&](const auto& at, auto& out) { site_.let_go(at, seat, out); });
        set(seat, {});
    }
    while (has_next()) seat_next(ctx, fx);
}

void Semaphore::seat_next(const Context& ctx, Effects& fx) {
    const auto [request, units] = line_.begin()->second;
    withdraw(line_.begin()->first);
    const std::uint32_t seat = free_seat();
    set(seat, {request, Phase::waiting, units});
    act(ctx, fx, [&, units = units](const auto& at, auto& out) { site_.ask(at, seat, units, out); });
}

std::uint32_t Semaphore::free_seat() {
    if (!idle_.empty()) return *idle_.begin();
    seats_.emplace_back();
    site_.open(seats_.size() - 1);
    return static_cast<std::uint32_t>(seats_.size() - 1);
}

// --- From epoch to epoch.

Holdings Semaphore::holdings(const Context& ctx) const {
    const HostPermits::Config config = protocol_config(ctx);
    Holdings known = site_.holdings({config, ctx.epoch.place, ctx.epoch.number});
    Holdings mine;
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
        const Seat& one = seats_[seat];
        if (!one.request) continue;
        const auto place = std::ranges::lower_bound(known, seat, {}, &Holding::seat);
        mine.push_back({.seat = seat, .phase = one.phase, .demand = {one.units, {}}});
        if (place != known.end() && place->seat == seat) mine.back().birth = place->birth;
    }
    return mine;
}

void Semaphore::forget_epoch() {
    site_.forget_epoch({});
}

void Semaphore::rebuild(const Context& ctx, const std::vector<Claim>& claims, Effects& fx) {
    const std::vector<std::optional<SiteId>> strangers(ctx.epoch.members);
    if (!ctx.config.keep_ends) ended_.clear();
    act(ctx, fx, [&](const auto& at, auto& out) {
        site_ = HostPermits::rebuild(at, {site_, strangers}, claims, out);
    });
    refuse_large(ctx, fx);
    // Seats whose request ended before the report are idle now; those of refused ones follow.
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
        if (site_.seats()[seat].phase != Phase::idle || seats_[seat].request) continue;
        set(seat, {});
        ended_.erase(seat);
    }
    run(ctx, fx);
}

// There may be fewer permits than in the last epoch.
void Semaphore::refuse_large(const Context& ctx, Effects& fx) {
    const auto is_large = [&](std::uint32_t units) { return units > ctx.permits; };
    for (const std::uint32_t seat : waiting_)
        if (seats_[seat].request && is_large(seats_[seat].units))
            fx.refusals.push_back(*seats_[seat].request);
    for (const auto& [order, one] : line_)
        if (is_large(one.second)) fx.refusals.push_back(one.first);
}

}  // namespace allot::host
