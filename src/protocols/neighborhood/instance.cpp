#include "protocols/neighborhood/instance.hpp"

#include <algorithm>
#include <charconv>

#include "core/random.hpp"

namespace allot::neighborhood {

namespace {

std::optional<std::uint32_t> number(std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string flag(std::string_view name, std::string_view value) {
    return "--" + std::string(name) + " " + std::string(value) + ": ";
}

std::string for_sites(std::size_t count, const char* what, std::uint32_t sites) {
    return "these are " + std::to_string(count) + " " + what + " for " + std::to_string(sites) +
           " sites; write one for all, or one per site";
}

}  // namespace

std::optional<Bounds::Pair> Bounds::pair(std::string_view text) {
    const auto comma = text.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    const auto low = number(text.substr(0, comma));
    const std::string_view rest = text.substr(comma + 1);
    const auto high = number(rest);
    if (!low || (!high && rest != "*")) return std::nullopt;
    return Pair{*low, high};
}

Result<Bounds> Bounds::parse(std::string_view name, std::string_view text) {
    Bounds bounds;
    bounds.text_ = text;
    bounds.pairs_.clear();
    for (std::string_view rest = text;;) {
        const auto end = rest.find(';');
        const auto next = pair(rest.substr(0, end));
        if (!next)
            return Error{flag(name, text) +
                         "write least,most for all sites, as in 1,4 or 1,* (the whole neighbourhood), or one "
                         "pair per site, as in 0,1;1,2;0,2"};
        bounds.pairs_.push_back(*next);
        if (end == std::string_view::npos) return bounds;
        rest.remove_prefix(end + 1);
    }
}

Range Bounds::of(SiteId site, std::uint32_t neighbourhood) const {
    const Pair& pair = pairs_.size() == 1 ? pairs_.front() : pairs_[site];
    return {pair.low, pair.high.value_or(neighbourhood)};
}

Result<Initial> Initial::parse(std::string_view name, std::string_view text) {
    const bool letters = !text.empty() && text.find_first_not_of("Io") == std::string_view::npos;
    if (!letters && text != "any")
        return Error{flag(name, text) +
                     "write I (in) or o (out) for each site, as in Ioo, one letter for all sites, or any"};
    Initial initial;
    initial.text_ = text;
    return initial;
}

std::uint32_t count_in(const std::vector<SiteId>& neighbourhood, const Configuration& in) {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(neighbourhood, [&](SiteId site) { return in[site]; }));
}

std::optional<SiteId> first_unsafe(const Closed& closed, const std::vector<Range>& ranges,
                                   const Configuration& in) {
    for (SiteId site = 0; site < closed.size(); ++site)
        if (!ranges[site].contains(count_in(closed[site], in))) return site;
    return std::nullopt;
}

namespace {

// Local search: again and again one neighbourhood with too few or too many is drawn, and in it the site is
// turned round that brings all neighbourhoods closest to what they must keep to.
class LocalSearch {
public:
    LocalSearch(const Closed& closed, const std::vector<Range>& ranges, Configuration start)
        : closed_(closed), ranges_(ranges), in_(std::move(start)), draw_(1) {
        for (const auto& neighbourhood : closed) counts_.push_back(count_in(neighbourhood, in_));
    }

    std::optional<Configuration> run() {
        constexpr std::uint64_t steps_per_site = 200;
        for (std::uint64_t step = 0; step < steps_per_site * closed_.size(); ++step) {
            std::vector<SiteId> unsafe;
            for (SiteId site = 0; site < closed_.size(); ++site)
                if (!ranges_[site].contains(counts_[site])) unsafe.push_back(site);
            if (unsafe.empty()) return in_;
            turn(choose(closed_[unsafe[draw_(unsafe.size())]]));
        }
        return std::nullopt;
    }

private:
    static std::int64_t distance(const Range& range, std::int64_t count) {
        return std::max<std::int64_t>({0, range.low - count, count - range.high});
    }
    // How much further from safe all neighbourhoods were if this site turned round.
    std::int64_t cost(SiteId turned) const {
        std::int64_t sum = 0;
        for (const SiteId site : closed_[turned])
            sum += distance(ranges_[site], std::int64_t{counts_[site]} + (in_[turned] ? -1 : 1)) -
                   distance(ranges_[site], counts_[site]);
        return sum;
    }
    // Now and then any of them, lest the search go round in a circle.
    SiteId choose(const std::vector<SiteId>& neighbourhood) {
        constexpr std::uint64_t one_in = 12;
        if (draw_(one_in) == 0) return neighbourhood[draw_(neighbourhood.size())];
        return *std::ranges::min_element(neighbourhood, {}, [&](SiteId site) { return cost(site); });
    }
    void turn(SiteId turned) {
        in_[turned] = !in_[turned];
        for (const SiteId site : closed_[turned])
            counts_[site] += in_[turned] ? 1u : static_cast<std::uint32_t>(-1);
    }

