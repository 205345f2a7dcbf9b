// Recovery: how a protocol goes on in a new view (specs: views, section 4). A protocol P offers
//     holdings(ctx)                        what the seats of this site use or wait for
//     P::rebuild(ctx, before, claims, fx)  the state of site ctx.self, made from the holdings of all members
//     P::among(config, sites, view)        the configuration for so many members of the view, or for these
//     forget_epoch(config)                 forgets what no rebuild needs
//     P::keeps_queues                      whether the holdings that wait keep their order in `rebuild`
//     P::has_seats                         whether a site serves programs beside the application; then also
//     abandon()                            the application has ended its request, and nobody has to be told
// `rebuild` is a pure function, and all members have the same claims at hand, so that together they make one
// token of each resource. It sends no message of a request that the claims know; a site that gets all it
// waits for announces its grant. Every epoch is an incarnation of the sites of P: ctx.incarnation is its
// number. Fallback<P> (fallback.hpp) offers all of this for most token protocols.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace allot::agreement {

// The place of a request in the order of an epoch, the smallest first: a stamp, or an exact fraction.
struct Rank {
    Stamp stamp;
    std::uint64_t sum = 0;
    std::uint32_t count = 1;
    bool operator==(const Rank&) const = default;
};
BOOST_DESCRIBE_STRUCT(Rank, (), (stamp, sum, count))

// The first rank of a request, and the epoch in which it got that. It never changes: an order by the newest
// ranks would mix epochs where only some members have completed a view.
struct Birth {
    std::uint32_t epoch = 0;
    Rank rank;
    bool operator==(const Birth&) const = default;
    bool before(const Birth& other) const;
};
BOOST_DESCRIBE_STRUCT(Birth, (), (epoch, rank))

// The demand that a seat of a member uses (holding) or waits for (waiting). The application has seat 0.
struct Holding {
    std::uint32_t seat = 0;
    Phase phase = Phase::idle;
    Demand demand;
    std::optional<Birth> birth;  // of a waiting request that has a rank
    // Of one that is in use, if its host tells fences to programs: one for each resource of the demand.
    std::vector<Fence> fences{};
    bool operator==(const Holding&) const = default;
};
BOOST_DESCRIBE_STRUCT(Holding, (), (seat, phase, demand, birth, fences))

using Holdings = std::vector<Holding>;

bool mentions_application(const Holdings& holdings);

// A holding and the place of its host in the new view.
struct Claim : Holding {
    SiteId host = 0;
};

// All holdings: first those in use, by host; then those waited for, by birth, and without a birth by host.
std::vector<Claim> claims_of(std::span<const Holdings> hosts);

// Two hosts may say that they use one resource, if one of them errs or lies. The claim with the larger fence
// stays; takes the others out, and returns them.
std::vector<Claim> take_refuted(std::vector<Claim>& claims);

// A site at the end of the old epoch, and the places that the members of the new one had in it.
template <class P>
struct Before {
    const P& site;
    std::vector<std::optional<SiteId>> places;
};

}  // namespace allot::agreement
