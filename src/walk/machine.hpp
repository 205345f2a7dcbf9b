// A protocol as explorers and players see it. Handlers are pure, so each distinct site ("local state"),
// message ("envelope") and ledger is kept once and named by an id; a world is a tuple of ids, and a handler
// runs once per (local state, input). Walker (walker.hpp) turns a machine into the steps of a world.
//
// Threads: everything here may be called from several threads.
#pragma once

#include <atomic>
#include <boost/container/small_vector.hpp>
#include <boost/json/fwd.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/stable_vector.hpp"
#include "walk/interner.hpp"
#include "world/axioms.hpp"
#include "world/instance.hpp"
#include "world/setup.hpp"
#include "world/step.hpp"

namespace allot::world {
struct Entry;
}

namespace allot::walk {

using world::Facts;
using world::History;
using world::InputKind;
using world::Instance;
using world::Setup;

using LocalId = std::uint32_t;
using EnvelopeId = std::uint32_t;
using LedgerId = std::uint32_t;
using EventsId = std::uint32_t;

struct World {
    LedgerId ledger = 0;
    std::vector<LocalId> sites;
    std::vector<EnvelopeId> flight;  // fifo: by channel, oldest first; unordered: by id
    bool operator==(const World&) const = default;
};

// An input of a site. `argument` is a demand, an envelope, a timer, a view or a peer, after `kind`.
struct Input {
    InputKind kind{};
    std::uint32_t argument = 0;
    std::uint32_t incarnation = 0;  // of the peer
    bool operator==(const Input&) const = default;
};

// The result of an input, computed once per (local state, input).
struct Reaction {
    LocalId after = 0;
    EventsId events = 0;  // 0: nothing a monitor sees
    bool plain = false;   // the site goes on and sends, and that is all
    boost::container::small_vector<EnvelopeId, 4> sent;
    Report report;
    std::string refused;  // why, if the request was
};

// The stamps that occur in a thing, as a set of small numbers; `large` when one does not fit.
struct StampSet {
    std::uint64_t values = 0;
    bool large = false;
};

// Something a site may do without receiving a message, where the faults and peers of the world allow it.
struct Offer {
    Input input;
    bool fair = false;
};

struct LocalInfo {
    SiteId site = 0;
    Standing standing = Standing::absent;
    std::uint32_t incarnation = 0;
    Phase phase = Phase::idle;
    bool revoked = false;  // its application was told that what it holds is no longer its own
    bool may_crash = false;
    bool starting = false;  // wants to ask and may not yet, where that is judged
    bool unsynced = false;  // a write to its disk is under way
    bool copied = false;    // there is an image of its disk
    Membership membership;
    std::optional<std::uint32_t> orphan;  // the incarnation under whose lease an orphan runs
    bool lease_over = false;
    std::optional<std::uint32_t> missed;  // ticks, while it is paused
    bool abandoned = false;               // nobody has adopted the orphan
    std::uint32_t stopped = 0;            // number of incarnations of which no program runs any more ...
    std::uint32_t stopped_as_member = 0;  // ... if this one is a member of the newest view
    boost::container::small_vector<Offer, 2> offers;
    StampSet stamps;
    std::uint64_t clock = 0;  // new stamps of this site come after this one, if the protocol names its clock

    bool up() const { return standing == Standing::up; }
    bool paused() const { return missed.has_value(); }
    world::Attendance attendance() const {
        return {{site, incarnation}, up(), lease_over, abandoned, orphan, membership};
    }
    bool pending() const { return up() && (starting || phase == Phase::waiting || phase == Phase::leaving); }
};

struct EnvelopeInfo {
    SiteId from = 0;
    SiteId to = 0;
    std::uint32_t replaced_by = 0;  // one bit per timer
    std::uint64_t order = 0;        // messages in flight are kept by this: the channel, or the id
    bool prompt = false;
    StampSet stamps;
    // The envelope without its stamps: what stays the same when stamps are renamed.
    std::uint32_t shape = 0;
};

// The faults that may still happen. Monitors live beside it, inside the machine.
struct Budget {
    std::uint32_t crashes = 0;
    std::uint32_t restarts = 0;
    std::uint32_t leaves = 0;
    std::uint32_t duplicate = 0;
    std::uint32_t lose = 0;
    std::uint32_t lies = 0;
    std::uint32_t lost_disks = 0;
    std::uint32_t restored_disks = 0;
    std::uint32_t cuts = 0;
    std::uint32_t expulsions = 0;
    std::uint32_t lapses = 0;
    std::uint32_t pauses = 0;
    std::uint32_t false_claims = 0;
    bool operator==(const Budget&) const = default;
};
BOOST_DESCRIBE_STRUCT(Budget, (),
                      (crashes, restarts, leaves, duplicate, lose, lies, lost_disks, restored_disks, cuts,
                       expulsions, lapses, pauses, false_claims))

// The state of what connects the sites: their links, the time, and the views on which they have agreed.
struct Conditions {
    std::uint64_t cut = 0;             // one bit per channel that delivers nothing
    std::vector<std::uint32_t> ahead;  // by site: ticks that its clock is ahead of the slowest; empty: none
    // Oldest first: the newest one, and those that a site may still see. Empty where the sites see none.
    std::vector<AgreedView> views;

