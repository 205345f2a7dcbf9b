// The figures of one run or of several. docs/simulator.md defines each of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/time.hpp"

namespace allot::sim {

struct Waiting {
    double mean = 0;
    double p50 = 0;
    double p99 = 0;
    double max = 0;
    double deviation = 0;
};

// Mean and standard deviation of numbers that are added one by one or in groups (Welford; Chan, Golub,
// LeVeque).
class Moments {
public:
    void add(double value) { *this += Moments(value); }
    Moments& operator+=(const Moments& other);

    Moments() = default;
    explicit Moments(double value) : count_(1), mean_(value) {}

    std::uint64_t count() const { return count_; }
    double mean() const { return mean_; }
    double deviation() const;

private:
    std::uint64_t count_ = 0;
    double mean_ = 0;
    double squares_ = 0;  // of the distances from the mean
};

struct Spread {
    Moments moments;
    double max = 0;

    void add(double value) {
        moments.add(value);
        max = std::max(max, value);
    }
    Spread& operator+=(const Spread& other) {
        moments += other.moments;
        max = std::max(max, other.max);
        return *this;
    }
};

// The cost of becoming legitimate again after a corruption of everything.
struct Recovery {
    std::uint64_t corruptions = 0;
    Spread ms;
    Spread messages;                       // sent
    std::map<std::string, Spread> probes;  // how often the protocol passed each of its probes
};

struct Violation {
    std::string property;
    std::string detail;
    Time at = 0;
    std::uint64_t seed = 0;
};

struct KindCount {
    std::string kind;
    std::uint64_t messages = 0;
};

struct Figures {
    std::uint64_t seeds = 1;
    std::uint64_t requests = 0;
    std::uint64_t grants = 0;
    double grants_per_second = 0;  // of simulated time
    std::uint64_t messages = 0;    // sent
    std::uint64_t delivered = 0;
    double messages_per_grant = 0;
    std::vector<KindCount> messages_by_kind;
    Waiting waiting_ms;
    std::map<std::uint64_t, Moments> waiting_ms_by_size;  // of the demands
    double use_rate = 0;
    std::uint64_t max_concurrent = 0;
    std::uint64_t overtakes_max = 0;
    std::uint64_t grants_seen_max = 0;  // to others, by a request that waited
    std::uint64_t unserved = 0;
    Spread takeover_ms;         // from the crash of a holder to the next grant of what it held
    std::uint64_t revoked = 0;  // grants whose holder was told to stop
    std::uint64_t releases = 0;
    Spread leaving_ms;             // from the release until it was complete
    std::uint64_t unreleased = 0;  // sites that still waited for their release at the end
    std::uint64_t unchanged = 0;   // sites that were never granted anything and never released
    std::uint64_t refusals = 0;
    std::uint64_t stalled = 0;  // sites that wait at the end and that nothing will serve
    // Where every site should be served again and again: the sites that never were and have waited longer
    // than the patience.
    std::uint64_t left_behind = 0;
    Recovery recovery;
    std::vector<Violation> violations;
    std::uint64_t events = 0;
    bool stopped = false;  // early, because a stop was due
    double cpu_seconds = 0;
    double events_per_second = 0;  // of CPU time
};

// Half the width of the 95 % confidence interval of each mean.
struct Intervals {
    double grants_per_second = 0;
    double messages_per_grant = 0;
    Waiting waiting_ms;  // all but max
    double use_rate = 0;
};

struct Summary {
    // Counts are sums over the runs, maxima the largest, waiting by size covers all grants together, and the
    // rest are means of the runs.
    Figures figures;
    Intervals interval;
};

Summary summarise(const std::vector<Figures>& runs);

// Student's t: half the width of the 95 % confidence interval of the mean. 0 for fewer than two samples.
double half_width(const std::vector<double>& samples);

}  // namespace allot::sim
