// How long requests for several locks wait: small ones (phi = 4) against the load, figure 6 of the paper, and
// all sizes (phi = 80) by their size, figure 7.

#include <array>
#include <fmt/format.h>

#include "figures/multilock.hpp"

namespace allot::figures {

namespace {

using multilock::Contestant;

constexpr std::array<double, 5> loads{multilock::high_load, 1, multilock::medium_load, 20, 32};

constexpr std::uint32_t small_phi = 4;
constexpr std::uint32_t large_phi = 80;
constexpr std::uint32_t classes = 8;
constexpr std::uint32_t class_width = multilock::resources / classes;
static_assert(class_width * classes == multilock::resources);

// All requests whose size is in this class.
sim::Moments waiting_in(const sim::Figures& run, std::uint32_t size_class) {
    sim::Moments all;
    for (const auto& [size, waiting] : run.waiting_ms_by_size)
        if ((size - 1) / class_width == size_class) all += waiting;
    return all;
}

// The first panel shows the means, the second the deviations.
void add_series(Figure& figure, const std::vector<Contestant>& contestants,
                const std::function<Point(const Contestant&, std::uint32_t x)>& at) {
    for (std::size_t panel = 0; panel < figure.panels.size(); ++panel)
        for (const Contestant& contestant : contestants)
            figure.series.push_back(
                {contestant.name, panel, [contestant, at](std::uint32_t x) { return at(contestant, x); }});
}

}  // namespace

Figure waiting_by_load();
Figure waiting_by_size();

Figure waiting_by_load() {
    Figure figure;
    figure.name = "waiting-by-load";
    figure.paper = "Lejeune, Arantes, Sopena and Sens, figure 6";
    figure.shows = "how long small requests wait, against the load";
    figure.title = "Waiting for 1 to 4 of 80 resources: 32 sites";
    figure.x_label = "pause / (use + message)";
    figure.y_label = "waiting (ms)";
    figure.notes = multilock::notes();
    figure.notes.emplace_back("0.1 is what the other figures call high load, and 5 medium load.");
    figure.panels = {
        {"mean", [](const sim::Figures& run, std::uint32_t) { return run.waiting_ms.mean; }},
        {"standard deviation",
         [](const sim::Figures& run, std::uint32_t) { return run.waiting_ms.deviation; }},
    };
    for (std::uint32_t place = 0; place < loads.size(); ++place) {
        figure.xs.push_back(place);
        figure.x_names.push_back(fmt::format("{}", loads[place]));
    }
    figure.y_scale = Scale::logarithmic;
    add_series(figure, multilock::all_contestants(), [](const Contestant& contestant, std::uint32_t load) {
        return multilock::experiment(contestant, small_phi, loads[load]);
    });
    return figure;
}

Figure waiting_by_size() {
    Figure figure;
    figure.name = "waiting-by-size";
    figure.paper = "Lejeune, Arantes, Sopena and Sens, figure 7";
    figure.shows = "how long requests wait, against their size";
    figure.title = "Waiting for 1 to 80 of 80 resources: 32 sites, high load";
    figure.x_label = "resources in the request";
    figure.y_label = "waiting (ms)";
    figure.notes = multilock::notes();
    figure.panels = {
        {"mean", [](const sim::Figures& run, std::uint32_t x) { return waiting_in(run, x).mean(); }},
        {"standard deviation",
         [](const sim::Figures& run, std::uint32_t x) { return waiting_in(run, x).deviation(); }},
    };
    for (std::uint32_t size_class = 0; size_class < classes; ++size_class) {
        figure.xs.push_back(size_class);
        figure.x_names.push_back(
            fmt::format("{}-{}", size_class * class_width + 1, (size_class + 1) * class_width));
    }
    add_series(figure,
               {multilock::ideal(), multilock::counters(), multilock::counters_loans(),
                multilock::counters_improved(), multilock::control_pass()},
               [](const Contestant& contestant, std::uint32_t) {
                   return multilock::experiment(contestant, large_phi, multilock::high_load);
               });
    return figure;
}

}  // namespace allot::figures
