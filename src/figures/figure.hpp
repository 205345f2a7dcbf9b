// The evaluations of the papers, run again. A figure says what to simulate at every point of every curve and
// which number of a run counts; `measure` (measure.hpp) does the runs, and files.hpp writes what they gave.
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

// What is simulated at one point, once per seed.
struct Point {
    std::string protocol;
    Parameters parameters;
    sim::Plan plan;
    bool operator==(const Point&) const = default;
};

// What of the runs at a point is drawn and printed. The CSV has all.
enum class Statistic : std::uint8_t { minimum, mean, maximum };

// One pair of axes. Several panels may show different numbers of the same runs.
struct Panel {
    std::string title;
    std::function<double(const sim::Figures&, std::uint32_t x)> value;  // of one run
    Statistic statistic = Statistic::mean;
};

struct Series {
    std::string name;       // in its panel no other has it
    std::size_t panel = 0;  // where it is drawn
    std::function<Point(std::uint32_t x)> at;
    // Instead of the panel's: a bound to compare with, for instance.
    std::function<double(const sim::Figures&, std::uint32_t x)> value = {};
};

enum class Scale : std::uint8_t { linear, logarithmic };

struct Figure {
    std::string name;   // on the command line, and of the files
    std::string paper;  // whose evaluation it is
    std::string shows;  // what it shows, in one line
    std::string title;
    std::string x_label;
    std::string y_label;
    std::vector<std::string> notes;  // what a reader must know, in whole sentences
    std::vector<Panel> panels;
    std::vector<std::uint32_t> xs;
    // What each x is called, if not by its number. Then they stand side by side, all equally far apart.
    std::vector<std::string> x_names;
    Scale x_scale = Scale::linear;
    Scale y_scale = Scale::linear;
    std::vector<Series> series;
};

// What the runs of all seeds at one point came to.
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

// Of all panels, if they have one and the same; otherwise their titles say it.
std::optional<Statistic> common_statistic(const Figure& figure);
// `mean of 5 seeds`.
std::string seeds_text(const Figure& figure, std::uint64_t seeds);

// The name of a series among all of the figure: with its panel, if another panel has one of the same name.
std::string full_name(const Figure& figure, const Series& series);
std::string x_text(const Figure& figure, std::size_t place);

std::span<const Figure> all();

// The one of that name, or all whose names begin with it and a dash; or an error that lists those there are.
Result<std::vector<const Figure*>> find(const std::string& name);

}  // namespace allot::figures