    static std::uint64_t bit(SiteId from, SiteId to) {
        return std::uint64_t{1} << (from * world::most_sites_cut + to);
    }
    bool is_cut(SiteId from, SiteId to) const { return cut != 0 && (cut & bit(from, to)) != 0; }
    bool is_member(const Peer& peer) const { return !views.empty() && views.back().has(peer); }
    bool operator==(const Conditions&) const = default;
};
BOOST_DESCRIBE_STRUCT(Conditions, (), (cut, ahead, views))

struct LedgerInfo {
    Budget budget;
    Conditions conditions;
    std::vector<std::uint32_t> views;  // their ids, in the order of the conditions
    StampSet stamps;
};

// A renaming of stamps: pairs of old and new value, ascending.
using StampNames = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

class Machine {
public:
    Machine(std::unique_ptr<const Instance> instance, Setup setup);
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const Instance& instance() const { return *instance_; }
    const Facts& facts() const { return instance_->facts(); }
    const Setup& setup() const { return setup_; }
    // The line that makes this machine again, at the top of a scenario.
    const std::string& header() const { return header_; }
    void set_header(std::string header) { header_ = std::move(header); }

    // A driver whose walkers never rename stamps says so first: then local states need not know theirs.
    void keep_exact_stamps() { exact_stamps_ = true; }
    bool keeps_exact_stamps() const { return exact_stamps_; }
    // Whether walkers rename stamps, unless they are told otherwise.
    bool ranks() const { return setup_.ranked() && !exact_stamps_; }

    // The world after every founder has started, and what their starts violated.
    World initial(Report& report);
    World initial() {
        Report ignored;
        return initial(ignored);
    }

    const LocalInfo& local(LocalId id) const { return locals_[id]; }
    // Whether a message to this site arrives, now or at its next incarnation.
    bool receives(LocalId id) const {
        return local(id).up() || (setup_.strays && local(id).standing == Standing::down);
    }
    const EnvelopeInfo& envelope(EnvelopeId id) const { return envelopes_[id]; }
    const LedgerInfo& ledger(LedgerId id) const { return ledgers_[id]; }
    const Reaction& react(LocalId local, const Input& input);
    LedgerId observe(LedgerId ledger, EventsId events, Report& report);
    LedgerId spend(LedgerId ledger, std::uint32_t Budget::*what);
    LedgerId with_conditions(LedgerId ledger, const Conditions& conditions);

    // Forgets all local states and reactions, except those of the initial world and of `world`, whose sites
    // get other ids. For a long run that hardly ever comes back to a state: it is faster while what it needs
    // fits into a cache. Nobody else may use the machine meanwhile, nor an earlier id of a local state
    // afterwards.
    void forget_states_but(World& world);

    void check_state(const World& world, Report& report) const;
    // Whether the world is legitimate, where the protocol says what that is.
    bool legal(const World& world) const;

    // Whether, with stamps renamed, a handler ever made a stamp from Stamp{} where renaming may misplace it.
    bool stamps_from_nothing() const { return stamps_from_nothing_; }
    // One bit for each probe of the protocol that a step has taken.
    std::uint64_t probes_reached() const { return probes_reached_; }

    // Every local state, envelope and ledger so far, as bytes, in the order of their ids. A fresh machine of
    // the same instance that learns them gives them the same ids; it may know the first of them already.
    // False if the bytes are no such list.
    std::string known() const;
    bool learn(std::string_view known);

    // Canonical forms: `normalise` and `ignores` are the protocol's own, the others rename the stamps of one
    // thing.
    void normalise(World& world);
    bool ignores(LocalId receiver, LocalId sender, EnvelopeId envelope) const;
    // The next incarnation may act on a stray message that this one ignores.
    bool deletes_ignored() const { return facts().ignores_messages && setup_.normalise && !setup_.strays; }
    std::vector<std::uint64_t> stamps_of(const World& world) const;
    LocalId rename_local(LocalId id, const StampNames& names);
    EnvelopeId rename_envelope(EnvelopeId id, const StampNames& names);
    LedgerId rename_ledger(LedgerId id, const StampNames& names);

