#include "protocols/neighborhood/instance.hpp"

#include <algorithm>
#include <charconv>

#include "protocols/neighborhood/feasibility.hpp"
#include "protocols/neighborhood/safe_start.hpp"

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

Bounds Bounds::by_default(std::string_view text) {
    Bounds bounds = *parse("bounds", text);
    bounds.default_ = true;
    return bounds;
}

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

std::optional<std::string> bounds_error(const Neighborhood& instance) {
    for (SiteId site = 0; site < instance.sites; ++site) {
        const auto [low, high] = instance.ranges[site];
        const std::string where = flag("bounds", instance.bounds.text()) + "site " + std::to_string(site);
        if (high > instance.size(site))
            return where + " and its neighbours are " + std::to_string(instance.size(site)) +
                   ", so no more can be in service; write *, or a number up to that";
        if (low >= high)
            return where + " could never change with at least " + std::to_string(low) + " and at most " +
                   std::to_string(high) +
                   (high == 0 ? "; write a larger number second" : "; write a smaller number first");
    }
    return std::nullopt;
}

std::optional<std::string> unsafe_start(const Neighborhood& instance) {
    if (instance.starts_in.empty()) return std::nullopt;
    const auto unsafe = first_unsafe(instance.closed, instance.ranges, instance.starts_in);
    if (!unsafe) return std::nullopt;
    const auto [low, high] = instance.ranges[*unsafe];
    return flag("initial", instance.initial.text()) +
           std::to_string(count_in(instance.closed[*unsafe], instance.starts_in)) + " of site " +
           std::to_string(*unsafe) + " and its neighbours are in service; there must be " +
           std::to_string(low) + " to " + std::to_string(high);
}

}  // namespace

std::vector<Outlook> Neighborhood::outlook(std::uint64_t effort) const {
    return neighborhood::outlook(closed, ranges, starts_in, effort);
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
    prospects.clear();
    no_start = false;
    if (bounds_error(*this)) return;
    if (initial.any()) {
        auto start = find_lively(closed, ranges, start_ranges);
        no_start = start.none;
        starts_in = std::move(start.found).value_or(Configuration{});
        prospects = std::move(start.prospects);
    } else if (initial.size() == 1 || initial.size() == sites) {
        for (SiteId site = 0; site < sites; ++site) starts_in.push_back(initial.in(site));
        if (!first_unsafe(closed, ranges, starts_in)) prospects = outlook(effort_before_a_run);
    }
}

std::string default_bounds_note(const Neighborhood& instance, const Neighborhood& by_default) {
    if (instance.graph.text() == by_default.graph.text() || !instance.bounds.are_default()) return "";
    return " (these bounds are the default's, which go with --graph " + by_default.graph.text() +
           "; write --bounds for this graph)";
}

std::optional<std::string> ill_written(const Neighborhood& instance) {
    const Bounds& bounds = instance.bounds;
    const Initial& initial = instance.initial;
    if (instance.founders != 0)
        return flag("founders", std::to_string(instance.founders)) +
               "every site must be a founder; leave the flag out";
    if (const auto site = cut_off(instance.closed))
        return flag("graph", instance.graph.text()) + "site " + std::to_string(*site) +
               " cannot be reached from site 0; write a connected graph";
    if (bounds.size() != 1 && bounds.size() != instance.sites)
        return flag("bounds", bounds.text()) + for_sites(bounds.size(), "pairs", instance.sites);
    if (auto wrong = bounds_error(instance)) return wrong;
    if (!initial.any() && initial.size() != 1 && initial.size() != instance.sites)
        return flag("initial", initial.text()) + for_sites(initial.size(), "letters", instance.sites);
    return unsafe_start(instance);
}

std::optional<std::string> startless(const Neighborhood& instance) {
    if (instance.no_start)
        return flag("bounds", instance.bounds.text()) +
               "no configuration satisfies them at the start; write others";
    if (instance.starts_in.empty())
        return "--initial any: no safe configuration was found; write one, as in Ioo, or other bounds";
    return std::nullopt;
}

std::optional<std::string> instance_error(const Neighborhood& instance) {
    if (auto wrong = ill_written(instance)) return wrong;
    return startless(instance);
}

std::optional<std::string> hopeless(const Neighborhood& instance) {
    if (instance.infeasible == Infeasible::allow) return std::nullopt;
    const auto never = std::ranges::find(instance.prospects, Prospect::never, &Outlook::prospect);
    if (never == instance.prospects.end()) return std::nullopt;
    return flag("bounds", instance.bounds.text()) + "site " +
           std::to_string(never - instance.prospects.begin()) + " can never turn round: " + never->reason +
           "; write other bounds or another start, or --infeasible allow (escrow then tells the site so)";
}

std::optional<std::string> uncertain(const Neighborhood& instance) {
    const auto open = std::ranges::count(instance.prospects, Prospect::unknown, &Outlook::prospect);
    if (open == 0) return std::nullopt;
    return flag("bounds", instance.bounds.text()) + "of " + std::to_string(open) +
           " sites it is not known whether they can ever turn round; `allot feasible` looks longer";
}

}  // namespace allot::neighborhood
