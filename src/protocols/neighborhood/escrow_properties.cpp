// The invariants of `escrow`: I1 and I9 of the specification, and their foundations.
//
// I9 speaks of what a site has heard, so the messages in flight to it are counted, too. A planned turn
// depends on the sites in service, not on counts: a site that has yet to hear that a try was given up, or
// that another site left, has more put aside than there is room for until it hears it.
#include <algorithm>

#include "core/model.hpp"
#include "protocols/neighborhood/escrow.hpp"
#include "protocols/neighborhood/prompt.hpp"

namespace allot {

struct EscrowProperties {
    using Site = const Escrow&;
    // Messages in flight to a site, by kind; enter and leave.
    struct UnderWay {
        std::array<std::int64_t, 2> commits{};
        std::array<std::int64_t, 2> cancels{};
        std::array<std::int64_t, 2> adjusts{};
        std::int64_t wakes = 0;
    };

    const View<Escrow>& view;
    Report& report;
    std::vector<UnderWay> to;
    std::vector<std::int64_t> pleas;  // by site

    EscrowProperties(const View<Escrow>& a_view, Report& a_report)
        : view(a_view), report(a_report), to(a_view.sites.size()), pleas(a_view.sites.size()) {
        for (const auto* envelope : view.flight)
            std::visit([&](const auto& message) { note(to[envelope->to], message); }, envelope->message);
    }

    void note(UnderWay& there, const Escrow::Commit& commit) { ++there.commits[commit.enter ? 1 : 0]; }
    void note(UnderWay& there, const Escrow::Cancel& cancel) { ++there.cancels[cancel.enter ? 1 : 0]; }
    void note(UnderWay& there, const Escrow::Wake&) { ++there.wakes; }
    void note(UnderWay& there, const Escrow::Adjust& adjust) { ++there.adjusts[adjust.enter ? 1 : 0]; }
    void note(UnderWay&, const Escrow::Plea& plea) { ++pleas[plea.site]; }
    template <class Other>
    void note(UnderWay&, const Other&) {}

    static std::string named(SiteId site) { return "site " + std::to_string(site); }
    Site site(SiteId id) const { return view.site(id).protocol; }
    std::int64_t in_service(SiteId center) const {
        return std::ranges::count_if(view.config.closed[center], [&](SiteId id) { return site(id).in(); });
    }

    void check_counts(SiteId self) const {
        const Escrow& here = site(self);
        const UnderWay& there = to[self];
        const auto [low, high] = view.config.ranges[self];
        const std::int64_t real = in_service(self);
        if (!view.config.ranges[self].contains(static_cast<std::uint32_t>(real)))  // I1
            report.violated("within-bounds", std::to_string(real) + " of " + named(self) +
                                                 " and its neighbours are in service");
        const std::int64_t heard = here.count_;
        if (heard + there.commits[1] - there.commits[0] + there.adjusts[1] - there.adjusts[0] != real)
            report.violated("counts-right", named(self) + " counts " + std::to_string(heard) +
                                                " and will not hear of all others");
        const std::int64_t most = heard + here.entering_;  // I9
        const std::int64_t least = heard - std::int64_t{here.leaving_};
        if (real > most + there.adjusts[1] || real < least - there.adjusts[0] ||
            most > std::int64_t{high} + there.cancels[1] + there.commits[0] ||
            least < std::int64_t{low} - there.cancels[0] - there.commits[1])
            report.violated("escrow-covers", named(self) + " takes " + std::to_string(least) + " to " +
                                                 std::to_string(most) + " for possible");
    }

    void check_wakes(SiteId self) const {
        const Escrow& here = site(self);
        for (const auto& [who, enter] : here.watch_)
            if (here.has_room({view.config, self}, enter))
                report.violated("woken", named(self) + " has room and does not tell " + named(who));
        if (here.stage_ != Escrow::TryState::blocked) return;
        const auto watched = std::ranges::count_if(
            view.config.closed[self], [&](SiteId around) { return site(around).watch_.contains(self); });
        if (here.wakes_ + to[self].wakes + watched < here.refusals_)
            report.violated("woken", named(self) + " waits for room, and no site will tell it");
    }

    // A site returns or takes what it put aside before the freeze as soon as it hears of the freeze.
    void check_plan(SiteId self) const {
        const Escrow& here = site(self);
        if (here.agenda_.empty()) return;
        const UnderWay& there = to[self];
        if (here.entering_ != there.commits[1] + there.cancels[1] ||
            here.leaving_ != there.commits[0] + there.cancels[0])
            report.violated("plan-undisturbed", named(self) + " has put something aside for a try");
    }

    void check_pleas() {
        for (const auto* one : view.sites)
            for (const Escrow::Plea& plea : one->protocol.pleas_) ++pleas[plea.site];
        for (SiteId self = 0; self < pleas.size(); ++self)
            if (pleas[self] > 1) report.violated("one-plea", named(self) + " has pleaded twice");
    }

    // Runs reach every configuration, so a wrong verdict shows where there is room for the turn.
    void check_verdicts() const {
        for (SiteId self = 0; self < view.sites.size(); ++self) {
            if (!site(self).hopeless_) continue;
            const bool room = std::ranges::all_of(view.config.closed[self], [&](SiteId around) {
                const auto [low, high] = view.config.ranges[around];
                return in_service(around) != (site(self).in() ? low : high);
            });
            if (room) report.violated("verdict-true", named(self) + " could turn round now");
        }
    }
};

void Escrow::on_state(const View<Escrow>& view, Report& report) {
    EscrowProperties properties(view, report);
    for (SiteId self = 0; self < view.sites.size(); ++self) {
        properties.check_counts(self);
        properties.check_wakes(self);
        properties.check_plan(self);
    }
    properties.check_pleas();
    properties.check_verdicts();
}

namespace {

constexpr std::array properties{
    PropertyName{"within-bounds", "in each neighbourhood at least l and at most k sites are in service"},
    PropertyName{"counts-right",
                 "a site's counts, with the turns that it will hear of, match the sites in service"},
    PropertyName{"escrow-covers",
                 "however the present attempts end, the counts with what is put aside keep to the bounds"},
    PropertyName{"plan-undisturbed", "nothing is put aside where planned turns are still to come"},
    PropertyName{"woken", "a site that waits for room will be told when there is some"},
    PropertyName{"one-plea", "no site pleads twice at a time"},
    PropertyName{"verdict-true", "a site that is told that it can never turn round cannot"},
};
constexpr std::array<std::string_view, 5> probes{"no-room", "pleaded", "turned-by-plan", "turned-before-plan",
                                                 "never"};

}  // namespace

constinit const Model<Escrow> Escrow::model{
    .name = "escrow",
    .problem = "neighborhood",
    .summary =
        "in each neighbourhood at least l and at most k sites are in service; live wherever that is possible",
    .source = "new; the problem is that of Kamei and Kakugawa, whose algorithm it replaces",
    .links = Links::fifo,
    .properties = properties,
    .on_state = &on_state,
    .probes = probes,
    .derive = [](Config& config) { config.derive(); },
    .config_error = &config_error,
    .founders = [](const Config& config) { return config.founders; },
    .caveat = &caveat,
    .sample = &sample,
    .requests = {.may_request = &Escrow::may_request, .forever = true},
    .timers = {.fair = &fair, .backs_off = &backs_off},
    .faults = {.mortal = &mortal},
    .reduction = {.prompt = &neighborhood::is_to_itself<Message>},
};

}  // namespace allot
