// A campaign: many random runs of one protocol, until one fails. The runs are independent, so all threads
// take part; the report does not depend on the number of threads.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "swarm/run.hpp"

namespace allot::swarm {

struct Progress {
    std::uint64_t runs = 0;
    std::uint64_t steps = 0;
};

struct Options {
    Parameters fixed;  // values of the user; all others are random
    std::uint64_t seed = 1;
    std::uint64_t runs = 1000;
    std::optional<std::uint64_t> only;  // repeat only this run
    Extent least;                       // of each run
    unsigned threads = 1;
    std::function<void(const Progress&)> on_progress;  // called after each run, one call at a time
};

struct Violation {
    Finding finding;
    std::uint64_t run = 0;
    std::uint64_t seed = 0;  // of the run
    std::string scenario;
    std::size_t steps_before_shrinking = 0;
    std::size_t steps = 0;
};

struct Campaign {
    std::uint64_t runs = 0;
    std::uint64_t steps = 0;
    Faults faults;
    Extent least;                                               // of the runs, each measure on its own
    std::vector<std::pair<std::string, std::uint64_t>> probes;  // with the number of runs that reached it
    std::map<std::string, std::set<std::string>> drawn;         // the values of each parameter
    double seconds = 0;
    std::string stopped_by;  // why runs are missing: a stop was due (base/stop.hpp), or some are too short
    std::optional<Violation> violation;
    std::string scenario;  // of a single run that does not fail
};

Result<Campaign> swarm(const world::Entry& entry, const Options& options);

// The command that repeats a run.
std::string command_of(const world::Entry& entry, const Options& options, std::uint64_t run);

}  // namespace allot::swarm
