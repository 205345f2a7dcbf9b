// Neighbourhoods with lower and upper bounds: composition, sidetrack and escrow on four graphs (specs:
// neighborhood, section 10). The paper proves its bounds and measures nothing.

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "figures/figure.hpp"

namespace allot::figures {

namespace {

constexpr sim::Time length = 6 * sim::second;

struct Case {
    std::string name;
    std::string graph;
    std::string bounds;
    SiteId leader = 0;  // of sidetrack
    double sites = 0;
    double neighbourhood = 0;  // its mean size
};

// Sidetrack needs a reserve of three within two hops of its leader; elsewhere two are enough, and lower and
// upper bounds alternate.
std::string cycle_bounds(int sites) {
    std::string bounds;
    for (int site = 0; site < sites; ++site) {
        const bool near_leader = std::min(site, sites - site) <= 2;
        bounds += fmt::format("{}{}", site == 0 ? "" : ";",
                              near_leader     ? "0,3"
                              : site % 2 == 0 ? "1,3"
                                              : "0,2");
    }
    return bounds;
}

std::string grid_bounds(int side) {
    std::string bounds;
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column) {
            const auto at_edge = [&](int place) { return place == 0 || place == side - 1; };
            const bool corner = at_edge(row) && at_edge(column);
            const bool near_leader = row + column <= 2;
            const int low = corner ? 0 : 1;
            bounds += fmt::format("{}{},{}", bounds.empty() ? "" : ";", low, low + (near_leader ? 3 : 2));
        }
    return bounds;
}

// Random bounds that satisfy all assumptions of the paper; erratum 16 is about this graph.
constexpr const char* random_bounds =
    "3,6;4,7;0,4;1,4;1,5;2,6;1,5;3,7;3,6;2,5;2,6;3,5;2,5;5,8;3,6;2,5;2,6;3,6;2,5;1,5;1,4;2,5;2,4;3,5;"
    "1,4;0,2;2,5;2,5;3,5;1,5;2,6;0,3;1,4;3,5;1,3;2,6;0,4;4,7;1,4;1,3;1,3;1,5;1,4;0,4;1,5;0,2;3,7;2,6;"
    "1,4;3,7;1,4;2,6;0,2;0,4;1,5;1,4;1,4;1,5;1,3;2,6";

const std::vector<Case>& cases() {
    static const std::vector<Case> list{
        {"complete 20", "complete:20", "1,19", 0, 20, 20},
        {"cycle 60", "cycle:60", cycle_bounds(60), 0, 60, 3},
        {"grid 10x10", "grid:10x10", grid_bounds(10), 0, 100, 4.6},
        {"random 60", "random:60:6:1", random_bounds, 1, 60, 7},
    };
    return list;
}

double flips(const sim::Figures& run) {
    return static_cast<double>(run.grants + run.releases);
}

// A site that waits at the end may wait forever: its wait counts as the whole run.
double longest_ms(const sim::Figures& run) {
    if (run.unserved + run.unreleased > 0) return sim::in_ms(length);
    return std::max(run.waiting_ms.max, run.leaving_ms.max);
}

Point point(const char* protocol, const Case& one) {
    Point point{protocol, {{"graph", one.graph}, {"bounds", one.bounds}}, {}};
    if (protocol == std::string_view("sidetrack")) point.parameters["leader"] = std::to_string(one.leader);
    point.plan.time = {length};
    point.plan.latency = sim::Distribution::exponential(1100 * sim::microsecond);
    point.plan.think = sim::Distribution::constant(500 * sim::microsecond);
    point.plan.hold = sim::Distribution::constant(500 * sim::microsecond);
    return point;
}

}  // namespace

Figure neighborhood();

Figure neighborhood() {
    Figure figure;
    figure.name = "neighborhood";
    figure.paper = "Kamei and Kakugawa (they measure nothing)";
    figure.shows = "flips, waits and messages where neighbourhoods have lower and upper bounds";
    figure.title = "Neighbourhoods under heavy load";
    figure.x_label = "graph";
    figure.categories = true;
    figure.notes = {
        "A message takes 1.1 ms, on average; a site pauses for 0.5 ms and is in service for 0.5 ms.",
        "Composition and sidetrack stand still on some of these graphs. Where somebody still waits at the "
        "end, the longest wait is drawn as the 6 s of the whole run.",
        "Messages are divided by flips and by the mean size of a neighbourhood, the site itself included."};
    figure.panels = {
        {"flips per site and second",
         [](const sim::Figures& run, std::uint32_t x) {
             return flips(run) / cases()[x].sites / sim::in_seconds(length);
         }},
        {"longest wait (ms)", [](const sim::Figures& run, std::uint32_t) { return longest_ms(run); }},
        {"messages per flip and neighbour",
         [](const sim::Figures& run, std::uint32_t x) {
             const double turned = flips(run);
             return turned == 0 ? 0 : static_cast<double>(run.messages) / turned / cases()[x].neighbourhood;
         }},
        {"sites that wait in vain",
         [](const sim::Figures& run, std::uint32_t) {
             return static_cast<double>(run.unserved + run.unreleased);
         }},
    };
    for (std::uint32_t x = 0; x < cases().size(); ++x) {
        figure.xs.push_back(x);
        figure.x_names.push_back(cases()[x].name);
    }
    for (std::size_t panel = 0; panel < figure.panels.size(); ++panel)
        for (const char* protocol : {"composition", "sidetrack", "escrow"})
            figure.series.push_back(
                {protocol, panel, [protocol](std::uint32_t x) { return point(protocol, cases()[x]); }});
    return figure;
}

}  // namespace allot::figures
