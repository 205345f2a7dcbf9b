#include "protocols/semaphore/host_permits.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "core/model.hpp"
#include "core/parameters.hpp"

namespace allot {

using host_permits::Counts;
using host_permits::Debt;
using host_permits::Seat;

namespace {

constexpr std::uint32_t most_seats = 4;
constexpr std::uint64_t most_seat_requests = 1'000'000;
constexpr std::uint32_t ticks_between_acts = 10;

}  // namespace

// --- Parameters.

Result<Counts> Counts::parse(std::string_view name, std::string_view text) {
    Counts requests{{}};
    for (const std::string& word : split_list(text)) {
        const auto number = parse_number(name, word, 0, most_seat_requests);
        if (!number)
            return Error{"--" + std::string(name) + " " + std::string(text) +
                         ": write a number, or some with commas as in 2,1,0"};
        requests.counts.push_back(static_cast<std::uint32_t>(*number));
    }
    return requests;
}

std::string Counts::text() const {
    std::string list;
    for (const std::uint32_t count : counts) list += (list.empty() ? "" : ",") + std::to_string(count);
    return list;
}

std::uint32_t HostPermits::Config::unknown() const {
    return std::min(permits, (repairs.bound_all_seats ? seats : 1) * max_request);
}

std::uint32_t HostPermits::Config::permits_in(std::uint32_t view) const {
    const std::uint32_t resized = view == 0 ? 0 : resize.of(view - 1);
    return resized == 0 ? permits : resized;
}

std::uint32_t HostPermits::Config::most_permits() const {
    return std::max(permits, std::ranges::max(resize.counts));
}

std::optional<std::string> HostPermits::config_error(const Config& config) {
    const auto error = [](const char* flag, std::uint64_t value, std::uint64_t most) {
        return "--" + std::string(flag) + " " + std::to_string(value) + ": write a number from 1 to " +
               std::to_string(most);
    };
    const auto wrong = [](std::uint64_t value, std::uint64_t most) { return value < 1 || value > most; };
    if (wrong(config.seats, most_seats)) return error("seats", config.seats, most_seats);
    const std::uint64_t most = std::uint64_t{config.sites} * config.seats * std::max(config.max_request, 1u);
    if (wrong(config.permits, most)) return error("permits", config.permits, most);
    for (const std::uint32_t permits : config.resize.counts)
        if (permits > most)
            return "--resize " + config.resize.text() + ": write numbers from 0 to " + std::to_string(most);
    if (wrong(config.max_request, config.permits))
        return error("max-request", config.max_request, config.permits);
    if (wrong(config.seat_units, config.max_request))
        return error("seat-units", config.seat_units, config.max_request);
    return std::nullopt;
}

std::optional<Domain> HostPermits::domain(const Context& ctx, std::string_view member) {
    if (member == "units") return Domain{0, std::uint64_t{ctx.config.seats} * ctx.config.max_request};
    if (member == "seat") return Domain{0, ctx.config.seats - 1};
    return std::nullopt;
}

std::vector<Demand> HostPermits::demands(const Context& ctx) {
    std::vector<Demand> list;
    for (std::uint32_t units = 1; units <= ctx.config.max_request; ++units) list.push_back({units, {}});
    return list;
}

void HostPermits::sample(Draw& draw) {
    const auto sites = draw.number("sites", 2, 7);
    const auto permits = draw.number("permits", 1, sites);
    const auto most = draw.number("max-request", 1, permits);
    draw.number("seats", 1, most_seats);
    draw.number("seat-requests", 1, 3);
    draw.number("seat-units", 1, most);
    draw.toggle("cancel");
    draw.requests(4);
}

// --- Programs.

void HostPermits::start(const Context& ctx, Effects& fx) {
    seats_.resize(ctx.config.seats);
    for (std::size_t seat = 1; seat < seats_.size(); ++seat) {
        seats_[seat].requests_left = ctx.config.seat_requests.of(ctx.self);
        await_act(seat, fx);
    }
}

void HostPermits::await_act(std::size_t seat, Effects& fx) const {
    const Seat& one = seats_[seat];
    if (one.phase == Phase::holding || one.requests_left > 0) fx.arm(act_of(seat), ticks_between_acts);
}

void HostPermits::timeout(const Context& ctx, Timer act, Effects& fx) {
    wake(act);
    settle(ctx, fx);
}

// Those that let go come first.
void HostPermits::settle(const Context& ctx, Effects& fx) {
    for (std::size_t seat = 1; seat < seats_.size(); ++seat)
        if (seats_[seat].acted && seats_[seat].phase == Phase::holding) {
            let_go(ctx, seat, fx);
            await_act(seat, fx);
        }
    for (std::size_t seat = 1; seat < seats_.size(); ++seat)
        if (seats_[seat].acted && seats_[seat].phase == Phase::idle) {
            --seats_[seat].requests_left;
            seats_[seat].acted = false;
            if (ctx.config.seat_units <= ctx.config.permits)
                ask(ctx, seat, ctx.config.seat_units, fx);
            else
                await_act(seat, fx);
        }
}

void HostPermits::stop_programs(Effects& fx) {
    for (std::size_t seat = 1; seat < seats_.size(); ++seat) {
        if (seats_[seat].phase != Phase::holding) continue;
        seats_[seat].acted = true;
        fx.disarm(act_of(seat));
    }
}

void HostPermits::request(const Context& ctx, const Demand& demand, Effects& fx) {
    ensure(phase() == Phase::idle, "a request while another is open");
    if (demand.units > ctx.config.permits) return fx.refused("there are not so many permits any more");
    ask(ctx, 0, demand.units, fx);
}

void HostPermits::release(const Context& ctx, Effects& fx) {
    let_go(ctx, 0, fx);
    fx.released();
}

// --- Asking and answering.

void HostPermits::ask(const Context& ctx, std::size_t seat, std::uint32_t units, Effects& fx) {
    clock_ = clock_.next();
    Seat& mine = seats_[seat];
    mine = {.phase = Phase::waiting,
            .units = units,
            .stamp = clock_,
            .birth = agreement::Birth{ctx.incarnation, {.stamp = clock_}},
            .requests_left = mine.requests_left};
    for (SiteId host = 0; host < ctx.config.sites; ++host)
        if (host != ctx.self) fx.send(host, Request{clock_});
    enter(ctx, fx);
}

void HostPermits::receive(const Context& ctx, SiteId from, const Request& request, Effects& fx) {
    clock_ = max(clock_, request.stamp);
    const std::uint32_t units = ahead().of(ctx.self, from, request.stamp);
    if (units == 0) return fx.send(from, Reply{request.stamp});
    debts_.insert({from, request.stamp});
    if (ctx.config.unknown() > 1) fx.send(from, Defer{request.stamp, units});
}

std::uint32_t HostPermits::held() const {
    std::uint32_t units = 0;
    for (const Seat& seat : seats_)
        if (seat.phase == Phase::holding) units += seat.units;
    return units;
}

HostPermits::Ahead HostPermits::ahead() const {
    Ahead all{held(), {}};
    std::uint32_t units = 0;
    for (const std::size_t seat : waiting_seats())
        all.waiting.emplace_back(seats_[seat].stamp, units += seats_[seat].units);
    return all;
}

// That block a request of another host.
std::uint32_t HostPermits::Ahead::of(SiteId self, SiteId host, Stamp stamp) const {
    const auto later = std::ranges::partition_point(
        waiting, [&](const auto& one) { return std::pair(one.first, self) < std::pair(stamp, host); });
    return held + (later == waiting.begin() ? 0 : std::prev(later)->second);
}

void HostPermits::receive(const Context& ctx, SiteId from, const Reply& reply, Effects& fx) {
    permitted_[from] = max(permitted_[from], reply.stamp);
    enter(ctx, fx);
}

void HostPermits::receive(const Context& ctx, SiteId from, const Defer& defer, Effects& fx) {
    const auto seat = std::ranges::find_if(
        seats_, [&](const Seat& one) { return one.phase == Phase::waiting && one.stamp == defer.stamp; });
    if (seat == seats_.end()) return fx.reached("late-defer");
    seat->bounds[from] = defer.units;
    enter(ctx, fx);
}

std::optional<std::string> HostPermits::objection(const Context&, const Message& message) const {
    const Stamp stamp = std::visit([](const auto& one) { return one.stamp; }, message);
    if (!std::holds_alternative<Request>(message) && stamp > clock_)
        return "an answer to a request that nobody has made";
    return std::nullopt;
}

void HostPermits::let_go(const Context& ctx, std::size_t seat, Effects& fx) {
    const std::vector<std::uint32_t> before = blockers_of_debts(ctx);
    seats_[seat] = {.requests_left = seats_[seat].requests_left};
    pay_debts(ctx, before, fx);
    enter(ctx, fx);
}

std::vector<std::uint32_t> HostPermits::blockers_of_debts(const Context& ctx) const {
    std::vector<std::uint32_t> units;
    const Ahead mine = ahead();
    for (const Debt& debt : debts_) units.push_back(mine.of(ctx.self, debt.host, debt.stamp));
    return units;
}

// Answers what nothing blocks any more, and tells the others where fewer units go first than before.
void HostPermits::pay_debts(const Context& ctx, const std::vector<std::uint32_t>& before, Effects& fx) {
    const std::vector<std::uint32_t> now = blockers_of_debts(ctx);
    const auto all = std::exchange(debts_, {});
    for (std::size_t i = 0; i < now.size(); ++i) {
        const Debt& debt = all.begin()[static_cast<std::ptrdiff_t>(i)];
        if (now[i] == 0) {
            fx.send(debt.host, Reply{debt.stamp});
            continue;
        }
        debts_.insert(debt);
        if (now[i] >= before[i] || ctx.config.unknown() == 1 || !ctx.config.repairs.defer_again) continue;
        fx.reached("deferred-again");
        fx.send(debt.host, Defer{debt.stamp, now[i]});
    }
}

// --- Entering.

// The units of other hosts that may go before those of a waiting seat.
std::uint64_t HostPermits::others_ahead(const Context& ctx, const Seat& seat) const {
    std::uint64_t units = 0;
    for (SiteId host = 0; host < ctx.config.sites; ++host) {
        const auto permission = permitted_.find(host);
        const bool permits = permission != permitted_.end() && permission->second >= seat.stamp;
        if (host == ctx.self || permits) continue;
        const auto bound = seat.bounds.find(host);
        units += bound != seat.bounds.end() ? bound->second : ctx.config.unknown();
    }
    return units;
}

// The earliest first.
std::vector<std::size_t> HostPermits::waiting_seats() const {
    std::vector<std::size_t> waiting;
    for (std::size_t seat = 0; seat < seats_.size(); ++seat)
        if (seats_[seat].phase == Phase::waiting) waiting.push_back(seat);
    std::ranges::sort(waiting, {}, [&](std::size_t seat) { return seats_[seat].stamp; });
    return waiting;
}

// The end of every handler that may have brought a seat closer to its units.
void HostPermits::enter(const Context& ctx, Effects& fx) {
    std::uint64_t units = held();  // with those of all earlier seats, whether they enter or not
    for (const std::size_t seat : waiting_seats()) {
        Seat& mine = seats_[seat];
        units += mine.units;
        if (units + others_ahead(ctx, mine) > ctx.config.permits) continue;
        mine.phase = Phase::holding;
        mine.bounds.clear();
        // With several permits the stamps of successive holders need not grow, so they are no fences.
        if (seat == 0)
            fx.granted(ctx.config.permits == 1 ? std::vector<Fence>{mine.stamp} : std::vector<Fence>{});
        else
            await_act(seat, fx);
    }
}

// --- Properties (section 4.4).

struct HostPermitsProperties {
    struct Place {
        SiteId host;
        const Seat* seat;
        std::pair<Stamp, SiteId> order() const { return {seat->stamp, host}; }
        // A user from before a view that lowered k has no birth.
        bool granted_here() const { return seat->birth.has_value(); }
    };
    const View<HostPermits>& view;
    Report& report;
    std::vector<Place> holding, waiting;

