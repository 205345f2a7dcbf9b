// allot sim with several values of one or two parameters: a table, and if wanted its numbers as CSV and its
// picture as SVG.

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <tuple>

#include "base/stop.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "cli/sim.hpp"
#include "cli/table.hpp"
#include "figures/files.hpp"
#include "figures/measure.hpp"

namespace allot::cli {

namespace {

// One combination of values.
struct Place {
    std::string x;
    std::string curve;
    SimJob job;
    figures::Point point;
    std::vector<sim::Figures> runs;

    bool complete() const { return runs.size() == job.seeds && !runs.back().stopped; }
};

struct SweepJob {
    const SimFlags& flags;
    const figures::Sweep& sweep;
    std::vector<Place> places;  // by curve, then by x
    std::optional<WholeFile> csv;
    std::optional<WholeFile> plot;
};

Parameters with_protocol(const SimFlags& flags) {
    Parameters all = flags.parameters;
    all["protocol"] = flags.protocol;
    return all;
}

Result<Place> place_at(const SweepJob& sweeping, std::size_t curve, std::size_t x) {
    const figures::Sweep& sweep = sweeping.sweep;
    SimFlags flags = sweeping.flags;
    flags.parameters = parameters_at(sweep, with_protocol(flags), curve, x);
    flags.protocol = flags.parameters.extract("protocol").mapped();
    auto job = prepare(flags);
    if (!job) return Error{job.error()};
    figures::Point point{flags.protocol, flags.parameters, job->simulation->plan()};
    return Place{sweep.x.values[x],
                 sweep.curves ? sweep.curves->values[curve] : "",
                 std::move(*job),
                 std::move(point),
                 {}};
}

// Everything that can be wrong is found before the first run.
std::optional<std::string> prepare_places(SweepJob& job) {
    const SimFlags& flags = job.flags;
    if (!flags.log.empty())
        return fmt::format("--log {}: a log is of one run; write one {}", flags.log,
                           job.sweep.x.name == "protocol" ? "protocol" : "value for --" + job.sweep.x.name);
    if (auto wrong = shared_file({"csv", flags.csv}, {"plot", flags.plot})) return wrong;
    const std::string extension = std::filesystem::path(flags.plot).extension().string();
    if (!extension.empty() && extension != ".svg")
        return fmt::format("--plot {}: the picture is an SVG file; write a name that ends in .svg",
                           flags.plot);
    for (std::size_t curve = 0; curve < job.sweep.curve_count(); ++curve)
        for (std::size_t x = 0; x < job.sweep.x.values.size(); ++x) {
            auto place = place_at(job, curve, x);
            if (!place) return place.error();
            job.places.push_back(std::move(*place));
        }
    for (const auto& [flag, path, file] :
         {std::tuple("csv", &flags.csv, &job.csv), std::tuple("plot", &flags.plot, &job.plot)}) {
        auto opened = open_beside_report(flag, *path, flags.json);
        if (!opened) return opened.error();
        if (*opened) file->emplace(std::move(**opened));
    }
    return std::nullopt;
}

// `raymond by sites and permits`. Several protocols are named already.
std::string title_of(const SweepJob& job) {
    std::vector<std::string> axes{job.sweep.x.name};
    if (job.sweep.curves) axes.push_back(job.sweep.curves->name);
    std::erase(axes, "protocol");
    const std::vector<std::string> protocols = split_list(job.flags.protocol);
    return enumerated(protocols) + (axes.empty() ? "" : " by ") + enumerated(axes);
}

figures::Figure figure_of(const SweepJob& job) {
    std::vector<std::vector<figures::Point>> points(job.sweep.curve_count());
    for (std::size_t i = 0; i < job.places.size(); ++i)
        points[i / job.sweep.x.values.size()].push_back(job.places[i].point);
    return figures::figure_of(job.sweep, title_of(job), points);
}

// Runs every place, and keeps the figures of all runs for the table.
Result<figures::Data> measured(SweepJob& job, const figures::Figure& figure) {
    ProgressLine line;
    const figures::Simulator simulator = [&](const figures::Point& point) -> Result<figures::Runs> {
        Place& place = *std::ranges::find(job.places, point, &Place::point);
        return figures::Runs([&place](std::uint64_t seed) {
            place.runs.push_back(place.job.simulation->run(seed));
            return place.runs.back();
        });
    };
    figures::Effort effort;
    effort.seeds = job.places.front().job.seeds;
    effort.first_seed = job.places.front().job.seed;
    effort.on_progress = [&](std::size_t done, std::size_t points) {
        const double share = static_cast<double>(done) / static_cast<double>(points);
        line.tell(
            [&](double) { return fmt::format("{} point {} of {}", progress_bar(share), done, points); });
    };
    return measure(figure, simulator, effort);
}

// --- The report.

std::string name_of(const SweepJob& job, const Place& place) {
    const std::string x = fmt::format("{} {}", job.sweep.x.name, place.x);
    return place.curve.empty() ? x : fmt::format("{}, {} {}", x, job.sweep.curves->name, place.curve);
}

std::vector<std::string> header_of(const SweepJob& job) {
    std::vector<std::string> header{job.sweep.x.name};
    if (job.sweep.curves) header.insert(header.begin(), job.sweep.curves->name);
    for (const char* column : {"grants/s", "messages/grant", "mean wait (ms)", "99 % wait (ms)", "use rate"})
        header.emplace_back(column);
    return header;
}

std::vector<std::string> row_of(const Place& place) {
    const sim::Summary summary = sim::summarise(place.runs);
    const sim::Figures& figures = summary.figures;
    const sim::Intervals& interval = summary.interval;
    std::vector<std::string> row{place.x};
    if (!place.curve.empty()) row.insert(row.begin(), place.curve);
    for (const auto& [value, width] : {std::pair(figures.grants_per_second, interval.grants_per_second),
                                       {figures.messages_per_grant, interval.messages_per_grant},
                                       {figures.waiting_ms.mean, interval.waiting_ms.mean},
                                       {figures.waiting_ms.p99, interval.waiting_ms.p99},
                                       {figures.use_rate, interval.use_rate}})
        row.push_back(fmt::format("{:.4g}", value) +
                      (figures.seeds > 1 ? fmt::format(" +- {:.2g}", width) : ""));
    return row;
}

void print_table(const SweepJob& job) {
    const SimJob& first = job.places.front().job;
    fmt::print("{}, {}\n\n", title_of(job),
               first.seeds > 1 ? fmt::format("{} seeds from {} on: means +- 95 %", first.seeds, first.seed)
                               : fmt::format("seed {}", first.seed));
    Table table(header_of(job));
    for (const Place& place : job.places)
        if (place.complete()) table.add(row_of(place));
    fmt::print("{}", table.text());
    for (const Place& place : job.places)
        for (const std::string& line : standstill(sim::summarise(place.runs).figures))
            fmt::print("\n{}: {}\n", name_of(job, place), line);
}

// The first violation, with what repeats it.
std::optional<std::string> violation_in(const SweepJob& job) {
    for (const Place& place : job.places)
        for (const sim::Figures& run : place.runs)
            for (const sim::Violation& violation : run.violations)
                return fmt::format("{}: violated at {} with --seed {}: {}: {}", name_of(job, place),
                                   sim::time_text(violation.at), violation.seed, violation.property,
                                   violation.detail);
    return std::nullopt;
}

void print_reports(const SweepJob& job) {
    boost::json::array reports;
    for (const Place& place : job.places)
        if (place.complete()) reports.push_back(report_json(place.job, sim::summarise(place.runs)));
    fmt::print("{}\n", boost::json::serialize(reports));
}

std::optional<std::string> write_files(SweepJob& job, const figures::Figure& figure,
                                       const figures::Data& data) {
    if (job.csv) {
        figures::write_csv(job.csv->stream(), figure, data);
        if (auto failure = job.csv->commit()) return failure;
    }
    if (!job.plot) return std::nullopt;
    const auto picture = figures::draw_svg(figures::picture_of(figure), data);
    if (!picture) return "no picture: " + picture.error();
    if (!*picture) return fmt::format("no picture: {}", figures::no_gnuplot);
    job.plot->stream() << **picture;
    return job.plot->commit();
}

// `; a.csv and a.svg were not written`: a file has the whole sweep.
std::string unwritten(const SimFlags& flags) {
    std::vector<std::string> files;
    for (const std::string* path : {&flags.csv, &flags.plot})
        if (!path->empty()) files.push_back(*path == "-" ? "standard output" : *path);
    if (files.empty()) return "";
    return fmt::format("; {} {} not written", enumerated(files), files.size() == 1 ? "was" : "were");
}

}  // namespace

Result<std::optional<figures::Sweep>> sweep_in(const SimFlags& flags) {
    return figures::sweep_of(with_protocol(flags));
}

int run_sweep(const SimFlags& flags, const figures::Sweep& sweep) {
    SweepJob job{flags, sweep, {}, std::nullopt, std::nullopt};
    if (const auto wrong = prepare_places(job)) return wrong_usage(*wrong);
    const figures::Figure figure = figure_of(job);
    const auto data = measured(job, figure);
    stop::reporting();
    (flags.json ? print_reports : print_table)(job);
    if (!data) {
        if (!stop::due()) return failed(violation_in(job).value_or(data.error()) + unwritten(flags));
        failed("bounded: " + stop::reason() + unwritten(flags));
        return exit_bounded;
    }
    if (const auto failure = write_files(job, figure, *data)) return failed(*failure);
    const bool stood_still = std::ranges::any_of(job.places, [](const Place& place) {
        return !standstill(sim::summarise(place.runs).figures).empty();
    });
    return stood_still ? exit_no : exit_ok;
}

}  // namespace allot::cli
