// The texts of a measured figure: the numbers as CSV, the picture as SVG.
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "base/result.hpp"
#include "figures/figure.hpp"

namespace allot::figures {

// A header line, then a row per x. Each series has four columns: minimum, mean, half the width of the
// 95 % confidence interval of the mean, and maximum. Names are quoted where they need it (RFC 4180).
void write_csv(std::ostream& out, const Figure& figure, const Data& data);

// The picture as a script for gnuplot that writes SVG to its standard output.
std::string gnuplot_script(const Figure& figure, const Data& data);

// Lets gnuplot draw the figure; nothing if it is not installed. The error is one line.
inline constexpr std::string_view no_gnuplot = "gnuplot is missing; install the Debian package gnuplot-nox";
Result<std::optional<std::string>> draw_svg(const Figure& figure, const Data& data);

}  // namespace allot::figures
