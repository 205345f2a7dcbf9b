// The picture. gnuplot gets the script on its standard input and draws to its standard output, so no path
// needs quoting.

#include <algorithm>
#include <array>
#include <cerrno>
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

// The only curve of a panel.
constexpr Look nameless{"#0072B2", 2.5, "solid", 7, 0.8};

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

// Each series has three columns: its value, the lower end of its interval and the length of it. On a
// logarithmic axis the lower end cannot be 0.
constexpr std::size_t columns_per_series = 3;

std::string data_block(const Figure& figure, const Data& data) {
    std::string text = "$data << END\n";
    for (std::size_t place = 0; place < figure.xs.size(); ++place) {
        text += fmt::format("{}", position(figure, place));
        for (std::size_t i = 0; i < figure.series.size(); ++i) {
            const Cell& cell = data.cells[i][place];
            const double value = drawn(figure, figure.series[i], cell);
            const double low = std::max(value - cell.half_width, value / 100);
            text += fmt::format(" {:.6g} {:.6g} {:.6g}", value, low, value + cell.half_width - low);
        }
        text += '\n';
    }
    return text + "END\n";
}

// --- The layout.

// Panels with the same curves share one legend below them.
bool same_curves(const Figure& figure) {
    std::vector<std::vector<std::string>> names(figure.panels.size());
    for (const Series& series : figure.series) names[series.panel].push_back(series.name);
    return std::ranges::all_of(names, [&](const auto& curves) { return curves == names.front(); });
}

std::size_t most_curves(const Figure& figure) {
    std::vector<std::size_t> curves(figure.panels.size());
    for (const Series& series : figure.series) ++curves[series.panel];
    return *std::ranges::max_element(curves);
}

constexpr double letter = 8.5;  // about the mean width of one

// In pixels, from the top left. Each panel has a cell: its title, the plot with its axes, and its legend. Two
// cells stand side by side; title and shared legend span the picture.
struct Layout {
    explicit Layout(const Figure& figure)
        : columns(figure.panels.size() > 1 ? 2 : 1),
          rows((static_cast<int>(figure.panels.size()) + columns - 1) / columns),
          plot_width(columns > 1 ? 440 : 680),
          shared_legend(same_curves(figure)) {
        std::size_t longest = 0;
        for (const Series& series : figure.series) longest = std::max(longest, series.name.size());
        const auto entries = static_cast<int>(most_curves(figure));
        // gnuplot takes letters for wider than they are; the space that it leaves in the last column is free.
        const double entry_width = 66 + 11.3 * static_cast<double>(longest);
        const double space = (shared_legend ? width() : cell_width()) + 40;
        const int across = std::max(1, static_cast<int>(space / entry_width));
        legend_rows = longest == 0 ? 0 : (entries + across - 1) / across;
    }

    int cell_width() const { return left + plot_width + right; }
    int cell_height() const { return panel_title + plot_height + axis + (shared_legend ? 0 : legend()); }
    int legend() const { return legend_rows == 0 ? 0 : 10 + 26 * legend_rows; }
    int width() const { return columns * cell_width(); }
    int height() const { return title + rows * cell_height() + (shared_legend ? legend() : 0); }

    int plot_left(std::size_t panel) const { return static_cast<int>(panel) % columns * cell_width() + left; }
    int plot_top(std::size_t panel) const {
        return title + static_cast<int>(panel) / columns * cell_height() + panel_title;
    }
    // gnuplot counts from the bottom left, in shares of the picture.
    double x(double pixels) const { return pixels / width(); }
    double y(double pixels) const { return 1 - pixels / height(); }

    static constexpr int title = 76;
    static constexpr int left = 108;
    static constexpr int right = 26;
    static constexpr int panel_title = 36;
    static constexpr int plot_height = 300;
    static constexpr int axis = 76;
    int columns;
    int rows;
    int plot_width;
    bool shared_legend;
    int legend_rows = 0;
};

std::string margins(const Layout& layout, std::size_t panel) {
    const int left = layout.plot_left(panel);
    const int top = layout.plot_top(panel);
    return fmt::format(
        "set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\nset tmargin at screen {:.4f}\n"
        "set bmargin at screen {:.4f}\n",
        layout.x(left), layout.x(left + layout.plot_width), layout.y(top),
        layout.y(top + Layout::plot_height));
}

