// The picture. gnuplot gets the script on its standard input and the file as its standard output, so no path
// needs quoting.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figures/files.hpp"

namespace allot::figures {

namespace {

// --- The script.

// Curves may coincide, so each is visible through those above it: a broad line below a narrow one, a ring
// around a dot. Colours are those of Okabe and Ito, which colour-blind readers can tell apart; markers and
// dashes work without colour.
struct Look {
    const char* colour;
    double width;
    const char* dashes;
    int marker;
    double size;
};
constexpr std::array looks{
    Look{"#7F7F7F", 2.5, "solid", 5, 0.7},       // grey, squares
    Look{"#56B4E9", 7, "solid", 6, 1.6},         // sky blue, rings
    Look{"#D55E00", 2.5, "solid", 7, 0.6},       // vermillion, dots
    Look{"#009E73", 2.5, "(12,6)", 11, 0.9},     // green, triangles
    Look{"#000000", 1.5, "(2,5)", 1, 1.5},       // black, plus signs
    Look{"#CC79A7", 2.5, "(12,4,2,4)", 13, 1},   // pink, diamonds
    Look{"#E69F00", 2.5, "(8,3,2,3)", 15, 0.9},  // orange, pentagons
    Look{"#0072B2", 2, "(6,4)", 9, 0.9},         // blue, triangles on their tips
    Look{"#8B5A2B", 2.5, "solid", 4, 1},         // brown, empty squares
    Look{"#999999", 1.5, "(4,4)", 8, 0.9},       // light grey, empty triangles
};

// Quotes a text for the script; enhanced text is off, so no other character is special.
std::string quoted(std::string_view text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
    return result + '\'';
}

// A valid name of an SVG for gnuplot: letters, digits and _.
std::string identifier(std::string name) {
    std::ranges::replace(name, '-', '_');
    return name;
}

// The position of an x on its axis.
std::size_t position(const Figure& figure, std::size_t place) {
    return figure.x_names.empty() ? figure.xs[place] : place;
}

std::string data_block(const Figure& figure, const Data& data) {
    std::string text = "$data << END\n";
    for (std::size_t place = 0; place < figure.xs.size(); ++place) {
        text += fmt::format("{}", position(figure, place));
        for (std::size_t i = 0; i < figure.series.size(); ++i) {
            const Cell& cell = data.cells[i][place];
            text += fmt::format(" {:.6g} {:.6g}", drawn(figure, figure.series[i], cell), cell.half_width);
        }
        text += '\n';
    }
    return text + "END\n";
}

// Every x has a tick, unless there are too many.
std::string x_axis(const Figure& figure) {
    std::string text = fmt::format("set xlabel {} offset 0,0.4\n", quoted(figure.x_label));
    const auto first = position(figure, 0);
    const auto last = position(figure, figure.xs.size() - 1);
    if (figure.x_scale == Scale::logarithmic)
        text += fmt::format("set logscale x\nset xrange [{}/1.1:{}*1.1]\n", first, last);
    else
        text += fmt::format("set xrange [{}-0.4:{}+0.4]\n", first, last);
    if (figure.xs.size() > 20) return text + "set xtics autofreq\n";
    std::string marks;
    for (std::size_t place = 0; place < figure.xs.size(); ++place)
        marks += fmt::format("{}{} {}", place == 0 ? "" : ", ", quoted(x_text(figure, place)),
                             position(figure, place));
    return text + fmt::format("set xtics ({})\n", marks);
}

// Ticks at 1, 2 and 5 of every power of ten.
std::string logarithmic_y_axis(double bottom, double top) {
    std::vector<std::string> marks;
    for (double power = std::pow(10, std::floor(std::log10(bottom))); power < top; power *= 10)
        for (const int digit : {1, 2, 5}) marks.push_back(fmt::format("{:.6g}", power * digit));
    return fmt::format("set logscale y\nset yrange [{:.6g}:{:.6g}]\nset ytics ({})\nunset mytics\n", bottom,
                       top, fmt::join(marks, ", "));
}

// An axis of few whole numbers has no ticks between them.
std::string y_axis(const Figure& figure, const Data& data, std::size_t panel) {
    double highest = 0;
    double lowest = std::numeric_limits<double>::infinity();  // lowest value above 0
    bool whole = true;
    for (std::size_t i = 0; i < figure.series.size(); ++i)
        for (const Cell& cell : data.cells[i]) {
            if (figure.series[i].panel != panel) continue;
            const double value = drawn(figure, figure.series[i], cell);
            highest = std::max(highest, value);
            if (value > 0) lowest = std::min(lowest, value);
            whole = whole && value == std::floor(value);
        }
    const double top = highest > 0 ? highest : 1;
    if (figure.y_scale == Scale::logarithmic)
        return logarithmic_y_axis(std::min(lowest, top) / 1.3, 1.3 * top);
    return fmt::format("set yrange [{:.6g}:{:.6g}]\n", -0.06 * top, 1.08 * top) +
           (whole && top <= 10 ? "set ytics 1\n" : "set ytics autofreq\n");
}

std::string curve(const Figure& figure, std::size_t series, const Look& look) {
    const std::string values = fmt::format("$data using 1:{}", 2 + 2 * series);
    std::string intervals;  // drawn below the curve
    if (figure.panels[figure.series[series].panel].statistic == Statistic::mean)
        intervals = fmt::format("{}:{} with yerrorbars notitle lc rgb '{}' lw 1 pt -1, \\\n     ", values,
                                3 + 2 * series, look.colour);
    return intervals + fmt::format("{} with linespoints title {} lc rgb '{}' lw {} dt {} pt {} ps {}", values,
                                   quoted(figure.series[series].name), look.colour, look.width, look.dashes,
                                   look.marker, look.size);
}

std::string panel_script(const Figure& figure, const Data& data, std::size_t panel) {
    std::string text = fmt::format("set title {} offset 0,-0.5\n", quoted(figure.panels[panel].title)) +
                       y_axis(figure, data, panel);
    std::size_t place = 0;
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
        if (figure.series[i].panel != panel) continue;
        text += (place == 0 ? "plot " : ", \\\n     ") + curve(figure, i, looks[place % looks.size()]);
        ++place;
    }
    return text + '\n';
}

// Adds the statistic of the seeds, as a second line below the label.
std::string y_label(const Figure& figure, const Data& data) {
    std::string what = seeds_text(figure, data.seeds);
    if (data.seeds > 1 && common_statistic(figure) == Statistic::mean) what += ", 95 % intervals";
    return figure.y_label + "\\n(" + what + ")";
}

// Panels with the same curves share one legend below them.
bool same_curves(const Figure& figure) {
    std::vector<std::vector<std::string>> names(figure.panels.size());
    for (const Series& series : figure.series) names[series.panel].push_back(series.name);
    return std::ranges::all_of(names, [&](const auto& curves) { return curves == names.front(); });
}

// From the top: title, panels, their x axis, legend. In pixels.
struct Layout {
    explicit Layout(const Figure& figure) {
        std::vector<std::size_t> curves(figure.panels.size());
        for (const Series& series : figure.series) ++curves[series.panel];
        const std::size_t most = *std::ranges::max_element(curves);
        shared_legend = same_curves(figure);
        legend_rows = most > 9 ? 4 : 3;
        width = 200 + 520 * static_cast<int>(figure.panels.size());
        height = title + panel + axis + legend();
    }

