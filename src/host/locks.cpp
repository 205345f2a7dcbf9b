#include "host/locks.hpp"

#include <algorithm>
#include <utility>

#include "base/ensure.hpp"

namespace allot::host {

using agreement::Claim;
using agreement::Holding;
using agreement::Holdings;

namespace {

Counters::Config protocol_config(const Locks::Config& config, std::uint32_t members) {
    Counters::Config protocol;
    protocol.sites = members * config.seats;
    protocol.homes = members;
    protocol.loans = config.loans;
    return protocol;
}

}  // namespace

// --- Requests.

void Locks::end(const Config& config, RequestId request) {
    if (line_.withdraw(request, config.line)) return;
    const auto seat = std::ranges::find(seats_, std::optional(request), &Seat::request);
    ensure(seat != seats_.end(), "a request for locks ends that nobody made");
    seat->request.reset();
    ended_.insert(static_cast<std::uint32_t>(seat - seats_.begin()));
    line_.leave_seat(request, config.line);
}

void Locks::adopt(const Config& config, RequestId request, const Demand& demand) {
    line_.append(request, demand);
    line_.seat(request, config.line);
    line_.enter(request);
    seats_.push_back({.request = request, .phase = Phase::holding, .demand = demand});
}

bool Locks::is_carried(RequestId request) const {
    const auto seat = std::ranges::find(seats_, std::optional(request), &Seat::request);
    return seat != seats_.end() && seat->carried;
}

std::optional<SiteId> Locks::site_of(const Epoch& epoch, RequestId request) const {
    const auto seat = std::ranges::find(seats_, std::optional(request), &Seat::request);
    if (seat == seats_.end()) return std::nullopt;
    return static_cast<SiteId>(seat - seats_.begin()) * epoch.members + epoch.place;
}

// --- Steps.

void Locks::settle(const Context& ctx, Effects& fx) {
    Step step = begin(ctx, fx);
    run(step);
}

void Locks::receive(const Context& ctx, SiteId from, const Message& message, Effects& fx) {
    Step step = begin(ctx, fx);
    const SiteId sender = message.from_seat * ctx.epoch.members + from;
    open(message.to_seat);
    act(step, message.to_seat, [&](Counters& site, const auto& at, auto& out) {
        site.handle(at, input::Receive<Counters::Message>{sender, message.message}, out);
    });
    run(step);
}

Locks::Step Locks::begin(const Context& ctx, Effects& fx) const {
    return {ctx, fx, protocol_config(ctx.config, ctx.epoch.members)};
}

// Requests that are over free what others wait for, so they come first.
void Locks::run(Step& step) {
    open(0);
    do {
        let_go(step);
        deliver_local(step);
    } while (seat_next(step));
}

template <class Action>
void Locks::act(Step& step, std::uint32_t seat, Action&& action) {
    Counters::Effects out;
    action(seats_[seat].site, step.at(seat), out);
    const std::uint32_t members = step.ctx.epoch.members;
    for (const auto& send : out.sends()) {
        const std::uint32_t to = send.to / members;
        if (send.to % members == step.ctx.epoch.place)
            step.inbox.push_back({seat, to, send.message});
        else
            step.fx.sends.push_back({send.to % members, {seat, to, send.message}});
    }
    for (const Notice& notice : out.notices())
        if (notice.kind == Notice::Kind::granted) entered(step, seat, notice.fences);
}

void Locks::entered(Step& step, std::uint32_t seat, const std::vector<Fence>& fences) {
    Seat& mine = seats_[seat];
    mine.phase = Phase::holding;
    mine.birth.reset();
    if (!mine.request) return;  // it is over, and let_go follows
    line_.enter(*mine.request);
    std::vector<Fence> in_this_epoch;
    for (const Fence fence : fences) in_this_epoch.push_back(in_epoch(step.ctx.epoch.number, fence));
    step.fx.grants.push_back({*mine.request, std::move(in_this_epoch)});
}

void Locks::deliver_local(Step& step) {
    for (std::size_t next = 0; next < step.inbox.size(); ++next) {
        const Local local = std::move(step.inbox[next]);
        open(local.to);
        act(step, local.to, [&](Counters& site, const auto& at, auto& out) {
            site.handle(at, input::Receive<Counters::Message>{step.site(local.from), local.message}, out);
        });
    }
    step.inbox.clear();
}

void Locks::let_go(Step& step) {
    for (const std::uint32_t seat : std::exchange(ended_, {})) {
        act(step, seat, [&](Counters& site, const auto& at, auto& out) {
            if (site.phase() == Phase::holding) site.release(at, out);
            if (site.phase() == Phase::waiting) site.cancel(at, out);
        });
        Seat& mine = seats_[seat];
        mine = {.site = std::move(mine.site)};
    }
}

// False if nobody may have a seat now.
bool Locks::seat_next(Step& step) {
    const Line::Entry* next = line_.next(step.ctx.config.line);
    if (next == nullptr) return false;
    const auto seat = free_seat(step, next->demand);
    if (!seat) return false;
    const auto request = static_cast<RequestId>(next->claim);
    const Demand demand = next->demand;
    Seat& mine = open(*seat);
    mine.request = request;
    mine.phase = Phase::waiting;
    mine.demand = demand;
    line_.seat(request, step.ctx.config.line);
    act(step, *seat, [&](Counters& site, const auto& at, auto& out) { site.request(at, demand, out); });
    return true;
}

// The free seat that needs the fewest messages; among equals the first.
std::optional<std::uint32_t> Locks::free_seat(Step& step, const Demand& demand) {
    std::optional<std::uint32_t> best;
    std::size_t most = 0;
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
        if (seats_[seat].phase != Phase::idle) continue;
        const std::size_t here = seats_[seat].site.at_hand(demand);
        if (best && here <= most) continue;
        best = seat;
        most = here;
    }
    if (!best && seats_.size() < step.ctx.config.seats) best = static_cast<std::uint32_t>(seats_.size());
    return best;
}