    const Closed& closed_;
    const std::vector<Range>& ranges_;
    Configuration in_;
    std::vector<std::uint32_t> counts_;
    Random draw_;
};

// The first site that cannot be reached from site 0.
std::optional<SiteId> cut_off(const Closed& closed) {
    std::vector<bool> reached(closed.size(), false);
    std::vector<SiteId> open{0};
    reached[0] = true;
    while (!open.empty()) {
        const SiteId site = open.back();
        open.pop_back();
        for (const SiteId next : closed[site]) {
            if (!reached[next]) open.push_back(next);
            reached[next] = true;
        }
    }
    const auto first = std::ranges::find(reached, false);
    if (first == reached.end()) return std::nullopt;
    return static_cast<SiteId>(first - reached.begin());
}

std::optional<std::string> wrong_bounds(const Neighborhood& instance) {
    for (SiteId site = 0; site < instance.sites; ++site) {
        const auto [low, high] = instance.ranges[site];
        const std::string where = flag("bounds", instance.bounds.text()) + "site " + std::to_string(site);
        if (high > instance.size(site))
            return where + " and its neighbours are " + std::to_string(instance.size(site)) +
                   ", so no more can be in service; write *, or a number up to that";
        if (low >= high)
            return where + " could never change with at least " + std::to_string(low) + " and at most " +
                   std::to_string(high) + "; write a smaller number first";
    }
    return std::nullopt;
}

std::optional<std::string> wrong_initial(const Neighborhood& instance) {
    if (instance.starts_in.empty())
        return "--initial any: no safe configuration was found; write one, as in Ioo, or other bounds";
    const auto unsafe = first_unsafe(instance.closed, instance.ranges, instance.starts_in);
    if (!unsafe) return std::nullopt;
    const auto [low, high] = instance.ranges[*unsafe];
    return flag("initial", instance.initial.text()) +
           std::to_string(count_in(instance.closed[*unsafe], instance.starts_in)) + " of site " +
           std::to_string(*unsafe) + " and its neighbours are in service; there must be " +
           std::to_string(low) + " to " + std::to_string(high);
}

}  // namespace

std::optional<Configuration> find_safe(const Closed& closed, const std::vector<Range>& ranges) {
    for (const bool in : {false, true}) {
        Configuration all(closed.size(), in);
        if (!first_unsafe(closed, ranges, all)) return all;
    }
    return LocalSearch(closed, ranges, Configuration(closed.size(), false)).run();
}

void Neighborhood::derive() {
    sites = graph.sites();
    closed = graph.neighbours;
    for (SiteId site = 0; site < sites; ++site)
        closed[site].insert(std::ranges::lower_bound(closed[site], site), site);
    ranges.clear();
    if (bounds.size() != 1 && bounds.size() != sites) return;
    for (SiteId site = 0; site < sites; ++site) ranges.push_back(bounds.of(site, size(site)));
    derive(ranges);
}

void Neighborhood::derive(const std::vector<Range>& start_ranges) {
    starts_in.clear();
    if (initial.any()) {
        if (!wrong_bounds(*this)) starts_in = find_safe(closed, start_ranges).value_or(Configuration{});
    } else if (initial.size() == 1 || initial.size() == sites) {
        for (SiteId site = 0; site < sites; ++site) starts_in.push_back(initial.in(site));
    }
}

std::optional<std::string> unfit(const Neighborhood& instance) {
    const Bounds& bounds = instance.bounds;
    const Initial& initial = instance.initial;
    if (const auto site = cut_off(instance.closed))
        return flag("graph", instance.graph.text()) + "site " + std::to_string(*site) +
               " cannot be reached from site 0; write a graph that hangs together";
    if (bounds.size() != 1 && bounds.size() != instance.sites)
        return flag("bounds", bounds.text()) + for_sites(bounds.size(), "pairs", instance.sites);
    if (auto wrong = wrong_bounds(instance)) return wrong;
    if (!initial.any() && initial.size() != 1 && initial.size() != instance.sites)
        return flag("initial", initial.text()) + for_sites(initial.size(), "letters", instance.sites);
    return wrong_initial(instance);
}

}  // namespace allot::neighborhood