    int legend() const { return 36 * legend_rows; }
    double share_of_height(int pixels) const { return static_cast<double>(pixels) / height; }

    static constexpr int title = 90;
    static constexpr int panel = 324;
    static constexpr int axis = 78;
    bool shared_legend = false;
    int legend_rows = 0;
    int width = 0;
    int height = 0;
};

std::string legend(const Layout& layout, std::size_t place) {
    if (layout.shared_legend && place > 0) return "unset key\n";
    const double below_axis = layout.share_of_height(layout.legend());
    const std::string at = layout.shared_legend ? fmt::format("screen 0.5, screen {:.4f}", below_axis)
                                                : "graph 0.5, graph -0.25";
    return fmt::format("set key at {} center top vertical maxrows {} Left reverse samplen 3.5 spacing 1.25\n",
                       at, layout.legend_rows);
}

// --- The program.

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Runs gnuplot with these standard files. Returns why it could not be started.
std::optional<std::string> run_gnuplot(std::FILE* in, std::FILE* out, std::FILE* err, int& status) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, fileno(in), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, fileno(out), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, fileno(err), STDERR_FILENO);
    // -d: ignores the user's settings.
    std::array<std::string, 2> words{"gnuplot", "-d"};
    std::array<char*, 3> arguments{words[0].data(), words[1].data(), nullptr};
    pid_t child = 0;
    const int failure = posix_spawnp(&child, "gnuplot", &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (failure == ENOENT) return "gnuplot is missing; install the Debian package gnuplot-nox";
    if (failure != 0) return fmt::format("gnuplot cannot be started: {}", std::strerror(failure));
    waitpid(child, &status, 0);
    return std::nullopt;
}

std::string first_line(std::FILE* file) {
    std::rewind(file);
    std::array<char, 200> line{};
    while (std::fgets(line.data(), line.size(), file) != nullptr) {
        std::string text = line.data();
        text.erase(text.find_last_not_of(" \n") + 1);
        if (!text.empty()) return text;
    }
    return "it printed nothing";
}

}  // namespace

std::string gnuplot_script(const Figure& figure, const Data& data) {
    const std::size_t panels = figure.panels.size();
    std::string text = data_block(figure, data);
    const Layout layout(figure);
    text += fmt::format(
        "set terminal svg size {},{} dynamic noenhanced font 'Helvetica,16' background '#ffffff' name {}\n",
        layout.width, layout.height, quoted(identifier(figure.name)));
    text += fmt::format(
        "set multiplot layout 1,{} title {} font ',20' margins 0.09,0.98,{:.4f},{:.4f} spacing 0.07\n",
        panels, quoted(figure.title), layout.share_of_height(Layout::axis + layout.legend()),
        1 - layout.share_of_height(Layout::title));
    text += x_axis(figure);
    text +=
        "set border 3 lc rgb '#444444'\nset tics nomirror out scale 0.5\nset grid ytics lc rgb '#dddddd' lw "
        "1\n";
    for (std::size_t panel = 0; panel < panels; ++panel) {
        text += panel == 0 ? fmt::format("set ylabel \"{}\"\n", y_label(figure, data)) : "unset ylabel\n";
        text += legend(layout, panel);
        text += panel_script(figure, data, panel);
    }
    return text + "unset multiplot\n";
}

std::optional<std::string> draw_svg(const std::string& path, const Figure& figure, const Data& data) {
    const File script(std::tmpfile());
    const File complaints(std::tmpfile());
    const File picture(std::fopen(path.c_str(), "we"));
    if (!script || !complaints) return "cannot make a temporary file";
    if (!picture) return fmt::format("{}: cannot write this file", path);
    std::fputs(gnuplot_script(figure, data).c_str(), script.get());
    std::rewind(script.get());
    int status = 0;
    auto failure = run_gnuplot(script.get(), picture.get(), complaints.get(), status);
    if (!failure && status != 0) failure = "gnuplot failed: " + first_line(complaints.get());
    if (failure) std::remove(path.c_str());  // no half a picture
    return failure;
}

}  // namespace allot::figures
