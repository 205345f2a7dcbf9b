// Sequences of safe turns that lead to the turns of certain sites.
//
// A site without room asks a site in the full neighbourhood to turn round first, and so on. Some sites are
// willing to turn round: they wait for it anyway. The others cannot be forced; a way can only wait for them.
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
    // A neighbourhood without room for the turn of this site.
    std::optional<SiteId> obstacle(SiteId site) const;
    void turn(SiteId site);

private:
    const Closed& closed_;
    const std::vector<Range>& ranges_;
    Configuration in_;
    std::vector<std::uint32_t> counts_;
};

// A site wants to turn round, does not want to yet, or has just done so. It is unknown when it will want to
// (again); a site that has turned can want it only after its turn.
enum class Will : std::uint8_t { wants, idle, turned };

class Ways {
public:
    Ways(Position position, std::vector<Will> wills);

    // Makes the site turn round, and others before it; or finds no way and changes nothing. Asks first those
    // that want to, and only if that fails the next kind, up to `most`. Subtracts the steps of the search
    // from the effort.
    bool lead_to(SiteId site, Will most, std::uint64_t& effort);
    void turn(SiteId site);

    const Position& position() const { return position_; }
    bool wants(SiteId site) const { return wills_[site] == Will::wants; }
    // All turns since the beginning.
    const std::vector<SiteId>& turns() const { return turns_; }

private:
    bool reach(SiteId site, unsigned depth);
    bool reach_over(SiteId site, SiteId full, Will will, unsigned depth);
    void take_back(std::size_t length);

    Position position_;
    std::vector<Will> wills_;
    std::vector<SiteId> turns_;
    std::vector<Will> wills_before_;  // by turn
    std::vector<bool> busy_;          // sites that wait for others to turn round first

    // Of the present search.
    Will most_ = Will::turned;
    std::uint64_t effort_ = 0;
    bool cut_short_ = false;
};

}  // namespace allot::neighborhood
