#include "protocols/broker/host_chain.hpp"

#include <algorithm>

#include "base/ensure.hpp"
#include "core/draw.hpp"
#include "core/model.hpp"
#include "core/parameters.hpp"
#include "protocols/agreement/home.hpp"

namespace allot {

using host_chain::Bindings;
using host_chain::Devices;
using host_chain::QueuedRequest;
using host_chain::Seat;

namespace {

constexpr std::uint32_t most_sites = 100'000;
constexpr std::uint32_t most_seats = 4;
constexpr std::uint32_t ticks_between_acts = 10;
constexpr std::string_view nowhere = "-";

std::string names(const Devices& devices) {
    std::vector<std::string> all;
    for (const ResourceId device : devices) all.push_back(device.name());
    return enumerated(all);
}

std::string say_lost(const Devices& devices) {
    return names(devices) + (devices.size() == 1 ? " is lost: its host is no member"
                                                 : " are lost: their hosts are no members");
}

// The order in which a request takes its devices.
Devices way_of(const HostChain::Config& config, Devices wanted) {
    if (config.repairs.ascending) std::ranges::sort(wanted);
    return wanted;
}

}  // namespace

// --- Parameters.

Result<Bindings> Bindings::parse(std::string_view name, std::string_view text) {
    Bindings bindings;
    if (text == "none") return bindings;
    const Error error{"--" + std::string(name) + " " + std::string(text) +
                      ": write none, or devices with their hosts as in r0:2,r1:0"};
    for (const std::string& word : split_list(text)) {
        const auto colon = word.find(':');
        if (colon == 0 || colon == std::string::npos) return error;
        const std::string host = word.substr(colon + 1);
        const auto number = parse_number(name, host, 0, most_sites - 1);
        if (!number && host != nowhere) return error;
        const std::optional<SiteId> place =
            number ? std::optional(static_cast<SiteId>(*number)) : std::nullopt;
        if (!bindings.hosts.emplace(word.substr(0, colon), place).second) return error;
    }
    return bindings;
}

std::string Bindings::text() const {
    std::string list;
    for (const auto& [device, host] : hosts)
        list += (list.empty() ? "" : ",") + device.name() + ":" +
                (host ? std::to_string(*host) : std::string(nowhere));
    return list.empty() ? "none" : list;
}

std::optional<SiteId> HostChain::Config::home(ResourceId device) const {
    const auto binding = bound.hosts.find(device);
    return binding == bound.hosts.end() ? agreement::home_of(device, sites) : binding->second;
}

Devices HostChain::Config::lost(const Devices& devices) const {
    Devices gone;
    std::ranges::copy_if(devices, std::back_inserter(gone), [&](ResourceId one) { return !home(one); });
    return gone;
}

broker::Group HostChain::Config::group() const {
    return {.resources = resources,
            .clients = sites,
            .min_request = min_request,
            .max_request = max_request,
            .wants = wants};
}

std::optional<std::string> HostChain::config_error(const Config& config) {
    if (config.seats < 1 || config.seats > most_seats)
        return "--seats " + std::to_string(config.seats) + ": write a number from 1 to " +
               std::to_string(most_seats);
    if (config.sites < 1 || config.sites > most_sites)
        return "--sites " + std::to_string(config.sites) + ": write a number from 1 to " +
               std::to_string(most_sites);
    const std::size_t lists = config.wants.choices().size();
    if (lists > 1 && lists != config.sites)
        return "--wants " + config.wants.text() + ": these are the demands of " + std::to_string(lists) +
               " hosts, with --sites " + std::to_string(config.sites);
    if (auto why = broker::config_error(config.group(), manner)) return why;
    for (const auto& [device, host] : config.bound.hosts) {
        if (auto why = demand_error(config, {1, {device}}))
            return "--bound " + config.bound.text() + ": " + *why;
        if (host && *host >= config.sites)
            return "--bound " + config.bound.text() + ": there is no host " + std::to_string(*host) +
                   "; write 0 to " + std::to_string(config.sites - 1);
    }
    return std::nullopt;
}

std::vector<Demand> HostChain::demands(const Context& ctx) {
    return broker::demands(ctx.config.group(), manner, ctx.config.resources + ctx.self);
}

Demand HostChain::draw_demand(const Context& ctx, Random& random) {
    return broker::draw_demand(ctx.config.group(), manner, ctx.config.resources + ctx.self, random);
}

std::optional<std::string> HostChain::demand_error(const Config& config, const Demand& demand) {
    return broker::demand_error(config.group(), manner, demand);
}

std::optional<std::string> HostChain::unlisted(const Config& config) {
    return broker::unlisted(config.group(), manner);
}

void HostChain::sample(Draw& draw) {
    draw.number("sites", 2, 7);
    const auto resources = draw.number("resources", 1, 4);
    draw.number("max-request", 1, resources);
    if (resources > 1) draw.choice("wants", {"all", "ring"});
    draw.choice("bound", {"none", "r0:0", "r0:1", "r0:-"});
    draw.number("seats", 1, most_seats);
    draw.number("seat-requests", 1, 3);
    draw.toggle("cancel");
    draw.requests(4);
}

// --- Programs.

void HostChain::start(const Context& ctx, Effects& fx) {
    seats_.resize(ctx.config.seats);
    for (std::size_t seat = 1; seat < seats_.size(); ++seat) {
        seats_[seat].requests_left = ctx.config.seat_requests.of(ctx.self);
        await_act(seat, fx);
    }
}

void HostChain::await_act(std::size_t seat, Effects& fx) const {
    const Seat& one = seats_[seat];
    if (one.phase == Phase::holding || one.requests_left > 0) fx.arm(act_of(seat), ticks_between_acts);
}

void HostChain::timeout(const Context& ctx, Timer act, Effects& fx) {
    wake(act);
    settle(ctx, fx);
}

// Those that let go come first.
void HostChain::settle(const Context& ctx, Effects& fx) {
    for (std::size_t seat = 1; seat < seats_.size(); ++seat)
        if (seats_[seat].acted && seats_[seat].phase == Phase::holding) {
            let_go(ctx, seat, fx);
            await_act(seat, fx);
        }
    for (std::size_t seat = 1; seat < seats_.size(); ++seat)
        if (seats_[seat].acted && seats_[seat].phase == Phase::idle) {
            --seats_[seat].requests_left;
            const std::vector<Demand> all = demands(ctx);
            ask_or_wait(ctx, seat, all[seat % all.size()].resources, fx);
        }
}

void HostChain::stop_programs(Effects& fx) {
    for (std::size_t seat = 1; seat < seats_.size(); ++seat) {
        if (seats_[seat].phase != Phase::holding) continue;
        seats_[seat].acted = true;
        fx.disarm(act_of(seat));
    }
}

void HostChain::request(const Context& ctx, const Demand& demand, Effects& fx) {
    ensure(phase() == Phase::idle, "a request while another is open");
    auto why = demand_error(ctx.config, demand);
    if (!why && (why = ask(ctx, 0, demand.resources, fx))) fx.reached("refused-lost");
    if (why) fx.refused(*why);
}

void HostChain::ask_or_wait(const Context& ctx, std::size_t seat, const Devices& wanted, Effects& fx) {
    if (!ask(ctx, seat, wanted, fx)) return;
    fx.reached("refused-lost");
    await_act(seat, fx);
}

void HostChain::release(const Context& ctx, Effects& fx) {
    let_go(ctx, 0, fx);
    fx.released();
}

// --- A request and its way.

std::optional<std::string> HostChain::ask(const Context& ctx, std::size_t seat, const Devices& wanted,
                                          Effects& fx) {
    Seat& mine = seats_[seat];
    mine = {.requests_left = mine.requests_left};
    const Devices lost = ctx.config.lost(wanted);
    if (!lost.empty() && ctx.config.repairs.fail_lost) return say_lost(lost);
    clock_ = clock_.next();
    mine.phase = Phase::waiting;
    mine.request = {ctx.self, clock_};
    mine.wanted = wanted;
    if (!lost.empty()) return std::nullopt;
    const Devices way = way_of(ctx.config, wanted);
    pass(ctx, ctx.config.home(way.front()),
         Acquire{way.front(), {mine.request, {way.begin() + 1, way.end()}, {}}}, fx);
    return std::nullopt;
}

// A site handles at once what it says to itself. A message of an epoch that is over may name a host that
// there is no more; only designs that fail let it come so far.
template <class One>
void HostChain::pass(const Context& ctx, std::optional<SiteId> to, const One& message, Effects& fx) {
    if (!to || *to >= ctx.config.sites) return;
    if (*to == ctx.self) return receive(ctx, ctx.self, message, fx);
    fx.send(*to, message);
}

auto HostChain::serving(const Context& ctx, Line& line, Effects& fx) {
    return [this, &ctx, &line, &fx](const QueuedRequest& first) {
        if (ctx.config.repairs.count_grants) line.newest = line.newest.next();
        QueuedRequest next = first;
        next.fences.push_back(line.newest);
        if (next.further.empty())
            return pass(ctx, next.request.owner, Grant{next.request, std::move(next.fences)}, fx);
        const ResourceId device = next.further.front();
        next.further.erase(next.further.begin());
        pass(ctx, ctx.config.home(device), Acquire{device, std::move(next)}, fx);
    };
}

void HostChain::receive(const Context& ctx, SiteId, const Acquire& acquire, Effects& fx) {
    Line& line = lines_[acquire.device];
    line.add(acquire.request, serving(ctx, line, fx));
}

void HostChain::receive(const Context& ctx, SiteId, const Grant& grant, Effects& fx) {
    const auto place = std::ranges::find_if(seats_, [&](const Seat& one) {
        return one.phase == Phase::waiting && one.request == grant.request &&
               one.wanted.size() == grant.fences.size();
    });
    if (place == seats_.end()) return fx.reached("late-grant");
    place->phase = Phase::holding;
    const auto seat = static_cast<std::size_t>(place - seats_.begin());
    if (seat > 0) return await_act(seat, fx);
    std::vector<Fence> fences;
    const Devices way = way_of(ctx.config, place->wanted);
    for (const ResourceId device : place->wanted) {
        const auto step = std::ranges::find(way, device) - way.begin();
        fences.push_back(grant.fences[static_cast<std::size_t>(step)]);
    }
    fx.granted(std::move(fences));
}

// The device may be lost: then the host that had it has no line of it any more.
void HostChain::let_go(const Context& ctx, std::size_t seat, Effects& fx) {
    const Seat gone = seats_[seat];
    seats_[seat] = {.requests_left = gone.requests_left};
    const Devices way = way_of(ctx.config, gone.wanted);
    if (gone.phase == Phase::waiting)
        return pass(ctx, ctx.config.home(way.front()), Cancel{way.front(), gone.request}, fx);
    for (const ResourceId device : way) pass(ctx, ctx.config.home(device), Done{device, gone.request}, fx);
}

void HostChain::receive(const Context& ctx, SiteId, const Done& done, Effects& fx) {
    Line& line = lines_[done.device];
    line.end(done.request, serving(ctx, line, fx));
}

void HostChain::receive(const Context& ctx, SiteId, const Cancel& cancel, Effects& fx) {
    Line& line = lines_[cancel.device];
    const auto found = line.cancel(cancel.request, serving(ctx, line, fx));
    if (found.kind != Line::Cancelled::gone_on || !ctx.config.repairs.pass_cancel) return;
    fx.reached("cancel-follows");
    const ResourceId next = found.request->further.front();
    pass(ctx, ctx.config.home(next), Cancel{next, cancel.request}, fx);
}

// --- Messages that no host sends.

namespace {

struct Objector {
    const HostChain::Context& ctx;
    SiteId from;
    const std::vector<Seat>& seats;
    const std::map<ResourceId, host_chain::Line>& lines;
    Stamp newest;

