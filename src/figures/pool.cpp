// The pool on a tree: how fast it recovers, how long a site may wait, and the cost in messages (specs: pool,
// sections 5, 7 and 8). The paper proves its bounds and measures nothing.

#include <array>
#include <fmt/format.h>

#include "figures/figure.hpp"

namespace allot::figures {

namespace {

constexpr std::uint32_t units = 4;
constexpr std::uint32_t max_request = 2;
constexpr sim::Time hop = sim::millisecond;
constexpr std::uint32_t stale = 2;  // messages per channel after a fault

constexpr std::array shapes{"chain", "star", "binary"};

Parameters parameters(std::uint32_t sites, const char* shape) {
    return {{"sites", std::to_string(sites)},
            {"tree", shape},
            {"units", std::to_string(units)},
            {"max-request", std::to_string(max_request)}};
}

// Every site asks again at once, or after this number of hops.
sim::Plan plan_with(std::uint32_t think_hops) {
    sim::Plan plan;
    plan.latency = sim::Distribution::constant(hop);
    plan.tick = {hop};
    plan.think =
        think_hops == 0 ? sim::Distribution::constant(0) : sim::Distribution::exponential(think_hops * hop);
    plan.hold = sim::Distribution::constant(2 * hop);
    return plan;
}

// --- Recovery.

// Twenty faults in each run, so far apart that the world is legitimate before the next: a fault may double
// the timeout up to its maximum of 512 hops for each site.
Point thrown_about(std::uint32_t sites, const char* shape) {
    constexpr std::uint32_t faults = 20;
    const sim::Time apart = 600 * sites * hop;
    Point point{"tree-pool", parameters(sites, shape), plan_with(2)};
    point.parameters["cmax"] = std::to_string(stale);
    point.plan.noise = stale;
    point.plan.start = sim::Start::arbitrary;
    for (std::uint32_t fault = 1; fault < faults; ++fault)
        point.plan.corrupt_at.times.push_back(fault * apart);
    point.plan.time = {faults * apart};
    return point;
}

}  // namespace

Figure convergence();
Figure pool_waiting();
Figure pool_messages();
Figure pool_pacing();

Figure convergence() {
    Figure figure;
    figure.name = "convergence";
    figure.paper = "Datta, Devismes, Horn and Larmore (they measure nothing)";
    figure.shows = "what it takes a pool to get from an arbitrary state to a legitimate one";
    figure.title = fmt::format("Recovery of the pool: {} units, up to {} at once", units, max_request);
    figure.x_label = "sites";
    figure.notes = {
        fmt::format("Each run starts in a state in which every variable, and up to {} messages on "
                    "every channel, were drawn at random, and is thrown into 19 more such states.",
                    stale)};
    const auto of_recovery = [](auto number) {
        return [number](const sim::Figures& run, std::uint32_t) { return number(run.recovery); };
    };
    figure.panels = {
        {"traversals until legitimate, mean", of_recovery([](const sim::Recovery& recovery) {
             return recovery.probes.at("traversal").moments.mean();
         })},
        {"traversals until legitimate, at most",
         of_recovery([](const sim::Recovery& recovery) { return recovery.probes.at("traversal").max; }),
         Statistic::maximum},
        {"messages until legitimate, mean",
         of_recovery([](const sim::Recovery& recovery) { return recovery.messages.moments.mean(); })},
        {"recoveries in a run, at least", of_recovery([](const sim::Recovery& recovery) {
             return static_cast<double>(recovery.ms.moments.count());
         }),
         Statistic::minimum},
    };
    figure.xs = {2, 4, 8, 16, 32, 64};
    figure.x_scale = Scale::logarithmic;
    figure.y_scale = Scale::logarithmic;
    for (std::size_t panel = 0; panel < figure.panels.size(); ++panel)
        for (const char* shape : shapes)
            figure.series.push_back(
                {shape, panel, [shape](std::uint32_t sites) { return thrown_about(sites, shape); }});
    return figure;
}

// --- Waiting.

Figure pool_waiting() {
    Figure figure;
    figure.name = "pool-waiting";
    figure.paper = "Datta, Devismes, Horn and Larmore, theorem 2";
    figure.shows = "how many others are served while one waits, at most";
    figure.title =
        fmt::format("Largest wait in a saturated pool: {} units, up to {} at once", units, max_request);
    figure.x_label = "sites";
    figure.y_label = "grants to others while one waits";
    figure.notes = {
        "The bound of theorem 2 is l(2n-3)^2, that of the specification 2l(2n-3). Both are about the worst "
        "schedule; the runs are random ones."};
    figure.panels = {
        {"", [](const sim::Figures& run, std::uint32_t) { return static_cast<double>(run.grants_seen_max); },
         Statistic::maximum}};
    figure.xs = {4, 8, 16, 32, 64};
    figure.x_scale = Scale::logarithmic;
    figure.y_scale = Scale::logarithmic;
    const auto run_at = [](const char* shape) {
        return [shape](std::uint32_t sites) {
            Point point{"tree-pool", parameters(sites, shape), plan_with(0)};
            point.plan.time = {20 * sim::second};
            return point;
        };
    };
    const auto bound = [&](const char* name, auto of_positions) {
        figure.series.push_back(
            {name, 0, run_at("binary"),
             [of_positions](const sim::Figures&, std::uint32_t n) { return of_positions(2.0 * n - 3); }});
    };
    bound("theorem 2", [](double positions) { return units * positions * positions; });
    bound("specification", [](double positions) { return 2 * units * positions; });
    for (const char* shape : shapes) figure.series.push_back({shape, 0, run_at(shape)});
    return figure;
}

// --- Cost.

Figure pool_messages() {
    Figure figure;
    figure.name = "pool-messages";
    figure.paper = "Datta, Devismes, Horn and Larmore (they measure nothing)";
    figure.shows = "messages per critical section, against the load";
    figure.title =
        fmt::format("Messages of the pool: {} units, up to {} at once, binary trees", units, max_request);
    figure.x_label = "pause between requests (hops)";
    figure.y_label = "messages per grant";
    figure.notes = {
        "With pacing an idle pool makes one round in 1000 hops, and who wants something asks the root "
        "to hurry."};
    figure.panels = {{"", [](const sim::Figures& run, std::uint32_t) { return run.messages_per_grant; }}};
    figure.xs = {2, 20, 200, 2000, 20000};
    figure.x_scale = Scale::logarithmic;
    figure.y_scale = Scale::logarithmic;
    for (const bool pacing : {false, true})
        for (const std::uint32_t sites : {4u, 16u, 64u})
            figure.series.push_back(
                {fmt::format("{} sites{}", sites, pacing ? ", pacing" : ""), 0,
                 [sites, pacing](std::uint32_t think) {
                     Point point{"tree-pool", parameters(sites, "binary"), plan_with(think)};
                     point.parameters["pacing"] = pacing ? "on" : "off";
                     point.plan.time = {60 * sim::second};
                     point.plan.warm_up = {sim::second};
                     return point;
                 }});
    return figure;
}

// --- The effect of pacing on a site that rarely asks.

Figure pool_pacing() {
    Figure figure;
    figure.name = "pool-pacing";
    figure.paper = "Datta, Devismes, Horn and Larmore (they measure nothing)";
    figure.shows = "how long a rare request waits, with and without pacing";
    figure.title =
        fmt::format("A rare request to the pool: {} units, up to {} at once, 16 sites", units, max_request);
    figure.x_label = "tree";
    figure.y_label = "wait in hops";
    figure.notes = {
        "The hint goes up to the root, and then the units come down: on a deep tree that is further than to "
        "the next unit of a pool that never rests."};
    figure.panels = {
        {"", [](const sim::Figures& run, std::uint32_t) { return run.waiting_ms.mean / sim::in_ms(hop); }}};
    for (std::uint32_t shape = 0; shape < shapes.size(); ++shape) figure.xs.push_back(shape);
    figure.x_names.assign(shapes.begin(), shapes.end());
    figure.categories = true;
    for (const bool pacing : {false, true})
        figure.series.push_back(
            {pacing ? "pacing" : "without", 0, [pacing](std::uint32_t shape) {
                 constexpr std::uint32_t seldom = 160'000;  // hops
                 Point point{"tree-pool", parameters(16, shapes[shape]), plan_with(seldom)};
                 point.parameters["pacing"] = pacing ? "on" : "off";
                 point.plan.time = {1000 * sim::second};
                 point.plan.warm_up = {10 * sim::second};
                 return point;
             }});
    return figure;
}

}  // namespace allot::figures
