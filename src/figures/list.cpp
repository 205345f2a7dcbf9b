#include <algorithm>
#include <fmt/format.h>

#include "base/did_you_mean.hpp"
#include "figures/figure.hpp"

namespace allot::figures {

Figure broker_messages();
Figure broker_use();
Figure broker_waiting();
Figure convergence();
Figure crashes();
Figure neighborhood();
Figure pool_messages();
Figure pool_pacing();
Figure pool_waiting();
Figure use_rate();
Figure waiting_by_load();
Figure waiting_by_size();

std::optional<Statistic> common_statistic(const Figure& figure) {
    const Statistic first = figure.panels.front().statistic;
    const bool common =
        std::ranges::all_of(figure.panels, [&](const Panel& panel) { return panel.statistic == first; });
    return common ? std::optional(first) : std::nullopt;
}

std::string seeds_text(const Figure& figure, std::uint64_t seeds) {
    const auto statistic = common_statistic(figure);
    const char* of = !statistic                        ? ""
                     : statistic == Statistic::minimum ? "minimum over "
                     : statistic == Statistic::maximum ? "maximum over "
                                                       : "mean of ";
    return fmt::format("{}{} seed{}", of, seeds, seeds == 1 ? "" : "s");
}

std::string full_name(const Figure& figure, const Series& series) {
    const auto same_name = [&](const Series& other) { return other.name == series.name; };
    if (std::ranges::count_if(figure.series, same_name) == 1) return series.name;
    const std::string& panel = figure.panels[series.panel].title;
    return series.name.empty() ? panel : fmt::format("{}, {}", series.name, panel);
}

std::string x_text(const Figure& figure, std::size_t place) {
    return figure.x_names.empty() ? std::to_string(figure.xs[place]) : figure.x_names[place];
}

std::span<const Figure> all() {
    static const std::vector<Figure> list{
        crashes(),      use_rate(),     waiting_by_load(), waiting_by_size(),
        convergence(),  pool_waiting(), pool_messages(),   pool_pacing(),
        neighborhood(), broker_use(),   broker_waiting(),  broker_messages(),
    };
    return list;
}

Result<std::vector<const Figure*>> find(const std::string& name) {
    std::vector<const Figure*> found;
    std::vector<std::string> known;
    for (const Figure& figure : all()) {
        if (figure.name == name || figure.name.starts_with(name + '-')) found.push_back(&figure);
        known.push_back(figure.name);
    }
    if (!found.empty()) return found;
    return Error{
        fmt::format("{}: no such figure; there is {}{}", name, listed(known), did_you_mean(name, known))};
}

}  // namespace allot::figures
