// allot swarm: runs many random schedules with faults until one fails, and shrinks that one to a scenario.

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <thread>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/output.hpp"
#include "cli/parameter_flags.hpp"
#include "cli/progress_line.hpp"
#include "cli/table.hpp"
#include "core/json.hpp"
#include "swarm/campaign.hpp"

namespace allot::cli {

namespace {

constexpr std::uint64_t most_sites = 1000;

struct SwarmFlags {
    std::string protocol;
    Parameters parameters;
    std::string runs = "1000";
    std::string seed = "1";
    std::string run;
    std::string threads;
    std::string limit;
    std::string grants;
    std::string faults;
    std::string ticks;
    std::string out;
    bool json = false;
};

struct SwarmJob {
    const world::Entry* entry = nullptr;
    swarm::Options options;
};

// Reads the flags in order and returns the first error.
std::optional<std::string> read_flags(const SwarmFlags& flags, swarm::Options& options) {
    std::optional<std::string> wrong;
    const auto number = [&](const char* name, const std::string& text, std::uint64_t low, std::uint64_t high,
                            std::uint64_t fallback) {
        if (text.empty()) return fallback;
        const auto value = parse_number(name, text, low, high);
        if (!value && !wrong) wrong = value.error();
        return value ? *value : fallback;
    };
    constexpr std::uint64_t any = ~std::uint64_t{0};
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    options.runs = number("runs", flags.runs, 1, 1'000'000'000'000, 0);
    options.seed = number("seed", flags.seed, 0, any, 0);
    if (!flags.run.empty()) options.only = number("run", flags.run, 0, any - 1, 0);
    options.threads = static_cast<unsigned>(number("threads", flags.threads, 1, 64, cores));
    options.least = {number("grants", flags.grants, 0, 10'000, 0), number("faults", flags.faults, 0, 1000, 0),
                     number("ticks", flags.ticks, 0, 10'000, 0)};
    for (const char* name : {"sites", "clients"})
        if (const auto count = flags.parameters.find(name); count != flags.parameters.end())
            number(name, count->second, 1, most_sites, 1);
    return wrong;
}

Result<SwarmJob> prepare(const SwarmFlags& flags) {
    const auto entry = find_protocol(flags.protocol);
    if (!entry) return Error{entry.error()};
    SwarmJob job{*entry, {}};
    if (const auto wrong = read_flags(flags, job.options)) return Error{*wrong};
    job.options.fixed = flags.parameters;
    if (const auto given = flags.parameters.find("property"); given != flags.parameters.end())
        for (const PropertyName& property : world::properties_from_anywhere)
            if (std::ranges::count(split_list(given->second), property.name) > 0)
                return Error{
                    fmt::format("--property {}: it is about arbitrary starts; use `check --start arbitrary`",
                                property.name)};
    return job;
}

// `2..5`, `1..4 or any`, `dense or sparse`.
std::string range_of(const std::set<std::string>& values) {
    std::vector<std::uint64_t> numbers;
    std::vector<std::string> words;
    for (const std::string& value : values) {
        const auto number = parse_number("", value, 0, ~std::uint64_t{0});
        if (number)
            numbers.push_back(*number);
        else
            words.push_back(value);
    }
    std::sort(numbers.begin(), numbers.end());
    if (numbers.size() == 1) words.insert(words.begin(), std::to_string(numbers.front()));
    if (numbers.size() > 1)
        words.insert(words.begin(), fmt::format("{}..{}", numbers.front(), numbers.back()));
    return listed(words);
}

std::string drawn_line(const swarm::Campaign& campaign) {
    std::vector<std::string> ranges;
    for (const auto& [name, values] : campaign.drawn)
        ranges.push_back(fmt::format("{} {}", name, range_of(values)));
    return wrapped(fmt::format("Drawn: {}.", fmt::join(ranges, "; ")));
}

std::string faults_line(const swarm::Faults& faults) {
    std::vector<std::string> counts;
    for_each_member(faults, [&](std::string_view name, std::uint64_t count) {
        std::string words = spelled(name);
        std::replace(words.begin(), words.end(), '-', ' ');
        if (count > 0) counts.push_back(fmt::format("{} {}", words, with_commas(count)));
    });
    return counts.empty() ? "Faults: none." : wrapped(fmt::format("Faults: {}.", fmt::join(counts, "; ")));
}

std::string verdict_of(const swarm::Campaign& campaign) {
    if (campaign.violation) return "violated";
    return campaign.stopped_by.empty() ? "clean" : "bounded";
}

void print_probes(const swarm::Campaign& campaign) {
    if (campaign.probes.empty()) return;
    Table table({"probe", "reached in"});
    for (const auto& [name, runs] : campaign.probes)
        table.add({name, runs == 0 ? "never" : with_commas(runs) + (runs == 1 ? " run" : " runs")});
    fmt::print("\n{}", table.text());
}

void print_for_people(const SwarmJob& job, const swarm::Campaign& campaign) {
    fmt::print("protocol {}, seed {}\n\n", job.entry->name, job.options.seed);
    fmt::print("{}\n{}\n", drawn_line(campaign), faults_line(campaign.faults));
    if (job.options.least != swarm::Extent{})
        fmt::print("Each run: at least {} grants, {} faults, {} ticks.\n", campaign.least.grants,
                   campaign.least.faults, campaign.least.ticks);
    print_probes(campaign);
    if (!campaign.stopped_by.empty()) fmt::print("\nBounded: {}.\n", campaign.stopped_by);
    fmt::print("\n{}: {} {}, {} steps, {:.2f} s, {} runs/s\n", verdict_of(campaign),
               with_commas(campaign.runs), campaign.runs == 1 ? "run" : "runs", with_commas(campaign.steps),
               campaign.seconds,
               with_commas(static_cast<unsigned long long>(static_cast<double>(campaign.runs) /
                                                           std::max(campaign.seconds, 1e-6))));
    if (const auto& violation = campaign.violation)
        fmt::print("{} in run {}: {}; {} steps, shrunk to {}\n\n{}", violation->finding.property,
                   violation->run, violation->finding.detail, violation->steps_before_shrinking,
                   violation->steps, violation->scenario);
    else if (job.options.only)
        fmt::print("\n{}", campaign.scenario);
}

boost::json::value violation_json(const swarm::Campaign& campaign) {
    if (!campaign.violation) return nullptr;
    const swarm::Violation& violation = *campaign.violation;
    return {{"property", violation.finding.property},
            {"detail", violation.finding.detail},
            {"run", violation.run},
            {"seed", violation.seed},
            {"scenario", violation.scenario},
            {"steps_before_shrinking", violation.steps_before_shrinking},
            {"steps", violation.steps}};
}

void print_for_programs(const SwarmJob& job, const swarm::Campaign& campaign) {
    boost::json::object probes;
    for (const auto& [name, runs] : campaign.probes) probes[name] = runs;
    boost::json::object drawn;
    for (const auto& [name, values] : campaign.drawn) drawn[name] = range_of(values);
    boost::json::object report{{"protocol", job.entry->name},
                               {"runs", campaign.runs},
                               {"seed", job.options.seed},
                               {"verdict", verdict_of(campaign)},
                               {"steps", campaign.steps},
                               {"drawn", drawn},
                               {"faults", to_json(campaign.faults)},
                               {"least", to_json(campaign.least)},
                               {"probes", probes},
                               {"seconds", campaign.seconds},
                               {"stopped_by", campaign.stopped_by},
                               {"violation", violation_json(campaign)}};
    if (job.options.only && !campaign.violation) report["scenario"] = campaign.scenario;
    fmt::print("{}\n", boost::json::serialize(report));
}

std::string progress_text(const swarm::Progress& progress, double seconds) {
    return fmt::format("{} runs, {} steps, {:.0f} runs/s, {:.0f} s", with_commas(progress.runs),
                       with_commas(progress.steps),
                       static_cast<double>(progress.runs) / std::max(seconds, 1e-6), seconds);
}

Result<swarm::Campaign> run_job(SwarmJob& job) {
    ProgressLine line;
    job.options.on_progress = [&](const swarm::Progress& progress) {
        line.tell([&](double seconds) { return progress_text(progress, seconds); });
    };
    return swarm::swarm(*job.entry, job.options);
}

int run_swarm(const SwarmFlags& flags) {
    if (const auto wrong = start_limit(flags.limit)) return wrong_usage(*wrong);
    auto job = prepare(flags);
    if (!job) return wrong_usage(job.error());
    auto out = open_beside_report("out", flags.out, flags.json);
    if (!out) return wrong_usage(out.error());
    const auto campaign = run_job(*job);
    if (!campaign) return wrong_usage(campaign.error());
    if (flags.json)
        print_for_programs(*job, *campaign);
    else
        print_for_people(*job, *campaign);
    const std::string& scenario = campaign->violation ? campaign->violation->scenario : campaign->scenario;
    if (*out && !scenario.empty()) {
        (*out)->stream() << scenario;
        if (const auto failure = (*out)->commit()) return failed(*failure);
    }
    if (campaign->violation) return exit_no;
    return campaign->stopped_by.empty() ? exit_ok : exit_bounded;
}

}  // namespace

void add_swarm(CommandLine& line) {
    auto flags = std::make_shared<SwarmFlags>();
    Command& command =
        line.command("swarm", "Run many random schedules with faults until one fails; then shrink it");
    command.footer(
        "Each run draws every parameter that is not given, and only faults that the protocol survives.\n" +
        examples("swarm", {"raymond --runs 10000",
                           "raymond --permits 1 --crashes 1 --out stuck.txt; allot play stuck.txt"}) +
        "Exit code: 0 clean, 1 a run failed, 2 wrong usage, 3 bounded (the time limit was "
        "reached, Ctrl-C, or a run did not get as far as --grants, --faults and --ticks say).");
    add_protocol_word(command, "swarm", flags->protocol);
    add_parameter_flags(command, flags->parameters);
    const auto text = [&](const char* name, std::string& target, const char* meaning) {
        return command.option(name, target, meaning).group("Campaign");
    };
    const Argument runs = text("--runs", flags->runs, "Number of runs; default 1000");
    text("--seed", flags->seed, "Seed of the campaign; default 1");
    text("--run", flags->run, "Repeat only this run of the seed, and print it").excludes(runs);
    text("--threads", flags->threads, "Threads; default one per core");
    text("--grants", flags->grants, "Let no run close before so many grants");
    text("--faults", flags->faults, "... and before so many faults");
    text("--ticks", flags->ticks, "... and before each clock has ticked so often");
    text("--limit", flags->limit, "Stop after this time, as in 60s");
    text("--out", flags->out, "Also write the scenario to this file, or - for standard output");
    command.flag("--json", flags->json, "For programs");
    command.action([flags] { return run_swarm(*flags); });
}

}  // namespace allot::cli
