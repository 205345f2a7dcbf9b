#include "protocols/neighborhood/feasibility.hpp"

#include <algorithm>
#include <bit>

namespace allot::neighborhood {

namespace {

std::string named(SiteId site) {
    return "site " + std::to_string(site);
}

// A configuration in which sites turn round, with the counts of all neighbourhoods.
class Position {
public:
    Position(const Closed& closed, const std::vector<Range>& ranges, const Configuration& in)
        : closed_(closed), ranges_(ranges), in_(in) {
        for (const auto& neighbourhood : closed) counts_.push_back(count_in(neighbourhood, in));
    }

    bool in(SiteId site) const { return in_[site]; }
    const std::vector<SiteId>& around(SiteId site) const { return closed_[site]; }
    // A neighbourhood that has no room for the turn of this site.
    std::optional<SiteId> obstacle(SiteId site) const {
        for (const SiteId around : closed_[site])
            if (counts_[around] == (in_[site] ? ranges_[around].low : ranges_[around].high)) return around;
        return std::nullopt;
    }
    void turn(SiteId site) {
        in_[site] = !in_[site];
        for (const SiteId around : closed_[site])
            counts_[around] += in_[site] ? 1u : static_cast<std::uint32_t>(-1);
    }

private:
    const Closed& closed_;
    const std::vector<Range>& ranges_;
    Configuration in_;
    std::vector<std::uint32_t> counts_;
};

// --- A way for one site: whoever has no room asks somebody in the full neighbourhood to turn round first,
// and so on.

class WaySearch {
public:
    WaySearch(Position position, std::uint64_t effort) : position_(std::move(position)), effort_(effort) {}

    // Short ways first.
    bool run(SiteId site, std::size_t sites) {
        constexpr unsigned deepest = 10;
        busy_.assign(sites, false);
        for (unsigned depth = 0; depth <= deepest && used_ < effort_; ++depth)
            if (reach(site, depth)) return true;
        return false;
    }
    std::vector<SiteId>& turns() { return turns_; }
    std::uint64_t used() const { return used_; }

private:
    bool reach(SiteId site, unsigned depth) {
        if (++used_ > effort_) return false;
        const auto full = position_.obstacle(site);
        if (!full) {
            turn(site);
            return true;
        }
        if (depth == 0) return false;
        // Who makes room for an entry leaves, and the other way round.
        busy_[site] = true;
        const std::size_t so_far = turns_.size();
        bool reached = false;
        for (const SiteId helper : position_.around(*full)) {
            if (helper == site || busy_[helper] || position_.in(helper) == position_.in(site)) continue;
            reached = reach(helper, depth - 1) && reach(site, depth - 1);
            if (reached) break;
            take_back(so_far);
        }
        busy_[site] = false;
        return reached;
    }
    void turn(SiteId site) {
        position_.turn(site);
        turns_.push_back(site);
    }
    void take_back(std::size_t length) {
        for (; turns_.size() > length; turns_.pop_back()) position_.turn(turns_.back());
    }

    Position position_;
    std::vector<SiteId> turns_;
    std::vector<bool> busy_;  // wait for others to turn round first
    std::uint64_t used_ = 0;
    const std::uint64_t effort_;
};

// --- Few sites: every configuration, one bit per site.

class Exploration {
public:
    using Bits = std::uint32_t;

    Exploration(const Closed& closed, const std::vector<Range>& ranges, const Configuration& start)
        : ranges_(ranges), last_turn_(std::size_t{1} << closed.size(), unseen) {
        for (const auto& neighbourhood : closed) {
            Bits mask = 0;
            for (const SiteId site : neighbourhood) mask |= bit(site);
            masks_.push_back(mask);
        }
        Bits first = 0;
        for (SiteId site = 0; site < start.size(); ++site)
            if (start[site]) first |= bit(site);
        last_turn_[first] = nobody;
        found_.push_back(first);
    }

    // Breadth first. `visit(configuration, movable)` says whether to go on.
    template <class Visit>
    void run(Visit&& visit) {
        for (std::size_t i = 0; i < found_.size(); ++i) {
            const Bits in = found_[i];
            const Bits may_turn = movable(in);
            if (!visit(in, may_turn)) return;
            for (SiteId site = 0; site < masks_.size(); ++site) {
                const Bits next = in ^ bit(site);
                if ((may_turn & bit(site)) == 0 || last_turn_[next] != unseen) continue;
                last_turn_[next] = static_cast<std::uint8_t>(site);
                found_.push_back(next);
            }
        }
    }

    // The turns on the shortest way to a configuration that was found.
    std::vector<SiteId> way_to(Bits in) const {
        std::vector<SiteId> turns;
        for (; last_turn_[in] != nobody; in ^= bit(turns.back())) turns.push_back(last_turn_[in]);
        std::ranges::reverse(turns);
        return turns;
    }
    const std::vector<Bits>& found() const { return found_; }
    static Bits bit(SiteId site) { return Bits{1} << site; }

private:
    static constexpr std::uint8_t unseen = 0xFF;
    static constexpr std::uint8_t nobody = 0xFE;

    Bits movable(Bits in) const {
        Bits no_room_in = 0;
        Bits no_room_out = 0;
        for (SiteId site = 0; site < masks_.size(); ++site) {
            const auto count = static_cast<std::uint32_t>(std::popcount(in & masks_[site]));
            if (count == ranges_[site].high) no_room_in |= bit(site);
            if (count == ranges_[site].low) no_room_out |= bit(site);
        }
        Bits may_turn = 0;
        for (SiteId site = 0; site < masks_.size(); ++site)
            if ((masks_[site] & ((in & bit(site)) != 0 ? no_room_out : no_room_in)) == 0)
                may_turn |= bit(site);
        return may_turn;
    }

