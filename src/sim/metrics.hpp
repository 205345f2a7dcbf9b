// The figures of a run while it goes on. Cheap enough to be always on.
#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "sim/figures.hpp"

namespace allot::sim {

// Counts waiting times in buckets that are at most 1/128 of their value wide.
class Histogram {
public:
    Histogram() : counts_(std::size_t{65 - precision} << precision) {}

    void add(Time value) {
        ++counts_[bucket(value)];
        ++count_;
        sum_ += static_cast<double>(value);
        if (value > max_) max_ = value;
    }
    void clear() { *this = Histogram(); }

    std::uint64_t count() const { return count_; }
    Time max() const { return max_; }
    double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
    // The value that this share of all values does not exceed, up to the width of a bucket.
    Time quantile(double share) const;

private:
    static constexpr unsigned precision = 8;

    static std::size_t bucket(Time value);
    static Time highest(std::size_t bucket);

    std::vector<std::uint64_t> counts_;
    std::uint64_t count_ = 0;
    Time max_ = 0;
    double sum_ = 0;
};

// Counts how many later requests were granted before an earlier one that waited all the while. Every site has
// at most one open request.
//
// Open requests stand in a row in the order in which they were made. A grant leaves a mark at the place of
// its request, and a request was overtaken as often as there are marks behind it: a sum over a suffix, so the
// row is a Fenwick tree. When it is full, the marks behind each open request are merged, and the row is short
// again however long a site waits.
class Overtakes {
public:
    explicit Overtakes(std::size_t sites) : place_(sites, nowhere) { rebuild(); }

    void requested(SiteId site);
    // How often it was overtaken while it waited.
    std::uint64_t granted(SiteId site);
    void abandoned(SiteId site);
    std::uint64_t so_far(SiteId site) const;

private:
    static constexpr std::uint32_t nowhere = 0xFFFFFFFF;
    static constexpr SiteId nobody = 0xFFFFFFFF;

    void rebuild();
    void mark(std::size_t place, std::uint64_t marks);
    std::uint64_t marks_before(std::size_t place) const;

    std::vector<std::uint32_t> place_;   // of each site with an open request
    std::vector<SiteId> owner_;          // of each place
    std::vector<std::uint64_t> weight_;  // marks at each place
    std::vector<std::uint64_t> tree_;    // their Fenwick tree
    std::uint64_t marks_ = 0;
    std::size_t open_ = 0;
};

class Metrics {
public:
    Metrics(std::size_t sites, std::size_t kinds, std::span<const std::string_view> probes = {})
        : by_kind_(kinds),
          since_(sites),
          units_(sites),
          overtakes_(sites),
          grants_before_(sites),
          changed_(sites) {
        for (const std::string_view probe : probes) probes_[std::string(probe)] = 0;
    }

    // Begins to count.
    void begin(Time now);

    void event() { ++events_; }
    void sent(std::size_t kind) {
        ++by_kind_[kind];
        ++sent_;
    }
    void delivered() { ++delivered_; }
    void requested(SiteId site, Time now);
    void granted(SiteId site, std::uint64_t size, Time now);
    void abandoned(SiteId site) { overtakes_.abandoned(site); }
    // The site takes units, and returns them. True if more units are in use than ever before.
    bool occupies(SiteId site, std::uint64_t units, Time now);
    void lets_go(SiteId site, Time now);
    void revoked() { ++revoked_; }
    // A site crashes that held this; and somebody is granted it later.
    void lost(const Demand& demand, Time now);
    void taken_over(const Demand& demand, Time now);
    // The release is complete, at once or later.
    void let_go(SiteId site, Time now);
    void refused() { ++refusals_; }
    void passed(std::string_view probe) { ++probes_[std::string(probe)]; }
    // Everything was corrupted, and then the world was legitimate again. A recovery that another corruption
    // interrupts does not count.
    void corrupted(Time now);
    void recovered(Time now);
    // A request that is still open at the end.
    void still_waiting(SiteId site, Time now, Time patience);
    // The site still waits for `released` at the end of the run.
    void still_leaving(SiteId site, Time now, Time patience);

    // Whether an open request or release is older than the patience, and since then others were served many
    // times, or nobody was within the patience.
    bool passed_over(SiteId site, Time now, Time patience) const;

    std::uint64_t events() const { return events_; }
    Figures figures(Time now, std::uint64_t capacity) const;

private:
    void use_until(Time now);
    // How long the site has waited at the end; notes whether it never did anything else.
    Time waited(SiteId site, Time now, Time patience);

    Time began_ = 0;
    std::uint64_t events_ = 0;  // of the whole run, as a measure of work
    std::uint64_t requests_ = 0;
    std::uint64_t delivered_ = 0;
    std::vector<std::uint64_t> by_kind_;
    Histogram waiting_;
    Time open_longest_ = 0;  // of the requests that are open at the end
    std::map<std::uint64_t, Moments> waiting_ms_by_size_;
    std::vector<Time> since_;           // start of each open request or release
    std::vector<std::uint64_t> units_;  // in use by each site
    std::uint64_t in_use_ = 0;
    std::uint64_t max_in_use_ = 0;
    double unit_time_ = 0;  // units in use, summed over time
    Time in_use_since_ = 0;
    Overtakes overtakes_;
    std::uint64_t overtakes_max_ = 0;
    std::uint64_t grants_ = 0;                  // of the whole run, without empty ones
    std::vector<std::uint64_t> grants_before_;  // at the start of each open request
    Time last_grant_ = 0;
    std::uint64_t grants_seen_max_ = 0;
    std::uint64_t unserved_ = 0;
    std::uint64_t revoked_ = 0;
    boost::container::flat_map<ResourceId, Time> lost_;  // since when
    Spread takeover_ms_;
    Spread leaving_ms_;
    std::uint64_t unreleased_ = 0;
    std::vector<bool> changed_;  // sites that were granted something or released it
    std::uint64_t refusals_ = 0;
    std::uint64_t left_behind_ = 0;
    std::uint64_t sent_ = 0;  // of the whole run
    std::map<std::string, std::uint64_t> probes_;
    struct Corruption {
        Time at = 0;
        std::uint64_t sent = 0;
        std::map<std::string, std::uint64_t> probes;
    };
    Corruption corruption_;
    Recovery recovery_;
};

}  // namespace allot::sim
