#include "sim/metrics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace allot::sim {

// Values below 2^precision have a bucket each; above, every power of two has 2^(precision - 1) buckets, which
// are the upper half of the numbers.
std::size_t Histogram::bucket(Time value) {
    const auto width = static_cast<unsigned>(std::bit_width(value));
    const unsigned shift = width > precision ? width - precision : 0;
    return (static_cast<std::size_t>(shift) << precision) + static_cast<std::size_t>(value >> shift);
}

Time Histogram::highest(std::size_t bucket) {
    const auto shift = static_cast<unsigned>(bucket >> precision);
    const Time digits = bucket & ((std::size_t{1} << precision) - 1);
    return ((digits + 1) << shift) - 1;
}

Time Histogram::quantile(double share) const {
    const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        seen += counts_[i];
        if (counts_[i] > 0 && seen >= wanted) return std::min(highest(i), max_);
    }
    return max_;
}

void Overtakes::requested(SiteId site) {
    if (owner_.size() == weight_.size()) rebuild();
    place_[site] = static_cast<std::uint32_t>(owner_.size());
    owner_.push_back(site);
    ++open_;
}

std::uint64_t Overtakes::granted(SiteId site) {
    const std::uint64_t overtaken = so_far(site);
    const std::size_t place = place_[site];
    abandoned(site);
    if (place != nowhere) mark(place, 1);
    return overtaken;
}

void Overtakes::abandoned(SiteId site) {
    if (place_[site] == nowhere) return;
    owner_[place_[site]] = nobody;
    place_[site] = nowhere;
    --open_;
}

std::uint64_t Overtakes::so_far(SiteId site) const {
    return place_[site] == nowhere ? 0 : marks_ - marks_before(place_[site]);
}

void Overtakes::mark(std::size_t place, std::uint64_t marks) {
    weight_[place] += marks;
    marks_ += marks;
    for (std::size_t i = place + 1; i <= tree_.size(); i += i & (~i + 1)) tree_[i - 1] += marks;
}

std::uint64_t Overtakes::marks_before(std::size_t place) const {
    std::uint64_t sum = 0;
    for (std::size_t i = place; i > 0; i &= i - 1) sum += tree_[i - 1];
    return sum;
}

// Only open requests keep a place; the marks behind a place move to the nearest open one before them. Marks
// without an open request before them are useless.
void Overtakes::rebuild() {
    std::vector<SiteId> owners;
    std::vector<std::uint64_t> weights(std::max<std::size_t>(64, 4 * open_));
    for (std::size_t place = 0; place < owner_.size(); ++place) {
        if (owner_[place] != nobody) {
            place_[owner_[place]] = static_cast<std::uint32_t>(owners.size());
            owners.push_back(owner_[place]);
        }
        if (!owners.empty()) weights[owners.size() - 1] += weight_[place];
    }
    owner_ = std::move(owners);
    weight_.assign(weights.size(), 0);
    tree_.assign(weights.size(), 0);
    marks_ = 0;
    for (std::size_t place = 0; place < weights.size(); ++place)
        if (weights[place] > 0) mark(place, weights[place]);
}

void Metrics::begin(Time now) {
    use_until(now);
    began_ = now;
    requests_ = delivered_ = overtakes_max_ = grants_seen_max_ = revoked_ = 0;
    std::fill(by_kind_.begin(), by_kind_.end(), 0);
    waiting_.clear();
    leaving_ms_ = {};
    changed_.assign(changed_.size(), false);
    refusals_ = 0;
    takeover_ms_ = {};
    waiting_ms_by_size_.clear();
    unit_time_ = 0;
    max_in_use_ = in_use_;
}

void Metrics::requested(SiteId site, Time now) {
    ++requests_;
    since_[site] = now;
    overtakes_.requested(site);
    grants_before_[site] = grants_;
}

void Metrics::granted(SiteId site, std::uint64_t size, Time now) {
    const Time waited = now - since_[site];
    changed_[site] = true;
    last_grant_ = now;
    waiting_.add(waited);
    waiting_ms_by_size_[size].add(in_ms(waited));
    overtakes_max_ = std::max(overtakes_max_, overtakes_.granted(site));
    // An empty demand neither waits nor makes others wait.
    if (size == 0) return;
    grants_seen_max_ = std::max(grants_seen_max_, grants_ - grants_before_[site]);
    ++grants_;
}

void Metrics::corrupted(Time now) {
    ++recovery_.corruptions;
    corruption_ = {now, sent_, probes_};
}

void Metrics::recovered(Time now) {
    recovery_.ms.add(in_ms(now - corruption_.at));
    recovery_.messages.add(static_cast<double>(sent_ - corruption_.sent));
    for (const auto& [probe, count] : probes_)
        recovery_.probes[probe].add(static_cast<double>(count - corruption_.probes[probe]));
}

