// The picture. gnuplot is started with the script on its standard input and the file as its standard output,
// so no path needs quoting.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figures/files.hpp"

namespace allot::figures {

namespace {

// --- The script.

// Curves may lie on one another, so each of them is made to be seen through those above it: a broad line
// below a narrow one, a ring around a dot. Colours are those of Okabe and Ito, which colour-blind readers can
// tell apart; markers and dashes do it without colour.
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
};

// A text in the script; enhanced text is off, so nothing else in it means anything.
std::string quoted(std::string_view text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
    return result + '\'';
}

std::string data_block(const Figure& figure, const Data& data) {
    std::string text = "$data << END\n";
    for (std::size_t place = 0; place < figure.xs.size(); ++place) {
        text += fmt::format("{}", figure.xs[place]);
        for (const auto& cells : data.cells)
            text += fmt::format(" {:.6g} {:.6g}", drawn(figure, cells[place]), cells[place].half_width);
        text += '\n';
    }
    return text + "END\n";
}

// Whole numbers need no marks between them, as long as they are few.
std::string y_axis(const Figure& figure, const Data& data, std::size_t panel) {
    double highest = 0;
    bool whole = true;
    for (std::size_t i = 0; i < figure.series.size(); ++i)
        for (const Cell& cell : data.cells[i]) {
            if (figure.series[i].panel != panel) continue;
            const double value = drawn(figure, cell);
            highest = std::max(highest, value);
            whole = whole && value == std::floor(value);
        }
    const double top = highest > 0 ? highest : 1;
    return fmt::format("set yrange [{:.6g}:{:.6g}]\n", -0.06 * top, 1.08 * top) +
           (whole && top <= 10 ? "set ytics 1\n" : "set ytics autofreq\n");
}

std::string curve(const Figure& figure, std::size_t series, const Look& look) {
    const std::string values = fmt::format("$data using 1:{}", 2 + 2 * series);
    std::string text = fmt::format("{} with linespoints title {} lc rgb '{}' lw {} dt {} pt {} ps {}", values,
                                   quoted(figure.series[series].name), look.colour, look.width, look.dashes,
                                   look.marker, look.size);
    if (figure.statistic == Statistic::mean)
        text += fmt::format(", \\\n     {}:{} with yerrorbars notitle lc rgb '{}' lw 1.5 pt 0", values,
                            3 + 2 * series, look.colour);
    return text;
}

std::string panel_script(const Figure& figure, const Data& data, std::size_t panel) {
    std::string text = fmt::format("set title {} offset 0,-0.5\n", quoted(figure.panels[panel])) +
                       y_axis(figure, data, panel);
    std::size_t place = 0;
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
        if (figure.series[i].panel != panel) continue;
        text += (place == 0 ? "plot " : ", \\\n     ") + curve(figure, i, looks[place % looks.size()]);
        ++place;
    }
    return text + '\n';
}

// What the curves are of all seeds, as a second line below the label.
std::string y_label(const Figure& figure, const Data& data) {
    const char* what =
        figure.statistic == Statistic::minimum ? "minimum over {} seeds" : "mean of {} seeds, 95 % intervals";
    return figure.y_label + "\\n(" + fmt::format(fmt::runtime(what), data.seeds) + ")";
}

// --- The program.

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Runs gnuplot with these as its standard files. Gives why it could not be started.
std::optional<std::string> run_gnuplot(std::FILE* in, std::FILE* out, std::FILE* err, int& status) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, fileno(in), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, fileno(out), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, fileno(err), STDERR_FILENO);
    // -d: without the settings of whoever runs it.
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
    return "it says nothing";
}

}  // namespace

std::string gnuplot_script(const Figure& figure, const Data& data) {
    const std::size_t panels = figure.panels.size();
    std::string text = data_block(figure, data);
    text += fmt::format(
        "set terminal svg size {},600 dynamic noenhanced font 'Helvetica,16' background '#ffffff' name {}\n",
        200 + 520 * panels, quoted(figure.name));
    text += fmt::format(
        "set multiplot layout 1,{} title {} font ',20' margins 0.09,0.98,0.31,0.85 spacing 0.07\n", panels,
        quoted(figure.title));
    text += fmt::format("set xlabel {} offset 0,0.4\nset xrange [{}-0.4:{}+0.4]\nset xtics {}\n",
                        quoted(figure.x_label), figure.xs.front(), figure.xs.back(),
                        figure.xs.size() <= 20 ? "1" : "autofreq");
    text +=
        "set border 3 lc rgb '#444444'\nset tics nomirror out scale 0.5\nset grid ytics lc rgb '#dddddd' lw "
        "1\n"
        "set key at graph 0.5, graph -0.25 center top vertical maxrows 3 Left reverse samplen 4 spacing "
        "1.25\n";
    for (std::size_t panel = 0; panel < panels; ++panel) {
        text += panel == 0 ? fmt::format("set ylabel \"{}\"\n", y_label(figure, data)) : "unset ylabel\n";
        text += panel_script(figure, data, panel);
    }
    return text + "unset multiplot\n";
}

std::optional<std::string> draw_svg(const std::string& path, const Figure& figure, const Data& data) {
    const File script(std::tmpfile());
    const File complaints(std::tmpfile());
    const File picture(std::fopen(path.c_str(), "we"));
    if (!script || !complaints) return "no temporary file can be made";
    if (!picture) return fmt::format("{}: this file cannot be written", path);
    std::fputs(gnuplot_script(figure, data).c_str(), script.get());
    std::rewind(script.get());
    int status = 0;
    auto failure = run_gnuplot(script.get(), picture.get(), complaints.get(), status);
    if (!failure && status != 0) failure = "gnuplot failed: " + first_line(complaints.get());
    if (failure) std::remove(path.c_str());  // half a picture is none
    return failure;
}

}  // namespace allot::figures
