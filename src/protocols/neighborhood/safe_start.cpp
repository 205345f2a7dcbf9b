#include "protocols/neighborhood/safe_start.hpp"

#include <algorithm>

#include "base/stop.hpp"
#include "core/random.hpp"
#include "protocols/neighborhood/feasibility.hpp"

namespace allot::neighborhood {

namespace {

// A set of sites from which one can be drawn.
class Pot {
public:
    explicit Pot(std::size_t sites) : place_(sites, nowhere) {}

    bool empty() const { return sites_.empty(); }
    SiteId draw(Random& random) const { return sites_[random(sites_.size())]; }
    void put(SiteId site, bool inside) {
        if (inside == (place_[site] != nowhere)) return;
        if (inside) {
            place_[site] = sites_.size();
            sites_.push_back(site);
            return;
        }
        const SiteId last = sites_.back();
        sites_[place_[site]] = last;
        place_[last] = place_[site];
        place_[site] = nowhere;
        sites_.pop_back();
    }

private:
    static constexpr std::size_t nowhere = ~std::size_t{0};
    std::vector<SiteId> sites_;
    std::vector<std::size_t> place_;
};

// Local search: repeatedly draws a neighbourhood with too few or too many, and turns the site in it round
// that brings all neighbourhoods closest to their bounds.
class LocalSearch {
public:
    LocalSearch(const Closed& closed, const std::vector<Range>& ranges, Configuration start, Random& draw)
        : closed_(closed), ranges_(ranges), in_(std::move(start)), unsafe_(closed.size()), draw_(draw) {
        for (const auto& neighbourhood : closed) counts_.push_back(count_in(neighbourhood, in_));
        for (SiteId site = 0; site < closed.size(); ++site) look_at(site);
    }

    std::optional<Configuration> run() {
        constexpr std::uint64_t steps_per_site = 200;
        constexpr std::uint64_t most_looks = 1'000'000'000;  // at the count of a neighbourhood
        std::uint64_t looks = 0;
        for (std::uint64_t step = 0; step < steps_per_site * closed_.size() && looks < most_looks; ++step) {
            stop::poll();
            if (unsafe_.empty()) return in_;
            const auto& neighbourhood = closed_[unsafe_.draw(draw_)];
            for (const SiteId site : neighbourhood) looks += closed_[site].size();
            turn(choose(neighbourhood));
        }
        return std::nullopt;
    }

private:
    void look_at(SiteId site) { unsafe_.put(site, !ranges_[site].contains(counts_[site])); }
    static std::int64_t distance(const Range& range, std::int64_t count) {
        return std::max<std::int64_t>({0, range.low - count, count - range.high});
    }
    // How much further from safe all neighbourhoods would be if this site turned round.
    std::int64_t cost(SiteId turned) const {
        std::int64_t sum = 0;
        for (const SiteId site : closed_[turned])
            sum += distance(ranges_[site], std::int64_t{counts_[site]} + (in_[turned] ? -1 : 1)) -
                   distance(ranges_[site], counts_[site]);
        return sum;
    }
    // Now and then a random one, so that the search does not run in a cycle.
    SiteId choose(const std::vector<SiteId>& neighbourhood) {
        constexpr std::uint64_t one_in = 12;
        if (draw_(one_in) == 0) return neighbourhood[draw_(neighbourhood.size())];
        return *std::ranges::min_element(neighbourhood, {}, [&](SiteId site) { return cost(site); });
    }
    void turn(SiteId turned) {
        in_[turned] = !in_[turned];
        for (const SiteId site : closed_[turned]) {
            counts_[site] += in_[turned] ? 1u : static_cast<std::uint32_t>(-1);
            look_at(site);
        }
    }

