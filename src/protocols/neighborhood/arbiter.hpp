// The machine behind `inclusion`, `exclusion`, `composition` and `sidetrack` (after Kamei and Kakugawa 2017).
//
// Each site is an arbiter of its neighbourhood: it gives away so many permissions to be out that enough sites
// stay in service, and so many permissions to be in that not too many are. A site that wants to turn round
// asks all arbiters of its neighbourhood, itself among them, for the permission it needs, and turns round
// when it has them all; then it gives back the permissions of the other kind.
//
// Requests are ordered by Lamport times. An arbiter without a permission for an earlier request asks a later
// one to return its permission; a site that still waits returns it and gets it again when it is its turn. A
// permission in use is not asked back: an arbiter sees which sites are in service by the permissions that
// come back. (With only one kind of permission it cannot see that. Then the only answer of a user is the
// permission itself, which comes back without conditions.)
//
// `sidetrack` has a leader. Within two hops of it, arbiters keep one permission of each kind in reserve. When
// all sites of the leader's neighbourhood wait, it suspects a deadlock and nominates one of them, whose
// request may take the reserve. That is enough on complete graphs with equal bounds, and not in general: see
// docs/neighborhood.md.
#pragma once

#include <array>
#include <boost/container/flat_set.hpp>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "core/protocol.hpp"
#include "protocols/neighborhood/instance.hpp"

namespace allot::neighborhood {

// The purpose of a permission: to be out of service (MUTIN), or to be in service (MUTEX).
enum class Kind : std::uint8_t { out, in };
BOOST_DESCRIBE_ENUM(Kind, out, in)

constexpr Kind other(Kind kind) {
    return kind == Kind::out ? Kind::in : Kind::out;
}

// A request as an arbiter keeps it; the least comes first.
struct RankedRequest {
    enum class Rank : std::uint8_t { nominated, usual };
    Rank rank = Rank::usual;
    Stamp tag;
    SiteId site = 0;
    auto operator<=>(const RankedRequest&) const = default;
};
BOOST_DESCRIBE_ENUM(RankedRequest::Rank, nominated, usual)
BOOST_DESCRIBE_STRUCT(RankedRequest, (), (rank, tag, site))

// The permissions of one kind, as an arbiter keeps them.
struct PermissionLists {
    boost::container::flat_set<RankedRequest> granted;  // grantedTo
    boost::container::flat_set<RankedRequest> pending;  // pendingReq
    std::optional<RankedRequest> preempting;            // preemptingNow: this one was asked back
    bool operator==(const PermissionLists&) const = default;
};
BOOST_DESCRIBE_STRUCT(PermissionLists, (), (granted, pending, preempting))

struct Request {
    Kind kind{};
    Stamp tag;  // the requester's clock
    bool operator==(const Request&) const = default;
};
struct Grant {
    Kind kind{};
    Stamp tag;    // of the request
    Stamp clock;  // of the arbiter: the receiver's next request comes after all that the arbiter has seen
    bool operator==(const Grant&) const = default;
};
struct Preempt {
    Kind kind{};
    Stamp tag;
    bool operator==(const Preempt&) const = default;
};
struct Relinquish {
    Kind kind{};
    Stamp tag;
    bool operator==(const Relinquish&) const = default;
};
struct Release {
    Kind kind{};
    bool operator==(const Release&) const = default;
};
// From the leader to the site that may take the reserve.
struct Trigger {
    Kind kind{};
    Stamp tag;
    bool operator==(const Trigger&) const = default;
};
struct RequestByTrigger {
    Kind kind{};
    Stamp tag;
    bool operator==(const RequestByTrigger&) const = default;
};
BOOST_DESCRIBE_STRUCT(Request, (), (kind, tag))
BOOST_DESCRIBE_STRUCT(Grant, (), (kind, tag, clock))
BOOST_DESCRIBE_STRUCT(Preempt, (), (kind, tag))
BOOST_DESCRIBE_STRUCT(Relinquish, (), (kind, tag))
BOOST_DESCRIBE_STRUCT(Release, (), (kind))
BOOST_DESCRIBE_STRUCT(Trigger, (), (kind, tag))
BOOST_DESCRIBE_STRUCT(RequestByTrigger, (), (kind, tag))

// Corrections of the published listings; false brings the defect back. A protocol describes those that matter
// to it.
struct Repairs {
    bool start_out = true;
    bool tags = true;
    bool spare_users = true;
    bool reconsider = true;
    bool nominate_any = true;
    bool thresholds = true;
    bool one_nominee = true;
    bool hard_caps = true;
    bool pay_back = true;
    bool start_margin = true;
    bool own_stamp = true;
    bool two_hops = true;
    bool forget_asked = true;
    bool fresh_tags = true;
    static constexpr Meaning meanings[]{
        {"start_out", "erratum 1: at the start, the sites that are out have permissions to be out"},
        {"tags", "erratum 2: an arbiter asks a request for a permission, not a site"},
        {"spare_users", "erratum 3: a permission in use is not asked back"},
        {"reconsider", "erratum 4: an arbiter looks for a permission to ask back after every change"},
        {"nominate_any", "errata 5, 10 and 12: the leader nominates whenever all wait"},
        {"thresholds", "erratum 5: as printed, but with reachable thresholds"},
        {"one_nominee", "erratum 6: one nominee at a time"},
        {"hard_caps", "erratum 7: not even a nominee gets more than the arbiter has"},
        {"pay_back", "erratum 8: a returned permission refills the reserve first"},
        {"start_margin", "erratum 9: the reserve exists at the start"},
        {"own_stamp", "erratum 11: the stamp of a request does not move with the clock"},
        {"two_hops", "erratum 13: the reserve is within two hops, not only one"},
        {"forget_asked", "erratum 19: a nominee's new request ends the question for its old one"},
        {"fresh_tags", "erratum 20: every request has a tag of its own"},
    };
};

// How many permissions of each kind an arbiter gives away.
using Caps = std::array<std::uint32_t, 2>;

struct ArbiterConfig : Neighborhood {
    std::array<bool, 2> kinds{true, true};  // permissions that the protocol uses
    std::optional<SiteId> leads;            // the leader

