// allot check: exhaustive exploration, with the shortest counterexample as a scenario.

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <thread>

#include "base/build_id.hpp"
#include "base/stop.hpp"
#include "check/checker.hpp"
#include "check/watchdog.hpp"
#include "cli/check_report.hpp"
#include "cli/checkpoint_file.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/graph_file.hpp"
#include "cli/output.hpp"
#include "cli/parameter_flags.hpp"
#include "cli/pictures.hpp"
#include "cli/progress_line.hpp"
#include "cli/table.hpp"
#include "core/graph.hpp"
#include "version.hpp"
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
    std::string html;
    std::string graph;
    std::string checkpoint;
    std::string resume;
    bool waits = false;
    bool json = false;
};

// A check that is ready to run.
struct CheckJob {
    std::unique_ptr<walk::Machine> machine;
    check::Options options;
    std::unique_ptr<std::ifstream> resumed;
    std::unique_ptr<CheckpointFile> checkpoint;
};

Result<check::Options> read_options(const CheckFlags& flags) {
    check::Options options;
    const auto memory = parse_bytes("memory", flags.memory);
    if (!memory) return Error{memory.error()};
    options.memory_bytes = *memory;
    options.threads = std::max(1u, std::thread::hardware_concurrency());
    if (!flags.threads.empty()) {
        const auto threads = parse_number("threads", flags.threads, 1, 64);
        if (!threads) return Error{threads.error()};
        options.threads = static_cast<unsigned>(*threads);
    }
    options.waits = flags.waits;
    if (flags.waits && flags.store == "fingerprint")
        return Error{"--waits: the longest waits need the exact store; leave --store out"};
    for (const auto& [name, file] : {std::pair("checkpoint", &flags.checkpoint), {"resume", &flags.resume}})
        if (!file->empty() && flags.store == "fingerprint")
            return Error{
                fmt::format("--{} {}: a checkpoint needs the exact store; leave --store out", name, *file)};
    if (const auto wrong = parse_parameter(options.store, "store", flags.store)) return Error{*wrong};
    return options;
}

// An arbitrary start stands for all faults: with further faults or with campers, runs need not converge.
std::optional<std::string> disturbed(const world::Setup& setup) {
    for (const auto& [flag, count] : {std::pair("crashes", setup.crashes),
                                      {"duplicate", setup.duplicate},
                                      {"lose", setup.lose.value},
                                      {"lies", setup.lies},
                                      {"campers", static_cast<std::uint32_t>(setup.campers.sites.size())}})
        if (count > 0)
            return fmt::format(
                "--{}: an arbitrary start excludes further faults; leave it out, or leave out --start", flag);
    return std::nullopt;
}

// Adds arbitrary starts: random sites and messages within their domains, one world per sample.
std::optional<std::string> add_starts(const CheckFlags& flags, CheckJob& job) {
    if (flags.start == "boot") {
        for (const auto& [name, value] :
             {std::pair("samples", &flags.samples), {"noise", &flags.noise}, {"seed", &flags.seed}})
            if (!value->empty()) return fmt::format("--{} {}: add --start arbitrary", name, *value);
        return std::nullopt;
    }
    if (flags.start != "arbitrary") return fmt::format("--start {}: write boot or arbitrary", flags.start);
    if (!job.machine->facts().has_domains || !job.machine->facts().says_legal)
        return fmt::format("--start arbitrary: {} does not say which worlds are legitimate", flags.protocol);
    if (const auto wrong = disturbed(job.machine->setup())) return wrong;
    const auto or_else = [](const std::string& given, const char* usual) {
        return given.empty() ? std::string(usual) : given;
    };
    const auto samples = parse_number("samples", or_else(flags.samples, "100"), 1, 1'000'000);
    const auto noise = parse_number("noise", or_else(flags.noise, "1"), 0, 1000);
    const auto seed = parse_number("seed", or_else(flags.seed, "1"), 0, ~std::uint64_t{0});
    for (const auto* number : {&samples, &noise, &seed})
        if (!*number) return number->error();
    if (const auto wrong = job.machine->instance().noise_error(*noise)) return wrong;
    job.options.from_anywhere = true;
    job.options.subject.instance +=
        fmt::format(" start=arbitrary samples={} noise={} seed={}", *samples, *noise, *seed);
    for (std::uint64_t i = 0; i < *samples; ++i) {
        stop::poll();
        if (i % 256 == 255 && check::resident_bytes() > job.options.memory_bytes)
            return fmt::format("--samples {}: {} of them use all of --memory {}; write fewer, or more memory",
                               *samples, i, flags.memory);
        job.options.starts.push_back(job.machine->arbitrary(*seed + i, static_cast<std::uint32_t>(*noise)));
    }
    return std::nullopt;
}

