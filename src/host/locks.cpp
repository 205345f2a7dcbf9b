#include "host/locks.hpp"

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <boost/container/small_vector.hpp>
#include <utility>

#include "base/ensure.hpp"
#include "core/model.hpp"

namespace allot::host {

using agreement::Claim;
using agreement::Holding;
using agreement::Holdings;

namespace {

Counters::Config protocol_config(const Locks::Config& config, std::uint32_t members) {
    Counters::Config protocol;
    protocol.sites = members * config.most_seats();
    protocol.homes = members;
    protocol.loans = config.loans;
    protocol.repairs = config.repairs;
    return protocol;
}

}  // namespace

// --- Requests.

void Locks::end(const Config& config, RequestId request) {
    if (line_.withdraw(request, config.line)) return;
    const auto seat = seat_of_.extract(request);
    ensure(!seat.empty(), "a request for locks ends that nobody made");
    seats_[seat.mapped()].request.reset();
    ended_.insert(seat.mapped());
    line_.leave_seat(request, config.line);
}

// It came before all who wait.
void Locks::adopt(const Config& config, RequestId request, const Demand& demand, Line::User user) {
    line_.prepend(request, demand, user);
    line_.seat(request, config.line);
    line_.enter(request);
    const std::uint32_t seat = idle_.empty() ? static_cast<std::uint32_t>(seats_.size()) : *idle_.begin();
    Seat& mine = open(seat);
    mine = {.site = std::move(mine.site),
            .request = request,
            .phase = Phase::holding,
            .demand = demand,
            .adopted = true};
    idle_.erase(seat);
    seat_of_[request] = seat;
    ++adopted_;
}

bool Locks::is_carried(RequestId request) const {
    const auto seat = seat_of_.find(request);
    return seat != seat_of_.end() && seats_[seat->second].carried;
}

std::optional<SiteId> Locks::site_of(const Epoch& epoch, RequestId request) const {
    const auto seat = seat_of_.find(request);
    if (seat == seat_of_.end()) return std::nullopt;
    return seat->second * epoch.members + epoch.place;
}

// --- Steps.

void Locks::settle(const Context& ctx, Effects& fx) {
    Step step = begin(ctx, fx);
    run(step);
}

void Locks::receive(const Context& ctx, SiteId from, const Message& message, Effects& fx) {
    Step step = begin(ctx, fx);
    deliver(step, message.to_seat, message.from_seat * ctx.epoch.members + from, message.message);
    run(step);
}

std::optional<std::string> Locks::objection(const Context& ctx, SiteId from, const Message& message) const {
    const std::uint32_t most = ctx.config.most_seats();
    if (message.from_seat >= most || message.to_seat >= most)
        return "a seat beyond the last one, " + std::to_string(most - 1);
    if (auto why = objection_to_tokens(ctx, message.message)) return why;
    const std::uint32_t members = ctx.epoch.members;
    const Counters::Config config = protocol_config(ctx.config, members);
    const Counters::Context receiver{config, message.to_seat * members + ctx.epoch.place, ctx.epoch.number};
    if (auto why = message_error<Counters>(receiver, message.message)) return why;
    static const Counters unopened;
    const bool is_open = message.to_seat < seats_.size();
    const Counters& site = is_open ? seats_[message.to_seat].site : unopened;
    return site.objection(receiver, message.from_seat * members + from, message.message);
}

// A token is at one seat of all. It goes nowhere before its home has heard of it.
std::optional<std::string> Locks::objection_to_tokens(const Context& ctx,
                                                      const Counters::Message& message) const {
    std::optional<std::string> why;
    const Counters::Config config = protocol_config(ctx.config, ctx.epoch.members);
    Counters::for_each_token(message, [&](ResourceId resource) {
        const bool begins_here = config.home(resource) == ctx.epoch.place &&
                                 (seats_.empty() || !seats_.front().site.knows(resource));
        if (token_at_.contains(resource) || begins_here) why = "a second token of " + resource.name();
    });
    return why;
}

void Locks::deliver(Step& step, std::uint32_t seat, SiteId from, const Counters::Message& message) {
    open(seat);
    act(step, seat, [&](Counters& site, const auto& at, auto& out) {
        site.handle(at, input::Receive<Counters::Message>{from, message}, out);
    });
    Counters::for_each_resource(message, [&](ResourceId resource) { note_token(seat, resource); });
}

// A token leaves a seat in a message. It comes with one, or is made at the first mention of its resource.
void Locks::note_token(std::uint32_t seat, ResourceId resource) {
    if (seats_[seat].site.has_token(resource)) token_at_[resource] = seat;
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
        Counters::for_each_token(send.message, [&](ResourceId resource) { token_at_.erase(resource); });
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
    for (const Fence fence : fences) in_this_epoch.push_back(in_epoch(step.ctx.epoch.fence, fence));
    step.fx.grants.push_back({*mine.request, std::move(in_this_epoch)});
}

void Locks::deliver_local(Step& step) {
    for (std::size_t next = 0; next < step.inbox.size(); ++next) {
        const Local local = std::move(step.inbox[next]);
        deliver(step, local.to, step.site(local.from), local.message);
    }
    step.inbox.clear();
}

void Locks::let_go(Step& step) {
    for (const std::uint32_t seat : std::exchange(ended_, {})) {
        act(step, seat, [&](Counters& site, const auto& at, auto& out) {
            if (site.phase() == Phase::holding) site.release(at, out);
            if (site.phase() == Phase::waiting) site.cancel(at, out);
        });
        make_idle(seat);
    }
}

void Locks::make_idle(std::uint32_t seat) {
    Seat& mine = seats_[seat];
    adopted_ -= mine.adopted ? 1 : 0;
    mine = {.site = std::move(mine.site)};
    idle_.insert(seat);
}

// False if nobody may have a seat now.
bool Locks::seat_next(Step& step) {
    const Line::Entry* next = line_.next(step.ctx.config.line);
    if (next == nullptr) return false;
    const auto seat = free_seat(step, next->demand);
    if (!seat) return false;
    const auto request = static_cast<RequestId>(next->claim);
    Seat& mine = open(*seat);
    mine.request = request;
    mine.phase = Phase::waiting;
    mine.demand = next->demand;
    idle_.erase(*seat);
    seat_of_[request] = *seat;
    line_.seat(request, step.ctx.config.line);
    act(step, *seat, [&](Counters& site, const auto& at, auto& out) { site.request(at, mine.demand, out); });
    for (const ResourceId resource : mine.demand.resources) note_token(*seat, resource);
    return true;
}

// The free seat that needs the fewest messages; among equals the first.
std::optional<std::uint32_t> Locks::free_seat(const Step& step, const Demand& demand) const {
    boost::container::small_flat_map<std::uint32_t, std::size_t, 4> at_hand;  // tokens of it at idle seats
    for (const ResourceId resource : demand.resources)
        if (const auto place = token_at_.find(resource);
            place != token_at_.end() && idle_.contains(place->second))
            ++at_hand[place->second];
    if (!at_hand.empty())
        return std::ranges::max_element(at_hand, {}, [](const auto& one) { return one.second; })->first;
    if (!idle_.empty()) return *idle_.begin();
    const std::size_t most =
        std::min<std::size_t>(step.ctx.config.seats + adopted_, 16 * std::size_t{step.ctx.config.seats});
    if (seats_.size() < most) return static_cast<std::uint32_t>(seats_.size());
    return std::nullopt;
}

// A seat that nobody has used yet may be written to.
Locks::Seat& Locks::open(std::uint32_t seat) {
    while (seats_.size() <= seat) {
        idle_.insert(static_cast<std::uint32_t>(seats_.size()));
        seats_.emplace_back();
    }
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
    token_at_.clear();
}

void Locks::rebuild(const Context& ctx, std::vector<Claim> claims, Effects& fx) {
    for (Claim& claim : claims) claim.host = claim.seat * ctx.epoch.members + claim.host;
    const counters::Estate estate(claims);
    if (!ctx.config.keep_ends) ended_.clear();
    Step step = begin(ctx, fx);
    open(0);
    const auto known = known_here(step, estate);
    token_at_.clear();
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
        act(step, seat, [&](Counters& site, const auto& at, auto& out) {
            site = Counters::rebuild(at, estate, known[seat], out);
        });
        for (const ResourceId resource : known[seat]) note_token(seat, resource);
        // Seats whose request ended before the report are idle now.
        seats_[seat].carried = seats_[seat].site.phase() == Phase::waiting;
        if (seats_[seat].site.phase() != Phase::idle) continue;
        make_idle(seat);
        ended_.erase(seat);
    }
    run(step);
}

// The resources that each seat has to know: those that it claims; the first seat knows those of its home.
std::vector<std::vector<ResourceId>> Locks::known_here(const Step& step,
                                                       const counters::Estate& estate) const {
    std::vector<std::vector<ResourceId>> known(seats_.size());
    for (std::uint32_t seat = 0; seat < seats_.size(); ++seat)
        if (const auto place = estate.places.find(step.site(seat)); place != estate.places.end())
            known[seat] = estate.claims[place->second].demand.resources;
    for (const auto& [resource, heirs] : estate.resources)
        if (step.config.home(resource) == step.site(0)) known[0].push_back(resource);
    return known;
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