    std::vector<Caps> hard;
    std::vector<Caps> soft;  // without the reserve

    void derive();
    // With a reserve within two hops of the leader.
    void derive(SiteId leader, bool margin);

    bool uses(Kind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
    bool uses_both() const { return kinds[0] && kinds[1]; }
    std::uint32_t cap(SiteId site, Kind kind, RankedRequest::Rank rank) const {
        return (rank == RankedRequest::Rank::usual ? soft : hard)[site][static_cast<std::size_t>(kind)];
    }
    // Hops from a site to all others.
    std::vector<std::uint32_t> distances(SiteId from) const;

    BOOST_DESCRIBE_CLASS(ArbiterConfig, (Neighborhood), (), (), ())
};

class Arbiter {
public:
    using Message = std::variant<Request, Grant, Preempt, Relinquish, Release, Trigger, RequestByTrigger>;
    using Effects = allot::Effects<Message>;

    // The context of a handler, besides the state.
    struct Here {
        const ArbiterConfig& config;
        const Repairs& repairs;
        SiteId self;
    };

    void start(const Here& here);
    void begin(const Here& here, Phase phase, Effects& fx);
    void receive(const Here& here, SiteId from, const Grant& grant, Effects& fx);
    void receive(const Here& here, SiteId from, const Preempt& preempt, Effects& fx);
    void receive(const Here& here, SiteId from, const Trigger& trigger, Effects& fx);

    void receive(const Here& here, SiteId from, const Request& request, Effects& fx);
    void receive(const Here& here, SiteId from, const Release& release, Effects& fx);
    void receive(const Here& here, SiteId from, const Relinquish& relinquish, Effects& fx);
    void receive(const Here& here, SiteId from, const RequestByTrigger& request, Effects& fx);

    // The leader, after every step of its own.
    void nominate(const Here& here, Effects& fx);

    Phase phase() const { return phase_; }
    Stamp clock() const { return clock_; }
    bool in() const { return phase_ == Phase::holding || phase_ == Phase::leaving; }

    bool operator==(const Arbiter&) const = default;

private:
    friend struct ArbiterProperties;

    // The kind of permission that an open request is about.
    Kind wanted() const { return in() ? Kind::out : Kind::in; }
    bool is_open(const Here& here, Kind kind, Stamp tag) const;
    void turn_round(const Here& here, Effects& fx);
    template <class Letter>
    static void send_all(const Here& here, const Letter& letter, Effects& fx);

    PermissionLists& permissions(Kind kind) { return permissions_[static_cast<std::size_t>(kind)]; }
    const PermissionLists& permissions(Kind kind) const {
        return permissions_[static_cast<std::size_t>(kind)];
    }
    bool in_use(const Here& here, Kind kind, SiteId site) const;
    void note_use(Kind kind, SiteId site);
    void grant(Kind kind, const RankedRequest& entry, Effects& fx);
    void schedule(const Here& here, Kind kind, Effects& fx);
    void grant_pending(const Here& here, Kind kind, Effects& fx);
    void ask_back(const Here& here, Kind kind, const RankedRequest& first, Effects& fx);
    void forget(Kind kind, SiteId site);

    struct Nominee {
        Kind kind;
        RankedRequest entry;
    };
    std::optional<Nominee> best_nominee(const Here& here) const;
    void nominate_as_printed(const Here& here, Effects& fx);
    std::optional<Nominee> nominee_as_printed(const Here& here) const;

    Phase phase_ = Phase::idle;
    Stamp clock_;
    std::optional<Stamp> tag_;                    // of the open request
    boost::container::flat_set<SiteId> got_;      // arbiters that have granted it
    std::array<PermissionLists, 2> permissions_;  // as an arbiter: permissions to be out, and to be in
    boost::container::flat_set<SiteId> seen_;     // with both kinds: sites in service, as far as it sees
    std::optional<SiteId> nominee_;               // of the leader

    BOOST_DESCRIBE_CLASS(Arbiter, (), (), (), (phase_, clock_, tag_, got_, permissions_, seen_, nominee_))
};

// A Trigger in flight.
struct Nomination {
    SiteId site = 0;
    Stamp tag;
};

// I1 to I8 for all sites.
void check_arbiters(const ArbiterConfig& config, std::span<const Arbiter* const> sites,
                    std::span<const Nomination> under_way, Report& report);

}  // namespace allot::neighborhood
