#include "protocols/agreement/views_permits.hpp"

#include <algorithm>
#include <array>

#include "core/draw.hpp"
#include "core/model.hpp"
#include "protocols/agreement/epochs_properties.hpp"

namespace allot {

namespace {

constexpr PropertyName properties[]{
    {"at-most-k", "no program begins that makes all that run, also at removed hosts, use more than k units"},
    {"one-epoch", "the properties of host-permits hold in an epoch that all its members work in"},
    {"room-for-earlier", "a seat that holds leaves room for all that asked earlier and wait, in any epoch"},
    {"fences-grow", "with one permit, fence and host of successive grants grow"},
    {"frozen-before-next", "a host has seen the view of its epoch, and a newer one if it is frozen"},
    {"lease-holds", "no program runs at a host whose lease has ended"},
    {"claims-fit", "the reports for one view claim no more than k units"},
};

constexpr auto probes = [] {
    std::array<std::string_view, std::size(agreement::epochs_probes) + HostPermits::probes.size()> all;
    std::ranges::copy(HostPermits::probes, std::ranges::copy(agreement::epochs_probes, all.begin()).out);
    return all;
}();

// The properties of section 4.4 that look beyond one epoch.
struct AcrossEpochs : EpochsProperties<HostPermits, ViewsPermits> {
    using Seat = host_permits::Seat;

    void check_all() const {
        check_hosts();
        check_units();
        check_claimed_units();
        check_epochs();
        if (const auto newest = newest_epoch()) check_order(*newest);
    }

    std::uint32_t permits(SiteId host) const { return view.config.permits_in(*epoch(host)); }

    // A seat beside the application holds, and its program has not been stopped.
    static bool runs(const Site& host, const Seat& seat) {
        return seat.phase == Phase::holding && !seat.acted && !host.membership.lapsed;
    }

    // S-I1. A view that lowers k stops nobody: more units than k are in use only as long as nobody has got
    // one since.
    void check_units() const {
        std::uint64_t units = 0;
        bool orphaned = false;  // by a host that may have begun the newest epoch
        for (SiteId id = 0; id < sites(); ++id) {
            const Site& host = view.site(id);
            if (const Demand* used = host.in_use()) {
                units += used->units;
                orphaned |= host.orphan.has_value();
            }
            const std::vector<Seat>& seats = inner(id).seats();
            for (std::size_t seat = 1; seat < seats.size(); ++seat)
                if (host.up() && runs(host, seats[seat])) units += seats[seat].units;
        }
        const auto newest = newest_epoch();
        const bool granted = newest && !orphaned && was_granted_in(*newest);
        const std::uint32_t most = granted ? permits(*newest) : view.config.most_permits();
        if (units > most)
            report.violated("at-most-k",
                            std::to_string(units) + " units are in use of " + std::to_string(most));
    }

    // Whether a seat holds that has got its units in the epoch of this host.
    bool was_granted_in(SiteId host) const {
        for (SiteId id = 0; id < sites(); ++id) {
            if (!view.site(id).up() || epoch(id) != epoch(host)) continue;
            for (const Seat& seat : inner(id).seats())
                if (seat.phase == Phase::holding && !seat.acted && seat.birth) return true;
        }
        return false;
    }

    void check_claimed_units() const {  // S-I6
        std::map<std::pair<std::uint32_t, SiteId>, std::uint64_t> claimed;
        for_each_report([&](SiteId host, const ViewsPermits::HostReport& one) {
            std::uint64_t& units = claimed[{one.view, host}];
            units = 0;
            for (const agreement::Holding& holding : one.part.holdings)
                if (holding.phase == Phase::holding) units += holding.demand.units;
        });
        std::map<std::uint32_t, std::uint64_t> sums;
        for (const auto& [place, units] : claimed) sums[place.first] += units;
        for (const auto& [number, units] : sums)
            if (const std::uint32_t most = view.config.most_permits(); units > most)
                report.violated("claims-fit", "the reports for view " + std::to_string(number) + " claim " +
                                                  std::to_string(units) + " units of " +
                                                  std::to_string(most));
    }