// gnuplot would move its own label out of the picture where the numbers of the axis are long.
std::string y_label(const Layout& layout, const Figure& figure, std::size_t panel) {
    return fmt::format("set label 3 {} at screen {:.4f}, screen {:.4f} rotate center\n",
                       quoted(figure.y_label), layout.x(20),
                       layout.y(layout.plot_top(panel) + Layout::plot_height / 2.0));
}

std::string legend(const Layout& layout, std::size_t panel) {
    if (layout.legend_rows == 0 || (layout.shared_legend && panel > 0)) return "unset key\n";
    const double middle =
        layout.shared_legend ? layout.width() / 2.0 : layout.plot_left(panel) + layout.plot_width / 2.0;
    const int top = layout.shared_legend ? layout.height() - layout.legend()
                                         : layout.plot_top(panel) + Layout::plot_height + Layout::axis;
    return fmt::format(
        "set key at screen {:.4f}, screen {:.4f} center top vertical maxrows {} Left reverse samplen 3 "
        "spacing "
        "1.25\n",
        layout.x(middle), layout.y(top), layout.legend_rows);
}

// The title, and below it the statistic of the seeds.
std::string headings(const Layout& layout, const Figure& figure, const Data& data) {
    std::string seeds = seeds_text(figure, data.seeds);
    if (data.seeds > 1 && common_statistic(figure) == Statistic::mean) seeds += ", with 95 % intervals";
    return fmt::format(
        "set label 1 {} at screen 0.5, screen {:.4f} center font ',20'\n"
        "set label 2 {} at screen 0.5, screen {:.4f} center font ',14' tc rgb '#555555'\n",
        quoted(figure.title), layout.y(28), quoted(seeds), layout.y(54));
}

// --- The axes.

// Every x has a tick; labels that would overlap are left out.
std::string x_ticks(const Figure& figure, double first, double last, int width) {
    const bool logarithmic = figure.x_scale == Scale::logarithmic;
    const auto scaled = [&](double x) { return logarithmic ? std::log(x) : x; };
    std::vector<std::string> marks;
    double free_from = -std::numeric_limits<double>::infinity();
    for (std::size_t place = 0; place < figure.xs.size(); ++place) {
        const auto at = static_cast<double>(position(figure, place));
        const std::string text = x_text(figure, place);
        const double middle = width * (scaled(at) - scaled(first)) / (scaled(last) - scaled(first));
        const double half = letter * static_cast<double>(text.size()) / 2;
        const bool fits = middle - half > free_from;
        if (fits) free_from = middle + half + letter / 2;
        marks.push_back(fmt::format("{} {}", quoted(fits ? text : ""), at));
    }
    return fmt::format("set xtics ({})\n", fmt::join(marks, ", "));
}

std::string x_axis(const Figure& figure, int width) {
    std::string text =
        fmt::format("set xlabel {} offset 0,0.7\nset xtics offset 0,0.35\n", quoted(figure.x_label));
    auto first = static_cast<double>(position(figure, 0));
    auto last = static_cast<double>(position(figure, figure.xs.size() - 1));
    if (figure.x_scale == Scale::logarithmic) {
        text += "set logscale x\n";
        const double beyond = std::max(1.02, std::pow(last / first, 0.03));
        first /= beyond;
        last *= beyond;
    } else {
        const double beyond = figure.categories ? 0.6 : std::max(0.04 * (last - first), 0.1);
        first -= beyond;
        last += beyond;
    }
    return text + fmt::format("set xrange [{:.6g}:{:.6g}]\n", first, last) +
           x_ticks(figure, first, last, width);
}