// A seat that nobody has used yet may be written to.
Locks::Seat& Locks::open(std::uint32_t seat) {
    if (seats_.size() <= seat) seats_.resize(seat + 1);
    return seats_[seat];
}

// --- From epoch to epoch.

Holdings Locks::holdings(const Context& ctx) {
    const Counters::Config config = protocol_config(ctx.config, ctx.epoch.members);
    Holdings mine;
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
        Seat& one = seats_[seat];
        if (!one.request) continue;
        const SiteId site = seat * ctx.epoch.members + ctx.epoch.place;
        // A site of a later epoch has only its newest rank; the first one counts.
        for (const Holding& known : one.site.holdings({config, site, ctx.epoch.number}))
            if (!one.birth) one.birth = known.birth;
        mine.push_back({.seat = seat, .phase = one.phase, .demand = one.demand, .birth = one.birth});
    }
    return mine;
}

void Locks::forget_epoch() {
    for (Seat& seat : seats_) seat.site.forget_epoch({});
}

void Locks::rebuild(const Context& ctx, std::vector<Claim> claims, Effects& fx) {
    for (Claim& claim : claims) claim.host = claim.seat * ctx.epoch.members + claim.host;
    Step step = begin(ctx, fx);
    open(0);
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
        Seat& mine = seats_[seat];
        const Counters nothing;
        act(step, seat, [&](Counters& site, const auto& at, auto& out) {
            site = Counters::rebuild(at, {nothing, {}}, claims, out);
            site.forget_distant(at);
        });
        // Seats whose request ended before the report are idle now.
        mine.carried = mine.site.phase() == Phase::waiting;
        if (mine.site.phase() != Phase::idle) continue;
        mine = {.site = std::move(mine.site)};
        ended_.erase(seat);
    }
    run(step);
}

bool Locks::is_kept_by_lender(ResourceId lock) const {
    return std::ranges::any_of(seats_, [&](const Seat& seat) {
        return seat.site.lends() &&
               std::ranges::find(seat.demand.resources, lock) != seat.demand.resources.end();
    });
}

std::size_t Locks::weight() const {
    std::size_t sum = 0;
    for (const Seat& seat : seats_) sum += seat.site.weight();
    return sum;
}

}  // namespace allot::host
