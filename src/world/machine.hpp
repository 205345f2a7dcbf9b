// A protocol as explorers and players see it: without its types. Handlers are pure, so each distinct
// site ("local state"), message ("envelope") and ledger is kept once and named by an id; a world is a tuple
// of ids, and a handler runs once per (local state, input). MachineOf<P> (machine_of.hpp) is the only
// implementation; Walker (walker.hpp) turns it into the steps of a world.
//
// Threads: everything here may be called from several threads.
#pragma once

#include <atomic>
#include <boost/container/small_vector.hpp>
#include <boost/json/fwd.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/view.hpp"
#include "world/setup.hpp"
#include "world/stable_vector.hpp"
#include "world/step.hpp"

namespace allot::world {

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

// What a site is given. `argument` is a demand, an envelope, a timer or a peer, after `kind`.
struct Input {
    InputKind kind{};
    std::uint32_t argument = 0;
    std::uint32_t incarnation = 0;  // of the peer
    bool operator==(const Input&) const = default;
};

// What came of it. Computed once per (local state, input).
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
    boost::container::small_vector<Offer, 2> offers;
    StampSet stamps;
    std::uint64_t clock = 0;  // new stamps of this site come after this one, if the protocol names its clock

    bool up() const { return standing == Standing::up; }
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

// What is left of the faults that may still happen. Monitors live beside it, inside the machine.
struct Budget {
    std::uint32_t crashes = 0;
    std::uint32_t restarts = 0;
    std::uint32_t leaves = 0;
    std::uint32_t duplicate = 0;
    std::uint32_t lose = 0;
    std::uint32_t lies = 0;
    bool operator==(const Budget&) const = default;
};
BOOST_DESCRIBE_STRUCT(Budget, (), (crashes, restarts, leaves, duplicate, lose, lies))

struct LedgerInfo {
    Budget budget;
    StampSet stamps;
};

// A renaming of stamps: pairs of old and new value, ascending.
using StampNames = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

class Machine {
public:
    explicit Machine(Setup setup) : setup_(std::move(setup)) {}
    virtual ~Machine() = default;
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const Setup& setup() const { return setup_; }
    // The line that makes this machine again, at the top of a scenario.
    const std::string& header() const { return header_; }
    void set_header(std::string header) { header_ = std::move(header); }

    virtual std::string_view name() const = 0;
    virtual std::span<const PropertyName> properties() const = 0;
    virtual boost::json::value config_json() const = 0;
    // What the protocol does not know of this instance, for people.
    virtual std::optional<std::string> caveat() const = 0;
    // The world after every founder has started, and what their starts violated.
    virtual World initial(Report& report) = 0;
    World initial() {
        Report ignored;
        return initial(ignored);
    }

    const LocalInfo& local(LocalId id) const { return locals_[id]; }
    const EnvelopeInfo& envelope(EnvelopeId id) const { return envelopes_[id]; }
    const LedgerInfo& ledger(LedgerId id) const { return ledgers_[id]; }
    virtual const Reaction& react(LocalId local, const Input& input) = 0;
    virtual LedgerId observe(LedgerId ledger, EventsId events, Report& report) = 0;
    virtual LedgerId spend(LedgerId ledger, std::uint32_t Budget::*what) = 0;

    virtual void check_state(const World& world, Report& report) const = 0;
    // Whether the protocol says what a legitimate world is, and whether this is one.
    virtual bool says_legal() const = 0;
    virtual bool legal(const World& world) const = 0;

    // Whether, with stamps renamed, a handler ever made a stamp from Stamp{} where renaming may misplace it.
    bool stamps_from_nothing() const { return stamps_from_nothing_; }
    // The rare paths that the protocol names, and one bit for each that a step has taken.
    virtual std::vector<std::string_view> probes() const = 0;
    std::uint64_t probes_reached() const { return probes_reached_; }
    virtual bool hears_dead() const = 0;
    // Whether the protocol names messages that may be received at once.
    virtual bool has_prompt() const = 0;
    // Canonical forms: `normalise` is the protocol's own, the others rename the stamps of one thing.
    virtual bool normalises() const = 0;
    virtual void normalise(World& world) = 0;
    virtual std::vector<std::uint64_t> stamps_of(const World& world) const = 0;
    virtual LocalId rename_local(LocalId id, const StampNames& names) = 0;
    virtual EnvelopeId rename_envelope(EnvelopeId id, const StampNames& names) = 0;
    virtual LedgerId rename_ledger(LedgerId id, const StampNames& names) = 0;

    // For people: scenario lines, and arbitrary starts.
    virtual boost::json::value state(LocalId id) const = 0;
    virtual boost::json::value message(EnvelopeId id) const = 0;
    virtual std::string_view kind(EnvelopeId id) const = 0;
    virtual std::string_view timer_name(std::uint32_t timer) const = 0;
    virtual std::optional<std::uint32_t> timer_named(std::string_view name) const = 0;
    virtual std::vector<Demand> demands() const = 0;
    // Why these are not all that may be asked for: there would be too many to try.
    virtual std::optional<std::string> unlisted() const = 0;
    // Whether the protocol itself refuses what nobody can grant.
    virtual bool refuses_unfit() const = 0;
    virtual std::uint32_t intern_demand(const Demand& demand) = 0;
    virtual const Demand& demand(std::uint32_t id) const = 0;
    // Why there are no messages of this kind.
    virtual std::optional<std::string> unknown_kind(std::string_view kind) const = 0;
    // Both give an error sentence instead of changing anything where the JSON does not fit.
    virtual std::optional<std::string> merge_state(LocalId& local, const boost::json::value& part) = 0;
    virtual std::optional<std::string> make_message(SiteId from, SiteId to, const boost::json::value& message,
                                                    EnvelopeId& made) = 0;
    // Every site and up to `noise` messages per channel drawn anew within their domains.
    virtual bool has_domains() const = 0;
    virtual World arbitrary(std::uint64_t seed, std::uint32_t noise) = 0;
    // Why the protocol, as it is set up, cannot bear that much noise.
    virtual std::optional<std::string> wrong_noise(std::uint64_t noise) const = 0;

protected:
    // What explorers ask for all the time, apart from the values and close together.
    StableVector<LocalInfo> locals_;
    StableVector<EnvelopeInfo> envelopes_;
    StableVector<LedgerInfo> ledgers_;
    std::atomic<bool> stamps_from_nothing_ = false;
    std::atomic<std::uint64_t> probes_reached_ = 0;

private:
    Setup setup_;
    std::string header_;
};

}  // namespace allot::world
