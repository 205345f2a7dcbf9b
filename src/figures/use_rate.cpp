// The share of all resources in use, against the size of the requests: figure 5 of the paper on several
// locks.

#include "figures/multilock.hpp"

namespace allot::figures {

Figure use_rate();

Figure use_rate() {
    Figure figure;
    figure.name = "use-rate";
    figure.paper = "Lejeune, Arantes, Sopena and Sens, figure 5";
    figure.shows = "share of the resources in use against the largest request";
    figure.title = "Resources in use: 32 sites, 80 resources";
    figure.x_label = "largest request (phi)";
    figure.y_label = "resources in use (%)";
    figure.notes = multilock::notes();
    const auto use_percent = [](const sim::Figures& run, std::uint32_t) { return 100 * run.use_rate; };
    figure.panels = {{"high load", use_percent}, {"medium load", use_percent}};
    figure.xs = {1, 2, 4, 8, 16, 20, 32, 48, 80};
    figure.x_scale = Scale::logarithmic;
    for (const auto& [panel, rho] : {std::pair{0, multilock::high_load}, {1, multilock::medium_load}})
        for (const multilock::Contestant& contestant : multilock::all_contestants())
            figure.series.push_back({contestant.name, static_cast<std::size_t>(panel),
                                     [contestant, rho = rho](std::uint32_t phi) {
                                         return multilock::experiment(contestant, phi, rho);
                                     }});
    return figure;
}

}  // namespace allot::figures
