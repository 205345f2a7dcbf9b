// Turns, one after the other and each of them safe, that lead to the turns of certain sites.
//
// Whoever has no room asks somebody in the full neighbourhood to turn round first, and so on. Some sites are
// willing to turn round: they wait for it anyway. All others can be made to wait for, but not to turn.
#pragma once

#include <optional>
#include <vector>

#include "protocols/neighborhood/instance.hpp"

namespace allot::neighborhood {

// A configuration in which sites turn round, with the counts of all neighbourhoods.
class Position {
public:
    Position(const Closed& closed, const std::vector<Range>& ranges, const Configuration& in);

    const Closed& closed() const { return closed_; }
    const std::vector<Range>& ranges() const { return ranges_; }
    const Configuration& configuration() const { return in_; }
    bool in(SiteId site) const { return in_[site]; }
    const std::vector<SiteId>& around(SiteId site) const { return closed_[site]; }
    // A neighbourhood that has no room for the turn of this site.
    std::optional<SiteId> obstacle(SiteId site) const;
    void turn(SiteId site);

private:
    const Closed& closed_;
    const std::vector<Range>& ranges_;
    Configuration in_;
    std::vector<std::uint32_t> counts_;
};

// A site wants to turn round, or does not want to yet, or has just done so. Nobody knows when it will want to
// (again); the last of them can want it only after its turn.
enum class Will : std::uint8_t { wants, idle, turned };

class Ways {
public:
    Ways(Position position, std::vector<Will> wills);

    // Has the site turn round, and others before it; or finds no way and leaves all as it is. Others are
    // asked that want to, and only if that does not help the next, up to `most`. Takes the steps of the
    // search off the effort.
    bool lead_to(SiteId site, Will most, std::uint64_t& effort);
    void turn(SiteId site);

    const Position& position() const { return position_; }
    bool wants(SiteId site) const { return wills_[site] == Will::wants; }
    // All since the beginning.
    const std::vector<SiteId>& turns() const { return turns_; }

private:
    bool reach(SiteId site, unsigned depth);
    bool reach_over(SiteId site, SiteId full, Will will, unsigned depth);
    void take_back(std::size_t length);

    Position position_;
    std::vector<Will> wills_;
    std::vector<SiteId> turns_;
    std::vector<Will> wills_before_;  // by turn
    std::vector<bool> busy_;          // wait for others to turn round first

    // Of the search that is going on.
    Will most_ = Will::turned;
    std::uint64_t effort_ = 0;
    bool cut_short_ = false;
};

}  // namespace allot::neighborhood
