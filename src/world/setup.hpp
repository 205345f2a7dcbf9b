// The surroundings of the sites: requests, and the faults that may happen. Every driver that replays or
// explores reads the same setup, from flags or from the first line of a scenario. It is described, so every
// member but `sites` is a parameter: `--crashes 1` or `crashes=1`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.hpp"
#include "world/choices.hpp"
#include "world/instance.hpp"
#include "world/properties.hpp"

namespace allot::world {

// dense: everybody trusts everybody from the start. sparse: only the anchor does; elsewhere trust in a peer
// may come late, and for a peer that crashes never. anchor: elsewhere it never comes.
enum class Trust : std::uint8_t { dense, sparse, anchor };
BOOST_DESCRIBE_ENUM(Trust, dense, sparse, anchor)

// Whether stamps are replaced by their ranks. `own`: where requests are unbounded.
enum class Ranks : std::uint8_t { own, on, off };
BOOST_DESCRIBE_ENUM(Ranks, own, on, off)

// A world has one bit for each channel that may be cut.
constexpr std::uint32_t most_sites_cut = 8;

struct Setup {
    std::uint32_t sites = 0;

    RequestCounts requests{{1}};
    std::uint32_t founders = 0;
    bool cancel = false;
    std::uint32_t crashes = 0;
    std::uint32_t restarts = 0;
    std::uint32_t leaves = 0;
    std::uint32_t duplicate = 0;
    Amount lose;
    std::uint32_t lies = 0;
    Writes writes = Writes::instant;
    std::uint32_t lost_disks = 0;
    std::uint32_t restored_disks = 0;
    std::uint32_t cuts = 0;
    std::uint32_t skew = 0;
    std::uint32_t pauses = 0;
    std::uint32_t pause_ticks = 1;
    std::uint32_t expulsions = 0;
    std::uint32_t lapses = 0;
    bool orphans = false;
    std::uint32_t orphan_ticks = 0;
    std::uint32_t false_claims = 0;
    bool strays = false;
    Trust trust = Trust::dense;
    AnchorChoice anchor;
    LinkChoice links = LinkChoice::own;
    bool starts = false;
    bool full = false;
    Ranks ranks = Ranks::own;
    bool normalise = true;
    std::uint32_t backlog = 0;
    std::uint32_t copies = 0;
    SiteList campers;
    NameList property;

    static constexpr Meaning meanings[]{
        {"requests", "requests per site: a number, 2,2,1 (one per site) or any (unbounded)"},
        {"founders", "number of founders, the sites that do not join later; 0: all sites"},
        {"cancel", "a site may cancel a waiting request at any time"},
        {"crashes", "maximum of crashes, between steps or inside one"},
        {"restarts", "maximum of restarts of crashed sites"},
        {"leaves", "maximum of sites that leave in order"},
        {"duplicate", "maximum of messages that are delivered twice"},
        {"lose", "maximum of messages that get lost, or any"},
        {"lies", "maximum of false reports that a live site is dead"},
        {"writes", "instant: a write is durable in its step; late: some steps later"},
        {"lost_disks", "maximum of crashes that lose the disk"},
        {"restored_disks", "maximum of crashes after which an older copy of the disk is restored"},
        {"cuts", "maximum of cuts of a channel, which delivers nothing until it heals"},
        {"skew", "maximum difference of two clocks in ticks; 0: all clocks tick at once"},
        {"pauses", "maximum of pauses of a site, which handles nothing until it resumes"},
        {"pause_ticks", "maximum of ticks that a clock counts while its site is paused"},
        {"expulsions", "maximum of live sites that a view removes"},
        {"lapses", "maximum of leases of members that end before they are renewed"},
        {"orphans", "a crash ends the site only: its program goes on until it stops or is adopted"},
        {"orphan_ticks", "maximum of ticks that a program outlives its site; 0: any number"},
        {"false_claims", "maximum of programs that claim a grant without a receipt, or with an outdated one"},
        {"strays", "messages to a site that crashes reach its next incarnation, too"},
        {"trust",
         "dense: every detector trusts every site at once; sparse: late or never; anchor: only the "
         "anchor's does"},
        {"anchor", "the site that never crashes and that no detector suspects, none, or own: as needed"},
        {"links",
         "fifo, unordered, or own: what the protocol needs; lossy: each message comes any number of times"},
        {"starts", "a site that may not ask yet counts as waiting: every start must end"},
        {"full", "deliver no prompt message at once: explore every order of deliveries"},
        {"ranks", "on: rename stamps to small ones; own: where requests are unbounded"},
        {"normalise", "off: do not forget dead messages, nor bring worlds into a normal form"},
        {"backlog", "timers fire and clocks tick only while each channel holds fewer messages; 0: always"},
        {"copies", "a timer fires only while fewer messages that it replaces are in flight"},
        {"campers", "these sites may hold forever, as in 0,2"},
        {"property", "judge only this property; may be repeated"},
    };

    bool fifo() const { return links == LinkChoice::fifo; }
    Links order() const { return fifo() ? Links::fifo : Links::unordered; }
    bool judges(std::string_view name) const { return property.contains(name); }
    bool camps(SiteId site) const { return campers.contains(site); }
    bool lossy() const { return links == LinkChoice::lossy; }
    bool loses() const { return lose.value > 0 || lossy(); }
    bool duplicates() const { return duplicate > 0 || lossy(); }
    // Normalisation is unsound under loss and duplication.
    bool normalises() const { return normalise && !duplicates() && !loses(); }
    // A message that may be copied or lost, or come too late, must be seen in flight: then none is taken at
    // once.
    bool takes_prompt_messages() const {
        return !full && !cancel && pauses == 0 && !duplicates() && !loses();
    }
    bool ranked() const { return ranks == Ranks::own ? requests.unbounded() : ranks == Ranks::on; }

    BOOST_DESCRIBE_CLASS(Setup, (),
                         (requests, founders, cancel, crashes, restarts, leaves, duplicate, lose, lies,
                          writes, lost_disks, restored_disks, cuts, skew, pauses, pause_ticks, expulsions,
                          lapses, orphans, orphan_ticks, false_claims, strays, trust, anchor, links, starts,
                          full, ranks, normalise, backlog, copies, campers, property),
                         (), ())
};

// The parameters of a setup, with their meanings.
const std::vector<ParameterInfo>& setup_parameters();

// Reads the setup of an instance out of `given`, takes what it knows out of it, and puts what the instance
// needs where nobody chose: afterwards neither `links` nor `anchor` is `own`, and founders are counted.
Result<Setup> take_setup(Parameters& given, const Instance& instance);

// The site that no detector suspects where nobody says otherwise: the weakest detector of suspicions is still
// right about one.
std::optional<SiteId> default_anchor(const Instance& instance);

// Some site that may crash; none where the protocol says of every site that it never does.
std::optional<SiteId> some_mortal(const Instance& instance);

}  // namespace allot::world