// Continues on as many threads as before: each thread owns a part of the worlds.
std::optional<std::string> open_resumed(const CheckFlags& flags, CheckJob& job) {
    if (flags.resume.empty()) return std::nullopt;
    const auto wrong = [&](const std::string& why) {
        return fmt::format("--resume {}: {}", flags.resume, why);
    };
    if (!std::filesystem::exists(flags.resume)) return wrong("no such file; write that of --checkpoint");
    if (!std::filesystem::is_regular_file(flags.resume))
        return wrong("this is no checkpoint; write one with --checkpoint");
    job.resumed = std::make_unique<std::ifstream>(flags.resume, std::ios::binary);
    if (!*job.resumed) return wrong("cannot read this file");
    if (const auto error = check::checkpoint_error(*job.resumed, job.options.subject)) return wrong(*error);
    const auto size = std::filesystem::file_size(flags.resume);
    if (size > job.options.memory_bytes)
        return fmt::format("--memory {}: the checkpoint alone has {} MiB; write more", flags.memory,
                           size >> 20);
    const auto threads = static_cast<unsigned>(check::CheckpointReader(*job.resumed).number());
    if (!flags.threads.empty() && threads != job.options.threads)
        return fmt::format("--threads {}: the checkpoint needs {}; leave --threads out", flags.threads,
                           threads);
    job.options.threads = threads;
    job.options.resume = job.resumed.get();
    return std::nullopt;
}

// Finds out now whether the file can be written, so that a long check does not end in vain.
std::optional<std::string> open_checkpoint(const CheckFlags& flags, CheckJob& job) {
    if (flags.checkpoint.empty()) return std::nullopt;
    if (flags.checkpoint == "-") return "--checkpoint -: a checkpoint needs a file; write --checkpoint FILE";
    if (const auto file = WholeFile::open(flags.checkpoint); !file) return "--checkpoint " + file.error();
    job.checkpoint = std::make_unique<CheckpointFile>(flags.checkpoint);
    job.options.on_checkpoint = [file = job.checkpoint.get()](bool last, check::WriteCheckpoint write) {
        file->offer(last, write);
    };
    return std::nullopt;
}

// A setup in which a fault cannot happen although it is asked for.
std::optional<std::string> idle_fault(const world::Setup& setup) {
    if (setup.restarts == 0 || setup.crashes > 0) return std::nullopt;
    return fmt::format("--restarts {}: no site crashes, so none restarts; add --crashes {}", setup.restarts,
                       setup.restarts);
}

// The flag that says how many sites there are.
std::string_view size_flag(const world::Entry& entry) {
    for (const std::string_view name : {"sites", "graph", "clients"})
        if (entry.takes(name)) return name;
    return entry.parameters.front().name;
}

// Instances that no limit makes feasible.
std::optional<std::string> too_large(const world::Entry& entry, const world::Setup& setup) {
    if (setup.sites > most_sites)
        return fmt::format("{} sites: the checker cannot explore so many; write at most {}, with --{}",
                           setup.sites, most_sites, size_flag(entry));
    if (setup.crashes > 0 && setup.sites > most_sites_with_crashes)
        return fmt::format(
            "--crashes {}: with {} sites a crash can interrupt a step in too many ways; write at most {}, "
            "with --{}",
            setup.crashes, setup.sites, most_sites_with_crashes, size_flag(entry));
    return std::nullopt;
}

