#include "cli/pictures.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "check/checker.hpp"
#include "cli/commands.hpp"
#include "cli/table.hpp"
#include "registry/registry.hpp"
#include "view/run_page.hpp"

namespace allot::cli {

namespace {

// Lines of the window that may be steps. A log may be too long even to be parsed with profit.
std::size_t count_steps(std::string_view text, const play::Window& window) {
    std::size_t number = 0;
    std::size_t steps = 0;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
        const bool tells = line.empty() || line.starts_with('#') || line.starts_with("expect ") ||
                           line.starts_with("protocol ") || line.starts_with("show");
        if (!tells && number >= window.first_line && number <= window.last_line) ++steps;
    }
    return steps;
}

Error too_long(const std::string& file, const std::string& steps, const play::Window& window) {
    return Error{fmt::format(
        "{}: {} steps, and this picture shows at most {}; choose a part of it with --lines, as in --lines "
        "{}-{}",
        file, steps, with_commas(window.most_events), std::max<std::size_t>(1, window.first_line),
        std::max<std::size_t>(1, window.first_line) + window.most_events - 1)};
}

}  // namespace

Result<play::Recording> record_scenario(const std::string& file, const std::string& text,
                                        const play::Window& window) {
    if (const std::size_t steps = count_steps(text, window); steps > window.most_events)
        return too_long(file, with_commas(steps), window);
    const play::Player player(registry::protocols(), check::can_be_served);
    play::Recording recording = play::record(player, file, text, window);
    if (recording.outcome.exit_code == exit_usage) return Error{recording.outcome.message};
    if (recording.is_full) return too_long(file, "more", window);
    if (recording.run.lanes.empty())
        return Error{fmt::format("{}: no step in the lines {}-{}; write other --lines", file,
                                 window.first_line, window.last_line)};
    return recording;
}

std::optional<std::string> write_page(const std::string& file, const std::string& text, WholeFile& page) {
    auto recording = record_scenario(file, text, {.most_events = most_events_on_page});
    if (!recording) return recording.error();
    page.stream() << view::run_page(recording->run);
    return page.commit();
}

}  // namespace allot::cli
