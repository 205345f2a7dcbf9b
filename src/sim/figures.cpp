#include "sim/figures.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace allot::sim {

namespace {

double mean_of(const std::vector<double>& samples) {
    return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

void add_counts(Figures& all, const Figures& run) {
    all.requests += run.requests;
    all.grants += run.grants;
    all.messages += run.messages;
    all.delivered += run.delivered;
    all.unserved += run.unserved;
    all.takeover_ms += run.takeover_ms;
    all.revoked += run.revoked;
    all.releases += run.releases;
    all.leaving_ms += run.leaving_ms;
    all.unreleased += run.unreleased;
    all.unchanged += run.unchanged;
    all.refusals += run.refusals;
    all.stalled += run.stalled;
    all.left_behind += run.left_behind;
    all.events += run.events;
    all.cpu_seconds += run.cpu_seconds;
    all.stopped = all.stopped || run.stopped;
    all.violations.insert(all.violations.end(), run.violations.begin(), run.violations.end());
    if (all.messages_by_kind.empty()) {
        all.messages_by_kind = run.messages_by_kind;
    } else {
        for (std::size_t i = 0; i < run.messages_by_kind.size(); ++i)
            all.messages_by_kind[i].messages += run.messages_by_kind[i].messages;
    }
    all.max_concurrent = std::max(all.max_concurrent, run.max_concurrent);
    all.overtakes_max = std::max(all.overtakes_max, run.overtakes_max);
    all.grants_seen_max = std::max(all.grants_seen_max, run.grants_seen_max);
    all.recovery.corruptions += run.recovery.corruptions;
    all.recovery.ms += run.recovery.ms;
    all.recovery.messages += run.recovery.messages;
    for (const auto& [probe, count] : run.recovery.probes) all.recovery.probes[probe] += count;
    for (const auto& [size, waiting] : run.waiting_ms_by_size) all.waiting_ms_by_size[size] += waiting;
    all.waiting_ms.max = std::max(all.waiting_ms.max, run.waiting_ms.max);
}

}  // namespace

Moments& Moments::operator+=(const Moments& other) {
    if (other.count_ == 0) return *this;
    const auto mine = static_cast<double>(count_);
    const auto others = static_cast<double>(other.count_);
    const double apart = other.mean_ - mean_;
    count_ += other.count_;
    mean_ += apart * others / (mine + others);
    squares_ += other.squares_ + apart * apart * mine * others / (mine + others);
    return *this;
}

double Moments::deviation() const {
    return count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(count_ - 1));
}

double half_width(const std::vector<double>& samples) {
    if (samples.size() < 2) return 0;
    const auto count = static_cast<double>(samples.size());
    const double mean = mean_of(samples);
    double squares = 0;
    for (const double sample : samples) squares += (sample - mean) * (sample - mean);
    const boost::math::students_t t(count - 1);
    return boost::math::quantile(t, 0.975) * std::sqrt(squares / (count - 1) / count);
}

Summary summarise(const std::vector<Figures>& runs) {
    Summary summary;
    Figures& all = summary.figures;
    if (runs.empty()) return summary;
    all.seeds = runs.size();
    for (const Figures& run : runs) add_counts(all, run);
    const auto average = [&](auto&& of, double& mean, double& interval) {
        std::vector<double> samples;
        for (const Figures& run : runs) samples.push_back(of(run));
        mean = mean_of(samples);
        interval = half_width(samples);
    };
    Intervals& interval = summary.interval;
    average([](const Figures& run) { return run.grants_per_second; }, all.grants_per_second,
            interval.grants_per_second);
    average([](const Figures& run) { return run.messages_per_grant; }, all.messages_per_grant,
            interval.messages_per_grant);
    average([](const Figures& run) { return run.use_rate; }, all.use_rate, interval.use_rate);
    for (const auto member : {&Waiting::mean, &Waiting::p50, &Waiting::p99, &Waiting::deviation})
        average([member](const Figures& run) { return run.waiting_ms.*member; }, all.waiting_ms.*member,
                interval.waiting_ms.*member);
    all.events_per_second = all.cpu_seconds > 0 ? static_cast<double>(all.events) / all.cpu_seconds : 0;
    return summary;
}

}  // namespace allot::sim
