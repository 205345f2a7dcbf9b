// The plan of a run: its length, the applications, the links and detectors, and the faults. A described
// struct, so every member is a flag: `warm_up` is written `--warm-up`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/parameters.hpp"
#include "core/types.hpp"
#include "core/view.hpp"
#include "sim/time.hpp"
#include "world/setup.hpp"

namespace allot::sim {

// Sites and the times of their events: `2@1s,5@3s`.
struct Schedule {
    struct Item {
        SiteId site = 0;
        Time at = 0;
        bool operator==(const Item&) const = default;
    };
    std::vector<Item> items;

    static Result<Schedule> parse(std::string_view name, std::string_view text);
    std::string text() const;
    bool operator==(const Schedule&) const = default;
};

// The demand of every request: `any` draws one of the protocol's; `3` units; `a,b` resources.
struct DemandChoice {
    std::optional<Demand> fixed;

    static Result<DemandChoice> parse(std::string_view name, std::string_view text);
    std::string text() const;
    bool operator==(const DemandChoice&) const = default;
};

// When a site cancels a request: never, or after a random time.
struct GiveUp {
    std::optional<Distribution> after;

    static Result<GiveUp> parse(std::string_view name, std::string_view text);
    std::string text() const { return after ? after->text() : "never"; }
    bool operator==(const GiveUp&) const = default;
};

// A time whose default depends on others.
struct OptionalTime {
    std::optional<Time> value;

    static Result<OptionalTime> parse(std::string_view name, std::string_view text);
    std::string text() const { return value ? time_text(*value) : "auto"; }
    bool operator==(const OptionalTime&) const = default;
};

struct OptionalCount {
    std::optional<std::uint64_t> value;

    static Result<OptionalCount> parse(std::string_view name, std::string_view text);
    std::string text() const { return value ? std::to_string(*value) : "auto"; }
    bool operator==(const OptionalCount&) const = default;
};

// `1s,3s`, or none.
struct TimeList {
    std::vector<Time> times;

    static Result<TimeList> parse(std::string_view name, std::string_view text);
    std::string text() const;
    bool operator==(const TimeList&) const = default;
};

// The error of a clock's rate, in millionths: `1%`, or 0.
struct Drift {
    std::uint32_t millionths = 0;

    static Result<Drift> parse(std::string_view name, std::string_view text);
    std::string text() const;
    bool operator==(const Drift&) const = default;
};

// The sites that a random crash may hit.
enum class Victims : std::uint8_t { anybody, holders };
BOOST_DESCRIBE_ENUM(Victims, anybody, holders)

// arbitrary: everything is random before the first event, as at the times of corrupt_at.
enum class Start : std::uint8_t { boot, arbitrary };
BOOST_DESCRIBE_ENUM(Start, boot, arbitrary)

struct Plan {
    Duration time{10 * second};
    Duration warm_up;  // the figures count from this time on

    // The workload.
    Distribution think = Distribution::exponential(10 * millisecond);
    HoldTime hold = Distribution::constant(millisecond);
    world::RequestCounts requests{{unbounded_requests}};
    DemandChoice demand;
    world::SiteList campers;  // these sites hold forever
    GiveUp give_up;           // time after which a waiting site cancels

    // The links.
    Distribution latency = Distribution::constant(600 * microsecond);
    world::LinkChoice links = world::LinkChoice::own;

    // The length of one tick of the sites' timers and clocks. Each clock is wrong by a constant of its own,
    // up to the drift.
    OptionalTime tick;  // default: 1 ms; 100 ms where sites have clocks
    Drift drift;
    Distribution fsync = Distribution::constant(0);  // time until a write is on the disk

    // The faults. `crashes` random sites crash at even intervals from crash_from to crash_to, and likewise
    // `cuts` sites are cut off from all others and `pauses` sites are paused.
    std::uint32_t crashes = 0;
    OptionalTime crash_from;  // default: a tenth of the time
    OptionalTime crash_to;    // default: half of the time
    Schedule crash;
    std::uint32_t crash_inside = 0;  // percentage of crashes that come inside the next step of the site
    Victims victims = Victims::anybody;
    GiveUp restart_after;  // time after which a site that crashed restarts
    std::uint32_t cuts = 0;
    Schedule cut;
    Distribution cut_for = Distribution::constant(second);
    std::uint32_t pauses = 0;
    Schedule pause;
    Distribution pause_for = Distribution::constant(100 * millisecond);
    Schedule restart;
    Schedule leave;
    std::uint32_t founders = 0;  // the other sites are absent until they join; 0: all are founders
    Schedule join;
    Start start = Start::boot;
    TimeList corrupt_at;      // times at which all variables and channels become random
    std::uint32_t noise = 1;  // maximum of messages on a random channel

    // The detector.
    Distribution detect = Distribution::constant(10 * millisecond);
    world::Trust trust = world::Trust::dense;
    world::AnchorChoice anchor;

    // The judgement.
    world::NameList property;  // judge only these
    OptionalCount verify;      // events between two judgements of the whole world; 0: never
    OptionalTime patience;     // age at the end from which an open request is unserved; a quarter of the time

    bool syncs_late() const { return fsync != Distribution::constant(0); }
    bool draws_faults() const { return crashes + cuts + pauses > 0; }
    bool corrupts() const { return start == Start::arbitrary || !corrupt_at.times.empty(); }
    Time from() const { return crash_from.value.value_or(time.value / 10); }
    Time to() const { return crash_to.value.value_or(time.value / 2); }
    Time patient_for() const { return patience.value.value_or(time.value / 4); }
    bool operator==(const Plan&) const = default;

    BOOST_DESCRIBE_CLASS(Plan, (),
                         (time, warm_up, think, hold, requests, demand, campers, give_up, latency, links,
                          tick, drift, fsync, crashes, crash_from, crash_to, crash, crash_inside, victims,
                          restart_after, cuts, cut, cut_for, pauses, pause, pause_for, restart, leave,
                          founders, join, start, corrupt_at, noise, detect, trust, anchor, property, verify,
                          patience),
                         (), ())
};

// Removes the members of a plan from `given`.
Result<Plan> take_plan(Parameters& given);

// Why this plan is impossible for this number of sites, if it is.
std::optional<std::string> values_error(const Plan& plan, std::uint32_t sites);

}  // namespace allot::sim
