#include "protocols/neighborhood/feasibility.hpp"

#include <algorithm>
#include <boost/functional/hash.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <numeric>

#include "base/ensure.hpp"
#include "base/stop.hpp"
#include "protocols/neighborhood/ways.hpp"

namespace allot::neighborhood {

namespace {

std::string named(SiteId site) {
    return "site " + std::to_string(site);
}

// --- All reachable configurations of a few sites while all others stay as they are.

class Exploration {
public:
    Exploration(Position position, std::vector<SiteId> sites)
        : position_(std::move(position)),
          sites_(std::move(sites)),
          words_((sites_.size() + 63) / 64),
          known_(0, Hash{*this}, Equal{*this}) {
        bits_.assign(words_, 0);
        for (std::size_t i = 0; i < sites_.size(); ++i)
            if (position_.in(sites_[i])) bits_[i / 64] ^= std::uint64_t{1} << (i % 64);
        known_.insert(0);
        reached_by_.push_back({});
    }

    // Breadth first. Calls `visit(site)` for each site that may turn round in a configuration; it says
    // whether to go on. False if the effort was not enough for all configurations, each of which costs as
    // much as it has words, or `cost`.
    template <class Visit>
    bool run(std::uint64_t& effort, Visit&& visit) {
        return run(effort, words_, visit);
    }
    template <class Visit>
    bool run(std::uint64_t& effort, std::uint64_t cost, Visit&& visit) {
        for (; looked_at_ < found(); ++looked_at_) {
            if (effort < cost) return false;
            effort -= cost;
            place(looked_at_);
            for (std::uint32_t i = 0; i < sites_.size(); ++i) {
                if (position_.obstacle(sites_[i])) continue;
                if (!visit(sites_[i])) return true;
                add(looked_at_, i);
            }
        }
        return true;
    }

    // The turns that lead to the present configuration.
    std::vector<SiteId> turns() const {
        std::vector<SiteId> turns;
        for (std::uint32_t at = looked_at_; at > 0; at = reached_by_[at].from)
            turns.push_back(sites_[reached_by_[at].turned]);
        std::ranges::reverse(turns);
        return turns;
    }
    std::uint32_t found() const { return static_cast<std::uint32_t>(reached_by_.size()); }
    // Of one configuration, 64 sites each.
    std::size_t words() const { return words_; }
    Configuration configuration(std::uint32_t number) const {
        Configuration all = position_.configuration();
        for (std::uint32_t i = 0; i < sites_.size(); ++i) all[sites_[i]] = in(number, i);
        return all;
    }

private:
    // Configurations are numbered in the order of discovery; the set knows only numbers.
    struct Hash {
        const Exploration& owner;
        std::size_t operator()(std::uint32_t number) const {
            const auto first = owner.bits_.begin() + static_cast<std::ptrdiff_t>(number * owner.words_);
            return boost::hash_range(first, first + static_cast<std::ptrdiff_t>(owner.words_));
        }
    };
    struct Equal {
        const Exploration& owner;
        bool operator()(std::uint32_t a, std::uint32_t b) const {
            const auto first = owner.bits_.begin();
            return std::equal(first + static_cast<std::ptrdiff_t>(a * owner.words_),
                              first + static_cast<std::ptrdiff_t>((a + 1) * owner.words_),
                              first + static_cast<std::ptrdiff_t>(b * owner.words_));
        }
    };
    struct Step {
        std::uint32_t from = 0;
        std::uint32_t turned = 0;  // index of the site
    };

    bool in(std::uint32_t number, std::uint32_t i) const {
        return ((bits_[number * words_ + i / 64] >> (i % 64)) & 1u) != 0;
    }
    // Turns every site round that differs from the present position.
    void place(std::uint32_t number) {
        for (std::uint32_t i = 0; i < sites_.size(); ++i)
            if (in(number, i) != position_.in(sites_[i])) position_.turn(sites_[i]);
    }
    void add(std::uint32_t from, std::uint32_t turned) {
        const std::uint32_t number = found();
        for (std::size_t word = 0; word < words_; ++word) bits_.push_back(bits_[from * words_ + word]);
        bits_[number * words_ + turned / 64] ^= std::uint64_t{1} << (turned % 64);
        if (known_.insert(number).second)
            reached_by_.push_back({from, turned});
        else
            bits_.resize(number * words_);
    }

