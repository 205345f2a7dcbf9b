// The view of a property: sites with everything that a driver keeps beside their protocol state, the messages
// in flight, and the report that the property writes.
//
// Drivers know no protocol: they see a site as a Site and a message in flight as an Envelope. Typed
// versions are derived from these: SiteOf<P> adds the protocol's state, EnvelopeOf<Message> the message.
#pragma once

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/protocol.hpp"

namespace allot {

// absent: has not joined yet; down: crashed; left: went away in order.
enum class Standing : std::uint8_t { absent, up, down, left };
BOOST_DESCRIBE_ENUM(Standing, absent, up, down, left)

constexpr std::uint32_t unbounded_requests = 0xFFFFFFFF;

// The program behind a site, as it sees itself: it learns of grants and releases only through notices.
struct Application {
    Phase phase = Phase::idle;
    std::uint32_t requests_left = 0;
    Demand demand;
    std::vector<Fence> fences;
    bool revoked = false;
    bool operator==(const Application&) const = default;
};
BOOST_DESCRIBE_STRUCT(Application, (), (phase, requests_left, demand, fences, revoked))

// The failure detector of a site about one peer: the latest incarnations (plus 1; 0: none) that it trusted,
// that it reported dead and whose programs it reported stopped, and whether the link has lost messages, which
// the site does not know yet.
struct Watch {
    std::uint32_t trusted = 0;
    std::uint32_t reported = 0;
    bool interrupted = false;
    std::uint32_t stopped = 0;
    bool operator==(const Watch&) const = default;
};
BOOST_DESCRIBE_STRUCT(Watch, (), (trusted, reported, interrupted, stopped))

// The relation of a site to the agreed views, by their numbers (plus 1; 0: it has seen none), and to its
// lease.
struct Membership {
    std::uint32_t first = 0;
    std::uint32_t seen = 0;  // the newest
    bool lapsed = false;     // its lease has ended and was not renewed
    bool quiet = false;      // it knows that everybody who was removed before its first view has stopped
    bool operator==(const Membership&) const = default;
};
BOOST_DESCRIBE_STRUCT(Membership, (), (first, seen, lapsed, quiet))

// A program that has outlived the incarnation that granted it what it holds.
struct Orphan {
    std::uint32_t incarnation = 0;
    std::uint32_t keeper = 0;  // the latest incarnation under whose lease it ran
    Demand demand;
    std::vector<Fence> fences;
    bool adopted = false;     // it is the application of the site again
    std::uint32_t ticks = 0;  // since the crash, where they are bounded
    bool operator==(const Orphan&) const = default;
};
BOOST_DESCRIBE_STRUCT(Orphan, (), (incarnation, keeper, demand, fences, adopted, ticks))

// The receipt of the newest grant at a site, or of its adoption by a later incarnation.
struct Receipt {
    std::uint32_t incarnation = 0;  // that gave it
    Demand demand;
    bool outdated = false;  // a later incarnation has worked without the program
    bool operator==(const Receipt&) const = default;
};
BOOST_DESCRIBE_STRUCT(Receipt, (), (incarnation, demand, outdated))

struct Site {
    Standing standing = Standing::absent;
    std::uint32_t incarnation = 0;
    Application application;
    std::uint32_t armed = 0;       // one bit per timer
    SharedVector<Watch> detector;  // by peer; those at the end of which nothing was said have no entry
    bool unsynced = false;         // a write to the disk is under way
    std::string image;             // of the disk, as somebody copied it; may be restored later
    Membership membership;
    std::optional<Orphan> orphan;
    std::optional<Receipt> receipt;       // where programs may make false claims
    std::optional<std::uint32_t> missed;  // while it is paused: ticks of its clock that it has not handled
    bool operator==(const Site&) const = default;