    const std::vector<Range>& ranges_;
    std::vector<Bits> masks_;
    std::vector<std::uint8_t> last_turn_;  // by configuration: who turned round to get there
    std::vector<Bits> found_;
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

void explore_all(const Closed& closed, const std::vector<Range>& ranges, const Configuration& start,
                 std::vector<Outlook>& sites) {
    Exploration exploration(closed, ranges, start);
    std::size_t open =
        static_cast<std::size_t>(std::ranges::count(sites, Prospect::unknown, &Outlook::prospect));
    exploration.run([&](std::uint32_t in, std::uint32_t movable) {
        for (SiteId site = 0; site < sites.size() && open > 0; ++site)
            if ((movable & Exploration::bit(site)) != 0 && sites[site].prospect == Prospect::unknown) {
                sites[site] = {Prospect::yes, after(exploration.way_to(in))};
                --open;
            }
        return open > 0;
    });
    for (Outlook& site : sites)
        if (site.prospect == Prospect::unknown)
            site = {Prospect::never, "all " + std::to_string(exploration.found().size()) +
                                         " configurations that can be reached leave no room for it"};
}

// --- Counting: what two neighbourhoods together leave no room for.

class Certificates {
public:
    Certificates(const Closed& closed, const std::vector<Range>& ranges, const Configuration& start,
                 std::vector<Outlook>& sites)
        : closed_(closed), ranges_(ranges), start_(start), sites_(sites), fixed_in_(closed.size()) {
        for (const auto& neighbourhood : closed)
            free_.push_back(static_cast<std::uint32_t>(neighbourhood.size()));
    }

    // What is settled may settle more.
    void run() {
        do {
            settled_ = false;
            std::int64_t tightest = most(0);
            for (SiteId site = 0; site < closed_.size(); ++site) tightest = std::min(tightest, most(site));
            for (SiteId site = 0; site < closed_.size(); ++site) {
                alone(site);
                if (least(site) < tightest) continue;
                for (const SiteId near : closed_[site])
                    for (const SiteId other : closed_[near])
                        if (other != site) together(site, other);
            }
        } while (settled_);
    }

private:
    bool free(SiteId site) const { return sites_[site].prospect != Prospect::never; }
    // What a neighbourhood needs, and may have, of those that are not known to stay as they are.
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

    // With those that stay as they are, all others of a neighbourhood are needed, or none has a place.
    void alone(SiteId center) {
        if (least(center) == free_[center])
            settle(center, "the neighbourhood of " + named(center) + " needs all that can still change");
        if (most(center) == 0) settle(center, "the neighbourhood of " + named(center) + " is full for ever");
    }

    // Whatever `needs` must have beyond what lies outside `limits` is already all that `limits` may have: so
    // it is exactly that, always, and no single turn leaves it so.
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
    std::vector<std::uint32_t> fixed_in_;  // by neighbourhood: in service for ever, as far as that is known
    std::vector<std::uint32_t> free_;      // by neighbourhood: all others
    bool settled_ = false;
};

bool no_lower_bounds(const std::vector<Range>& ranges) {
    return std::ranges::all_of(ranges, [](const Range& range) { return range.low == 0; });
}

bool no_upper_bounds(const Closed& closed, const std::vector<Range>& ranges) {
    for (SiteId site = 0; site < closed.size(); ++site)
        if (ranges[site].high < closed[site].size()) return false;
    return true;
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
    Certificates(closed, ranges, start, sites).run();
    const Position position(closed, ranges, start);
    bool anybody = false;
    for (SiteId site = 0; site < count; ++site) {
        if (position.obstacle(site)) continue;
        sites[site] = {Prospect::yes, after({})};
        anybody = true;
    }
    if (!anybody) {
        for (Outlook& site : sites)
            if (site.prospect == Prospect::unknown)
                site = {Prospect::never, "at the start nobody may turn round"};
        return sites;
    }
    if (count <= most_sites_explored) {
        explore_all(closed, ranges, start, sites);
        return sites;
    }
    // No site may use up what is there for all.
    const std::uint64_t share = effort / 16;
    for (SiteId site = 0; site < count; ++site) {
        if (sites[site].prospect != Prospect::unknown) continue;
        WaySearch search(position, std::min(share, effort));
        const bool found = search.run(site, count);
        effort -= std::min(effort, search.used());
        if (found) search.turns().pop_back();
        sites[site] = found ? Outlook{Prospect::yes, after(search.turns())}
                            : Outlook{Prospect::unknown, "no way was found within the effort allowed"};
    }
    return sites;
}

Way find_way(const Closed& closed, const std::vector<Range>& ranges, const Configuration& from, SiteId site,
             std::uint64_t effort) {
    WaySearch search(Position(closed, ranges, from), effort);
    if (search.run(site, closed.size())) return {Prospect::yes, std::move(search.turns())};
    if (closed.size() > most_sites_explored) return {};
    Exploration exploration(closed, ranges, from);
    Way way{Prospect::never, {}};
    exploration.run([&](std::uint32_t in, std::uint32_t movable) {
        if ((movable & Exploration::bit(site)) == 0) return true;
        way = {Prospect::yes, exploration.way_to(in)};
        way.turns.push_back(site);
        return false;
    });
    return way;
}

std::vector<std::uint32_t> reachable(const Closed& closed, const std::vector<Range>& ranges,
                                     const Configuration& start) {
    Exploration exploration(closed, ranges, start);
    exploration.run([](std::uint32_t, std::uint32_t) { return true; });
    return exploration.found();
}

}  // namespace allot::neighborhood
