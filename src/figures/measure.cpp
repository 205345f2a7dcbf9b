#include "figures/measure.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <thread>

namespace allot::figures {

namespace {

double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

Result<Cell> measure_point(const Figure& figure, const Point& point, const Simulations& simulations,
                           std::uint64_t seeds) {
    const sim::Entry* entry = simulations(point.protocol);
    if (entry == nullptr) return Error{fmt::format("{}: no such protocol", point.protocol)};
    const auto simulation = entry->make(point.parameters, point.plan);
    if (!simulation) return Error{simulation.error()};
    std::vector<double> values;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const sim::Figures run = (*simulation)->run(seed);
        if (!run.violations.empty())
            return Error{fmt::format("seed {} violates {}: {}", seed, run.violations.front().property,
                                     run.violations.front().detail)};
        values.push_back(figure.value(run));
    }
    return Cell{*std::min_element(values.begin(), values.end()), mean_of(values), sim::half_width(values)};
}

// Threads take the points in order, each the next one that nobody has.
class Measurement {
public:
    Measurement(const Figure& figure, const Simulations& simulations, const Effort& effort)
        : figure_(figure), simulations_(simulations), effort_(effort) {
        data_.seeds = effort.seeds;
        data_.cells.assign(figure.series.size(), std::vector<Cell>(figure.xs.size()));
        errors_.resize(points());
    }

    Result<Data> go() {
        {
            std::vector<std::jthread> others;
            for (unsigned i = 1; i < effort_.threads; ++i) others.emplace_back([this] { work(); });
            work();
        }
        for (std::optional<std::string>& error : errors_)
            if (error) return Error{std::move(*error)};
        return std::move(data_);
    }

private:
    std::size_t points() const { return figure_.series.size() * figure_.xs.size(); }

    // Who has taken a point also measures it, so of several that fail the first one is always known.
    void work() {
        while (!failed_) {
            const std::size_t point = next_++;
            if (point >= points()) return;
            measure_one(point);
            report();
        }
    }

    void measure_one(std::size_t point) {
        const Series& series = figure_.series[point / figure_.xs.size()];
        const std::size_t place = point % figure_.xs.size();
        const std::uint32_t x = figure_.xs[place];
        const auto cell = measure_point(figure_, series.at(x), simulations_, effort_.seeds);
        if (cell) {
            data_.cells[point / figure_.xs.size()][place] = *cell;
            return;
        }
        errors_[point] =
            fmt::format("{}, {}, {} {}: {}", figure_.name, series.name, figure_.x_label, x, cell.error());
        failed_ = true;
    }

    void report() {
        const std::scoped_lock one_at_a_time(reporting_);
        ++done_;
        if (effort_.on_progress) effort_.on_progress(done_, points());
    }

    const Figure& figure_;
    const Simulations& simulations_;
    const Effort& effort_;
    Data data_;
    std::vector<std::optional<std::string>> errors_;  // by point
    std::atomic<std::size_t> next_ = 0;
    std::atomic<bool> failed_ = false;
    std::mutex reporting_;
    std::size_t done_ = 0;
};

}  // namespace

Result<Data> measure(const Figure& figure, const Simulations& simulations, const Effort& effort) {
    return Measurement(figure, simulations, effort).go();
}

}  // namespace allot::figures
