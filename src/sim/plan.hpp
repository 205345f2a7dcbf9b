// What to run: how long, what the applications do, how the links and the detectors behave, and which faults
// happen when. A described struct, so every member is a flag: `warm_up` is written `--warm-up`.
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

// What happens to which site at which time: `2@1s,5@3s`.
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

// What every request asks for: `any` draws one of the protocol's demands; `3` units; `a,b` resources.
struct DemandChoice {
    std::optional<Demand> fixed;

    static Result<DemandChoice> parse(std::string_view name, std::string_view text);
    std::string text() const;
    bool operator==(const DemandChoice&) const = default;
};

// When a request is withdrawn: never, or after a time that is drawn.
struct GiveUp {
    std::optional<Distribution> after;

    static Result<GiveUp> parse(std::string_view name, std::string_view text);
    std::string text() const { return after ? after->text() : "never"; }
    bool operator==(const GiveUp&) const = default;
};

// A time that follows from others where nobody gives it.
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

// arbitrary: all is drawn anew before the first event, as at the times of corrupt_at.
enum class Start : std::uint8_t { boot, arbitrary };
BOOST_DESCRIBE_ENUM(Start, boot, arbitrary)

struct Plan {
    Duration time{10 * second};
    Duration warm_up;  // nothing before this counts in the figures

    // The workload.
    Distribution think = Distribution::exponential(10 * millisecond);
    HoldTime hold = Distribution::constant(millisecond);
    world::RequestCounts requests{{unbounded_requests}};
    DemandChoice demand;
    world::SiteList campers;  // these never let go of what they hold
    GiveUp give_up;           // who has waited so long withdraws its request

    // The links.
    Distribution latency = Distribution::constant(600 * microsecond);
    world::LinkChoice links = world::LinkChoice::own;

    // The clock of the sites: how long a tick of their timers is.
    Duration tick{millisecond};

    // The faults. `crashes` more sites, drawn at random, crash at even distances from crash_from to crash_to.
    std::uint32_t crashes = 0;
    OptionalTime crash_from;  // a tenth of the time
    OptionalTime crash_to;    // half of the time
    Schedule crash;
    std::uint32_t crash_inside = 0;  // so many of 100 crashes come inside the next step of the site
    Schedule restart;
    Schedule leave;
    std::uint32_t founders = 0;  // sites from this one on are absent until they join; 0: all are founders
    Schedule join;
    Start start = Start::boot;
    TimeList corrupt_at;      // then every variable and every channel is drawn anew
    std::uint32_t noise = 1;  // so many messages at most on each channel that is drawn

    // The detector.
    Distribution detect = Distribution::constant(10 * millisecond);
    world::Trust trust = world::Trust::dense;
    world::AnchorChoice anchor;

    // The judgement.
    OptionalCount verify;  // properties of the whole world every so many events; 0: only at the end
    OptionalTime
        patience;  // a request open at the end and older than this is unserved; a quarter of the time

    bool corrupts() const { return start == Start::arbitrary || !corrupt_at.times.empty(); }
    Time from() const { return crash_from.value.value_or(time.value / 10); }
    Time to() const { return crash_to.value.value_or(time.value / 2); }
    Time patient_for() const { return patience.value.value_or(time.value / 4); }
    bool operator==(const Plan&) const = default;

    BOOST_DESCRIBE_CLASS(Plan, (),
                         (time, warm_up, think, hold, requests, demand, campers, give_up, latency, links,
                          tick, crashes, crash_from, crash_to, crash, crash_inside, restart, leave, founders,
                          join, start, corrupt_at, noise, detect, trust, anchor, verify, patience),
                         (), ())
};

// Takes what a plan knows out of `given`.
Result<Plan> take_plan(Parameters& given);

// Why this plan makes no sense for so many sites, if it does not.
std::optional<std::string> wrong(const Plan& plan, std::uint32_t sites);

}  // namespace allot::sim