// Ticks at powers of ten times 1, 2 and 5, or with few of these times 1 to 9. The axis begins and ends with a
// tick at 1, 2 or 5.
std::string logarithmic_y_axis(double lowest, double highest) {
    std::vector<double> round;
    const auto lower_end = std::floor(std::log10(lowest));
    for (double power = std::pow(10, lower_end); power <= 10 * highest; power *= 10)
        for (const int digit : {1, 2, 5}) round.push_back(power * digit);
    const auto above = std::ranges::find_if(round, [&](double tick) { return tick >= highest * 1.02; });
    auto below = std::ranges::find_if(round, [&](double tick) { return tick > lowest / 1.02; });
    if (below != round.begin()) --below;
    const double bottom = *below;
    const double top = *above;
    const bool few = above - below < 3;
    const bool many = above - below > 12;
    std::vector<std::string> marks;
    for (double power = std::pow(10, lower_end); power <= top; power *= 10)
        for (int digit = 1; digit < (many ? 2 : 10); ++digit)
            if (few || digit == 1 || digit == 2 || digit == 5)
                marks.push_back(fmt::format("{:.6g}", power * digit));
    return fmt::format("set logscale y\nset yrange [{:.6g}:{:.6g}]\nset ytics ({})\nunset mytics\n",
                       bottom / 1.001, top * 1.001, fmt::join(marks, ", "));
}

// An axis of few whole numbers has no ticks between them.
std::string linear_y_axis(double highest, bool whole, bool bars) {
    const double top = highest > 0 ? highest : 1;
    return fmt::format("unset logscale y\nset yrange [{:.6g}:{:.6g}]\n", bars ? 0 : -0.04 * top, 1.08 * top) +
           (whole && top <= 10 ? "set ytics 1\n" : "set ytics autofreq\n");
}

std::string y_axis(const Figure& figure, const Data& data, std::size_t panel) {
    double highest = 0;
    double lowest = std::numeric_limits<double>::infinity();  // above 0
    double interval_end = 0;                                  // of the highest interval
    bool whole = true;
    bool positive = true;
    for (std::size_t i = 0; i < figure.series.size(); ++i)
        for (const Cell& cell : data.cells[i]) {
            if (figure.series[i].panel != panel) continue;
            const double value = drawn(figure, figure.series[i], cell);
            highest = std::max(highest, value);
            if (figure.panels[panel].statistic == Statistic::mean)
                interval_end = std::max(interval_end, value + cell.half_width);
            if (value > 0) lowest = std::min(lowest, value);
            positive = positive && value > 0;
            whole = whole && value == std::floor(value);
        }
    // Intervals of few seeds may be so long that they would dwarf the values.
    highest = std::max(highest, std::min(interval_end, 1.3 * highest));
    constexpr double far_apart = 50;
    const bool logarithmic = figure.y_scale == Scale::logarithmic ||
                             (figure.y_scale == Scale::automatic && positive && highest > far_apart * lowest);
    return logarithmic && lowest <= highest ? logarithmic_y_axis(lowest, highest)
                                            : linear_y_axis(highest, whole, figure.categories);
}

// --- Curves and bars.

// A series of the data, its points moved aside.
std::string values(std::size_t series, double aside = 0) {
    return fmt::format("$data using ($1+{:.4f}):{}", aside, 2 + columns_per_series * series);
}

// The intervals of a series; empty if it has none.
std::string intervals(const Figure& figure, const Data& data, std::size_t series, double aside,
                      const char* colour) {
    if (data.seeds < 2 || figure.panels[figure.series[series].panel].statistic != Statistic::mean) return "";
    const std::size_t low = 3 + columns_per_series * series;
    return fmt::format("$data using ($1+{:.4f}):{}:(0):{} notitle with vectors nohead lc rgb '{}' lw 1.5",
                       aside, low, low + 1, colour);
}

constexpr const char* next_curve = ", \\\n     ";

// The intervals are below the curve.
std::string curve(const Figure& figure, const Data& data, std::size_t series, const Look& look) {
    const std::string below = intervals(figure, data, series, 0, look.colour);
    return below + (below.empty() ? "" : next_curve) +
           fmt::format("{} with linespoints title {} lc rgb '{}' lw {} dt {} pt {} ps {}", values(series),
                       quoted(figure.series[series].name), look.colour, look.width, look.dashes, look.marker,
                       look.size);
}

constexpr double group_width = 0.8;  // of the bars of a category

