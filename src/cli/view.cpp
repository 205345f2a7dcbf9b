// allot view: draws a scenario, a counterexample or the log of a simulation.

#include <charconv>
#include <fmt/format.h>

#include "base/stop.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/output.hpp"
#include "cli/pictures.hpp"
#include "core/reflect.hpp"
#include "view/run_page.hpp"
#include "view/svg.hpp"

namespace allot::cli {

namespace {

struct ViewFlags {
    std::string file;
    std::string svg;
    std::string html;
    std::string time;
    std::string lines;
};

std::optional<std::size_t> number_in(std::string_view text) {
    std::size_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size() || number == 0) return std::nullopt;
    return number;
}

// `100-250`
Result<play::Window> read_window(const std::string& lines) {
    play::Window window;
    if (lines.empty()) return window;
    const auto dash = std::min(lines.find('-'), lines.size());
    const auto first = number_in(std::string_view(lines).substr(0, dash));
    const auto last = number_in(std::string_view(lines).substr(std::min(dash + 1, lines.size())));
    if (!first || !last || *last < *first)
        return Error{
            fmt::format("--lines {}: write the first and the last line of the file, as in 100-250", lines)};
    window.first_line = *first;
    window.last_line = *last;
    return window;
}

Result<view::Direction> read_direction(const std::string& time) {
    if (time.empty()) return view::Direction::down;
    if (const auto direction = enum_from<view::Direction>(time)) return *direction;
    return Error{fmt::format("--time {}: write down or right", time)};
}

// Each output is another file, and none is the scenario.
std::optional<std::string> clash(const ViewFlags& flags) {
    if (auto wrong = shared_file({"svg", flags.svg}, {"html", flags.html})) return wrong;
    for (const auto& [name, path] : {std::pair("svg", &flags.svg), {"html", &flags.html}})
        if (shared_file({name, *path}, {"file", flags.file}))
            return fmt::format("--{} {}: this is the scenario itself; write another file", name, *path);
    return std::nullopt;
}

// The error of flags that do not go together.
std::optional<std::string> misused(const ViewFlags& flags) {
    if (flags.svg.empty() && flags.html.empty())
        return "nothing to draw to; write --svg FILE for a picture, or --html FILE for a page";
    if (flags.svg.empty() && !flags.time.empty())
        return fmt::format("--time {}: a page shows time downwards; add --svg FILE", flags.time);
    return clash(flags);
}

int run_view(const ViewFlags& flags) {
    stop::on_signals();
    if (const auto wrong = misused(flags)) return wrong_usage(*wrong);
    auto window = read_window(flags.lines);
    if (!window) return wrong_usage(window.error());
    window->most_events = flags.svg.empty() ? most_events_on_page : most_events_on_paper;
    const auto direction = read_direction(flags.time);
    if (!direction) return wrong_usage(direction.error());
    const auto text = read_file(flags.file);
    if (!text) return wrong_usage(text.error());
    auto svg = open_beside_report("svg", flags.svg, false);
    if (!svg) return wrong_usage(svg.error());
    auto html = open_beside_report("html", flags.html, false);
    if (!html) return wrong_usage(html.error());

    auto recording = record_scenario(flags.file, *text, *window);
    if (!recording) return wrong_usage(recording.error());
    if (*svg) {
        (*svg)->stream() << view::svg(view::draw(recording->run, *direction));
        if (const auto failure = (*svg)->commit()) return failed(*failure);
    }
    if (*html) {
        (*html)->stream() << view::run_page(recording->run);
        if (const auto failure = (*html)->commit()) return failed(*failure);
    }
    if (!recording->outcome.ok()) return failed(recording->outcome.message);
    return exit_ok;
}

}  // namespace

void add_view(CommandLine& line) {
    auto flags = std::make_shared<ViewFlags>();
    Command& command = line.command("view", "Draw a scenario, a counterexample or the log of a simulation");
    command.footer("Example: " + program_name() +
                   " view stuck.txt --svg stuck.svg --html stuck.html, where `check --out stuck.txt` wrote "
                   "the run\n"
                   "Exit code: 0 drawn, 1 drawn and not as expected, 2 malformed file or wrong usage, 3 "
                   "bounded (Ctrl-C).");
    command.option("file", flags->file, "A scenario file (docs/scenarios.md); - for standard input")
        .required();
    command.option("--svg", flags->svg, "Write the picture to this file, or - for standard output");
    command.option("--html", flags->html,
                   "Write a page to this file that shows the run step by step, or - for standard output");
    command.option("--time", flags->time, "The axis of time in the picture: down or right; default down");
    command.option("--lines", flags->lines, "Draw what these lines of the file do, as in 100-250");
    command.action([flags] { return run_view(*flags); });
}

}  // namespace allot::cli
