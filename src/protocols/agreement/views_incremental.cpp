#include "protocols/agreement/views_incremental.hpp"

#include "core/draw.hpp"
#include "protocols/agreement/epochs_properties.hpp"
#include "protocols/multilock/model.hpp"

namespace allot {

std::optional<std::string> ViewsIncremental::config_error(const Config& config) {
    if (config.recovered == agreement::Recovered::queues)
        return "--recovered queues: no queue of incremental outlives its epoch; leave the flag out";
    return Incremental::config_error(config);
}

std::vector<Demand> ViewsIncremental::demands(const Context& ctx) {
    return multilock::demands(multilock::resources_of(ctx.config), ctx.self);
}

void ViewsIncremental::sample(Draw& draw) {
    const auto sites = draw.number("sites", 2, 7);
    draw.number("founders", 1, sites);
    const auto resources = draw.number("resources", 1, 3);
    draw.number("max-request", 0, resources);
    draw_faults(draw);
    draw.requests(4);
}

void ViewsIncremental::on_state(const View<ViewsIncremental>& view, Report& report) {
    EpochsProperties<Incremental, ViewsIncremental>{view, report}.check();
}

constinit const Model<ViewsIncremental, FencesGrow> ViewsIncremental::model{
    .name = "views-incremental",
    .problem = "agreement",
    .summary = "several locks, taken in the order of their names, among hosts that come, go and die",
    .source = "views as in Birman and Joseph: Exploiting virtual synchrony in distributed systems (1987)",
    .links = Links::fifo,
    .properties = agreement::epochs_properties,
    .on_state = &on_state,
    .probes = agreement::epochs_probes,
    .config_error = &config_error,
    .sample = &sample,
    .requests = multilock::named_requests<ViewsIncremental>(&demands),
    .faults = {.hears = {Detection::stopped}, .watches = &ViewsIncremental::watches},
    .reduction = {.ignores = [](const Context& ctx, const ViewsIncremental& receiver, const ViewsIncremental&,
                                const Message& message) { return receiver.ignores(ctx, message); }},
};

}  // namespace allot