// The bars of a category stand side by side, and the intervals are on top of them.
std::string bar(const Figure& figure, const Data& data, std::size_t series, const Look& look, double aside) {
    const std::string above = intervals(figure, data, series, aside, "#000000");
    return fmt::format("{} with boxes title {} lc rgb '{}' fs solid 0.9 noborder", values(series, aside),
                       quoted(figure.series[series].name), look.colour) +
           (above.empty() ? "" : next_curve + above);
}

std::string panel_script(const Figure& figure, const Data& data, std::size_t panel) {
    std::string text = fmt::format("set title {} offset 0,-0.3\n", quoted(figure.panels[panel].title)) +
                       y_axis(figure, data, panel);
    const double bar_width = group_width / static_cast<double>(most_curves(figure));
    if (figure.categories) text += fmt::format("set boxwidth {:.4f}\n", 0.9 * bar_width);
    std::size_t place = 0;
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
        if (figure.series[i].panel != panel) continue;
        const Look& look = figure.series[i].name.empty() ? nameless : looks[place % looks.size()];
        const double aside = (static_cast<double>(place) + 0.5) * bar_width - group_width / 2;
        text += (place == 0 ? "plot " : next_curve) +
                (figure.categories ? bar(figure, data, i, look, aside) : curve(figure, data, i, look));
        ++place;
    }
    return text + '\n';
}

// --- The program.

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Runs gnuplot with these standard files, and returns its status as waitpid does; nothing if it is not
// installed.
Result<std::optional<int>> run_gnuplot(std::FILE* in, std::FILE* out, std::FILE* err) {
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
    if (failure == ENOENT) return std::optional<int>();
    if (failure != 0) return Error{fmt::format("gnuplot cannot be started: {}", std::strerror(failure))};
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return Error{fmt::format("gnuplot is lost: {}", std::strerror(errno))};
    return std::optional(status);
}

std::string content_of(std::FILE* file) {
    std::rewind(file);
    std::string text;
    std::array<char, 4096> block{};
    while (const std::size_t size = std::fread(block.data(), 1, block.size(), file))
        text.append(block.data(), size);
    return text;
}

std::string first_line(const std::string& text) {
    const std::size_t start = text.find_first_not_of(" \n");
    if (start == std::string::npos) return "it printed nothing";
    return text.substr(start, text.find('\n', start) - start);
}

}  // namespace

std::string gnuplot_script(const Figure& figure, const Data& data) {
    const Layout layout(figure);
    std::string text = data_block(figure, data);
    text += fmt::format(
        "set terminal svg size {},{} dynamic noenhanced font 'Helvetica,16' background '#ffffff' name {}\n",
        layout.width(), layout.height(), quoted(identifier(figure.name)));
    text += "set multiplot\n" + headings(layout, figure, data) + x_axis(figure, layout.plot_width);
    text +=
        "set border 3 lc rgb '#444444'\nset tics nomirror out scale 0.5\nset grid ytics lc rgb '#dddddd' lw "
        "1\n";
    for (std::size_t panel = 0; panel < figure.panels.size(); ++panel) {
        const bool first_of_row = static_cast<int>(panel) % layout.columns == 0;
        if (first_of_row) text += y_label(layout, figure, panel);
        text += margins(layout, panel) + legend(layout, panel) + panel_script(figure, data, panel);
        text += "unset label\n";  // else every panel draws the headings again
    }
    return text + "unset multiplot\n";
}

Result<std::optional<std::string>> draw_svg(const Figure& figure, const Data& data) {
    const File script(std::tmpfile());
    const File picture(std::tmpfile());
    const File errors(std::tmpfile());
    if (!script || !picture || !errors) return Error{"cannot make a temporary file"};
    std::fputs(gnuplot_script(figure, data).c_str(), script.get());
    std::rewind(script.get());
    const auto status = run_gnuplot(script.get(), picture.get(), errors.get());
    if (!status) return Error{status.error()};
    if (!*status) return std::optional<std::string>();
    std::string svg = content_of(picture.get());
    if (*status == 0 && svg.find("</svg>") != std::string::npos) return std::optional(std::move(svg));
    if (WIFSIGNALED(**status)) return Error{"gnuplot was killed"};
    return Error{"gnuplot failed: " + first_line(content_of(errors.get()))};
}

}  // namespace allot::figures
