// Hearing: which hosts hear each other. A host counts how long each other host has been silent, and tells all
// others which members it misses; so it knows whom the others miss. From that it judges which member to
// remove (specs: views, section 3):
//
//     a member that it misses, and most of the others miss, too: it is dead, or cut off;
//     of two members one of which misses the other, though this host hears both, the one that has trouble
//     with more members: they can never exchange reports, so no view with both is ever complete.
//
// A wrong judgement costs time, and never safety.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/describe.hpp>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace allot::host {

using Ticks = std::uint32_t;

class Hearing {
public:
    // The surroundings of a call.
    struct Here {
        SiteId self;
        const std::vector<Peer>& members;  // of the newest view
        Ticks silence = 0;                 // after which a host is missed; 0: nobody ever is
        Ticks return_within = 0;           // the same for one whose daemon has ended; it may come back
        bool confirm = true;               // a member is dead if most of the others say so, too
        // After so long one of two members that do not hear each other is removed.
        Ticks quarrel() const { return 3 * silence; }
    };

    void heard(SiteId host) { silences_[host] = 0; }
    // That host says which members it misses.
    void told(SiteId host, const std::vector<SiteId>& misses);
    // The daemon of that host has ended, or is back.
    void ended(SiteId host, bool has_ended);
    // `late`: this host did not run for a while, so it may have missed the signs of others.
    void tick(const Here& here, std::uint32_t hosts, bool late);
    // Ticks until this host may miss another one, or has seen enough of a quarrel.
    Ticks due_in(const Here& here, Ticks most) const;

    bool misses(const Here& here, SiteId host) const;
    bool hears(const Here& here, SiteId host) const {
        return host == here.self || (!ended_.contains(host) && !misses(here, host));
    }
    std::vector<SiteId> missed(const Here& here) const;
    bool is_dead(const Here& here, SiteId member) const;
    bool loses_quarrel(const Here& here, SiteId member) const;
    // Whether this host, which is no member, would quarrel with one: it misses a member that others hear.
    bool would_quarrel(const Here& here) const;

    bool operator==(const Hearing&) const = default;

private:
    using Pair = std::pair<SiteId, SiteId>;  // the first misses the second

    Ticks patience(const Here& here, SiteId host) const;
    bool is_missed_by(SiteId host, SiteId other) const;
    std::size_t troubles(const Here& here, SiteId member) const;
    std::size_t witnesses(const Here& here, SiteId member, bool missing) const;

    boost::container::flat_map<SiteId, Ticks> silences_;  // since a message of the host
    boost::container::flat_map<SiteId, std::vector<SiteId>>
        misses_;                                        // as the others say, unless it is nobody
    boost::container::flat_map<Pair, Ticks> quarrels_;  // of members that this host hears both
    std::set<SiteId> ended_;                            // whose daemons have ended

    BOOST_DESCRIBE_CLASS(Hearing, (), (), (), (silences_, misses_, quarrels_, ended_))
};

}  // namespace allot::host
