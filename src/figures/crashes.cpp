// How many permits can be in use after several crashes: figure 4 of the paper on the crash-aware semaphore,
// with the two cases it leaves out, sparse trust and a single permit (specs: semaphore, section 10, erratum
// 16).
//
// Fifteen sites ask for permits almost without a pause. Some of them crash, one after the other; then all
// detectors report and everything settles; the figure is the largest number of permits in use after that.

#include "figures/figure.hpp"

namespace allot::figures {

namespace {

constexpr std::uint32_t sites = 15;
constexpr SiteId anchor = 0;  // the one site that never crashes

constexpr sim::Time detection_max = 15 * sim::millisecond;
// Longer than detection and a message together: every live site knows of a crash before the next one. Only
// then do all seeds agree on which crashes a site learns from another.
constexpr sim::Time between_crashes = 40 * sim::millisecond;
static_assert(between_crashes > 2 * detection_max);
// Long after the start-up.
constexpr sim::Time first_crash = 100 * sim::millisecond;
constexpr sim::Time counts_from = sim::second;
static_assert(counts_from > first_crash + sites * between_crashes + 10 * detection_max);

sim::Plan plan_with(std::uint32_t crash_count, world::Trust trust) {
    sim::Plan plan;
    plan.time = {2 * sim::second};
    plan.warm_up = {counts_from};
    // Saturated: pauses are short compared with the time a permit is held, so at some moment all sites want
    // one.
    plan.think = sim::Distribution::exponential(100 * sim::microsecond);
    plan.hold = sim::Distribution::exponential(10 * sim::millisecond);
    plan.latency = sim::Distribution::uniform(200 * sim::microsecond, sim::millisecond);
    plan.detect = sim::Distribution::uniform(5 * sim::millisecond, detection_max);
    plan.trust = trust;
    plan.anchor = {.own = false, .site = anchor};
    plan.crashes = crash_count;
    plan.crash_from = {first_crash};
    plan.crash_to = {first_crash + (crash_count > 0 ? crash_count - 1 : 0) * between_crashes};
    return plan;
}

struct Contestant {
    std::string protocol;
    Parameters parameters;
    world::Trust trust = world::Trust::dense;
};

const Contestant raymond{"raymond", {}};
const Contestant repaired{"permits", {}};
// One step per handler repairs errata 3 to 5, which would spoil the run before the first crash. Erratum 1 is
// left: a site that detects a crash does not apply it to itself.
const Contestant published{"permits-published", {{"with", "stamp-first,send-at-once"}}};

// Only the anchor trusts, so only its detector reports crashes. No other site would ever acknowledge a new
// one: the sites begin as if they had started up.
Contestant sparse(Contestant contestant) {
    contestant.trust = world::Trust::anchor;
    contestant.parameters["start-up"] = "off";
    return contestant;
}

Series series(const std::string& name, std::size_t panel, std::uint32_t permits, Contestant contestant) {
    contestant.parameters["sites"] = std::to_string(sites);
    contestant.parameters["permits"] = std::to_string(permits);
    return {name + " k=" + std::to_string(permits), panel, [contestant](std::uint32_t crash_count) {
                return Point{contestant.protocol, contestant.parameters,
                             plan_with(crash_count, contestant.trust)};
            }};
}

}  // namespace

Figure crashes();

Figure crashes() {
    Figure figure;
    figure.name = "crashes";
    figure.paper = "Bouillaguet, Arantes and Sens, figure 4";
    figure.shows = "permits that can be in use after so many crashes";
    figure.title = "Units in use after crashes: 15 sites, saturated load";
    figure.x_label = "crashes";
    figure.y_label = "largest number of units in use";
    figure.notes = {
        "The published algorithm runs with handlers that are one step each (stamp-first, send-at-once); as "
        "printed, with a request in several steps, it deadlocks under load or lets too many in (errata 3 to "
        "5). It keeps erratum 1: a site that detects a crash tells the others and continues to count the "
        "victim.",
        "dense: everybody watches everybody. sparse: only site 0, which never crashes, watches the others; "
        "the sites then begin as if started up.",
    };
    const auto most_in_use = [](const sim::Figures& run, std::uint32_t) {
        return static_cast<double>(run.max_concurrent);
    };
    figure.panels = {{"k = 5 permits", most_in_use, Statistic::minimum},
                     {"k = 1 permit", most_in_use, Statistic::minimum}};
    for (std::uint32_t count = 0; count < sites; ++count) figure.xs.push_back(count);
    figure.series = {
        series("Raymond", 0, 5, raymond),
        series("published dense", 0, 5, published),
        series("permits", 0, 5, repaired),
        series("published sparse", 0, 5, sparse(published)),
        series("permits sparse", 0, 5, sparse(repaired)),
        series("Raymond", 1, 1, raymond),
        series("published dense", 1, 1, published),
        series("permits", 1, 1, repaired),
    };
    return figure;
}

}  // namespace allot::figures