    HostPermitsProperties(const View<HostPermits>& all, Report& where) : view(all), report(where) {
        for (SiteId host = 0; host < view.sites.size(); ++host)
            for (const Seat& seat : site(host).seats_) {
                if (seat.phase == Phase::holding) holding.push_back({host, &seat});
                if (seat.phase == Phase::waiting) waiting.push_back({host, &seat});
            }
    }

    const HostPermits& site(SiteId host) const { return view.site(host).protocol; }
    std::uint32_t permits() const { return view.config.permits; }
    static std::string name(const Place& place) { return "a seat of host " + std::to_string(place.host); }

    std::uint64_t held() const {
        std::uint64_t units = 0;
        for (const Place& one : holding) units += one.seat->units;
        return units;
    }
    std::uint64_t waited_for_before(const Place& later) const {
        std::uint64_t units = 0;
        for (const Place& one : waiting)
            if (one.order() < later.order()) units += one.seat->units;
        return units;
    }

    void check() const {
        if (held() > permits() && std::ranges::any_of(holding, &Place::granted_here))
            report.violated("at-most-k",
                            std::to_string(held()) + " units are held of " + std::to_string(permits()));
        check_order();
        check_rest();
        for (SiteId host = 0; host < view.sites.size(); ++host) check_host(host);
        for (const Place& one : holding) check_permissions(one);
        for (const Place& one : waiting) check_permissions(one);
    }