    Position position_;
    const std::vector<SiteId> sites_;
    const std::size_t words_;  // of one configuration
    std::vector<std::uint64_t> bits_;
    boost::unordered_flat_set<std::uint32_t, Hash, Equal> known_;
    std::vector<Step> reached_by_;
    std::uint32_t looked_at_ = 0;
};

std::string after(const std::vector<SiteId>& turns) {
    constexpr std::size_t most = 6;
    if (turns.empty()) return "at once";
    std::string text = "after ";
    for (std::size_t i = 0; i < std::min(turns.size(), most); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(turns[i]);
    if (turns.size() > most) text += " and " + std::to_string(turns.size() - most) + " more turns";
    return text;
}

// --- Counting: turns that two neighbourhoods together exclude.

class Certificates {
public:
    Certificates(const Closed& closed, const std::vector<Range>& ranges, const Configuration& start,
                 std::vector<Outlook>& sites)
        : closed_(closed), ranges_(ranges), start_(start), sites_(sites), fixed_in_(closed.size()) {
        for (const auto& neighbourhood : closed)
            free_.push_back(static_cast<std::uint32_t>(neighbourhood.size()));
    }

    // A decided site may decide others.
    void run() {
        do {
            settled_ = false;
            std::int64_t tightest = most(0);
            for (SiteId site = 0; site < closed_.size(); ++site) tightest = std::min(tightest, most(site));
            for (SiteId site = 0; site < closed_.size(); ++site) {
                alone(site);
                if (least(site) < tightest) continue;
                for (const SiteId near : closed_[site]) {
                    if (pairs_ > most_pairs) return;
                    pairs_ += closed_[near].size();
                    for (const SiteId other : closed_[near])
                        if (other != site) together(site, other);
                }
            }
        } while (settled_);
    }

private:
    // Limits the work on graphs where more sites share a neighbourhood.
    static constexpr std::uint64_t most_pairs = 20'000'000;

    bool free(SiteId site) const { return sites_[site].prospect != Prospect::never; }
    // The need and the limit of a neighbourhood, without the sites that are known never to turn.
    std::int64_t least(SiteId center) const { return std::int64_t{ranges_[center].low} - fixed_in_[center]; }
    std::int64_t most(SiteId center) const { return std::int64_t{ranges_[center].high} - fixed_in_[center]; }
    void settle(SiteId center, const std::string& why) {
        for (const SiteId site : closed_[center])
            if (free(site)) {
                sites_[site] = {Prospect::never, why};
                settled_ = true;
                for (const SiteId around : closed_[site]) {
                    --free_[around];
                    if (start_[site]) ++fixed_in_[around];
                }
            }
    }

    // With the fixed sites, a neighbourhood needs all of its others, or has no place for any.
    void alone(SiteId center) {
        if (least(center) == free_[center])
            settle(center,
                   "the neighbourhood of " + named(center) + " needs every site that can still change");
        if (most(center) == 0) settle(center, "the neighbourhood of " + named(center) + " is full forever");
    }

    // `needs` must have so many sites beyond those outside `limits` that they already are all that `limits`
    // allows: so it is exactly that number, always, and any single turn would change it.
    void together(SiteId needs, SiteId limits) {
        if (least(needs) < most(limits)) return;
        const auto outside = std::ranges::count_if(closed_[needs], [&](SiteId site) {
            return free(site) && !std::ranges::binary_search(closed_[limits], site);
        });
        if (least(needs) - outside < most(limits)) return;
        const std::string why = "the neighbourhood of " + named(needs) + " needs at least " +
                                std::to_string(ranges_[needs].low) + ", that of " + named(limits) +
                                " may have no more than " + std::to_string(ranges_[limits].high) +
                                ": together they leave no room";
        settle(needs, why);
        settle(limits, why);
    }

    const Closed& closed_;
    const std::vector<Range>& ranges_;
    const Configuration& start_;
    std::vector<Outlook>& sites_;
    std::vector<std::uint32_t> fixed_in_;  // by neighbourhood: sites in service forever, as far as is known
    std::vector<std::uint32_t> free_;      // by neighbourhood: all others
    bool settled_ = false;
    std::uint64_t pairs_ = 0;
};

// --- Sites that might turn round, each neighbourhood for itself.

// A site counts as movable if every neighbourhood around it would have room with the movable sites placed as
// it needs them. All others stay as they are forever: the first of them to turn round would find those
// neighbourhoods as they have always been.
class Movable {
public:
    Movable(const Closed& closed, const std::vector<Range>& ranges, const Configuration& start,
            std::vector<bool> fixed)
        : closed_(closed),
          ranges_(ranges),
          start_(start),
          fixed_(std::move(fixed)),
          least_in_(closed.size()),
          most_in_(closed.size()),
          obstacles_(closed.size()),
          movable_(closed.size(), false) {
        for (SiteId center = 0; center < closed.size(); ++center) {
            least_in_[center] = most_in_[center] = count_in(closed[center], start);
            for (const SiteId site : closed[center])
                if (full(center, start[site])) ++obstacles_[site];
        }
        for (SiteId site = 0; site < closed.size(); ++site) consider(site);
        while (!open_.empty()) {
            const SiteId site = open_.back();
            open_.pop_back();
            may_turn(site);
        }
    }

    bool operator[](SiteId site) const { return movable_[site]; }

    // Sites that share a neighbourhood which could have too few or too many belong together; the others do
    // not affect them. The smallest region comes first.
    std::vector<std::vector<SiteId>> regions() const {
        std::vector<std::vector<SiteId>> regions;
        std::vector<bool> placed(closed_.size(), false);
        std::vector<bool> passed(closed_.size(), false);  // neighbourhoods
        for (SiteId first = 0; first < closed_.size(); ++first) {
            if (!movable_[first] || placed[first]) continue;
            std::vector<SiteId>& region = regions.emplace_back(1, first);
            placed[first] = true;
            for (std::size_t i = 0; i < region.size(); ++i)
                for (const SiteId center : closed_[region[i]]) {
                    const bool loose =
                        least_in_[center] >= ranges_[center].low && most_in_[center] <= ranges_[center].high;
                    if (loose || passed[center]) continue;
                    passed[center] = true;
                    for (const SiteId site : closed_[center])
                        if (movable_[site] && !placed[site]) {
                            placed[site] = true;
                            region.push_back(site);
                        }
                }
            std::ranges::sort(region);
        }
        std::ranges::stable_sort(regions, {}, [](const auto& region) { return region.size(); });
        return regions;
    }

private:
    bool full(SiteId center, bool leave) const {
        return leave ? most_in_[center] <= ranges_[center].low : least_in_[center] >= ranges_[center].high;
    }
    void consider(SiteId site) {
        if (obstacles_[site] > 0 || fixed_[site]) return;
        movable_[site] = true;
        open_.push_back(site);
    }
    void may_turn(SiteId moved) {
        const bool out = start_[moved];
        for (const SiteId center : closed_[moved]) {
            const bool before = full(center, !out);
            out ? --least_in_[center] : ++most_in_[center];
            if (!before || full(center, !out)) continue;
            for (const SiteId site : closed_[center])
                if (start_[site] != out && --obstacles_[site] == 0) consider(site);
        }
    }

    const Closed& closed_;
    const std::vector<Range>& ranges_;
    const Configuration& start_;
    const std::vector<bool> fixed_;         // sites known never to turn
    std::vector<std::uint32_t> least_in_;   // by neighbourhood: if all movable sites were out
    std::vector<std::uint32_t> most_in_;    // and if they were in
    std::vector<std::uint32_t> obstacles_;  // by site: neighbourhoods without room for its turn
    std::vector<bool> movable_;
    std::vector<SiteId> open_;
};

// Counting decides some sites first.
Movable movable_sites(const Closed& closed, const std::vector<Range>& ranges, const Configuration& start,
                      std::vector<Outlook>& sites) {
    Certificates(closed, ranges, start, sites).run();
    std::vector<bool> fixed(closed.size());
    for (SiteId site = 0; site < closed.size(); ++site) fixed[site] = sites[site].prospect == Prospect::never;
    return {closed, ranges, start, std::move(fixed)};
}

bool no_lower_bounds(const std::vector<Range>& ranges) {
    return std::ranges::all_of(ranges, [](const Range& range) { return range.low == 0; });
}

bool no_upper_bounds(const Closed& closed, const std::vector<Range>& ranges) {
    for (SiteId site = 0; site < closed.size(); ++site)
        if (ranges[site].high < closed[site].size()) return false;
    return true;
}

// Explores everything reachable in a region, until the effort is used up.
void explore(const Position& position, const std::vector<SiteId>& region, std::uint64_t& effort,
             std::vector<Outlook>& sites) {
    const auto is_open = [&](SiteId site) { return sites[site].prospect == Prospect::unknown; };
    auto open = std::ranges::count_if(region, is_open);
    std::uint64_t without_end = ~std::uint64_t{0};
    Exploration exploration(position, region);
    const bool all =
        exploration.run(region.size() <= most_sites_explored ? without_end : effort, [&](SiteId site) {
            stop::poll();
            if (!is_open(site)) return true;
            sites[site] = {Prospect::yes, after(exploration.turns())};
            return --open > 0;
        });
    for (const SiteId site : region)
        if (all && is_open(site))
            sites[site] = {Prospect::never, "all " + std::to_string(exploration.found()) +
                                                " configurations that can be reached leave no room for it"};
}

// First finds ways for some sites of a region that is too large to explore.
void find_ways(const Position& position, const std::vector<SiteId>& region, std::size_t count,
               std::uint64_t& effort, std::vector<Outlook>& sites) {
    // No site may use up the effort for all.
    const std::uint64_t share = effort / 64;
    for (const SiteId site : region) {
        stop::poll();
        if (sites[site].prospect != Prospect::unknown) continue;
        Ways ways(position, std::vector<Will>(count, Will::idle));
        std::uint64_t left = std::min(share, effort);
        effort -= left;
        const bool found = ways.lead_to(site, Will::turned, left);
        effort += left;
        if (!found) continue;
        auto turns = ways.turns();
        turns.pop_back();
        sites[site] = {Prospect::yes, after(turns)};
    }
}

}  // namespace

std::vector<Outlook> outlook(const Closed& closed, const std::vector<Range>& ranges,
                             const Configuration& start, std::uint64_t effort) {
    const std::size_t count = closed.size();
    if (no_lower_bounds(ranges))
        return {count, {Prospect::yes, "there are no lower bounds, so all others may leave first"}};
    if (no_upper_bounds(closed, ranges))
        return {count, {Prospect::yes, "there are no upper bounds, so all others may enter first"}};
    std::vector<Outlook> sites(count);
    const Movable movable = movable_sites(closed, ranges, start, sites);
    const Position position(closed, ranges, start);
    const auto regions = movable.regions();
    for (SiteId site = 0; site < count; ++site) {
        if (!movable[site] && sites[site].prospect == Prospect::unknown)
            sites[site] = {Prospect::never, regions.empty()
                                                ? "at the start no site may turn round"
                                                : "no site that can turn round makes room for it"};
        if (!position.obstacle(site)) sites[site] = {Prospect::yes, after({})};
    }
    for (const auto& region : regions) {
        if (region.size() > most_sites_explored) find_ways(position, region, count, effort, sites);
        const bool open = std::ranges::any_of(
            region, [&](SiteId site) { return sites[site].prospect == Prospect::unknown; });
        if (open) explore(position, region, effort, sites);
    }
    for (Outlook& site : sites)
        if (site.prospect == Prospect::unknown) site.reason = "the search found no way within the effort";
    return sites;
}

Prospect find_way(Ways& ways, SiteId site, std::uint64_t& effort) {
    std::uint64_t half = effort / 2;
    effort -= half;
    const bool found = ways.lead_to(site, Will::turned, half);
    effort += half;
    if (found) return Prospect::yes;
    const Position& position = ways.position();
    const std::size_t count = position.closed().size();
    const Movable movable(position.closed(), position.ranges(), position.configuration(),
                          std::vector<bool>(count, false));
    if (!movable[site]) return Prospect::never;
    const auto regions = movable.regions();
    const auto region =
        std::ranges::find_if(regions, [&](const auto& one) { return std::ranges::binary_search(one, site); });
    Exploration exploration(position, *region);
    bool reached = false;
    std::uint64_t without_end = ~std::uint64_t{0};
    const bool all =
        exploration.run(region->size() <= most_sites_explored ? without_end : effort, [&](SiteId turned) {
            reached = turned == site;
            return !reached;
        });
    if (!reached) return all ? Prospect::never : Prospect::unknown;
    for (const SiteId turned : exploration.turns()) ways.turn(turned);
    ways.turn(site);
    return Prospect::yes;
}

Extent count_reachable(const Closed& closed, const std::vector<Range>& ranges, const Configuration& start,
                       std::uint64_t effort) {
    constexpr std::uint64_t most = ~std::uint64_t{0};
    std::vector<Outlook> sites(closed.size());
    const Position position(closed, ranges, start);
    Extent all;
    for (const auto& region : movable_sites(closed, ranges, start, sites).regions()) {
        if (std::ranges::all_of(region, [&](SiteId site) { return position.obstacle(site).has_value(); }))
            continue;
        Exploration exploration(position, region);
        const bool small = region.size() <= most_sites_explored;
        const std::uint64_t room = small ? most : effort / exploration.words();
        std::uint64_t without_end = most;
        bool complete = true;
        const bool affordable = exploration.run(small ? without_end : effort, region.size(), [&](SiteId) {
            stop::poll();
            complete = exploration.found() < room;
            return complete;
        });
        all.exact = all.exact && complete && affordable;
        if (all.count > most / exploration.found()) return {most, false};
        all.count *= exploration.found();
    }
    return all;
}

std::vector<Configuration> list_reachable(const Closed& closed, const std::vector<Range>& ranges,
                                          const Configuration& start, std::size_t most) {
    std::vector<SiteId> all(closed.size());
    std::iota(all.begin(), all.end(), SiteId{0});
    Exploration exploration(Position(closed, ranges, start), std::move(all));
    std::uint64_t without_end = ~std::uint64_t{0};
    exploration.run(without_end, [&](SiteId) { return exploration.found() < most; });
    std::vector<Configuration> list;
    for (std::uint32_t number = 0; number < exploration.found(); ++number)
        list.push_back(exploration.configuration(number));
    return list;
}

}  // namespace allot::neighborhood
