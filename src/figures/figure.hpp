// Repeats the evaluations of the papers. A figure says what to simulate at every point of every curve and
// which number of a run counts; `measure` (measure.hpp) does the runs, and files.hpp writes the results.
//
// Each figure has a file of its own, with one function, and one line in list.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/parameters.hpp"
#include "sim/figures.hpp"
#include "sim/plan.hpp"

namespace allot::figures {

// The simulation of one point, once per seed.
struct Point {
    std::string protocol;
    Parameters parameters;
    sim::Plan plan;
    bool operator==(const Point&) const = default;
};

// The number that is drawn and printed for the runs of a point. The CSV has all.
enum class Statistic : std::uint8_t { minimum, mean, maximum };

// One pair of axes. Several panels may show different numbers of the same runs.
struct Panel {
    std::string title;
    std::function<double(const sim::Figures&, std::uint32_t x)> value;  // of one run
    Statistic statistic = Statistic::mean;
};

struct Series {
    std::string name;       // unique in its panel; may be empty if the panel has no other
    std::size_t panel = 0;  // where it is drawn
    std::function<Point(std::uint32_t x)> at;
    // In place of the panel's value: for instance a bound to compare with.
    std::function<double(const sim::Figures&, std::uint32_t x)> value = {};
};

// automatic: logarithmic in panels whose values are far apart.
enum class Scale : std::uint8_t { linear, logarithmic, automatic };

struct Figure {
    std::string name;   // on the command line, and of the files
    std::string paper;  // of the evaluation
    std::string shows;  // the content, in one line
    std::string title;
    std::string x_label;
    std::string y_label;             // empty if the titles of the panels say it
    std::vector<std::string> notes;  // whole sentences for the reader
    std::vector<Panel> panels;
    std::vector<std::uint32_t> xs;
    // Labels in place of the numbers x. The points are then equally far apart.
    std::vector<std::string> x_names;
    bool categories = false;  // the names have no order: bars, not curves
    Scale x_scale = Scale::linear;
    Scale y_scale = Scale::linear;
    std::vector<Series> series;
};

// The result of all seeds at one point.
struct Cell {
    double minimum = 0;
    double mean = 0;
    double half_width = 0;  // of the 95 % confidence interval of the mean
    double maximum = 0;
};

struct Data {
    std::uint64_t seeds = 0;
    std::vector<std::vector<Cell>> cells;  // by series, then by x
};

inline double drawn(const Figure& figure, const Series& series, const Cell& cell) {
    const Statistic statistic = figure.panels[series.panel].statistic;
    if (statistic == Statistic::minimum) return cell.minimum;
    return statistic == Statistic::maximum ? cell.maximum : cell.mean;
}

// The statistic that all panels share; nothing if they differ, and then their titles name it.
std::optional<Statistic> common_statistic(const Figure& figure);
// `mean of 5 seeds`.
std::string seeds_text(const Figure& figure, std::uint64_t seeds);

// The name of a series within the figure: with its panel, if another panel has a series of the same name.
std::string full_name(const Figure& figure, const Series& series);
std::string x_text(const Figure& figure, std::size_t place);

std::span<const Figure> all();

// The figure of that name, or all whose names begin with it and a dash; or an error that lists all figures.
Result<std::vector<const Figure*>> find(const std::string& name);

}  // namespace allot::figures
