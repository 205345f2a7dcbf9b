#include "sim/metrics.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

#include "core/random.hpp"

namespace {

using namespace allot;
using namespace allot::sim;

TEST(Histogram, Keeps_mean_and_maximum_exactly_and_quantiles_closely) {
    Histogram histogram;
    double sum = 0;
    for (Time value = 1; value <= 100'000; ++value) {
        histogram.add(value * 1000);
        sum += static_cast<double>(value) * 1000;
    }
    EXPECT_DOUBLE_EQ(histogram.mean(), sum / 100'000);
    EXPECT_EQ(histogram.max(), 100'000'000u);
    EXPECT_NEAR(static_cast<double>(histogram.quantile(0.5)), 50e6, 50e6 / 128);
    EXPECT_NEAR(static_cast<double>(histogram.quantile(0.99)), 99e6, 99e6 / 128);
    EXPECT_EQ(histogram.quantile(1), 100'000'000u);
}

TEST(Histogram, Small_values_are_exact_and_the_largest_have_room) {
    Histogram histogram;
    for (const Time value : {Time{0}, Time{1}, Time{200}, ~Time{0}}) histogram.add(value);
    EXPECT_EQ(histogram.quantile(0.25), 0u);
    EXPECT_EQ(histogram.quantile(0.5), 1u);
    EXPECT_EQ(histogram.quantile(0.75), 200u);
    EXPECT_EQ(histogram.quantile(1), ~Time{0});
}

// The definition itself: at each grant, count up every older request that still waits.
TEST(Overtakes, Are_counted_as_their_definition_says) {
    constexpr SiteId sites = 40;
    Random random(11);
    Overtakes overtakes(sites);
    struct Open {
        std::uint64_t number = 0;
        std::uint64_t overtaken = 0;
    };
    std::map<SiteId, Open> open;
    std::uint64_t requests = 0;
    for (int step = 0; step < 50'000; ++step) {
        const auto site = static_cast<SiteId>(random(sites));
        if (!open.contains(site)) {
            open[site] = {++requests, 0};
            overtakes.requested(site);
        } else if (site != 0 && random(3) == 0) {  // site 0 waits for ever
            const Open granted = open[site];
            ASSERT_EQ(overtakes.granted(site), granted.overtaken);
            open.erase(site);
            for (auto& [other, waiting] : open)
                if (waiting.number < granted.number) ++waiting.overtaken;
        } else if (site != 0 && random(20) == 0) {
            overtakes.abandoned(site);
            open.erase(site);
        }
        ASSERT_EQ(overtakes.so_far(site), open.contains(site) ? open[site].overtaken : 0);
    }
    EXPECT_GT(overtakes.so_far(0), 1000u);
}

TEST(Metrics, Count_only_what_happens_after_the_warm_up) {
    Metrics metrics(3, 1);
    metrics.sent(0);
    metrics.requested(0, 0);
    metrics.granted(0, 2, 5 * millisecond);
    metrics.occupies(0, 2, 5 * millisecond);
    metrics.begin(10 * millisecond);
    metrics.sent(0);
    metrics.requested(1, 10 * millisecond);
    metrics.granted(1, 1, 12 * millisecond);
    metrics.occupies(1, 1, 12 * millisecond);
    metrics.lets_go(0, 15 * millisecond);
    const Figures figures = metrics.figures(20 * millisecond, 4);
    EXPECT_EQ(figures.grants, 1u);
    EXPECT_EQ(figures.messages, 1u);
    EXPECT_EQ(figures.max_concurrent, 3u);
    EXPECT_DOUBLE_EQ(figures.waiting_ms.mean, 2);
    // Two units for 5 ms and one for 8 ms, of 4 units for 10 ms.
    EXPECT_DOUBLE_EQ(figures.use_rate, 18.0 / 40);
    EXPECT_DOUBLE_EQ(figures.grants_per_second, 100);
}

TEST(Metrics, Keep_waiting_by_the_size_of_the_demand) {
    Metrics metrics(3, 1);
    const auto waits = [&](SiteId site, std::uint64_t size, Time time) {
        metrics.requested(site, 0);
        metrics.granted(site, size, time);
    };
    waits(0, 7, millisecond);
    metrics.begin(0);
    waits(0, 2, 3 * millisecond);
    waits(1, 2, 5 * millisecond);
    waits(2, 5, 10 * millisecond);
    const Figures figures = metrics.figures(second, 1);
    ASSERT_EQ(figures.waiting_ms_by_size.size(), 2u);
    EXPECT_EQ(figures.waiting_ms_by_size.at(2).count(), 2u);
    EXPECT_DOUBLE_EQ(figures.waiting_ms_by_size.at(2).mean(), 4);
    EXPECT_DOUBLE_EQ(figures.waiting_ms_by_size.at(2).deviation(), std::sqrt(2.0));
    EXPECT_EQ(figures.waiting_ms_by_size.at(5).deviation(), 0);
    EXPECT_DOUBLE_EQ(figures.waiting_ms.deviation, std::sqrt(13.0));  // of 3, 5 and 10

    const Summary both = summarise({figures, figures});
    EXPECT_EQ(both.figures.waiting_ms_by_size.at(2).count(), 4u);
    EXPECT_DOUBLE_EQ(both.figures.waiting_ms_by_size.at(2).mean(), 4);
    EXPECT_DOUBLE_EQ(both.figures.waiting_ms.deviation, std::sqrt(13.0));
}

TEST(Metrics, Tell_how_long_sites_wait_to_let_go) {
    Metrics metrics(3, 1);
    for (const SiteId site : {0u, 1u, 2u}) metrics.occupies(site, 1, 0);
    metrics.lets_go(0, 10 * millisecond);
    metrics.let_go(0, 10 * millisecond);
    metrics.lets_go(1, 10 * millisecond);
    metrics.let_go(1, 14 * millisecond);
    metrics.lets_go(2, 20 * millisecond);
    metrics.still_leaving(2, second, 500 * millisecond);
    metrics.still_leaving(2, second, second);
    const Figures figures = metrics.figures(second, 3);
    EXPECT_EQ(figures.releases, 2u);
    EXPECT_DOUBLE_EQ(figures.leaving_ms.moments.mean(), 2);
    EXPECT_DOUBLE_EQ(figures.leaving_ms.max, 980);  // still open
    EXPECT_EQ(figures.unreleased, 1u);
    EXPECT_EQ(figures.left_behind, 1u);

    const Summary both = summarise({figures, figures});
    EXPECT_EQ(both.figures.releases, 4u);
    EXPECT_EQ(both.figures.unreleased, 2u);
    EXPECT_DOUBLE_EQ(both.figures.leaving_ms.max, 980);
}

TEST(Metrics, Count_waits_that_are_open_at_the_end) {
    Metrics metrics(2, 1);
    metrics.requested(0, 0);
    metrics.granted(0, 1, 5 * millisecond);
    metrics.requested(1, 10 * millisecond);
    metrics.still_waiting(1, second, 2 * second);
    const Figures figures = metrics.figures(second, 1);
    EXPECT_DOUBLE_EQ(figures.waiting_ms.max, 990);
    EXPECT_DOUBLE_EQ(figures.waiting_ms.mean, 5);
    EXPECT_EQ(figures.unserved + figures.left_behind, 0u);
}

TEST(Metrics, Tell_who_never_changed_and_what_was_refused) {
    Metrics metrics(4, 1);
    metrics.requested(0, 0);
    metrics.granted(0, 1, millisecond);
    metrics.occupies(1, 1, 0);
    metrics.lets_go(1, millisecond);
    metrics.let_go(1, 2 * millisecond);
    metrics.requested(2, 0);
    metrics.refused();
    metrics.abandoned(2);
    const Figures figures = metrics.figures(second, 4);
    EXPECT_EQ(figures.unchanged, 2u);
    EXPECT_EQ(figures.refusals, 1u);
    EXPECT_EQ(summarise({figures, figures}).figures.unchanged, 4u);
    metrics.begin(second);
    EXPECT_EQ(metrics.figures(2 * second, 4).unchanged, 4u);
}

TEST(Moments, Of_groups_are_those_of_all_numbers_together) {
    Moments left, right, all;
    for (int i = 0; i < 1000; ++i) {
        const double value = 1e6 + i * i % 37;
        all.add(value);
        (i % 3 == 0 ? left : right).add(value);
    }
    left += right;
    left += Moments();
    EXPECT_EQ(left.count(), 1000u);
    EXPECT_DOUBLE_EQ(left.mean(), all.mean());
    EXPECT_NEAR(left.deviation(), all.deviation(), 1e-9);
}

TEST(Intervals, Are_those_of_Student) {
    // Mean 3, standard deviation sqrt(2.5), and t = 2.776 for 4 degrees of freedom.
    EXPECT_NEAR(half_width({1, 2, 3, 4, 5}), 2.776 * std::sqrt(2.5 / 5), 0.001);
    EXPECT_EQ(half_width({7}), 0);
    EXPECT_EQ(half_width({7, 7, 7}), 0);
}

TEST(Intervals, Counts_of_several_runs_are_sums_and_the_rest_are_means_or_maxima) {
    Figures one;
    one.grants = 10;
    one.use_rate = 0.2;
    one.max_concurrent = 3;
    one.waiting_ms = {1, 1, 1, 9};
    Figures two = one;
    two.grants = 20;
    two.use_rate = 0.4;
    two.max_concurrent = 2;
    two.waiting_ms = {3, 3, 3, 4};
    const Summary summary = summarise({one, two});
    EXPECT_EQ(summary.figures.seeds, 2u);
    EXPECT_EQ(summary.figures.grants, 30u);
    EXPECT_DOUBLE_EQ(summary.figures.use_rate, 0.3);
    EXPECT_EQ(summary.figures.max_concurrent, 3u);
    EXPECT_DOUBLE_EQ(summary.figures.waiting_ms.mean, 2);
    EXPECT_DOUBLE_EQ(summary.figures.waiting_ms.max, 9);
    EXPECT_GT(summary.interval.use_rate, 0);
}

}  // namespace
