#include "figures/measure.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <future>
#include <mutex>
#include <optional>

#include "base/stop.hpp"
#include "sim/simulation.hpp"

namespace allot::figures {

namespace {

double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

Result<std::vector<sim::Figures>> run_all(const Point& point, const Simulator& simulator,
                                          const Effort& effort) try {
    const auto run_once = simulator(point);
    if (!run_once) return Error{run_once.error()};
    std::vector<sim::Figures> runs;
    for (std::uint64_t i = 0; i < effort.seeds; ++i) {
        const std::uint64_t seed = effort.first_seed + i;
        sim::Figures run = (*run_once)(seed);
        if (!run.violations.empty())
            return Error{fmt::format("seed {} violates {}: {}", seed, run.violations.front().property,
                                     run.violations.front().detail)};
        stop::poll();
        runs.push_back(std::move(run));
    }
    return runs;
} catch (const stop::Due&) {
    return Error{stop::reason()};
}

Cell cell_of(const Figure& figure, const Series& series, const std::vector<sim::Figures>& runs,
             std::uint32_t x) {
    const auto& value = series.value ? series.value : figure.panels[series.panel].value;
    std::vector<double> values;
    for (const sim::Figures& run : runs) values.push_back(value(run, x));
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return {*least, mean_of(values), sim::half_width(values), *most};
}

struct Place {
    std::size_t series = 0;
    std::size_t x = 0;
};

// A simulation, and every place of the figure that uses it.
struct Task {
    Point point;
    std::vector<Place> places;
};

// Simulates a point only once if several places use it.
std::vector<Task> tasks_of(const Figure& figure) {
    std::vector<Task> tasks;
    for (std::size_t series = 0; series < figure.series.size(); ++series)
        for (std::size_t x = 0; x < figure.xs.size(); ++x) {
            Point point = figure.series[series].at(figure.xs[x]);
            auto task = std::ranges::find(tasks, point, &Task::point);
            if (task == tasks.end()) task = tasks.insert(task, Task{std::move(point), {}});
            task->places.push_back({series, x});
        }
    return tasks;
}

// Threads take the tasks in order.
class Measurement {
public:
    Measurement(const Figure& figure, const Simulator& simulator, const Effort& effort)
        : figure_(figure), simulator_(simulator), effort_(effort), tasks_(tasks_of(figure)) {
        data_.seeds = effort.seeds;
        data_.cells.assign(figure.series.size(), std::vector<Cell>(figure.xs.size()));
        errors_.resize(tasks_.size());
    }

    Result<Data> go() {
        std::vector<std::future<void>> others;
        for (unsigned i = 1; i < effort_.threads; ++i)
            others.push_back(std::async(std::launch::async, [this] { work(); }));
        work();
        for (std::future<void>& other : others) other.get();
        for (std::optional<std::string>& error : errors_)
            if (error) return Error{std::move(*error)};
        return std::move(data_);
    }

private:
    // A thread finishes each task that it takes, so the first of several errors is always known.
    void work() try {
        while (!failed_) {
            const std::size_t task = next_++;
            if (task >= tasks_.size()) return;
            measure_one(task);
            report();
        }
    } catch (...) {  // too little memory: the other threads need not go on
        failed_ = true;
        throw;
    }

    void measure_one(std::size_t index) {
        const Task& task = tasks_[index];
        const auto runs = run_all(task.point, simulator_, effort_);
        if (!runs) {
            const Place& first = task.places.front();
            errors_[index] = fmt::format("{}, {}, {} {}: {}", figure_.name,
                                         full_name(figure_, figure_.series[first.series]), figure_.x_label,
                                         x_text(figure_, first.x), runs.error());
            failed_ = true;
            return;
        }
        for (const Place& place : task.places)
            data_.cells[place.series][place.x] =
                cell_of(figure_, figure_.series[place.series], *runs, figure_.xs[place.x]);
    }

    void report() {
        const std::scoped_lock one_at_a_time(reporting_);
        ++done_;
        if (effort_.on_progress) effort_.on_progress(done_, tasks_.size());
    }

    const Figure& figure_;
    const Simulator& simulator_;
    const Effort& effort_;
    const std::vector<Task> tasks_;
    Data data_;
    std::vector<std::optional<std::string>> errors_;  // by task
    std::atomic<std::size_t> next_ = 0;
    std::atomic<bool> failed_ = false;
    std::mutex reporting_;
    std::size_t done_ = 0;
};

}  // namespace

Simulator simulator_of(std::function<const world::Entry*(std::string_view name)> protocols) {
    return [protocols = std::move(protocols)](const Point& point) -> Result<Runs> {
        const world::Entry* entry = protocols(point.protocol);
        if (entry == nullptr) return Error{fmt::format("{}: no such protocol", point.protocol)};
        auto simulation = sim::make_simulation(*entry, point.parameters, point.plan);
        if (!simulation) return Error{simulation.error()};
        return Runs([shared = std::shared_ptr(std::move(*simulation))](std::uint64_t seed) {
            return shared->run(seed);
        });
    };
}

Result<Data> measure(const Figure& figure, const Simulator& simulator, const Effort& effort) {
    return Measurement(figure, simulator, effort).go();
}

}  // namespace allot::figures