Result<CheckJob> prepare(const CheckFlags& flags) {
    const auto entry = find_protocol(flags.protocol);
    if (!entry) return Error{entry.error()};
    if (const auto graph = flags.parameters.find("graph"); graph != flags.parameters.end())
        if (const auto parsed = Graph::parse("graph", graph->second); !parsed) return Error{parsed.error()};
    auto options = read_options(flags);
    if (!options) return Error{options.error()};
    auto machine = walk::make_machine(**entry, flags.parameters);
    if (!machine) return Error{machine.error()};
    CheckJob job{std::move(*machine), std::move(*options), nullptr, nullptr};
    // The version does not tell two builds of it apart.
    job.options.subject = {fmt::format("{} {}", version, build_id()), job.machine->header()};
    if (const auto wrong = too_large(**entry, job.machine->setup())) return Error{*wrong};
    if (const auto wrong = idle_fault(job.machine->setup())) return Error{*wrong};
    if (const auto wrong = job.machine->instance().unlisted()) return Error{*wrong};
    if (const auto wrong = add_starts(flags, job)) return Error{*wrong};
    for (const PropertyName& property : world::properties_from_anywhere)
        if (!job.options.from_anywhere && !job.machine->setup().property.names.empty() &&
            job.machine->setup().judges(property.name))
            return Error{fmt::format("--property {}: add --start arbitrary", property.name)};
    if (const auto wrong = open_resumed(flags, job)) return Error{*wrong};
    if (const auto wrong = open_checkpoint(flags, job)) return Error{*wrong};
    return job;
}

std::string progress_text(const check::Progress& progress, double seconds) {
    const double rate = seconds > 0 ? static_cast<double>(progress.states) / seconds : 0;
    return fmt::format("{}: {} states, depth {}, {} states/s, {} MiB, {:.0f} s", progress.doing,
                       with_commas(progress.states), progress.depth,
                       with_commas(static_cast<unsigned long long>(rate)), progress.bytes >> 20, seconds);
}

check::Result run_job(CheckJob& job) {
    ProgressLine line;
    job.options.on_progress = [&](const check::Progress& progress) {
        line.tell([&](double seconds) { return progress_text(progress, seconds); });
    };
    return check::check(*job.machine, job.options);
}

// Returns what went wrong.
std::optional<std::string> keep_checkpoint(CheckJob& job, const check::Result& result, bool silent) {
    if (!job.checkpoint) return std::nullopt;
    const bool useful = result.cut_short && result.verdict == check::Verdict::bounded;
    if (auto wrong = job.checkpoint->conclude(useful)) return wrong;
    if (useful && job.checkpoint->kept() && !silent)
        fmt::print("\nTo go on: the same command with --resume {}\n", job.checkpoint->path());
    return std::nullopt;
}

// Each output is a file of its own. --checkpoint and --resume may name one file: the check then goes on in
// place.
std::optional<std::string> shared_output(const CheckFlags& flags) {
    const std::array outputs{FileFlag{"out", flags.out}, FileFlag{"html", flags.html},
                             FileFlag{"graph", flags.graph}};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        for (const FileFlag& other : {FileFlag{"checkpoint", flags.checkpoint}, {"resume", flags.resume}})
            if (auto wrong = shared_file(other, outputs[i])) return wrong;
        for (std::size_t j = 0; j < i; ++j)
            if (auto wrong = shared_file(outputs[j], outputs[i])) return wrong;
    }
    return std::nullopt;
}

// Draws every world before the check begins, on a machine of its own. Returns what is wrong.
std::optional<std::string> write_graph(const CheckFlags& flags, const CheckJob& job) {
    if (flags.graph.empty()) return std::nullopt;
    if (job.options.from_anywhere)
        return fmt::format("--worlds {}: the graph begins where the sites boot; leave out --start",
                           flags.graph);
    auto text = graph_file(**find_protocol(flags.protocol), flags.parameters, flags.graph);
    if (!text) return text.error();
    auto file = WholeFile::open(flags.graph);
    if (!file) return "--worlds " + file.error();
    file->stream() << *text;
    return file->commit();
}

