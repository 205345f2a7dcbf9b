// allot check: exhaustive exploration, with the shortest counterexample as a scenario.

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <thread>
#include <unistd.h>

#include "check/checker.hpp"
#include "check/watchdog.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/parameter_flags.hpp"
#include "cli/table.hpp"
#include "core/graph.hpp"
#include "core/json.hpp"
#include "world/entry.hpp"

namespace allot::cli {

namespace {

constexpr std::uint32_t most_sites = 64;
constexpr std::uint32_t most_sites_with_crashes = 16;

struct CheckFlags {
    std::string protocol;
    Parameters parameters;
    std::string memory = "4G";
    std::string limit;
    std::string threads;
    std::string store = "exact";
    std::string start = "boot";
    std::string samples;
    std::string noise;
    std::string seed;
    std::string out;
    bool waits = false;
    bool json = false;
};

// A check that is ready to run.
struct Job {
    std::unique_ptr<world::Machine> machine;
    check::Options options;
};

Result<check::Options> read_options(const CheckFlags& flags) {
    check::Options options;
    const auto memory = parse_bytes("memory", flags.memory);
    if (!memory) return Error{memory.error()};
    options.memory_bytes = *memory;
    if (!flags.limit.empty()) {
        const auto limit = parse_seconds("limit", flags.limit);
        if (!limit) return Error{limit.error()};
        options.limit_seconds = *limit;
    }
    options.threads = std::max(1u, std::thread::hardware_concurrency());
    if (!flags.threads.empty()) {
        const auto threads = parse_number("threads", flags.threads, 1, 64);
        if (!threads) return Error{threads.error()};
        options.threads = static_cast<unsigned>(*threads);
    }
    options.waits = flags.waits;
    if (flags.waits && flags.store == "fingerprint")
        return Error{"--waits: the longest waits need the exact store; leave --store out"};
    if (const auto wrong = allot::detail::parse_into(options.store, "store", flags.store))
        return Error{*wrong};
    return options;
}

// An arbitrary start stands for all faults: where more follow, or somebody never lets go, nothing has to
// converge.
std::optional<std::string> disturbed(const world::Setup& setup) {
    for (const auto& [flag, count] : {std::pair("crashes", setup.crashes),
                                      {"duplicate", setup.duplicate},
                                      {"lose", setup.lose},
                                      {"lies", setup.lies},
                                      {"campers", static_cast<std::uint32_t>(setup.campers.size())}})
        if (count > 0)
            return fmt::format(
                "--{}: after an arbitrary start nothing else may go wrong; leave it out, or "
                "leave out --start",
                flag);
    return std::nullopt;
}

// Arbitrary starts: sites and messages drawn anew within their domains, one world per sample.
std::optional<std::string> add_starts(const CheckFlags& flags, Job& job) {
    if (flags.start == "boot") {
        for (const auto& [name, value] :
             {std::pair("samples", &flags.samples), {"noise", &flags.noise}, {"seed", &flags.seed}})
            if (!value->empty()) return fmt::format("--{} {}: add --start arbitrary", name, *value);
        return std::nullopt;
    }
    if (flags.start != "arbitrary") return fmt::format("--start {}: write boot or arbitrary", flags.start);
    if (!job.machine->has_domains() || !job.machine->says_legal())
        return fmt::format("--start arbitrary: {} does not say what its states may be", flags.protocol);
    if (const auto wrong = disturbed(job.machine->setup())) return wrong;
    const auto or_else = [](const std::string& given, const char* usual) {
        return given.empty() ? std::string(usual) : given;
    };
    const auto samples = parse_number("samples", or_else(flags.samples, "100"), 1, 1'000'000);
    const auto noise = parse_number("noise", or_else(flags.noise, "1"), 0, 1000);
    const auto seed = parse_number("seed", or_else(flags.seed, "1"), 0, ~std::uint64_t{0});
    for (const auto* number : {&samples, &noise, &seed})
        if (!*number) return number->error();
    if (const auto wrong = job.machine->wrong_noise(*noise)) return wrong;
    job.options.from_anywhere = true;
    for (std::uint64_t i = 0; i < *samples; ++i) {
        if (i % 256 == 255 && check::resident_bytes() > job.options.memory_bytes)
            return fmt::format(
                "--samples {}: {} of them take all of --memory {}; write fewer, or more memory", *samples, i,
                flags.memory);
        job.options.starts.push_back(job.machine->arbitrary(*seed + i, static_cast<std::uint32_t>(*noise)));
    }
    return std::nullopt;
}

// What could not even be begun within any limit.
std::optional<std::string> too_large(const world::Setup& setup) {
    if (setup.sites > most_sites)
        return fmt::format("{} sites: every run of so many cannot be explored; write at most {}", setup.sites,
                           most_sites);
    if (setup.crashes > 0 && setup.sites > most_sites_with_crashes)
        return fmt::format(
            "--crashes {}: a crash may cut any step short in too many ways with {} sites; write at most "
            "--sites {}",
            setup.crashes, setup.sites, most_sites_with_crashes);
    return std::nullopt;
}

Result<Job> prepare(const CheckFlags& flags) {
    const auto entry = find_protocol(flags.protocol);
    if (!entry) return Error{entry.error()};
    if (const auto graph = flags.parameters.find("graph"); graph != flags.parameters.end())
        if (const auto parsed = Graph::parse("graph", graph->second); !parsed) return Error{parsed.error()};
    auto options = read_options(flags);
    if (!options) return Error{options.error()};
    auto machine = (*entry)->make(flags.parameters);
    if (!machine) return Error{machine.error()};
    Job job{std::move(*machine), std::move(*options)};
    if (const auto wrong = too_large(job.machine->setup())) return Error{*wrong};
    if (const auto wrong = job.machine->unlisted()) return Error{*wrong};
    if (const auto wrong = add_starts(flags, job)) return Error{*wrong};
    for (const PropertyName& property : world::properties_from_anywhere)
        if (!job.options.from_anywhere && !job.machine->setup().property.empty() &&
            job.machine->setup().judges(property.name))
            return Error{fmt::format("--property {}: add --start arbitrary", property.name)};
    return job;
}

// One line on the terminal that is written over and over.
void show_progress(const check::Progress& progress) {
    const double rate = progress.seconds > 0 ? static_cast<double>(progress.states) / progress.seconds : 0;
    fmt::print(stderr, "\r\x1b[K{}: {} states, depth {}, {} states/s, {} MiB, {:.0f} s", progress.doing,
               with_commas(progress.states), progress.depth,
               with_commas(static_cast<unsigned long long>(rate)), progress.bytes >> 20, progress.seconds);
    std::fflush(stderr);
}

std::string verdict_of(const std::string& property, const check::Result& result) {
    for (const check::Violation& violation : result.violations)
        if (violation.property == property) return "violated";
    const bool checked =
        std::find(result.checked.begin(), result.checked.end(), property) != result.checked.end();
    if (!checked) return "not judged";
    return result.verdict == check::Verdict::bounded ? "holds so far" : "holds";
}

std::string requests_line(const world::Setup& setup) {
    std::vector<std::string> counts;
    for (const auto count : setup.requests)
        counts.push_back(count == unbounded_requests ? "any number" : fmt::format("at most {}", count));
    const bool alike =
        std::all_of(counts.begin(), counts.end(), [&](const auto& one) { return one == counts.front(); });
    if (alike) return fmt::format("Requests: {} by every site.", counts.front());
    return fmt::format("Requests: {} by the sites in turn.", fmt::join(counts, ", "));
}

std::string faults_line(const world::Setup& setup) {
    std::vector<std::string> faults;
    const auto add = [&](std::uint32_t count, const char* one, const char* what, const char* how = "") {
        if (count == world::any_number)
            faults.push_back(fmt::format("any number of {}{}{}", one, what, how));
        else if (count > 0)
            faults.push_back(fmt::format("up to {} {}{}{}", count, one, count > 1 ? what : "", how));
    };
    add(setup.crashes, "crash", "es", ", between steps and inside them");
    add(setup.restarts, "restart", "s");
    add(setup.sites - setup.founders, "join", "s");
    add(setup.leaves, "departure", "s");
    add(setup.duplicate, "message", "s", " delivered twice");
    add(setup.lose, "message", "s", " lost");
    add(setup.lies, "false report", "s", " of a death");
    if (setup.cancel) faults.emplace_back("requests withdrawn at any time");
    return faults.empty() ? "Faults: none." : fmt::format("Faults: {}.", fmt::join(faults, "; "));
}

std::string detectors_line(const world::Setup& setup) {
    std::string line = "Detectors: ";
    if (setup.trust == world::Trust::dense)
        line += "everybody trusts everybody from the start";
    else if (!setup.anchor)
        line += "trust comes late or never";
    else
        line += fmt::format("site {} trusts everybody from the start, the others {}", *setup.anchor,
                            setup.trust == world::Trust::anchor ? "nobody" : "late or never");
    if (setup.anchor) line += fmt::format("; site {} stays and is never suspected", *setup.anchor);
    return line + ".";
}

std::string stamps_line(const world::Machine& machine, const check::Result& result) {
    if (machine.stamps_from_nothing())
        return "Stamps: renamed to small ones; some are made anew from zero, so their order may differ from "
               "real runs.";
    if (result.guesses > 0)
        return fmt::format(
            "Stamps: renamed to small ones; {} times a distance was not known and all it might be was "
            "explored.",
            with_commas(result.guesses));
    return "Stamps: renamed to small ones; every distance that mattered was known, so this is exact.";
}

std::vector<std::string> wait_texts(const check::Result& result) {
    std::vector<std::string> texts;
    for (const check::Wait& wait : result.waits) texts.push_back(wait ? std::to_string(*wait) : "any number");
    return texts;
}

// Under which bounds the verdict was reached, one sentence each.
std::vector<std::string> bounds(const Job& job, const check::Result& result) {
    const world::Setup& setup = job.machine->setup();
    std::vector<std::string> lines;
    const bool takes_prompt = job.machine->has_prompt() && setup.takes_prompt_messages();
    lines.push_back(requests_line(setup));
    lines.push_back(faults_line(setup));
    if (job.machine->hears_dead()) lines.push_back(detectors_line(setup));
    lines.push_back(
        fmt::format("Links: {}; {}.", enum_name(setup.links),
                    takes_prompt ? "prompt messages are taken at once" : "every order of deliveries"));
    if (setup.ranked()) lines.push_back(stamps_line(*job.machine, result));
    if (job.machine->normalises() && setup.normalises())
        lines.push_back("Worlds: without messages that make no difference any more; ids are renamed.");
    if (setup.backlog > 0)
        lines.push_back(fmt::format("Timers: fire only while every channel holds fewer than {} messages.",
                                    setup.backlog));
    if (setup.copies > 0)
        lines.push_back(
            fmt::format("Timers: fire only while fewer than {} of the messages they replace are in flight.",
                        setup.copies));
    if (!setup.campers.empty())
        lines.push_back(fmt::format("Campers: {} may hold for ever.", fmt::join(setup.campers, ", ")));
    if (job.options.from_anywhere)
        lines.push_back(
            fmt::format("Starts: {} arbitrary ones, all schedules of each.", job.options.starts.size()));
    if (!result.waits.empty())
        lines.push_back(
            fmt::format("Waits: of the sites in turn, at most so many others are served meanwhile: {}.",
                        fmt::join(wait_texts(result), ", ")));
    if (result.omission_probability > 0)
        lines.push_back(fmt::format("Store: fingerprints; a world was missed with probability {:.2g}.",
                                    result.omission_probability));
    if (!result.stopped_by.empty()) lines.push_back(fmt::format("Bounded: {}.", result.stopped_by));
    return lines;
}

void print_for_people(const Job& job, const check::Result& result) {
    fmt::print("{}\n\n", job.machine->header());
    Table table({"property", "verdict", "meaning"});
    for (const PropertyName& property : check::properties_of(*job.machine, job.options.from_anywhere)) {
        const std::string name(property.name);
        table.add({name, verdict_of(name, result), std::string(property.meaning)});
    }
    fmt::print("{}\n", table.text());
    for (const std::string& line : bounds(job, result)) fmt::print("{}\n", line);
    const double memory = result.bytes_per_state * static_cast<double>(result.states);
    fmt::print("\n{}: {} states, {} transitions, depth {}, {:.2f} s, {:.0f} MiB\n", enum_name(result.verdict),
               with_commas(result.states), with_commas(result.transitions), result.depth, result.seconds,
               memory / (1 << 20));
    for (const check::Violation& violation : result.violations)
        fmt::print("\n{}", check::scenario_of(*job.machine, violation));
}

boost::json::value config_of(const Job& job) {
    boost::json::object config = job.machine->config_json().as_object();
    const world::Setup& setup = job.machine->setup();
    boost::json::array requests;
    for (const auto count : setup.requests)
        requests.push_back(count == unbounded_requests ? boost::json::value("any")
                                                       : boost::json::value(count));
    config["requests"] = requests;
    config["founders"] = setup.founders;
    config["crashes"] = setup.crashes;
    config["restarts"] = setup.restarts;
    config["leaves"] = setup.leaves;
    config["duplicate"] = setup.duplicate;
    config["lose"] =
        setup.lose == world::any_number ? boost::json::value("any") : boost::json::value(setup.lose);
    config["cancel"] = setup.cancel;
    config["links"] = enum_name(setup.links);
    config["trust"] = enum_name(setup.trust);
    config["anchor"] = setup.anchor ? boost::json::value(*setup.anchor) : boost::json::value(nullptr);
    config["full"] = setup.full;
    config["ranks"] = setup.ranked();
    config["backlog"] = setup.backlog;
    config["copies"] = setup.copies;
    config["campers"] = boost::json::array(setup.campers.begin(), setup.campers.end());
    config["threads"] = job.options.threads;
    return config;
}

void print_for_programs(const Job& job, const check::Result& result) {
    boost::json::array properties;
    for (const auto* list : {&result.checked, &result.unchecked})
        for (const std::string& name : *list)
            properties.push_back({{"name", name}, {"verdict", verdict_of(name, result)}});
    boost::json::array violations;
    for (const check::Violation& violation : result.violations)
        violations.push_back({{"property", violation.property},
                              {"detail", violation.detail},
                              {"replayed", violation.replayed},
                              {"scenario", check::scenario_of(*job.machine, violation)}});
    boost::json::array waits;
    for (const check::Wait& wait : result.waits)
        waits.push_back(wait ? boost::json::value(*wait) : boost::json::value("any"));
    const boost::json::value report{{"protocol", job.machine->name()},
                                    {"config", config_of(job)},
                                    {"verdict", enum_name(result.verdict)},
                                    {"properties", properties},
                                    {"states", result.states},
                                    {"transitions", result.transitions},
                                    {"depth", result.depth},
                                    {"seconds", result.seconds},
                                    {"cpu_seconds", result.cpu_seconds},
                                    {"bytes_per_state", result.bytes_per_state},
                                    {"omission_probability", result.omission_probability},
                                    {"guesses", result.guesses},
                                    {"stopped_by", result.stopped_by},
                                    {"waits", waits},
                                    {"violations", violations}};
    fmt::print("{}\n", boost::json::serialize(report));
}

int run_check(const CheckFlags& flags) {
    auto job = prepare(flags);
    if (!job) return wrong_usage(job.error());
    // Only a counterexample replaces what is in the file, but a long check should not end in vain.
    if (!flags.out.empty() && !std::ofstream(flags.out, std::ios::app))
        return wrong_usage(fmt::format("--out {}: this file cannot be written", flags.out));
    say_caveat(job->machine->caveat());
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (terminal) job->options.on_progress = show_progress;
    const check::Result result = check::check(*job->machine, job->options);
    if (terminal) fmt::print(stderr, "\r\x1b[K");
    (flags.json ? print_for_programs : print_for_people)(*job, result);
    if (!flags.out.empty() && !result.violations.empty()) {
        std::ofstream out(flags.out);
        out << check::scenario_of(*job->machine, result.violations.front());
        if (!out.flush()) return wrong_usage(fmt::format("--out {}: writing failed", flags.out));
    }
    switch (result.verdict) {
        case check::Verdict::holds:
            return exit_ok;
        case check::Verdict::violated:
            return exit_no;
        case check::Verdict::bounded:
            return exit_bounded;
    }
    return exit_ok;
}

}  // namespace

void add_check(CommandLine& line) {
    auto flags = std::make_shared<CheckFlags>();
    Command& command =
        line.command("check", "Explore every run of a small instance and judge all properties");
    command.footer(
        "Examples:\n"
        "  allot check raymond --sites 3 --permits 1 --requests any\n"
        "  allot check raymond --sites 3 --permits 2 --crashes 2 --out stuck.txt; allot play stuck.txt\n"
        "Exit code: 0 holds, 1 violated, 2 wrong usage, 3 bounded (a limit was reached first).");
    command.option("protocol", flags->protocol, "One of `allot protocols`").required();
    add_parameter_flags(command, flags->parameters);
    const auto text = [&](const char* name, std::string& target, const char* meaning) {
        command.option(name, target, meaning).group("Search");
    };
    text("--threads", flags->threads, "Threads; default one per core");
    text("--memory", flags->memory, "Stop when the program takes this much; default 4G");
    text("--limit", flags->limit, "Stop after this time, as in 60s");
    text("--store", flags->store, "exact, or fingerprint: less memory, small risk, no liveness");
    text("--start", flags->start, "boot, or arbitrary: sites and channels drawn anew; judges convergence");
    text("--samples", flags->samples, "With --start arbitrary: how many starts; default 100");
    text("--noise", flags->noise, "With --start arbitrary: most messages per channel; default 1");
    text("--seed", flags->seed, "With --start arbitrary: where the drawing begins; default 1");
    command.flag("--waits", flags->waits, "Find how often others are served, at most, while each site waits")
        .group("Search");
    text("--out", flags->out, "Write the counterexample to this file, too");
    command.flag("--json", flags->json, "For programs");
    command.action([flags] { return run_check(*flags); });
}

}  // namespace allot::cli
