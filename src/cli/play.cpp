// allot play: replays scenario files, step by step.

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <iostream>

#include "base/stop.hpp"
#include "check/checker.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/output.hpp"
#include "cli/pictures.hpp"
#include "core/json.hpp"
#include "play/player.hpp"
#include "registry/registry.hpp"

namespace allot::cli {

namespace {

struct PlayFlags {
    std::vector<std::string> files;
    std::string html;
    bool quiet = false;
    bool json = false;
};

play::Outcome play_file(const std::string& file, const Result<std::string>& text, std::ostream* log) try {
    if (!text) return {exit_usage, text.error()};
    const play::Player player(registry::protocols(), check::can_be_served);
    return player.play(file, *text, log);
} catch (const stop::Due&) {
    stop::reporting();
    return {exit_bounded, fmt::format("bounded: {} before the end of {}", stop::reason(), file)};
}

void print_outcome(const std::string& file, const play::Outcome& outcome) {
    std::cout.flush();
    if (outcome.ok())
        fmt::print("{}: as expected\n", file);
    else
        print_error(outcome.message);
}

// Plays every file; the worst outcome is the exit code.
int run_play(const PlayFlags& flags, const PlayReport& report, const ReadFile& read) {
    stop::on_signals();
    if (!flags.html.empty() && flags.files.size() > 1)
        return wrong_usage(fmt::format("--html {}: a page shows one scenario; write one file", flags.html));
    if (const auto wrong = shared_file({"html", flags.html}, {"file", flags.files.front()}))
        return wrong_usage(
            fmt::format("--html {}: this is the scenario itself; write another file", flags.html));
    auto html = open_beside_report("html", flags.html, flags.json);
    if (!html) return wrong_usage(html.error());
    int worst = exit_ok;
    boost::json::array list;
    for (const std::string& file : flags.files) {
        if (stop::due()) break;
        const bool silent = flags.quiet || flags.json || report;
        const Result<std::string> text = read(file);
        const play::Outcome outcome = play_file(file, text, silent ? nullptr : &std::cout);
        if (report)
            report(file, outcome);
        else if (!flags.json)
            print_outcome(file, outcome);
        list.push_back({{"file", file}, {"ok", outcome.ok()}, {"message", abridged(outcome.message)}});
        worst = std::max(worst, outcome.exit_code);
        if (*html && outcome.exit_code <= exit_no)
            if (const auto wrong = write_page(file, *text, **html)) return failed("--html: " + *wrong);
    }
    if (flags.json && !report) fmt::print("{}\n", boost::json::serialize(list));
    return worst;
}

}  // namespace

void add_play(CommandLine& line, PlayReport report, ReadFile read) {
    auto flags = std::make_shared<PlayFlags>();
    Command& command = line.command("play", "Replay scenario files and check their expectations");
    command.footer("Example: " + program_name() +
                   " play stuck.txt, which `check --out stuck.txt` wrote\n"
                   "Exit code: 0 as expected, 1 not as expected, 2 malformed file or wrong usage, "
                   "3 bounded (Ctrl-C).");
    command.option("files", flags->files, "Scenario files (docs/scenarios.md); - for standard input")
        .required();
    command.option(
        "--html", flags->html,
        "Also write a page to this file that shows the run step by step, or - for standard output");
    command.flag("--quiet", flags->quiet, "Print only the outcome of each file");
    command.flag("--json", flags->json, "For programs");
    command.action([flags, report = std::move(report), read = std::move(read)] {
        return run_play(*flags, report, read);
    });
}

}  // namespace allot::cli