    // A host that works in the newest epoch that anybody has begun.
    std::optional<SiteId> newest_epoch() const {
        std::optional<SiteId> newest;
        for (SiteId id = 0; id < sites(); ++id)
            if (view.site(id).up() && epoch(id) && (!newest || epoch(id) > epoch(*newest))) newest = id;
        return newest;
    }

    struct Place {
        SiteId host;
        const Seat* seat;
        bool before(const Place& other) const {
            if (seat->birth->before(*other.seat->birth)) return true;
            return *seat->birth == *other.seat->birth && host < other.host;
        }
    };

    // S-I3. All members of the newest epoch have reported to it, so its users know of all that waited.
    void check_order(SiteId newest) const {
        std::vector<Place> waiting;
        std::vector<Place> granted;  // in the newest epoch
        std::uint64_t held = 0;
        for (SiteId id = 0; id < sites(); ++id) {
            if (!view.site(id).up() || !counts(newest, id)) continue;
            for (const Seat& seat : inner(id).seats()) {
                const bool too_large = seat.units > permits(newest);  // it will be refused
                if (seat.phase == Phase::waiting && !too_large) waiting.push_back({id, &seat});
                if (seat.phase != Phase::holding || seat.acted) continue;
                held += seat.units;
                if (seat.birth && epoch(id) == epoch(newest)) granted.push_back({id, &seat});
            }
        }
        for (const Place& one : granted) {
            std::uint64_t units = held;
            for (const Place& other : waiting)
                if (other.before(one)) units += other.seat->units;
            if (units > permits(newest))
                report.violated("room-for-earlier", "a seat of host " + std::to_string(one.host) +
                                                        " holds, and no room is left for all that asked "
                                                        "earlier");
        }
    }
};

}  // namespace

std::optional<std::string> ViewsPermits::config_error(const Config& config) {
    return HostPermits::config_error(config);
}

std::optional<Domain> ViewsPermits::domain(const Context& ctx, std::string_view member) {
    return HostPermits::domain({ctx.config, ctx.self}, member);
}

std::vector<Demand> ViewsPermits::demands(const Context& ctx) {
    return HostPermits::demands({ctx.config, ctx.self});
}

void ViewsPermits::sample(Draw& draw) {
    const auto sites = draw.number("sites", 2, 7);
    draw.number("founders", 1, sites);
    const auto permits = draw.number("permits", 1, 3);
    const auto most = draw.number("max-request", 1, permits);
    if (draw.coin()) draw.choice("resize", {"1", "2", "1,2", "2,1,3", "0,1"});
    draw.number("seats", 1, 3);
    draw.number("seat-requests", 0, 2);
    draw.number("seat-units", 1, most);
    draw.choice("recovered", {"queues", "queues", "users"});
    draw_faults(draw);
    draw.toggle("cancel");
    draw.requests(4);
}

void ViewsPermits::on_state(const View<ViewsPermits>& view, Report& report) {
    AcrossEpochs{view, report}.check_all();
}

constinit const Model<ViewsPermits, permits::FencesGrowInOrder> ViewsPermits::model{
    .name = "views-permits",
    .problem = "agreement",
    .summary = "k permits among programs of hosts that come, go and die; agreed views",
    .source = "views as in Birman and Joseph: Exploiting virtual synchrony in distributed systems (1987)",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .domain = &domain,
    .sample = &sample,
    .requests = {.demands = &demands,
                 .capacity = [](const Config& config) -> std::uint64_t { return config.most_permits(); },
                 .capacity_is_bound = true},
    .timers = {.fair = [](Timer) { return true; }},
    .faults = {.hears = {Detection::stopped}, .watches = &ViewsPermits::watches},
    .reduction = {.ignores = [](const Context& ctx, const ViewsPermits& receiver, const ViewsPermits&,
                                const Message& message) { return receiver.ignores(ctx, message); }},
};

}  // namespace allot