    const Closed& closed_;
    const std::vector<Range>& ranges_;
    Configuration in_;
    std::vector<std::uint32_t> counts_;
    Pot unsafe_;
    Random& draw_;
};

// Puts one site after the other in or out, as long as every neighbourhood can still satisfy its bounds.
class Backtracking {
public:
    Backtracking(const Closed& closed, const std::vector<Range>& ranges)
        : closed_(closed), ranges_(ranges), in_(closed.size()), counts_(closed.size()) {
        for (const auto& neighbourhood : closed)
            undecided_.push_back(static_cast<std::uint32_t>(neighbourhood.size()));
    }

    std::optional<Configuration> run() {
        if (decide(0)) return in_;
        return std::nullopt;
    }

private:
    bool decide(SiteId site) {
        stop::poll();
        if (site == closed_.size()) return true;
        for (const SiteId around : closed_[site]) --undecided_[around];
        for (const bool in : {false, true}) {
            put(site, in);
            if (hopeful(site) && decide(site + 1)) return true;
        }
        put(site, false);
        for (const SiteId around : closed_[site]) ++undecided_[around];
        return false;
    }
    void put(SiteId site, bool in) {
        if (in_[site] == in) return;
        in_[site] = in;
        for (const SiteId around : closed_[site]) counts_[around] += in ? 1u : static_cast<std::uint32_t>(-1);
    }
    bool hopeful(SiteId changed) const {
        return std::ranges::all_of(closed_[changed], [&](SiteId site) {
            return counts_[site] <= ranges_[site].high &&
                   counts_[site] + undecided_[site] >= ranges_[site].low;
        });
    }

    const Closed& closed_;
    const std::vector<Range>& ranges_;
    Configuration in_;
    std::vector<std::uint32_t> counts_;
    std::vector<std::uint32_t> undecided_;
};

// All sites in service except a maximal independent set: every neighbourhood has a site in and a site out.
Configuration all_but_independent(const Closed& closed) {
    Configuration in(closed.size(), true);
    for (SiteId site = 0; site < closed.size(); ++site)
        in[site] = std::ranges::any_of(closed[site], [&](SiteId other) { return !in[other]; });
    return in;
}

}  // namespace

SafeStart find_safe(const Closed& closed, const std::vector<Range>& ranges, std::uint64_t seed) {
    const std::size_t sites = closed.size();
    Random draw(seed + 1);
    std::vector<Configuration> starts;
    if (seed == 0) {
        for (const bool in : {false, true}) {
            Configuration all(sites, in);
            if (!first_unsafe(closed, ranges, all)) return {std::move(all)};
        }
        starts = {Configuration(sites, false), all_but_independent(closed)};
    }
    for (int more = 0; more < 4; ++more) {
        starts.emplace_back(sites);
        for (SiteId site = 0; site < sites; ++site) starts.back()[site] = draw.coin();
    }
    for (Configuration& start : starts)
        if (auto found = LocalSearch(closed, ranges, std::move(start), draw).run()) return {std::move(found)};
    if (sites > most_sites_settled) return {};
    auto found = Backtracking(closed, ranges).run();
    const bool none = !found;
    return {std::move(found), none};
}

SafeStart find_lively(const Closed& closed, const std::vector<Range>& ranges,
                      const std::vector<Range>& start_ranges) {
    const std::uint64_t tried = closed.size() <= 64 ? 32 : 9;
    SafeStart best = find_safe(closed, start_ranges);
    std::pair<std::ptrdiff_t, std::ptrdiff_t> fewest{};
    for (std::uint64_t seed = 0; seed < tried && best.found; ++seed) {
        SafeStart start = seed == 0 ? best : find_safe(closed, start_ranges, seed);
        if (!start.found) continue;
        start.prospects = outlook(closed, ranges, *start.found, effort_before_a_run);
        const auto count = [&](Prospect prospect) {
            return std::ranges::count(start.prospects, prospect, &Outlook::prospect);
        };
        const std::pair left_out(count(Prospect::never), count(Prospect::unknown));
        if (seed == 0 || left_out < fewest) {
            best = std::move(start);
            fewest = left_out;
        }
        if (fewest == std::pair<std::ptrdiff_t, std::ptrdiff_t>{}) break;
    }
    return best;
}

}  // namespace allot::neighborhood
