// The invariants of a pool per host (specs: kinds, section 1.4): those of `tree-pool`, and what programs use.
#include "core/model.hpp"
#include "protocols/pool/host_pool.hpp"

namespace allot {

using host_pool::Seat;
using host_pool::Timer;

void HostPool::on_state(const View<HostPool>& view, Report& report) {
    std::vector<SiteOf<TreePool>> nodes(view.sites.size());
    std::vector<const SiteOf<TreePool>*> sites;
    std::uint64_t used = 0;
    for (SiteId host = 0; host < view.sites.size(); ++host) {
        const HostPool& here = view.site(host).protocol;
        static_cast<Site&>(nodes[host]) = view.site(host);
        nodes[host].protocol = here.node_;
        sites.push_back(&nodes[host]);
        check_host(view, host, report);
        for (const Seat& seat : here.seats_)
            if (seat.phase == Phase::holding && (!seat.revoked || view.config.drain)) used += seat.units;
    }
    const TreePool::Config config = view.site(Tree::root).protocol.with_surplus(view.config);
    const View<TreePool> of_nodes{config, sites, view.flight, view.loses || view.config.census,
                                  view.duplicates};
    TreePool::on_state(of_nodes, report);
    if (used > config.units && (!view.duplicates || TreePool::legal(of_nodes)))
        report.violated("at-most-l",
                        std::to_string(used) + " of " + std::to_string(config.units) + " units are in use");
}

void HostPool::check_host(const View<HostPool>& view, SiteId host, Report& report) {
    const HostPool& here = view.site(host).protocol;
    const std::string self = "host " + std::to_string(host);
    std::uint64_t used = 0;
    std::size_t waiting = 0;
    for (const Seat& seat : here.seats_) {
        if (seat.phase == Phase::holding && !seat.revoked) used += seat.units;
        waiting += seat.phase == Phase::waiting;
    }
    if (view.config.sites > 1 && here.node_.parked().size() != used)
        report.violated("parked-in-use", self + " keeps " + std::to_string(here.node_.parked().size()) +
                                             " units for programs that use " + std::to_string(used));
    const bool asks = here.node_.phase() == Phase::waiting;
    const bool fits = !here.line_.empty() && (view.config.sites > 1 || here.fits_alone(view.config));
    if (waiting != here.line_.size() || asks != fits || here.node_.phase() == Phase::holding)
        report.violated("asks-for-first", self + " does not ask for the first of those that wait");
}

namespace {

constexpr std::array properties{
    PropertyName{
        "at-most-l",
        "programs use no more than l units; without drain, those that were told to stop do not count"},
    PropertyName{"no-surplus", "no kind of token has more tokens than it should have"},
    PropertyName{"no-reset", "the root never has tokens erased"},
    PropertyName{"exact", "if no message gets lost, no token is missing and the controller counts right"},
    PropertyName{"sizes", "no site keeps more units than it asked for, or any without asking"},
    PropertyName{"priority-rests", "the priority token stays only at a site whose request is not satisfied"},
    PropertyName{"parked-in-use", "a host keeps just the units that its programs use"},
    PropertyName{"asks-for-first",
                 "a host asks for the first of those that wait; alone, it grants what fits"},
};
constexpr std::array<std::string_view, 9> own_probes{"traversal", "created",        "reset",
                                                     "undecided", "decided-anyway", "stale-controller",
                                                     "deferred",  "held-back",      "used-beside"};

}  // namespace

constinit const Model<HostPool> HostPool::model{
    .name = "host-pool",
    .problem = "pool",
    .summary = "l units among programs of a fixed group of hosts",
    .source =
        "after Datta, Devismes, Horn and Larmore: Self-Stabilizing k-out-of-l Exclusion on Tree Networks",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .probes = own_probes,
    .config_error = [](const Config& config) -> std::optional<std::string> {
        if (!config.resend && config.full() && config.sites > 1)
            return "--resend off: only a timer starts this pool; write views-pool, or --stage priority";
        return config_error(config);
    },
    .domain = &domain,
    .sample = &sample,
    .requests = {
        .asks = [](const Context& ctx) { return ctx.config.needs.asks(ctx.self); },
        .demands = &demands,
        .draw = [](const Context& ctx, Random& random) { return TreePool::draw_demand(at(ctx), random); },
        .capacity = [](const Config& config) -> std::uint64_t { return config.most_units(); },
        .capacity_is_bound = true},
    .timers = {.fair = [](Timer) { return true; },
               .replaces =
                   [](Timer timer, const Message& message) {
                       return timer == Timer::controller &&
                              std::holds_alternative<TreePool::Controller>(message);
                   }},
};

}  // namespace allot
