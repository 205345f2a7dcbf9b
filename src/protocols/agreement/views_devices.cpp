#include "protocols/agreement/views_devices.hpp"

#include <algorithm>
#include <array>

#include "core/draw.hpp"
#include "core/model.hpp"
#include "protocols/agreement/epochs_properties.hpp"

namespace allot {

namespace {

constexpr PropertyName properties[]{
    {"one-user", "no device is used by two programs, also at removed hosts, and if it is lost"},
    {"one-epoch", "the properties of host-chain hold in an epoch that all its members work in"},
    {"fences-grow", "every grant of a device has a higher fence than the one before"},
    {"frozen-before-next", "a host has seen the view of its epoch, and a newer one if it is frozen"},
    {"lease-holds", "no program runs at a host whose lease has ended"},
    {"one-claim", "no two reports for one view claim one device"},
};

constexpr auto probes = [] {
    std::array<std::string_view, std::size(agreement::epochs_probes) + HostChain::probes.size()> all;
    std::ranges::copy(HostChain::probes, std::ranges::copy(agreement::epochs_probes, all.begin()).out);
    return all;
}();

struct AcrossEpochs : EpochsProperties<HostChain, ViewsDevices> {
    using Seat = host_chain::Seat;

    void check_all() const {
        check_hosts();
        check_users();
        check_claims();
        check_epochs();
    }

    void check_users() const {  // B-I1
        std::map<ResourceId, SiteId> users;
        const auto use = [&](SiteId host, const std::vector<ResourceId>& devices) {
            for (const ResourceId device : devices)
                if (const auto [place, first] = users.emplace(device, host); !first)
                    report.violated("one-user", "programs of hosts " + std::to_string(place->second) +
                                                    " and " + std::to_string(host) + " use " + device.name());
        };
        for (SiteId id = 0; id < sites(); ++id) {
            const Site& host = view.site(id);
            if (const Demand* used = host.in_use()) use(id, used->resources);
            const std::vector<Seat>& seats = inner(id).seats();
            for (std::size_t seat = 1; seat < seats.size(); ++seat)
                if (host.up() && runs(host, seats[seat])) use(id, seats[seat].wanted);
        }
    }

    // A seat beside the application holds, and its program has not been stopped.
    static bool runs(const Site& host, const Seat& seat) {
        return seat.phase == Phase::holding && !seat.acted && !host.membership.lapsed;
    }
};

}  // namespace

std::optional<std::string> ViewsDevices::config_error(const Config& config) {
    if (config.recovered == agreement::Recovered::queues)
        return "--recovered queues: no line of host-chain outlives its epoch; leave the flag out";
    return HostChain::config_error(config);
}

std::vector<Demand> ViewsDevices::demands(const Context& ctx) {
    return HostChain::demands({ctx.config, ctx.self});
}

void ViewsDevices::sample(Draw& draw) {
    const auto sites = draw.number("sites", 2, 7);
    draw.number("founders", 1, sites);
    const auto resources = draw.number("resources", 1, 3);
    draw.number("max-request", 1, resources);
    if (resources > 1) draw.choice("wants", {"all", "ring"});
    draw.choice("bound", {"none", "r0:0", "r0:1", "r0:1"});
    draw.number("seats", 1, 3);
    draw.number("seat-requests", 0, 2);
    draw_faults(draw);
    draw.toggle("cancel");
    draw.requests(4);
}

void ViewsDevices::on_state(const View<ViewsDevices>& view, Report& report) {
    AcrossEpochs{view, report}.check_all();
}

constinit const Model<ViewsDevices, FencesGrow> ViewsDevices::model{
    .name = "views-devices",
    .problem = "agreement",
    .summary = "sets of devices among programs of hosts that come, go and die; agreed views",
    .source = "views as in Birman and Joseph: Exploiting virtual synchrony in distributed systems (1987)",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .sample = &sample,
    .requests = {.demands = &demands,
                 .unlisted = [](const Config& config) { return HostChain::unlisted(config); },
                 .draw =
                     [](const Context& ctx, Random& random) {
                         return HostChain::draw_demand({ctx.config, ctx.self}, random);
                     },
                 .demand_error = [](const Config& config,
                                    const Demand& demand) { return HostChain::demand_error(config, demand); },
                 .capacity = [](const Config& config) -> std::uint64_t { return config.resources; },
                 .resources = [](const Config& config) { return config.resources; }},
    .timers = {.fair = [](Timer) { return true; }},
    .faults = {.hears = {Detection::stopped}, .watches = &ViewsDevices::watches},
    .reduction = {.ignores = [](const Context& ctx, const ViewsDevices& receiver, const ViewsDevices&,
                                const Message& message) { return receiver.ignores(ctx, message); }},
};

}  // namespace allot
