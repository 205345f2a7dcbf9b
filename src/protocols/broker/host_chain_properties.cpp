// The properties of the ordered chain per host within one epoch (specs: kinds, section 3.3), and its model.
#include <map>

#include "core/draw.hpp"
#include "core/model.hpp"
#include "protocols/broker/host_chain.hpp"

namespace allot {

struct HostChainProperties {
    using Seat = host_chain::Seat;
    using Line = host_chain::Line;

    const View<HostChain>& view;
    Report& report;

    const HostChain& site(SiteId host) const { return view.site(host).protocol; }
    const Line* line(ResourceId device) const {
        const auto home = view.config.home(device);
        if (!home || *home >= view.sites.size()) return nullptr;
        const auto place = site(*home).lines_.find(device);
        return place == site(*home).lines_.end() ? nullptr : &place->second;
    }
    bool is_first(ResourceId device, OwnId request) const {
        const Line* const here = line(device);
        return here != nullptr && here->is_first(request);
    }
    const Seat* seat_of(OwnId request) const {
        for (const Seat& seat : site(request.owner).seats_)
            if (seat.phase != Phase::idle && seat.request == request) return &seat;
        return nullptr;
    }
    static std::string name(SiteId host) { return "a program of host " + std::to_string(host); }

    void check() const {
        std::map<ResourceId, SiteId> users;
        for (SiteId host = 0; host < view.sites.size(); ++host) {
            for (const Seat& seat : site(host).seats_)
                if (seat.phase == Phase::holding) check_user(host, seat, users);
            for (const auto& [device, here] : site(host).lines_) check_line(device, here);
        }
        if (view.flight.empty()) check_rest();
    }

    void check_user(SiteId host, const Seat& seat, std::map<ResourceId, SiteId>& users) const {  // B-I1, B-I2
        for (const ResourceId device : seat.wanted) {
            const auto [place, first] = users.emplace(device, host);
            if (!first)
                report.violated("one-user",
                                name(place->second) + " and " + name(host) + " use " + device.name());
            if (view.config.home(device) && !is_first(device, seat.request))
                report.violated("first-everywhere",
                                name(host) + " uses " + device.name() + " and is not first there");
        }
        if (seat.lost != view.config.lost(seat.wanted))
            report.violated("lost-known", name(host) + " does not know which of its devices are lost");
    }

    void check_line(ResourceId device, const Line& here) const {  // B-I4, and the order of the chain
        for (std::size_t i = 0; i < here.queue.size(); ++i) {
            const OwnId request = here.queue[i].request;
            for (std::size_t later = i + 1; later < here.queue.size(); ++later)
                if (here.queue[later].request == request)
                    report.violated("one-claim",
                                    name(request.owner) + " stands twice in line at " + device.name());
            const Seat* const seat = seat_of(request);
            if (seat == nullptr) continue;  // its end is on the way
            for (const ResourceId smaller : seat->wanted)
                if (smaller < device && view.config.home(smaller) && !is_first(smaller, request))
                    report.violated("in-order", name(request.owner) + " stands in line at " + device.name() +
                                                    " without " + smaller.name());
        }
    }

    // When nothing is on the way, lines and programs agree: B-L within an epoch.
    void check_rest() const {
        for (SiteId host = 0; host < view.sites.size(); ++host) {
            for (const auto& [device, here] : site(host).lines_)
                for (const auto& queued : here.queue)
                    if (seat_of(queued.request) == nullptr)
                        report.violated("no-ghost",
                                        "a request that is over stands in line at " + device.name());
            for (const Seat& seat : site(host).seats_)
                if (seat.phase == Phase::waiting && !waits_in_line(seat))
                    report.violated("served-at-rest", name(host) + " waits behind nobody");
        }
    }

    bool waits_in_line(const Seat& seat) const {
        return std::ranges::any_of(seat.wanted, [&](ResourceId device) {
            const Line* const here = line(device);
            return here != nullptr && here->has(seat.request) && !here->is_first(seat.request);
        });
    }
};

void HostChain::on_state(const View<HostChain>& view, Report& report) {
    HostChainProperties{view, report}.check();
}

namespace {

constexpr std::array properties{
    PropertyName{"one-user", "each device is used by at most one program"},
    PropertyName{"first-everywhere", "a program that uses devices is first in line at each that is not lost"},
    PropertyName{"lost-known", "a program that uses devices knows which of them are lost"},
    PropertyName{"in-order", "a request stands in line only where it has all smaller devices"},
    PropertyName{"one-claim", "a request stands in line at most once at each device"},
    PropertyName{"no-ghost", "when no message is in flight, no request that is over stands in line"},
    PropertyName{"served-at-rest", "when no message is in flight, each request that waits waits for another"},
    PropertyName{"fences-grow", "every grant of a device has a higher fence than the one before"},
};

}  // namespace

constinit const Model<HostChain, FencesGrow> HostChain::model{
    .name = "host-chain",
    .problem = "broker",
    .summary = "programs of a fixed group of hosts take any devices at once, in one order",
    .source = "after `ordered-chain`",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .config_error = &config_error,
    .sample = &sample,
    .requests = {.demands = &demands,
                 .unlisted = &unlisted,
                 .draw = &draw_demand,
                 .demand_error = &demand_error,
                 .capacity = [](const Config& config) -> std::uint64_t { return config.resources; },
                 .resources = [](const Config& config) { return config.resources; }},
    .timers = {.fair = [](Timer) { return true; }},
    .faults = {.mortal = [](const Context&) { return false; }},
};

}  // namespace allot
