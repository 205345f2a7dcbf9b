// allot play: scenario files, step by step.

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <iostream>

#include "check/checker.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "core/json.hpp"
#include "play/player.hpp"
#include "registry/registry.hpp"

namespace allot::cli {

namespace {

struct PlayFlags {
    std::vector<std::string> files;
    bool quiet = false;
    bool json = false;
};

// The worst outcome decides; every file is played all the same.
int run_play(const PlayFlags& flags) {
    const play::Player player(registry::protocols(), check::can_be_served);
    int worst = exit_ok;
    boost::json::array report;
    for (const std::string& file : flags.files) {
        const auto text = read_file(file);
        play::Outcome outcome{exit_usage, text ? "" : text.error()};
        if (text) {
            const bool silent = flags.quiet || flags.json;
            outcome = player.play(file, *text, silent ? nullptr : &std::cout);
        }
        std::cout.flush();
        if (!outcome.ok() && !flags.json) fmt::print(stderr, "allot: {}\n", outcome.message);
        if (outcome.ok() && !flags.json) fmt::print("{}: as expected\n", file);
        report.push_back({{"file", file}, {"ok", outcome.ok()}, {"message", outcome.message}});
        worst = std::max(worst, outcome.exit_code);
    }
    if (flags.json) fmt::print("{}\n", boost::json::serialize(report));
    return worst;
}

}  // namespace

void add_play(CommandLine& line) {
    auto flags = std::make_shared<PlayFlags>();
    Command& command = line.command("play", "Replay scenario files and check what they expect");
    command.footer(
        "Example: allot play scenarios/semaphore/raymond-two-crashes.txt\n"
        "Exit code: 0 as expected, 1 something was not, 2 the file makes no sense.");
    command.option("files", flags->files, "Scenario files (docs/scenarios.md)").required();
    command.flag("--quiet", flags->quiet, "Say only how each file ended");
    command.flag("--json", flags->json, "For programs");
    command.action([flags] { return run_play(*flags); });
}

}  // namespace allot::cli
