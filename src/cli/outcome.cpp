#include "cli/outcome.hpp"

#include <boost/tokenizer.hpp>
#include <vector>

#include "check/checker.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "errata/errata.hpp"
#include "play/player.hpp"
#include "sim/figures.hpp"

namespace allot::cli {

namespace {

// Splits a command line like a shell, with quotes.
std::vector<std::string> words_of(const std::string& command) {
    const boost::escaped_list_separator<char> spaces("\\", " ", "\"'");
    const boost::tokenizer<boost::escaped_list_separator<char>> words(command, spaces);
    return {words.begin(), words.end()};
}

// The properties that a check found violated, unbounded waits, or its verdict.
std::string outcome_of_check(const check::Result& result) {
    std::string found;
    for (const check::Violation& violation : result.violations)
        found += (found.empty() ? "" : ", ") + violation.property;
    if (!found.empty()) return found;
    for (const check::Wait& wait : result.waits)
        if (!wait) return "waits of any length";
    return std::string(enum_name(result.verdict));
}

// The property that a simulation found violated, or why sites still wait at the end.
std::string outcome_of_sim(const sim::Figures& figures) {
    if (!figures.violations.empty()) return figures.violations.front().property;
    if (figures.stalled > 0) return "stalled";
    return figures.left_behind > 0 ? "left behind" : "holds";
}

}  // namespace

Result<std::string> outcome_of(const std::string& command) {
    std::string outcome = "as expected";
    CommandLine line("", "", "");
    add_check(line, [&](walk::Machine&, const check::Options&, const check::Result& result) {
        outcome = outcome_of_check(result);
    });
    const auto note = [&](const std::string&, const play::Outcome& played) {
        if (!played.ok() && outcome == "as expected") outcome = played.message;
    };
    add_play(line, note, errata::scenario);
    add_sim(line, [&](const sim::Summary& summary) { outcome = outcome_of_sim(summary.figures); });
    std::vector<std::string> words = words_of(command);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    const int code = line.run(static_cast<int>(arguments.size()), arguments.data());
    if (code == exit_usage)
        return Error{command + ": the command cannot run" + (outcome == "as expected" ? "" : ": " + outcome)};
    return outcome;
}

}  // namespace allot::cli
