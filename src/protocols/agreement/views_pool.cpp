#include "protocols/agreement/views_pool.hpp"

#include <algorithm>
#include <array>

#include "core/draw.hpp"
#include "core/model.hpp"
#include "protocols/agreement/epochs_properties.hpp"

namespace allot {

namespace {

constexpr PropertyName properties[]{
    {"at-most-l", "programs that run, also at removed hosts, use no more than l units"},
    {"no-surplus", "no kind of token has more tokens in one epoch than it should have"},
    {"no-reset", "no root has tokens erased"},
    {"one-epoch", "the properties of host-pool hold in an epoch that all its members work in"},
    {"frozen-before-next", "a host has seen the view of its epoch, and a newer one if it is frozen"},
    {"lease-holds", "no program runs at a host whose lease has ended"},
    {"claims-fit", "the reports for one view claim no more than l units"},
};

constexpr auto probes = [] {
    std::array<std::string_view, std::size(agreement::epochs_probes) + HostPool::probes.size()> all;
    std::ranges::copy(HostPool::probes, std::ranges::copy(agreement::epochs_probes, all.begin()).out);
    return all;
}();

// The invariants of section 1.4 that look beyond one epoch.
struct AcrossEpochs : EpochsProperties<HostPool, ViewsPool> {
    using Seat = host_pool::Seat;

    void check_all() const {
        check_hosts();
        check_units();
        check_claimed_units();
        check_each_epoch();
        check_epochs();
    }

    // A seat beside the application holds, and its program has not been stopped.
    static bool runs(const Site& host, const Seat& seat) {
        return seat.phase == Phase::holding && !seat.acted && !host.membership.lapsed;
    }

    void judge_units(const char* property, std::uint64_t units, const std::string& what) const {
        const std::uint32_t most = view.config.most_units();
        if (units > most)
            report.violated(property,
                            std::to_string(units) + " of " + std::to_string(most) + " units are " + what);
    }

    void check_units() const {  // P-I1
        std::uint64_t units = 0;
        for (SiteId id = 0; id < sites(); ++id) {
            const Site& host = view.site(id);
            if (const Demand* used = host.in_use()) units += used->units;
            const std::vector<Seat>& seats = inner(id).seats();
            for (std::size_t seat = 1; seat < seats.size(); ++seat)
                if (host.up() && runs(host, seats[seat])) units += seats[seat].units;
        }
        judge_units("at-most-l", units, "in use");
    }

    void check_claimed_units() const {
        std::map<std::pair<std::uint32_t, SiteId>, std::uint64_t> claimed;
        for_each_report([&](SiteId host, const ViewsPool::HostReport& one) {
            std::uint64_t& units = claimed[{one.view, host}];
            units = 0;
            for (const agreement::Holding& holding : one.part.holdings)
                if (holding.phase == Phase::holding) units += holding.demand.units;
        });
        std::map<std::uint32_t, std::uint64_t> sums;
        for (const auto& [place, units] : claimed) sums[place.first] += units;
        for (const auto& [number, units] : sums)
            judge_units("claims-fit", units, "claimed in the reports for view " + std::to_string(number));
    }

    // P-I2 and P-I3, also while only some members work in an epoch. All of them begin with the same units in
    // excess, and the root drops some; if nobody works there any more, nobody knows how many they were.
    void check_each_epoch() const {
        std::map<std::uint32_t, pool::Tally> tokens;
        std::map<std::uint32_t, std::uint32_t> surplus;
        for (SiteId id = 0; id < sites(); ++id) {
            if (!view.site(id).up() || !works(id)) continue;
            const HostPool& host = inner(id);
            tokens[*epoch(id)] += host.node().tokens();
            for (const TreePool::Message& kept : host.node().outbox())
                tokens[*epoch(id)] += TreePool::tokens(kept);
            surplus[*epoch(id)] = std::max(surplus[*epoch(id)], host.surplus());
            if (host.node().erases())
                report.violated("no-reset", "site " + std::to_string(id) + " has tokens erased");
        }
        for_each_frame(
            [&](const ViewsPool::Frame& frame) { tokens[frame.epoch] += TreePool::tokens(frame.message); });
        for (const auto& [number, tally] : tokens) {
            const bool is_known = surplus.contains(number);
            const std::uint32_t most =
                is_known ? view.config.units_in(number) + surplus[number] : view.config.most_units();
            if (tally.exceeds({most, 1, 1}))
                report.violated("no-surplus",
                                "in epoch " + std::to_string(number) + " there are " + tally.text());
        }
    }
};

}  // namespace

std::optional<std::string> ViewsPool::config_error(const Config& config) {
    if (config.tree.listed_sites())
        return "--tree " + config.tree.text() + ": a view may have any members; write chain, star or binary";
    if (config.census && !config.full())
        return "--census: only a controller counts; write --stage full, or leave the flag out";
    if (config.census && config.resize != seats::Counts{{0}})
        return "--census: no host knows what all use; leave --resize out";
    return HostPool::config_error(config);
}

std::optional<Domain> ViewsPool::domain(const Context& ctx, std::string_view member) {
    return HostPool::domain({ctx.config, ctx.self}, member);
}

std::vector<Demand> ViewsPool::demands(const Context& ctx) {
    return HostPool::demands({ctx.config, ctx.self});
}

void ViewsPool::sample(Draw& draw) {
    const auto sites = draw.number("sites", 2, 7);
    draw.number("founders", 1, sites);
    const auto units = draw.number("units", 1, 4);
    const auto most = draw.number("max-request", 1, units);
    draw.choice("tree", {"chain", "star", "binary"});
    draw.number("seats", 1, 3);
    draw.choice("seat-requests", {"0", "2", "any"});
    draw.number("seat-units", 1, most);
    draw.choice("recovered", {"queues", "queues", "users"});
    if (draw.coin()) draw.choice("resize", {"1", "2", "1,2", "2,1,3", "0,1"});
    draw.toggle("resend");
    draw.toggle("pacing");
    draw_faults(draw);
    draw.toggle("cancel");
    draw.requests(4);
}

void ViewsPool::on_state(const View<ViewsPool>& view, Report& report) {
    AcrossEpochs{view, report}.check_all();
}

constinit const Model<ViewsPool> ViewsPool::model{
    .name = "views-pool",
    .problem = "agreement",
    .summary = "l units of a pool among programs of hosts that come, go and die; agreed views",
    .source = "views as in Birman and Joseph: Exploiting virtual synchrony in distributed systems (1987)",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .domain = &domain,
    .sample = &sample,
    .requests = {.asks = [](const Context& ctx) { return ctx.config.needs.asks(ctx.self); },
                 .demands = &demands,
                 .capacity = [](const Config& config) -> std::uint64_t { return config.most_units(); },
                 .capacity_is_bound = true},
    .timers = {.fair = [](Timer) { return true; },
               .replaces =
                   [](Timer timer, const Message& message) {
                       const auto* frame = std::get_if<Frame>(&message);
                       return timer == Timer::controller && frame != nullptr &&
                              std::holds_alternative<TreePool::Controller>(frame->message);
                   }},
    .faults = {.hears = {Detection::stopped}, .watches = &ViewsPool::watches},
    .reduction = {.ignores = [](const Context& ctx, const ViewsPool& receiver, const ViewsPool&,
                                const Message& message) { return receiver.ignores(ctx, message); }},
};

}  // namespace allot
