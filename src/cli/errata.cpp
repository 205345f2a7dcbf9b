// allot errata: the defects of the published algorithms, each with the command that shows it.

#include "errata/errata.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <optional>

#include "base/stop.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/outcome.hpp"
#include "cli/progress_line.hpp"
#include "cli/table.hpp"
#include "core/json.hpp"
#include "errata/trial.hpp"

namespace allot::cli {

namespace {

using errata::Demonstration;
using errata::Erratum;
using Errata = std::vector<Erratum>;

struct ErrataFlags {
    std::string problem;
    std::optional<std::string> show;
    std::optional<std::string> run;  // empty: all
    bool json = false;
};

std::string shown_by(const Erratum& erratum) {
    if (erratum.demonstrations.empty()) return "listed only";
    const Demonstration& first = erratum.demonstrations.front();
    return first.plays_scenario() ? "scenario" : first.simulates() ? "sim" : "check";
}

boost::json::value as_json(const Erratum& erratum) {
    boost::json::array demonstrations;
    for (const Demonstration& shown : erratum.demonstrations)
        demonstrations.push_back(
            {{"command", shown.command},
             {"shows", shown.shows},
             {"cure", shown.cure.empty() ? boost::json::value(nullptr) : boost::json::value(shown.cure)}});
    return {{"id", erratum.id()},
            {"problem", erratum.problem},
            {"number", erratum.number},
            {"paper", erratum.paper},
            {"lines", erratum.lines},
            {"title", erratum.title},
            {"symptom", erratum.symptom},
            {"repair", erratum.repair},
            {"story", erratum.story},
            {"shown_by", shown_by(erratum)},
            {"demonstrations", demonstrations}};
}

void print_json(const Errata& list) {
    boost::json::array all;
    for (const Erratum& erratum : list) all.push_back(as_json(erratum));
    fmt::print("{}\n", boost::json::serialize(all));
}

void print_table(const Errata& list) {
    Table table({"erratum", "shown by", "defect and symptom"});
    for (const Erratum& erratum : list)
        table.add({erratum.id(), shown_by(erratum), erratum.title + " (" + erratum.symptom + ")"});
    fmt::print("{}", table.text());
    if (!list.empty()) fmt::print("\nDetails of one: allot errata --show {}\n", list.front().id());
}

bool found_violated(const Demonstration& shown) {
    return !shown.plays_scenario() && !shown.measures_waits() && !shown.simulates();
}

void print_story(const Erratum& erratum) {
    const bool numbered = erratum.lines.find_first_of("0123456789") == 0;
    fmt::print("{}: {}\n\n", erratum.id(), erratum.title);
    fmt::print("{}\n", wrapped("Paper: " + erratum.paper));
    fmt::print("Where: {}{}\n", numbered ? "lines " : "", erratum.lines);
    fmt::print("Symptom: {}\n", erratum.symptom);
    fmt::print("{}\n\n", wrapped("Repair: " + erratum.repair));
    fmt::print("{}\n", wrapped(erratum.story));
    for (const Demonstration& shown : erratum.demonstrations) {
        if (shown.plays_scenario())
            fmt::print("\nThis scenario shows it ({}):\n\n    {}\n", shown.shows, shown.command);
        else
            fmt::print("\nThis shows it, {}{}:\n\n    {}\n", shown.shows,
                       found_violated(shown) ? " is violated" : "", shown.command);
        if (shown.cure.empty()) continue;
        fmt::print("\nWith the cure {}:\n\n    {}\n", found_violated(shown) ? "nothing is" : "it is not so",
                   shown.cure);
    }
    if (erratum.demonstrations.empty()) fmt::print("\nNo command shows this erratum.\n");
}

// --- Running the commands.

struct Row {
    const Erratum* erratum;
    const Demonstration* demonstration;
    errata::Trial trial;
};

// A stop ends the trials early: the one that it interrupts has no row.
std::optional<std::string> try_all(const Errata& list, std::vector<Row>& rows) {
    ProgressLine line;
    try {
        for (const Erratum& erratum : list)
            for (const Demonstration& shown : erratum.demonstrations) {
                line.tell([&](double) { return fmt::format("{}: {}", erratum.id(), shown.command); });
                auto trial = errata::put_to_test(shown, outcome_of);
                stop::poll();
                if (!trial) return fmt::format("{}: {}", erratum.id(), trial.error());
                rows.push_back({&erratum, &shown, std::move(*trial)});
            }
    } catch (const stop::Due&) {
    }
    return std::nullopt;
}

std::string verdict_of(const errata::Trial& trial) {
    if (!trial.shown) return "NOT SHOWN";
    return trial.cured ? "shown" : "NOT CURED";
}

void print_trials(const std::vector<Row>& rows) {
    Table table({"erratum", "verdict", "found", "with the cure", "claimed"});
    for (const Row& row : rows)
        table.add({row.erratum->id(), verdict_of(row.trial), row.trial.found,
                   row.demonstration->cure.empty() ? "no cure" : row.trial.cure_found,
                   row.demonstration->shows});
    fmt::print("{}", table.text());
}

void print_trials_json(const std::vector<Row>& rows) {
    boost::json::array all;
    for (const Row& row : rows) {
        const bool has_cure = !row.demonstration->cure.empty();
        all.push_back({{"id", row.erratum->id()},
                       {"command", row.demonstration->command},
                       {"shows", row.demonstration->shows},
                       {"found", row.trial.found},
                       {"shown", row.trial.shown},
                       {"cure", has_cure ? boost::json::value(row.demonstration->cure) : nullptr},
                       {"cure_found", has_cure ? boost::json::value(row.trial.cure_found) : nullptr},
                       {"cured", row.trial.cured}});
    }
    fmt::print("{}\n", boost::json::serialize(all));
}

int run_trials(const Errata& list, bool json) {
    stop::on_signals();
    std::vector<Row> rows;
    if (const auto wrong = try_all(list, rows)) return wrong_usage(*wrong);
    stop::reporting();
    (json ? print_trials_json : print_trials)(rows);
    for (const Row& row : rows)
        if (!row.trial.shown || !row.trial.cured) return exit_no;
    if (!stop::due()) return exit_ok;
    print_error(fmt::format("bounded: {} before all commands were run", stop::reason()));
    return exit_bounded;
}

// --- The command line.

Result<Errata> only(const Errata& list, const char* flag, const std::string& name) {
    auto one = errata::find(list, name);
    if (!one) return Error{fmt::format("{} {}", flag, one.error())};
    return Errata{std::move(*one)};
}

Result<Errata> chosen(const ErrataFlags& flags) {
    const auto all = errata::all();
    if (!all) return all;
    const auto list = errata::of_problem(*all, flags.problem);
    if (!list) return Error{fmt::format("--problem {}: {}", flags.problem, list.error())};
    if (flags.show) return only(*list, "--show", *flags.show);
    if (!flags.run || flags.run->empty() || *flags.run == "all") return list;
    auto one = only(*list, "--run", *flags.run);
    if (one && one->front().demonstrations.empty())
        return Error{fmt::format("--run {}: no command shows this erratum; it is only listed", *flags.run)};
    return one;
}

int run_errata(const ErrataFlags& flags) {
    const auto list = chosen(flags);
    if (!list) return wrong_usage(list.error());
    if (flags.run) return run_trials(*list, flags.json);
    if (flags.json)
        print_json(*list);
    else if (flags.show)
        print_story(list->front());
    else
        print_table(*list);
    return exit_ok;
}

}  // namespace

void add_errata(CommandLine& line) {
    auto flags = std::make_shared<ErrataFlags>();
    Command& command =
        line.command("errata", "List the papers' defects, each with the command that shows it");
    command.footer(
        "Examples:\n"
        "  allot errata --show semaphore:3\n"
        "  allot errata --run\n"
        "`--run` needs no files: the program has the scenarios. To play one yourself, begin at the top of "
        "the repository.\n"
        "Exit code: 0 listed, or all shown; 1 a defect was not shown or not cured; 2 wrong usage; "
        "3 bounded (Ctrl-C).");
    command.option("--problem", flags->problem, "Only the errata of this problem");
    const Argument show = command.option("--show", flags->show, "Details of one erratum, as in semaphore:3");
    command
        .option(
            "--run", flags->run,
            "Run the command and the cure of one erratum, as in semaphore:3; alone or with all, of every one")
        .value_optional()
        .excludes(show);
    command.flag("--json", flags->json, "For programs");
    command.action([flags] { return run_errata(*flags); });
}

}  // namespace allot::cli