    bool up() const { return standing == Standing::up; }
    bool paused() const { return missed.has_value(); }
    // Its lease has ended, though a site that is paused learns it only when it resumes.
    bool lease_over() const { return membership.lapsed || (paused() && membership.seen > 0); }
    bool holding() const { return up() && application.phase == Phase::holding; }
    // The demand of the program that runs here: the application's, or an orphan's.
    const Demand* in_use() const {
        if (orphan && !orphan->adopted) return &orphan->demand;
        return holding() && !only_claims() ? &application.demand : nullptr;
    }
    // Whether the application says that it holds something, which nobody has granted. It waits for the
    // answer: nothing could stop a program that asks nobody.
    bool only_claims() const {
        return orphan && orphan->adopted && orphan->incarnation == incarnation && membership.seen == 0;
    }
    // Whether the orphan runs under the lease of this incarnation, which has adopted it.
    bool has_taken_over() const { return orphan && orphan->adopted && membership.seen > 0; }
    Watch watch(SiteId peer) const { return peer < detector.size() ? detector[peer] : Watch{}; }
};
BOOST_DESCRIBE_STRUCT(Site, (),
                      (standing, incarnation, application, armed, detector, unsynced, image, membership,
                       orphan, receipt, missed))

template <class P>
struct SiteOf : Site {
    P protocol;
    bool operator==(const SiteOf&) const = default;
    BOOST_DESCRIBE_CLASS(SiteOf, (Site), (protocol), (), ())
};

struct Envelope {
    SiteId from = 0;
    SiteId to = 0;
    bool operator==(const Envelope&) const = default;
};
BOOST_DESCRIBE_STRUCT(Envelope, (), (from, to))

template <class Message>
struct EnvelopeOf : Envelope {
    Message message;
    bool operator==(const EnvelopeOf&) const = default;
    BOOST_DESCRIBE_CLASS(EnvelopeOf, (Envelope), (message), (), ())
};

template <class P>
struct View {
    const typename P::Config& config;
    std::span<const SiteOf<P>* const> sites;
    std::span<const EnvelopeOf<typename P::Message>* const> flight;
    // Whether messages of this run may have been lost or duplicated.
    bool loses = false;
    bool duplicates = false;

    const SiteOf<P>& site(SiteId id) const { return *sites[id]; }
};

// A world that may be rewritten, for `normalise`: deleting messages that can never act again and
// renaming what is only ever compared.
template <class P>
struct MutableView {
    const typename P::Config& config;
    std::vector<SiteOf<P>>& sites;
    std::vector<EnvelopeOf<typename P::Message>>& flight;
};

// Where a property says that it does not hold.
class Report {
public:
    void violated(std::string_view property, std::string detail) {
        if (!has(property)) violations_.push_back({std::string(property), std::move(detail)});
    }
    void add(const Report& other) {
        for (const Violation& violation : other.violations_) violated(violation.property, violation.detail);
    }
    bool clean() const { return violations_.empty(); }
    bool has(std::string_view property) const {
        return std::ranges::any_of(violations_,
                                   [&](const Violation& one) { return one.property == property; });
    }
    // Of the first violation; empty where there is none.
    std::string property() const { return clean() ? "" : violations_.front().property; }
    std::string detail() const { return clean() ? "" : violations_.front().detail; }
    // Forgets what `judges(property)` says no to.
    template <class Judges>
    void keep(Judges&& judges) {
        std::erase_if(violations_, [&](const Violation& violation) { return !judges(violation.property); });
    }

private:
    struct Violation {
        std::string property;
        std::string detail;
    };
    std::vector<Violation> violations_;
};

// One step as a monitor sees it: a request of an application, or a notice to it.
struct Event {
    enum class Kind : std::uint8_t {
        requested,
        granted,
        released,
        revoked,
        refused,
        cancelled,
        crashed,
        stopped,
    };
    Kind kind{};
    SiteId site = 0;
    Demand demand;
    std::vector<Fence> fences;
    bool operator==(const Event&) const = default;
};
BOOST_DESCRIBE_ENUM(Event::Kind, requested, granted, released, revoked, refused, cancelled, crashed, stopped)
BOOST_DESCRIBE_STRUCT(Event, (), (kind, site, demand, fences))

// A monitor is a described value that remembers what a property needs of the past; the world keeps it,
// shows it every event, and the checker counts it as part of the state.
template <class M>
concept Monitors = Reflectable<M> && std::equality_comparable<M> &&
    requires(M monitor, const Event& event, Report& report) {
    monitor.observe(event, report);
};

struct NoMonitor {
    void observe(const Event&, Report&) {}
    bool operator==(const NoMonitor&) const = default;
};
BOOST_DESCRIBE_STRUCT(NoMonitor, (), ())

// Fences of each resource only grow.
struct FencesGrow {
    boost::container::flat_map<ResourceId, Fence> last;

    void observe(const Event& event, Report& report) {
        if (event.kind != Event::Kind::granted) return;
        for (std::size_t i = 0; i < event.fences.size(); ++i) {
            const bool named = i < event.demand.resources.size();
            Fence& newest = last[named ? event.demand.resources[i] : ResourceId()];
            if (event.fences[i] <= newest)
                report.violated("fences-grow", "fence " + text(event.fences[i]) + " after " + text(newest));
            newest = event.fences[i];
        }
    }
    static std::string text(Fence fence) { return std::to_string(StampAccess::value(fence)); }
    bool operator==(const FencesGrow&) const = default;
};
BOOST_DESCRIBE_STRUCT(FencesGrow, (), (last))

}  // namespace allot