bool Metrics::occupies(SiteId site, std::uint64_t units, Time now) {
    use_until(now);
    units_[site] = units;
    in_use_ += units;
    const bool most_so_far = in_use_ > max_in_use_;
    if (most_so_far) max_in_use_ = in_use_;
    return most_so_far;
}

void Metrics::lets_go(SiteId site, Time now) {
    use_until(now);
    in_use_ -= units_[site];
    units_[site] = 0;
    since_[site] = now;
}

void Metrics::let_go(SiteId site, Time now) {
    leaving_ms_.add(in_ms(now - since_[site]));
    changed_[site] = true;
}

namespace {

// Units without a name count as one resource.
template <class F>
void for_each_resource(const Demand& demand, F&& f) {
    for (const ResourceId resource : demand.resources) f(resource);
    if (demand.resources.empty()) f(ResourceId());
}

}  // namespace

void Metrics::lost(const Demand& demand, Time now) {
    for_each_resource(demand, [&](ResourceId resource) { lost_.insert_or_assign(resource, now); });
}

void Metrics::taken_over(const Demand& demand, Time now) {
    if (lost_.empty()) return;
    for_each_resource(demand, [&](ResourceId resource) {
        const auto place = lost_.find(resource);
        if (place == lost_.end()) return;
        takeover_ms_.add(in_ms(now - place->second));
        lost_.erase(place);
    });
}

Time Metrics::waited(SiteId site, Time now, Time patience) {
    const Time waited = now - since_[site];
    if (waited > patience && !changed_[site]) ++left_behind_;
    return waited;
}

bool Metrics::passed_over(SiteId site, Time now, Time patience) const {
    const std::uint64_t many = 4 * since_.size();
    return now - since_[site] > patience &&
           (now - last_grant_ > patience || grants_ - grants_before_[site] > many);
}

void Metrics::still_waiting(SiteId site, Time now, Time patience) {
    const Time open = waited(site, now, patience);
    if (open > patience) ++unserved_;
    open_longest_ = std::max(open_longest_, open);
    overtakes_max_ = std::max(overtakes_max_, overtakes_.so_far(site));
    grants_seen_max_ = std::max(grants_seen_max_, grants_ - grants_before_[site]);
}

void Metrics::still_leaving(SiteId site, Time now, Time patience) {
    const Time open = waited(site, now, patience);
    if (open > patience) ++unreleased_;
    leaving_ms_.max = std::max(leaving_ms_.max, in_ms(open));
}

void Metrics::use_until(Time now) {
    unit_time_ += static_cast<double>(in_use_) * static_cast<double>(now - in_use_since_);
    in_use_since_ = now;
}

Figures Metrics::figures(Time now, std::uint64_t capacity) const {
    Figures figures;
    const auto measured = static_cast<double>(now - began_);
    figures.requests = requests_;
    figures.grants = waiting_.count();
    figures.messages = std::accumulate(by_kind_.begin(), by_kind_.end(), std::uint64_t{0});
    figures.delivered = delivered_;
    for (const std::uint64_t messages : by_kind_) figures.messages_by_kind.push_back({"", messages});
    if (figures.grants > 0)
        figures.messages_per_grant =
            static_cast<double>(figures.messages) / static_cast<double>(figures.grants);
    figures.waiting_ms = {waiting_.mean() / static_cast<double>(millisecond), in_ms(waiting_.quantile(0.5)),
                          in_ms(waiting_.quantile(0.99)), in_ms(std::max(waiting_.max(), open_longest_))};
    figures.waiting_ms_by_size = waiting_ms_by_size_;
    Moments all;
    for (const auto& [size, waiting] : waiting_ms_by_size_) all += waiting;
    figures.waiting_ms.deviation = all.deviation();
    if (measured > 0) {
        const double used =
            unit_time_ + static_cast<double>(in_use_) * static_cast<double>(now - in_use_since_);
        figures.use_rate = used / measured / static_cast<double>(capacity);
        figures.grants_per_second =
            static_cast<double>(figures.grants) / measured * static_cast<double>(second);
    }
    figures.max_concurrent = max_in_use_;
    figures.overtakes_max = overtakes_max_;
    figures.grants_seen_max = grants_seen_max_;
    figures.recovery = recovery_;
    figures.unserved = unserved_;
    figures.takeover_ms = takeover_ms_;
    figures.revoked = revoked_;
    figures.releases = leaving_ms_.moments.count();
    figures.leaving_ms = leaving_ms_;
    figures.unreleased = unreleased_;
    figures.unchanged = static_cast<std::uint64_t>(std::ranges::count(changed_, false));
    figures.refusals = refusals_;
    figures.left_behind = left_behind_;
    figures.events = events_;
    return figures;
}

}  // namespace allot::sim