    bool is_at_home(ResourceId device) const { return ctx.config.home(device) == ctx.self; }
    const host_chain::Line* line(ResourceId device) const {
        const auto place = lines.find(device);
        return place == lines.end() ? nullptr : &place->second;
    }

    std::optional<std::string> operator()(const HostChain::Acquire& acquire) const {
        if (!is_at_home(acquire.device)) return "a request for a device that is not here";
        if (acquire.request.fences.size() + 1 + acquire.request.further.size() > HostChain::manner.most)
            return "a request for more devices than a program may ask for";
        ResourceId before = acquire.device;
        for (const ResourceId device : acquire.request.further) {
            if (device <= before) return "a request for devices that are not in the order of their names";
            if (!ctx.config.home(device)) return "a request for a device that is lost";
            before = device;
        }
        const auto* const here = line(acquire.device);
        if (here != nullptr && here->has(acquire.request.request))
            return "a request that stands in line here already";
        return std::nullopt;
    }
    std::optional<std::string> operator()(const HostChain::Grant& grant) const {
        if (grant.request.owner != ctx.self || grant.request.number > newest)
            return "a grant of a request that nobody has made";
        const auto seat = std::ranges::find(seats, grant.request, &Seat::request);
        if (seat != seats.end() && seat->wanted.size() != grant.fences.size())
            return "a grant of other devices than those of its request";
        return std::nullopt;
    }
    std::optional<std::string> operator()(const HostChain::Done& done) const {
        if (from != done.request.owner) return "the end of a request of another host";
        const auto* const here = line(done.device);
        if (here == nullptr || !here->is_first(done.request))
            return "the end of a request that does not use the device";
        return std::nullopt;
    }
    std::optional<std::string> operator()(const HostChain::Cancel& cancel) const {
        const auto* const here = line(cancel.device);
        if (here == nullptr || !here->has(cancel.request))
            return "a cancellation that comes before its request";
        return std::nullopt;
    }
};

}  // namespace

std::optional<std::string> HostChain::objection(const Context& ctx, SiteId from,
                                                const Message& message) const {
    return std::visit(Objector{ctx, from, seats_, lines_, clock_}, message);
}

}  // namespace allot
