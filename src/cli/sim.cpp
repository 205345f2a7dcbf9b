// allot sim: one run of a protocol, or several, and the figures.

#include "cli/sim.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/stop.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/output.hpp"
#include "cli/parameter_flags.hpp"
#include "cli/progress_line.hpp"
#include "cli/table.hpp"
#include "core/json.hpp"
#include "registry/registry.hpp"
#include "sim/simulation.hpp"

namespace allot::cli {

namespace {

// A member of sim::Plan, by the group and text of --help.
struct PlanFlag {
    const char* name;
    const char* group;
    const char* meaning;
};
const std::vector<PlanFlag> plan_flags{
    {"time", "Run", "simulated time, as in 10s; default 10s"},
    {"warm-up", "Run", "figures count from this time on; default 0"},
    {"think", "Workload",
     "from one request to the next: 10ms, uniform:5ms..15ms or exponential:10ms (the mean); default "
     "exponential:10ms"},
    {"hold", "Workload",
     "time that a site holds a grant, written like --think; or sized:5ms..35ms (from one unit to all of "
     "them), with ~50% at the end if the part above 5ms varies by half; default 1ms"},
    {"requests", "Workload",
     "requests per site: any, a number, or one of them per site (2,2,1); default any"},
    {"demand", "Workload", "the demand: 3 (units), a,b (resources) or any (drawn from the protocol's list)"},
    {"campers", "Workload", "sites that hold forever, as in 0,3"},
    {"give-up", "Workload",
     "a site cancels a request that waits longer; written like --think; default never"},
    {"latency", "Links", "time of a message, written like --think; default 0.6ms"},
    {"links", "Links", "fifo or unordered; default: those of the protocol"},
    {"tick", "Clocks and disks",
     "how long a tick of a site's timers and clock is; default 1ms, and 100ms where "
     "sites have clocks"},
    {"drift", "Clocks and disks",
     "error of the clocks' rates, drawn for each site up to this, as in 1%; default 0"},
    {"fsync", "Clocks and disks", "time until a write is on the disk, written like --think; default 0"},
    {"crashes", "Faults", "number of random sites that crash; default 0"},
    {"crash-from", "Faults", "time of the first random fault; default a tenth of --time"},
    {"crash-to", "Faults", "time of the last random fault; default half of --time"},
    {"crash", "Faults", "sites and the times of their crashes, as in 2@1s,5@300ms"},
    {"crash-inside", "Faults",
     "percentage of crashes that interrupt the site's next step: it sends only some of its messages; default "
     "0"},
    {"victims", "Faults", "anybody, or holders: random crashes hit only sites that hold; default anybody"},
    {"restart-after", "Faults", "crashed sites restart after this time, written like --think; default never"},
    {"cuts", "Faults", "number of random sites that are cut off from all others for a while; default 0"},
    {"cut", "Faults", "sites that are cut off and when, as in 2@1s"},
    {"cut-for", "Faults", "how long a site is cut off, written like --think; default 1s"},
    {"pauses", "Faults",
     "number of random sites that are paused: they do nothing, and their clocks go on; default 0"},
    {"pause", "Faults", "sites that are paused and when, as in 2@1s"},
    {"pause-for", "Faults", "how long a site is paused, written like --think; default 100ms"},
    {"restart", "Faults", "crashed sites and the times of their restarts"},
    {"leave", "Faults", "sites that leave in order, and from when on (they leave when idle)"},
    {"founders", "Faults", "number of founders; the other sites join later; default all sites"},
    {"join", "Faults", "sites and the times at which they join"},
    {"start", "Faults", "boot, or arbitrary: random sites and channels; default boot"},
    {"corrupt-at", "Faults", "replace all sites and channels by random ones at these times, as in 1s,3s"},
    {"noise", "Faults", "maximum of messages in a random channel; default 1"},
    {"detect", "Detector", "delay of the failure detector, written like --think; default 10ms"},
    {"trust", "Detector",
     "dense: every detector trusts every site at once; sparse: after --detect; anchor: only the anchor's "
     "detector does"},
    {"anchor", "Detector", "the site that never crashes and that no detector suspects, or none"},
    {"property", "Judgement", "judge only these properties, as in mutual,fences-grow; default all"},
    {"verify", "Judgement",
     "events between two judgements of the whole world; 0: never; default the square of the sites"},
    {"patience", "Judgement",
     "a request open at the end and older than this is unserved; default a quarter of --time"},
};

// A flag about faults in a run without any.
std::optional<std::string> idle_fault_flag(const Parameters& given, const sim::Plan& plan) {
    struct Idle {
        const char* flag;
        bool used;
        const char* reason;
    };
    const bool crashes = plan.crashes > 0 || !plan.crash.items.empty();
    const bool cuts = plan.cuts > 0 || !plan.cut.items.empty();
    const bool pauses = plan.pauses > 0 || !plan.pause.items.empty();
    const char* const no_crash = "no site crashes; add --crashes NUMBER or --crash SITE@TIME";
    for (const auto& [flag, used, reason] :
         {Idle{"crash-from", plan.draws_faults(), "no site crashes; add --crashes NUMBER"},
          Idle{"crash-to", plan.draws_faults(), "no site crashes; add --crashes NUMBER"},
          Idle{"crash-inside", crashes, no_crash}, Idle{"restart-after", crashes, no_crash},
          Idle{"victims", plan.crashes > 0, "no random site crashes; add --crashes NUMBER"},
          Idle{"cut-for", cuts, "no site is cut off; add --cuts NUMBER or --cut SITE@TIME"},
          Idle{"pause-for", pauses, "no site is paused; add --pauses NUMBER or --pause SITE@TIME"}})
        if (given.contains(flag) && !used) return fmt::format("--{} {}: {}", flag, given.at(flag), reason);
    return std::nullopt;
}

}  // namespace

Result<SimJob> prepare(const SimFlags& flags) {
    SimJob job;
    const auto entry = find_protocol(flags.protocol);
    if (!entry) return Error{entry.error()};
    job.entry = *entry;
    const auto seed = parse_number("seed", flags.seed, 0, ~std::uint64_t{0});
    const auto seeds = parse_number("seeds", flags.seeds, 1, 1'000'000);
    for (const auto* number : {&seed, &seeds})
        if (!*number) return Error{number->error()};
    job.seed = *seed;
    job.seeds = *seeds;
    Parameters parameters = flags.parameters;
    const auto plan = sim::take_plan(parameters);
    if (!plan) return Error{plan.error()};
    if (flags.parameters.contains("noise") && !plan->corrupts())
        return Error{fmt::format("--noise {}: add --start arbitrary or --corrupt-at TIMES", plan->noise)};
    if (const auto wrong = idle_fault_flag(flags.parameters, *plan)) return Error{*wrong};
    auto simulation = sim::make_simulation(*registry::protocol(flags.protocol), parameters, *plan);
    if (!simulation) return Error{simulation.error()};
    job.simulation = std::move(*simulation);
    return job;
}

namespace {

std::string progress_text(const SimJob& job, std::uint64_t run, const sim::Progress& progress,
                          double seconds) {
    const double whole = sim::in_seconds(job.simulation->plan().time.value);
    const double share =
        (static_cast<double>(run) + sim::in_seconds(progress.now) / whole) / static_cast<double>(job.seeds);
    return fmt::format("{} {:3.0f} %  run {} of {}, {} events, {:.0f} s", progress_bar(share), share * 100,
                       run + 1, job.seeds, with_commas(progress.events), seconds);
}

sim::Summary run_all(const SimJob& job, std::ostream* log) {
    ProgressLine line;
    std::vector<sim::Figures> runs;
    for (std::uint64_t run = 0; run < job.seeds; ++run) {
        sim::Observer observer;
        observer.log = run == 0 ? log : nullptr;
        observer.on_progress = [&](const sim::Progress& progress) {
            line.tell([&](double seconds) { return progress_text(job, run, progress, seconds); });
        };
        runs.push_back(job.simulation->run(job.seed + run, observer));
        if (runs.back().stopped) break;
    }
    return sim::summarise(runs);
}

void add_takeovers(Table& table, const sim::Spread& ms) {
    table.add({"resources of crashed holders granted again", with_commas(ms.moments.count())});
    table.add({"  after, mean (ms)", fmt::format("{:.4g}", ms.moments.mean())});
    table.add({"  after, longest (ms)", fmt::format("{:.4g}", ms.max)});
}

void add_recovery(Table& table, const sim::Recovery& recovery) {
    table.add({"corruptions", with_commas(recovery.corruptions)});
    table.add({"  recovered from", with_commas(recovery.ms.moments.count())});
    const auto add = [&](const std::string& name, const sim::Spread& spread) {
        table.add({name, fmt::format("{:.4g} (up to {:.4g})", spread.moments.mean(), spread.max)});
    };
    add("  until legitimate (ms)", recovery.ms);
    add("  messages until then", recovery.messages);
    for (const auto& [probe, count] : recovery.probes) add(fmt::format("  {} until then", probe), count);
}

}  // namespace

std::vector<std::string> standstill(const sim::Figures& figures) {
    std::vector<std::string> lines;
    if (figures.stalled > 0)
        lines.push_back(fmt::format("stalled: at the end {} of the sites wait, and nothing will serve them",
                                    with_commas(figures.stalled)));
    if (figures.left_behind > 0)
        lines.push_back(
            fmt::format("left behind: {} of the sites never turned round and wait longer than --patience",
                        with_commas(figures.left_behind)));
    return lines;
}

namespace {

void print_for_people(const SimJob& job, const sim::Summary& summary) {
    const sim::Figures& figures = summary.figures;
    const sim::Intervals& interval = summary.interval;
    const bool several = figures.seeds > 1;
    Table table({"figure", "value", several ? "+- 95 %" : ""});
    const auto count = [&](const char* name, std::uint64_t value) { table.add({name, with_commas(value)}); };
    const auto mean = [&](const char* name, double value, double width) {
        table.add({name, fmt::format("{:.4g}", value), several ? fmt::format("{:.2g}", width) : ""});
    };
    count("requests", figures.requests);
    count("grants", figures.grants);
    mean("grants per simulated second", figures.grants_per_second, interval.grants_per_second);
    count("messages sent", figures.messages);
    for (const sim::KindCount& kind : figures.messages_by_kind)
        table.add({"  " + kind.kind, with_commas(kind.messages)});
    mean("messages per grant", figures.messages_per_grant, interval.messages_per_grant);
    mean("waiting, mean (ms)", figures.waiting_ms.mean, interval.waiting_ms.mean);
    mean("waiting, standard deviation (ms)", figures.waiting_ms.deviation, interval.waiting_ms.deviation);
    mean("waiting, median (ms)", figures.waiting_ms.p50, interval.waiting_ms.p50);
    mean("waiting, 99 % (ms)", figures.waiting_ms.p99, interval.waiting_ms.p99);
    table.add({"waiting, longest (ms)", fmt::format("{:.4g}", figures.waiting_ms.max)});
    mean("use rate", figures.use_rate, interval.use_rate);
    count("most units in use at once", figures.max_concurrent);
    count("most overtakes of a request", figures.overtakes_max);
    count("most grants to others while one waited", figures.grants_seen_max);
    count("unserved requests", figures.unserved);
    // Shown only if some site waited for its release.
    if (figures.leaving_ms.max > 0 || figures.unreleased > 0) {
        count("releases", figures.releases);
        table.add(
            {"waiting for release, mean (ms)", fmt::format("{:.4g}", figures.leaving_ms.moments.mean())});
        table.add({"waiting for release, longest (ms)", fmt::format("{:.4g}", figures.leaving_ms.max)});
        count("unserved releases", figures.unreleased);
        count("sites that never turned round", figures.unchanged);
    }
    if (figures.takeover_ms.moments.count() > 0) add_takeovers(table, figures.takeover_ms);
    if (figures.refusals > 0) count("refused requests", figures.refusals);
    if (figures.recovery.corruptions > 0) add_recovery(table, figures.recovery);
    if (figures.recovery.corruptions > 0) count("grants revoked", figures.revoked);
    count("violations", figures.violations.size());
    count("events", figures.events);
    count("events per CPU second", static_cast<std::uint64_t>(figures.events_per_second));
    fmt::print("{}, {} simulated, {}\n\n{}", job.entry->name, job.simulation->plan().time.text(),
               several ? fmt::format("{} seeds from {} on: counts are sums, the rest are means",
                                     figures.seeds, job.seed)
                       : fmt::format("seed {}", job.seed),
               table.text());
    for (const sim::Violation& violation : figures.violations)
        fmt::print("\nviolated at {} with --seed {}: {}: {}\n", sim::time_text(violation.at), violation.seed,
                   violation.property, violation.detail);
    for (const std::string& line : standstill(figures)) fmt::print("\n{}\n", line);
    if (figures.stopped) fmt::print("\nbounded: {}\n", stop::reason());
}

boost::json::object config_of(const SimJob& job) {
    boost::json::object config = job.simulation->instance().config_json().as_object();
    for_each_member(job.simulation->plan(), [&](std::string_view name, const auto& member) {
        using Member = std::remove_cvref_t<decltype(member)>;
        if constexpr (reflect::Integer<Member>)
            config[name] = member;
        else
            config[name] = parameter_text(member);
    });
    config["seed"] = job.seed;
    return config;
}

boost::json::object waiting_json(const sim::Waiting& waiting) {
    return {
        {"mean", waiting.mean}, {"p50", waiting.p50}, {"p99", waiting.p99}, {"deviation", waiting.deviation}};
}

boost::json::array by_size_json(const sim::Figures& figures) {
    boost::json::array sizes;
    for (const auto& [size, waiting] : figures.waiting_ms_by_size)
        sizes.push_back({{"size", size},
                         {"grants", waiting.count()},
                         {"mean", waiting.mean()},
                         {"deviation", waiting.deviation()}});
    return sizes;
}

boost::json::object spread_json(const sim::Spread& spread) {
    return {{"mean", spread.moments.mean()}, {"deviation", spread.moments.deviation()}, {"max", spread.max}};
}

boost::json::object recovery_json(const sim::Recovery& recovery) {
    boost::json::object probes;
    for (const auto& [probe, count] : recovery.probes) probes[probe] = spread_json(count);
    return {{"corruptions", recovery.corruptions},
            {"recovered", recovery.ms.moments.count()},
            {"ms", spread_json(recovery.ms)},
            {"messages", spread_json(recovery.messages)},
            {"probes", probes}};
}

}  // namespace

boost::json::object report_json(const SimJob& job, const sim::Summary& summary) {
    const sim::Figures& figures = summary.figures;
    boost::json::object by_kind;
    for (const sim::KindCount& kind : figures.messages_by_kind) by_kind[kind.kind] = kind.messages;
    boost::json::array violations;
    for (const sim::Violation& violation : figures.violations)
        violations.push_back({{"property", violation.property},
                              {"detail", violation.detail},
                              {"time_ms", sim::in_ms(violation.at)},
                              {"seed", violation.seed}});
    boost::json::object waiting = waiting_json(figures.waiting_ms);
    waiting["max"] = figures.waiting_ms.max;
    boost::json::object report{{"protocol", job.entry->name},
                               {"config", config_of(job)},
                               {"seeds", figures.seeds},
                               {"requests", figures.requests},
                               {"grants", figures.grants},
                               {"grants_per_second", figures.grants_per_second},
                               {"messages", figures.messages},
                               {"delivered", figures.delivered},
                               {"messages_per_grant", figures.messages_per_grant},
                               {"messages_by_kind", by_kind},
                               {"waiting_ms", waiting},
                               {"waiting_ms_by_size", by_size_json(figures)},
                               {"use_rate", figures.use_rate},
                               {"max_concurrent", figures.max_concurrent},
                               {"overtakes_max", figures.overtakes_max},
                               {"grants_seen_max", figures.grants_seen_max},
                               {"unserved", figures.unserved},
                               {"takeovers", figures.takeover_ms.moments.count()},
                               {"takeover_ms", spread_json(figures.takeover_ms)},
                               {"revoked", figures.revoked},
                               {"releases", figures.releases},
                               {"leaving_ms", spread_json(figures.leaving_ms)},
                               {"unreleased", figures.unreleased},
                               {"unchanged", figures.unchanged},
                               {"refusals", figures.refusals},
                               {"stalled", figures.stalled},
                               {"left_behind", figures.left_behind},
                               {"violations", violations},
                               {"events", figures.events},
                               {"events_per_second", figures.events_per_second},
                               {"cpu_seconds", figures.cpu_seconds},
                               {"stopped", figures.stopped}};
    if (figures.recovery.corruptions > 0) report["recovery"] = recovery_json(figures.recovery);
    if (figures.seeds > 1)
        report["interval"] = {{"grants_per_second", summary.interval.grants_per_second},
                              {"messages_per_grant", summary.interval.messages_per_grant},
                              {"waiting_ms", waiting_json(summary.interval.waiting_ms)},
                              {"use_rate", summary.interval.use_rate}};
    return report;
}

namespace {

void print_for_programs(const SimJob& job, const sim::Summary& summary) {
    fmt::print("{}\n", boost::json::serialize(report_json(job, summary)));
}

// A value that its parameter accepts as it stands is one value, with commas or without. So this comes second.
std::optional<int> run_as_sweep(const SimFlags& flags) {
    auto sweep = sweep_in(flags);
    if (!sweep) return wrong_usage(sweep.error());
    if (!*sweep) return std::nullopt;
    return run_sweep(flags, **sweep);
}

// The files of a sweep.
std::optional<std::string> without_sweep(const SimFlags& flags) {
    for (const auto& [flag, path] : {std::pair("csv", &flags.csv), {"plot", &flags.plot}})
        if (!path->empty())
            return fmt::format("--{} {}: write several values for some parameter, as in --time 1s,2s", flag,
                               *path);
    return std::nullopt;
}

int run_sim(const SimFlags& flags, const SimReport& report) {
    if (const auto wrong = start_limit(flags.limit)) return wrong_usage(*wrong);
    auto job = prepare(flags);
    if (!job) {
        const auto code = report ? std::nullopt : run_as_sweep(flags);
        return code ? *code : wrong_usage(job.error());
    }
    if (const auto wrong = without_sweep(flags)) return wrong_usage(*wrong);
    auto log = open_beside_report("log", flags.log, flags.json);
    if (!log) return wrong_usage(log.error());
    if (!report) say_caveat(job->simulation->instance().caveat());
    const sim::Summary summary = run_all(*job, *log ? &(*log)->stream() : nullptr);
    stop::reporting();
    const auto failure = *log ? (*log)->commit() : std::nullopt;
    if (report)
        report(summary);
    else
        (flags.json ? print_for_programs : print_for_people)(*job, summary);
    if (failure) return failed(*failure);
    if (!summary.figures.violations.empty() || !standstill(summary.figures).empty()) return exit_no;
    return summary.figures.stopped ? exit_bounded : exit_ok;
}

}  // namespace

void add_sim(CommandLine& line, SimReport report) {
    auto flags = std::make_shared<SimFlags>();
    Command& command = line.command("sim", "Run a protocol in simulated time and print its figures");
    command.footer(
        examples("sim",
                 {"raymond --sites 15 --permits 5 --latency uniform:0.2ms..1ms --seeds 10",
                  "raymond --sites 15 --permits 5 --crash 2@1s,3@2s --warm-up 3s --json",
                  "raymond --time 20ms --log run.txt; allot play run.txt",
                  "tree-pool --sites 16 --cmax 2 --start arbitrary --corrupt-at 3s,6s --noise 2",
                  "hosts-counters --voters 3 --tolerance 1 --silence 4 --crashes 1 --drift 1% --fsync 2ms",
                  "counters --resources 16 --max-request 1,2,4,8 --seeds 5 --plot use.svg"}) +
        "Exit code: 0 the runs ended, 1 a property was violated or a run stalled, 2 wrong usage, 3 bounded "
        "(the time limit was reached first, or Ctrl-C).");
    add_protocol_word(command, "sim", flags->protocol);
    std::set<std::string> known;
    for (const PlanFlag& flag : plan_flags) {
        add_parameter_flag(command, flags->parameters, flag.name, flag.meaning, flag.group);
        known.insert(flag.name);
    }
    add_protocol_flags(command, flags->parameters, std::move(known));
    const auto text = [&](const char* name, std::string& target, const char* meaning) {
        command.option(name, target, meaning).group("Run");
    };
    text("--seed", flags->seed, "the same seed gives the same run; default 1");
    text("--seeds", flags->seeds, "number of runs, with this seed and the next ones; default 1");
    text("--log", flags->log, "write every event of the first run to this file, or - for standard output");
    text("--limit", flags->limit, "stop after this much real time, as in 60s");
    const auto of_sweep = [&](const char* name, std::string& target, const char* meaning) {
        command.option(name, target, meaning)
            .group("Sweep (several values of one or two parameters: 1,2,4 or 1..8)");
    };
    of_sweep("--csv", flags->csv, "write the numbers to this file, or - for standard output");
    of_sweep("--plot", flags->plot, "draw them to this SVG file; needs gnuplot");
    command.flag("--json", flags->json, "For programs");
    command.action([flags, report = std::move(report)] { return run_sim(*flags, report); });
}

}  // namespace allot::cli
