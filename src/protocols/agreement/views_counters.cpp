#include "protocols/agreement/views_counters.hpp"

#include "core/draw.hpp"
#include "protocols/agreement/epochs_properties.hpp"
#include "protocols/multilock/model.hpp"

namespace allot {

std::optional<std::string> ViewsCounters::config_error(const Config& config) {
    return Counters::config_error(config);
}

std::optional<Domain> ViewsCounters::domain(const Context& ctx, std::string_view member) {
    return Counters::domain({ctx.config, ctx.self}, member);
}

std::vector<Demand> ViewsCounters::demands(const Context& ctx) {
    return Counters::demands({ctx.config, ctx.self});
}

void ViewsCounters::sample(Draw& draw) {
    const auto sites = draw.number("sites", 2, 7);
    draw.number("founders", 1, sites);
    const auto resources = draw.number("resources", 1, 3);
    draw.number("max-request", 0, resources);
    draw.number("loans", 0, 2);
    draw.choice("improve", {"all", "none", "stop,single", "lamport,home", "early-loan,reask"});
    draw.choice("recovered", {"queues", "users"});
    draw_faults(draw);
    draw.toggle("cancel");
    draw.requests(4);
}

void ViewsCounters::on_state(const View<ViewsCounters>& view, Report& report) {
    EpochsProperties<Counters, ViewsCounters>{view, report}.check();
}

constinit const Model<ViewsCounters, FencesGrow> ViewsCounters::model{
    .name = "views-counters",
    .problem = "agreement",
    .summary = "sets of named locks by counters, among hosts that come, go and die; agreed views",
    .source = "views as in Birman and Joseph: Exploiting virtual synchrony in distributed systems (1987)",
    .links = Links::fifo,
    .properties = agreement::epochs_properties,
    .on_state = &on_state,
    .probes = agreement::epochs_probes,
    .config_error = &config_error,
    .domain = &domain,
    .sample = &sample,
    .requests = multilock::named_requests<ViewsCounters>(&demands),
    .faults = {.hears = {Detection::stopped}, .watches = &ViewsCounters::watches},
    .reduction = {.ignores = [](const Context& ctx, const ViewsCounters& receiver, const ViewsCounters&,
                                const Message& message) { return receiver.ignores(ctx, message); }},
};

}  // namespace allot