    void check_order() const {  // S-I3
        for (const Place& one : holding)
            if (one.granted_here() && held() + waited_for_before(one) > permits())
                report.violated("room-for-earlier", name(one) +
                                                        " holds, and no room is left for all that asked "
                                                        "earlier");
    }

    void check_rest() const {  // S-L
        if (!view.flight.empty()) return;
        for (const Place& one : waiting)
            if (one.seat->units + held() + waited_for_before(one) <= permits())
                report.violated("served-at-rest",
                                name(one) + " waits for units that are free, and no message is in flight");
    }

    void check_permissions(const Place& one) const {  // S-I4
        for (const auto& [host, stamp] : site(one.host).permitted_)
            for (const Seat& seat : site(host).seats_) {
                const bool earlier = seat.phase != Phase::idle && Place{host, &seat}.order() < one.order();
                if (stamp >= one.seat->stamp && earlier)
                    report.violated("permission-kept", "host " + std::to_string(host) + " permits " +
                                                           name(one) + " to go first, which asked later");
            }
    }

    void check_host(SiteId host) const {  // S-I5
        const HostPermits& here = site(host);
        const std::string self = "host " + std::to_string(host);
        const bool idle =
            std::ranges::all_of(here.seats_, [](const Seat& seat) { return seat.phase == Phase::idle; });
        if (idle && !here.debts_.empty())
            report.violated("debts-in-use", self + " is idle and owes an answer");
        for (const Seat& seat : here.seats_)
            if (here.clock_ < seat.stamp) report.violated("clock-ahead", self + " has a stamp of its future");
    }
};

void HostPermits::on_state(const View<HostPermits>& view, Report& report) {
    HostPermitsProperties(view, report).check();
}

namespace {

constexpr std::array properties{
    PropertyName{"at-most-k", "all seats hold no more than k units"},
    PropertyName{"room-for-earlier", "a seat that holds leaves room for all that asked earlier and wait"},
    PropertyName{"served-at-rest", "when no message is in flight no seat waits for units that are free"},
    PropertyName{"permission-kept", "a host that permits a request has no earlier one"},
    PropertyName{"debts-in-use", "only a host that waits or holds owes an answer"},
    PropertyName{"clock-ahead", "the clock of a host has reached the stamps of its requests"},
    PropertyName{"fences-grow", "with one permit, stamp and host of successive grants grow"},
};

}  // namespace

constinit const Model<HostPermits, permits::FencesGrowInOrder> HostPermits::model{
    .name = "host-permits",
    .problem = "semaphore",
    .summary = "k permits among programs of a fixed group of hosts",
    .source = "after Raymond 1989, and `permits`",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .domain = &domain,
    .sample = &sample,
    .requests = {.demands = &demands,
                 .capacity = [](const Config& config) -> std::uint64_t { return config.permits; },
                 .capacity_is_bound = true},
    .timers = {.fair = [](Timer) { return true; }},
    .faults = {.mortal = [](const Context&) { return false; }},
};

}  // namespace allot
