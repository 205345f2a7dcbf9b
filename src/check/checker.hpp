// The model checker: explores every world that a machine can reach and judges its properties.
//
// Exploration is breadth first, level by level, on all threads: each thread owns the worlds whose hash falls
// to it. So the first violation has the fewest steps. Afterwards the checker judges liveness on the whole
// graph, whose edges it recomputes (liveness.hpp). Violations come with the steps that lead to them. When a
// stop is due (base/stop.hpp), the check ends and reports what it knows; before it knows anything, it throws
// stop::Due.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/function_ref.hpp"
#include "check/checkpoint.hpp"
#include "check/store.hpp"
#include "check/waits.hpp"
#include "walk/machine.hpp"
#include "walk/walker.hpp"

namespace allot::check {

struct Progress {
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint64_t depth = 0;
    std::size_t bytes = 0;
    std::string_view doing;  // "exploring", "liveness"
};

// Writes a checkpoint to the stream.
using WriteCheckpoint = FunctionRef<void(std::ostream&)>;

struct Options {
    unsigned threads = 1;
    std::size_t memory_bytes = std::size_t{4} << 30;
    StoreKind store = StoreKind::exact;
    std::vector<walk::World> starts;                   // empty: the machine's initial world
    bool waits = false;                                // find the longest wait of each site
    bool from_anywhere = false;                        // starts are arbitrary: judge convergence
    std::function<void(const Progress&)> on_progress;  // called often, by one thread at a time
    // Called as often between two rounds, and with `last` when the exploration has ended without a violation;
    // needs the exact store and a subject.
    std::function<void(bool last, WriteCheckpoint write)> on_checkpoint;
    Subject subject;
    std::istream* resume = nullptr;  // after checkpoint_error() and the number of threads
};

enum class Verdict : std::uint8_t { holds, violated, bounded };
BOOST_DESCRIBE_ENUM(Verdict, holds, violated, bounded)

struct Violation {
    std::string property;
    std::string detail;
    walk::World start;
    std::vector<walk::Move> steps;
    std::vector<walk::Move> cycle;  // repeats forever after the steps
    std::optional<SiteId> site;     // the site concerned, if it is one
    bool replayed = true;           // holds with exact stamps and messages too
};

struct Result {
    Verdict verdict = Verdict::holds;
    std::vector<std::string> checked;    // properties that were judged completely
    std::vector<std::string> unchecked;  // requested, but not judged, and why
    std::string stopped_by;              // why the search is bounded
    bool cut_short = false;              // by a limit or an interruption: a resumed check may have a verdict
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint64_t depth = 0;
    double seconds = 0;
    double cpu_seconds = 0;
    double bytes_per_state = 0;  // peak resident memory of the process over states
    double omission_probability = 0;
    std::uint64_t guesses = 0;  // see Walker::guesses
    std::vector<Wait> waits;    // by site, if requested and nothing is violated
    std::vector<Violation> violations;
};

// The properties that a check of this machine judges.
std::vector<PropertyName> properties_of(const walk::Machine& machine, bool from_anywhere);

// The violation as a scenario file that replays it.
std::string scenario_of(walk::Machine& machine, const Violation& violation);

Result check(walk::Machine& machine, const Options& options);

// True if fair steps can lead from this world to one in which the site no longer waits.
bool can_be_served(walk::Machine& machine, const walk::World& start, SiteId site);

}  // namespace allot::check