    // For people: scenario lines, and arbitrary starts.
    boost::json::value state(LocalId id) const;
    std::uint32_t requests_left(LocalId id) const { return sites_[id]->application.requests_left; }
    boost::json::value message(EnvelopeId id) const;
    std::string_view kind(EnvelopeId id) const;
    std::string_view timer_name(std::uint32_t timer) const;
    std::optional<std::uint32_t> timer_named(std::string_view name) const;
    std::vector<Demand> demands() const;
    std::uint32_t intern_demand(const Demand& demand);
    const Demand& demand(std::uint32_t id) const { return demands_[id]; }
    const AgreedView& view(std::uint32_t id) const { return views_[id]; }
    // Why there are no messages of this kind.
    std::optional<std::string> unknown_kind(std::string_view kind) const;
    // Both give an error sentence instead of changing anything where the JSON does not fit.
    std::optional<std::string> merge_state(LocalId& local, const boost::json::value& part);
    std::optional<std::string> make_message(SiteId from, SiteId to, const boost::json::value& message,
                                            EnvelopeId& made);
    // Every site and up to `noise` messages per channel drawn at random within their domains.
    World arbitrary(std::uint64_t seed, std::uint32_t noise);

private:
    // The faults that may still happen, and the protocol's monitor.
    struct Ledger {
        Budget budget;
        Conditions conditions;
        Box<History> history;
    };
    struct ReactionKey {
        std::uint64_t place, what;
        bool operator==(const ReactionKey&) const = default;
        friend std::size_t hash_value(const ReactionKey& key) {
            return static_cast<std::size_t>((key.place * 0x9E3779B97F4A7C15u) ^
                                            (key.what * 0xC2B2AE3D27D4EB4Fu));
        }
    };
    using Offers = decltype(LocalInfo::offers);

    World make_initial(Report& report);
    Conditions initial_conditions() const;
    Report judged(Report report) const;
    template <class F>
    auto with_view(const World& world, F&& f) const;

    // A copy that may change, in memory that was in use before.
    Box<Site> copy_of(LocalId id);
    void recycle(Box<Site> site);

    // These keep what they are given, if it is new.
    LocalId intern_local(SiteId self, Box<Site> site);
    EnvelopeId intern_envelope(Box<Envelope> envelope);
    LedgerId intern_ledger(Ledger ledger);
    EventsId intern_events(const std::vector<Event>& events);
    std::uint32_t intern_view(const AgreedView& view);

    LocalInfo describe_local(SiteId self, const Site& site);
    EnvelopeInfo describe_envelope(const Envelope& envelope);
    std::uint32_t shape_of(const Envelope& envelope, const StampSet& stamps);
    Offers offers(SiteId self, const Site& site);
    void offer_application(SiteId self, const Site& site, Offers& offers);
    void offer_timers(const Site& site, Offers& offers);
    void offer_membership(SiteId self, const Site& site, Offers& offers);
    static void offer_orphan(const Site& site, Offers& offers);
    void offer_claims(SiteId self, const Site& site, Offers& offers);
    void offer_detector(SiteId self, const Site& site, Offers& offers);
    void run(SiteId self, Site& site, const Input& input);
    void note_probes(Report& report);
    void watch_stamps(LocalId local, const Input& input, const Reaction& reaction);
    // Puts exactly these messages in flight, in the order that the links keep.
    void launch(World& world, std::vector<Box<Envelope>> sent);

    const std::unique_ptr<const Instance> instance_;
    const Setup setup_;
    std::string header_;
    bool exact_stamps_ = false;

    // Explorers ask for these all the time; they are kept apart from the values and close together.
    StableVector<LocalInfo> locals_;
    StableVector<EnvelopeInfo> envelopes_;
    StableVector<LedgerInfo> ledgers_;
    std::atomic<bool> stamps_from_nothing_ = false;
    std::atomic<std::uint64_t> probes_reached_ = 0;

    mutable std::recursive_mutex mutex_;
    world::Stepper stepper_;
    Interner<Box<Site>> sites_;
    Interner<Box<Envelope>> messages_;
    Interner<std::monostate> shapes_;  // messages without stamps
    Interner<Ledger> books_;
    Interner<std::vector<Event>> events_;
    Interner<Demand> demands_;
    std::vector<std::vector<std::uint32_t>> demands_of_;  // by site
    Interner<AgreedView> views_;
    boost::unordered_flat_map<ReactionKey, const Reaction*> reaction_of_;
    std::deque<Reaction> reactions_;
    std::string key_;               // of what is interned; its memory is used again
    std::vector<Box<Site>> spare_;  // for copies: a large state has dozens of allocations
    std::optional<std::pair<World, Report>> initial_;
};

// Makes the machine that the parameters describe: those of the protocol, and those of its surroundings.
Result<std::unique_ptr<Machine>> make_machine(const world::Entry& entry, const Parameters& given);

}  // namespace allot::walk
