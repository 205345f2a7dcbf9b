// A sweep: one simulation at several values of a parameter, or of two. It becomes a figure, so it is
// measured, written and drawn like those of the papers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/parameters.hpp"
#include "figures/figure.hpp"

namespace allot::figures {

// A parameter with several values. Numbers are in ascending order.
struct Axis {
    std::string name;
    std::vector<std::string> values;
    bool numeric = false;
};

struct Sweep {
    Axis x;
    std::optional<Axis> curves;  // one curve per value

    std::size_t curve_count() const { return curves ? curves->values.size() : 1; }
};

// The values that a text lists: `1,2,4`, `fifo,unordered`, `1..8`, `0..20+5` or `1..16*2` (each number plus
// 5, or times 2), and several of these with commas. Parameters whose single values contain commas, such as
// --crash, have one value, or a range.
Result<std::vector<std::string>> values_of(const std::string& name, const std::string& text);

// The sweep in these parameters; none if each has one value. Numbers are the x axis rather than words, and
// many values rather than few.
Result<std::optional<Sweep>> sweep_of(const Parameters& given);

// The parameters at one place of the sweep.
Parameters parameters_at(const Sweep& sweep, Parameters given, std::size_t curve, std::size_t x);

// The figure of a sweep, with its points by curve and then by x. Its panels are the figures of a run that
// most people look at first.
Figure figure_of(const Sweep& sweep, const std::string& title, const std::vector<std::vector<Point>>& points);
// The same without the panels that only the CSV shows.
Figure picture_of(Figure sweep);

}  // namespace allot::figures