// The page of a counterexample. Returns what went wrong.
std::optional<std::string> write_counterexample(CheckJob& job, const check::Violation& violation,
                                                WholeFile& page) {
    if (!violation.replayed)
        return "the counterexample needs renamed stamps, so it cannot be played and shown";
    return write_page("counterexample", check::scenario_of(*job.machine, violation), page);
}

int run_check(const CheckFlags& flags, const CheckReport& report) {
    if (const auto wrong = start_limit(flags.limit)) return wrong_usage(*wrong);
    auto job = prepare(flags);
    if (!job) return wrong_usage(job.error());
    if (const auto wrong = shared_output(flags)) return wrong_usage(*wrong);
    auto out = open_beside_report("out", flags.out, flags.json);
    if (!out) return wrong_usage(out.error());
    auto html = open_beside_report("html", flags.html, flags.json);
    if (!html) return wrong_usage(html.error());
    if (const auto wrong = write_graph(flags, *job)) return wrong_usage(*wrong);
    if (!report) say_caveat(job->machine->instance().caveat());
    const check::Result result = run_job(*job);
    if (report)
        report(*job->machine, job->options, result);
    else
        (flags.json ? print_check_json : print_check)(*job->machine, job->options, result);
    if (*out && !result.violations.empty()) {
        (*out)->stream() << check::scenario_of(*job->machine, result.violations.front());
        if (const auto failure = (*out)->commit()) return failed(*failure);
    }
    if (*html && !result.violations.empty())
        if (const auto wrong = write_counterexample(*job, result.violations.front(), **html))
            return failed("--html: " + *wrong);
    if (const auto wrong = keep_checkpoint(*job, result, flags.json || report))
        return failed("--checkpoint " + *wrong);
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

void add_check(CommandLine& line, CheckReport report) {
    auto flags = std::make_shared<CheckFlags>();
    Command& command =
        line.command("check", "Explore every run of a small instance and judge all properties");
    command.footer(
        examples("check",
                 {"raymond --sites 3 --permits 1 --requests any",
                  "raymond --sites 3 --permits 2 --crashes 2 --out stuck.txt; allot play stuck.txt"}) +
        "Exit code: 0 holds, 1 violated, 2 wrong usage, 3 bounded (a limit was reached first, or "
        "Ctrl-C).");
    add_protocol_word(command, "check", flags->protocol);
    add_parameter_flags(command, flags->parameters);
    const auto text = [&](const char* name, std::string& target, const char* meaning) {
        command.option(name, target, meaning).group("Search");
    };
    text("--threads", flags->threads, "Threads; default one per core");
    text("--memory", flags->memory, "Stop when the checker uses this much memory; default 4G");
    text("--limit", flags->limit, "Stop after this time, as in 60s");
    text("--checkpoint", flags->checkpoint,
         "Write here every 10 minutes, and when a limit or Ctrl-C stops the check, how far it has come");
    text("--resume", flags->resume, "Go on from this file of --checkpoint, with the same parameters");
    text("--store", flags->store, "exact, or fingerprint: less memory, small risk, no liveness");
    text("--start", flags->start, "boot, or arbitrary: random sites and channels; judges convergence");
    text("--samples", flags->samples, "With --start arbitrary: how many starts; default 100");
    text("--noise", flags->noise, "With --start arbitrary: maximum of messages per channel; default 1");
    text("--seed", flags->seed, "With --start arbitrary: seed of the first start; default 1");
    command.flag("--waits", flags->waits, "Find the largest number of grants to others while each site waits")
        .group("Search");
    text("--out", flags->out, "Also write the counterexample to this file, or - for standard output");
    text("--html", flags->html, "Also write a page that shows the counterexample step by step");
    text("--worlds", flags->graph,
         "Also draw every world of a small instance: FILE.html, or FILE.dot for Graphviz");
    command.flag("--json", flags->json, "For programs");
    command.action([flags, report = std::move(report)] { return run_check(*flags, report); });
}

}  // namespace allot::cli
