// The content of the messages of `counters`: requests and tokens.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "protocols/multilock/mark.hpp"

namespace allot::counters {

using ResourceSet = boost::container::flat_set<ResourceId>;

// How far a site has come: counting is the paper's waitS (for counter values), waiting its waitCS (for
// tokens).
enum class State : std::uint8_t { idle, counting, waiting, holding };
BOOST_DESCRIBE_ENUM(State, idle, counting, waiting, holding)
constexpr Phase phase_of(State state) {
    if (state == State::idle) return Phase::idle;
    return state == State::holding ? Phase::holding : Phase::waiting;
}

// Numbers the requests of one site.
using Number = std::uint64_t;

// counter: asks for a value. token: asks for the token. loan: asks for the token, if only until its use ends.
enum class Kind : std::uint8_t { counter, token, loan };
BOOST_DESCRIBE_ENUM(Kind, counter, token, loan)

// Asks for one resource on behalf of one request (the paper's ReqCnt, ReqRes, ReqLoan).
struct Ask {
    Kind kind = Kind::counter;
    ResourceId resource;
    SiteId site = 0;  // the asking site
    Number number = 0;
    Mark mark;                // token and loan
    ResourceSet missing;      // loan: all tokens that the request lacks
    std::uint64_t clock = 0;  // counter, with Lamport times
    bool single = false;  // counter: the request is for this resource only, so it enters the queue at once
    SiteId holder = 0;    // the site that the sender takes for the holder of the token ...
    Stamp hop;            // ... after this number of hops; both only with homes
    bool operator==(const Ask&) const = default;
};
BOOST_DESCRIBE_STRUCT(Ask, (), (kind, resource, site, number, mark, missing, clock, single, holder, hop))

// A place in the queue of a token. A site that waits for a loan waits for the token, too, so there is one
// queue for both (the paper has two, and loses requests that stand only in the second: E6).
struct Waiter {
    Mark mark;
    SiteId site = 0;
    Number number = 0;
    ResourceSet missing;  // not empty: a loan suffices
    bool operator==(const Waiter&) const = default;

    bool before(const Waiter& other) const {
        return mark < other.mark || (!(other.mark < mark) && site < other.site);
    }
};
BOOST_DESCRIBE_STRUCT(Waiter, (), (mark, site, number, missing))

// The requests that have ended: only of sites that asked for this resource.
struct Past {
    boost::container::flat_map<SiteId, Number> counted;  // have a counter value (lastReqC)
    boost::container::flat_map<SiteId, Number> served;   // have used the resource, or were cancelled (lastCS)
    bool operator==(const Past&) const = default;

    bool covers(const Ask& ask) const;
    bool covers(const Waiter& waiter) const;
};
BOOST_DESCRIBE_STRUCT(Past, (), (counted, served))

struct Token {
    ResourceId resource;
    std::uint64_t counter = 1;  // the next value
    Past past;
    std::vector<Waiter> queue;     // the waiting requests, earliest first (wQueue and wLoan)
    std::optional<SiteId> lender;  // the site to which it goes back
    Fence fence;                   // of the latest grant
    Stamp hop;                     // number of its moves; only with homes
    bool operator==(const Token&) const = default;

    // The next value, and not less than `clock`.
    std::uint64_t take(std::uint64_t clock);
    // One place per site: its newest request, at the earliest place it had since it last held the token.
    void enqueue(Waiter waiter);
    void dequeue(SiteId site);
    // Deletes requests that have ended.
    void purge(SiteId self);
};
BOOST_DESCRIBE_STRUCT(Token, (), (resource, counter, past, queue, lender, fence, hop))

// The knowledge of a site about one resource: it has the token, or knows a site that is nearer to it.
struct Branch {
    std::optional<Token> token;
    SiteId father = 0;  // tokDir; without meaning while the token is here
    Stamp father_hop;   // the hop that brought the token there; only with homes
    Past past;          // as the token said when it left
    // Requests that wait for the token to come here: the newest of each kind and site.
    boost::container::flat_map<std::pair<SiteId, Kind>, Ask> pending;
    bool operator==(const Branch&) const = default;

    bool obsolete(const Ask& ask) const { return (token ? token->past : past).covers(ask); }
    void keep(Ask ask);
};
BOOST_DESCRIBE_STRUCT(Branch, (), (token, father, father_hop, past, pending))

}  // namespace allot::counters
