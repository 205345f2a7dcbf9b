#include "cli/init.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include "cli/commands.hpp"
#include "cli/operator.hpp"
#include "daemon/config.hpp"
#include "daemon/council_file.hpp"
#include "daemon/etcd_key.hpp"
#include "daemon/founded.hpp"
#include "daemon/host_folder.hpp"
#include "daemon/kept_text.hpp"
#include "daemon/roster.hpp"
#include "daemon/settings_text.hpp"
#include "durable/file_register.hpp"

namespace allot::cli {

namespace {

using daemon::Config;
using Engine = daemon::Register::Engine;

// --- The settings with which the register begins.

struct Plan {
    Config config;
    bool remembers = false;            // this host knows settings of the cluster
    std::vector<std::string> changes;  // of times, seats and modes
};

std::string lacks_bootstrap(const std::string& path) {
    std::vector<std::string_view> names;
    for (const daemon::FoundedSetting& one : daemon::founded_settings) names.push_back(one.name);
    return fmt::format(
        "{}: --bootstrap: write those of {} that shall change in [bootstrap] of this file, or leave the flag "
        "out",
        path, fmt::join(names, ", "));
}

// The error in the settings that this host remembers, with those of its file where they are written.
Result<Plan> with_bootstrap(Plan plan, const Config& file, const agreement::Settings& remembered,
                            const std::string& path) {
    const auto founded = daemon::with_written(remembered.founded, file);
    auto config = daemon::with_founded(std::move(plan.config), founded);
    if (!config)
        return Error{fmt::format("{}: [bootstrap], with what this host remembers of the cluster: {}", path,
                                 config.error())};
    plan.config = std::move(*config);
    plan.changes = daemon::founded_differences(remembered.founded, founded);
    return plan;
}

// All that this host remembers counts, except for the settings that the operator lets it read again.
Result<Plan> make_plan(const InitOptions& options) {
    const auto file = daemon::load_config(options.config);
    if (!file) return Error{file.error()};
    const auto is_written = [&](const auto& one) { return file->has_written(one.name); };
    if (options.bootstrap && std::ranges::none_of(daemon::founded_settings, is_written))
        return Error{lacks_bootstrap(options.config)};
    const auto settings = daemon::HostFolder(file->state).settings();
    if (!settings)
        return Error{fmt::format(
            "{}; it has the hosts and settings of the cluster: move it away, and join a cluster that runs by "
            "`allot cluster join`, or form one with [bootstrap] of {}",
            settings.error(), options.config)};
    if (!*settings || (*settings)->hosts.empty()) {
        if (auto why = file->unlisted()) return Error{fmt::format("{}: {}", options.config, *why)};
        return Plan{*file, false, {}};
    }
    auto config = daemon::with_agreed(*file, **settings);
    if (!config) return Error{config.error()};
    Plan plan{std::move(*config), true, {}};
    return options.bootstrap ? with_bootstrap(std::move(plan), *file, **settings, options.config)
                             : Result<Plan>(std::move(plan));
}

// --- The register, by engine.

constexpr const char* advice =
    "; to begin again above all views, and only if no program of an earlier time runs, add --above N";

// A register that began, and what became of the former one.
struct Begun {
    std::string aside;      // the place where it is kept; empty: there was none, or people find it themselves
    std::string forgotten;  // its sticky resources
};

// All daemons are stopped, and stay so as long as these locks are kept.
Result<std::vector<Descriptor>> occupy_all(const Config& config, const durable::FileRegister& register_file) {
    std::vector<Descriptor> all;
    for (const Config::Host& host : config.hosts) {
        auto lock = register_file.occupy(host.name, "allot cluster init");
        if (!lock) return Error{lock.error() + "; stop all hosts first"};
        all.push_back(std::move(*lock));
    }
    return all;
}

// The sticky resources of a value that is given up; an error if they must not be forgotten.
Result<std::string> forgotten_of(const agreement::Value& value, const InitOptions& options) {
    if (auto why = daemon::kept_refusal(value); !why.empty() && !options.forget_sticky)
        return Error{std::move(why)};
    return daemon::kept_text(value);
}

// Views that were there before must not come again: fences would not grow.
std::optional<std::string> too_low(const InitOptions& options, const daemon::HostFolder::Memory& before,
                                   const char* where = "") {
    if (options.above >= before.view) return std::nullopt;
    return fmt::format("this host has worked in view {0}: write --above {0} or more{1}", before.view, where);
}

Result<bool> keep_settings(const Plan& plan) {
    if (!plan.remembers) return true;
    return daemon::HostFolder(plan.config.state).note_settings(daemon::settings_of(plan.config));
}

Result<Begun> make_file(const Plan& plan, const InitOptions& options) {
    const std::string& file = plan.config.agreed.file;
    const durable::FileRegister register_file(file);
    const auto locks = occupy_all(plan.config, register_file);
    if (!locks) return Error{locks.error()};
    const auto before = register_file.exists();
    if (!before && options.above == 0) return Error{before.error() + advice};
    if (before && *before && options.above == 0)
        return Error{file + ": there is a register already" + advice};
    // A damaged register cannot say what it keeps.
    const auto value = register_file.read();
    if (value && options.above < value->view)
        return Error{fmt::format("{0} holds view {1}: write --above {1} or more", file, value->view)};
    const auto before_here = daemon::HostFolder(plan.config.state).open();
    if (!before_here) return Error{before_here.error()};
    if (auto why = too_low(options, *before_here)) return Error{std::move(*why)};
    auto forgotten = value ? forgotten_of(*value, options) : Result<std::string>(std::string());
    if (!forgotten) return Error{forgotten.error()};
    if (options.dry_run) return Begun{"", std::move(*forgotten)};
    if (const auto kept = keep_settings(plan); !kept) return Error{kept.error()};
    if (!before || *before) {
        const std::string aside = fmt::format("{}.before-{}", file, std::time(nullptr));
        if (std::rename(file.c_str(), aside.c_str()) != 0) return Error{file + ": it cannot be renamed"};
    }
    const auto found = register_file.found(options.above, true, daemon::settings_of(plan.config));
    if (!found) return Error{found.error()};
    return Begun{"", std::move(*forgotten)};
}

// Any two majorities of the file's voters share a host. That host forms with one list only, so no two
// registers form.
std::optional<std::string> wrong_voters(const Config& config, const std::vector<std::string>& named) {
    std::vector<std::string> all;
    for (const std::uint32_t voter : config.voters()) all.push_back(config.name_of(voter));
    const auto wrong = [&](const std::string& what) {
        return fmt::format("--voters {}: {}", fmt::join(named, ","), what);
    };
    for (const std::string& name : named) {
        if (std::ranges::find(all, name) == all.end())
            return wrong(fmt::format("\"{}\" is no voter of the configuration; there is {}", name,
                                     fmt::join(all, ", ")));
        if (std::ranges::count(named, name) > 1) return wrong(fmt::format("\"{}\" is there twice", name));
    }
    if (2 * named.size() > all.size()) return std::nullopt;
    return wrong(fmt::format("write more than half of {}, so that the others cannot form a second register",
                             fmt::join(all, ", ")));
}

// A blank disk proves that no register has formed with this host: all of its voters write before one votes.
bool is_formed(const std::optional<daemon::CouncilFile::Files>& files) {
    return files && (files->papers.stage != agreement::Stage::blank || files->papers.used);
}

// The sticky resources that this host's voter has accepted last; an error if the host is not to begin again.
Result<std::string> leave_council(const Config& config, const InitOptions& options) {
    boost::asio::io_context loop;
    const auto files = daemon::CouncilFile(loop, config.state, [] {}).read();
    if (!files && options.above == 0) return Error{files.error() + advice};
    if (!files) return std::string();
    if (options.above == 0 && is_formed(*files))
        return Error{config.state + ": this host has its part of a register already" + advice};
    const auto* const used = *files && (*files)->papers.used ? &*(*files)->papers.used : nullptr;
    if (used != nullptr && used->generation > options.above)
        return Error{
            fmt::format("the register has had {0} sets of voters: write --above {0} or more, and the "
                        "same on all hosts",
                        used->generation)};
    return *files ? forgotten_of((*files)->voter.value, options) : Result<std::string>(std::string());
}

// This host's part of a register that the hosts keep themselves.
Result<Begun> prepare_host(const Plan& plan, const InitOptions& options) {
    const Config& config = plan.config;
    if (!options.voters.empty())
        if (auto why = wrong_voters(config, options.voters)) return Error{std::move(*why)};
    daemon::HostFolder folder(config.state);
    const auto before = folder.open();
    if (!before) return Error{before.error()};
    folder.write_in(config.kept_edition());
    if (auto why = too_low(options, *before, ", and the same on all hosts")) return Error{std::move(*why)};
    auto forgotten = leave_council(config, options);
    if (!forgotten) return Error{forgotten.error()};
    if (options.dry_run) return Begun{"", std::move(*forgotten)};
    if (const auto kept = keep_settings(plan); !kept) return Error{kept.error()};
    for (const char* name : {"council", "voters"})
        if (const auto aside = folder.set_aside(name); !aside) return Error{aside.error()};
    if (!options.voters.empty())
        if (const auto named = folder.name_voters(options.voters); !named) return Error{named.error()};
    daemon::HostFolder::Memory memory = *before;
    memory.view = options.above;
    memory.quiet = true;
    if (const auto noted = folder.note(memory); !noted) return Error{noted.error()};
    return Begun{"", std::move(*forgotten)};
}

// The key of etcd, for all hosts. That other hosts are stopped cannot be seen from here.
Result<Begun> make_key(const Plan& plan, const InitOptions& options) {
    daemon::HostFolder folder(plan.config.state);
    const auto before = folder.open();
    if (!before) return Error{before.error()};
    if (auto why = too_low(options, *before)) return Error{std::move(*why)};
    auto made = daemon::found_in_etcd(
        plan.config,
        {.above = options.above, .forget_sticky = options.forget_sticky, .dry_run = options.dry_run});
    if (!made) return Error{made.error() + (options.above == 0 ? advice : "")};
    if (options.dry_run) return Begun{"", std::move(made->forgotten)};
    if (const auto kept = keep_settings(plan); !kept) return Error{kept.error()};
    return Begun{std::move(made->aside), std::move(made->forgotten)};
}

Result<Begun> begin(const Plan& plan, const InitOptions& options) {
    const Engine engine = plan.config.agreed.engine;
    return engine == Engine::file   ? make_file(plan, options)
           : engine == Engine::etcd ? make_key(plan, options)
                                    : prepare_host(plan, options);
}

// --- Texts.

std::optional<std::string> needless_voters(const Config& config, const InitOptions& options) {
    const Engine engine = config.agreed.engine;
    if (engine == Engine::hosts || options.voters.empty()) return std::nullopt;
    return fmt::format("--voters: {}; leave it out, or write engine = \"hosts\"",
                       engine == Engine::file ? "all hosts share one file" : "etcd keeps the register");
}

std::string chosen_text(const InitOptions& options) {
    if (options.voters.empty()) return fmt::format("views begin after {}", options.above);
    return fmt::format("views begin after {}, the register is kept by {}", options.above,
                       fmt::join(options.voters, " and "));
}

void print_begun(const Plan& plan, const InitOptions& options, const Begun& begun) {
    const Config& config = plan.config;
    if (!begun.aside.empty()) fmt::print("the former content of the key is now under {}\n", begun.aside);
    const char* const forgets = options.dry_run ? "would be forgotten, and free" : "forgotten, and free now";
    if (!begun.forgotten.empty()) fmt::print("{}: {}\n", forgets, begun.forgotten);
    for (const std::string& change : plan.changes)
        fmt::print("{}{}\n", options.dry_run ? "would change " : "", change);
    if (options.bootstrap && plan.remembers && plan.changes.empty())
        fmt::print("times, seats and modes {}stay as they were\n", options.dry_run ? "would " : "");
    const std::string chosen = chosen_text(options);
    const char* const is_ready = options.dry_run ? "would be ready" : "is ready";
    if (config.agreed.engine == Engine::hosts)
        fmt::print("host {} {}: {}. Do the same on all hosts{}, then start them\n", config.host, is_ready,
                   chosen, options.voters.empty() ? "" : " that will run");
    else
        fmt::print(
            "{} {}: {}\n",
            config.agreed.engine == Engine::file ? config.agreed.file : "etcd key " + config.agreed.key,
            is_ready, chosen);
}

}  // namespace

int init_cluster(const InitOptions& options) {
    if (options.config.empty())
        return wrong_usage("cluster init: write the configuration of this host, as in --config host.toml");
    // Views count on from there, and a fence has 24 bits for them.
    constexpr std::uint32_t above_most = 15'000'000;
    if (options.above > above_most)
        return wrong_usage(fmt::format("--above {}: write at most {}", options.above, above_most));
    const auto plan = make_plan(options);
    if (!plan) return wrong_usage(plan.error());
    if (const auto why = needless_voters(plan->config, options)) return wrong_usage(*why);
    const auto begun = begin(*plan, options);
    if (!begun) return wrong_usage(begun.error());
    std::vector<std::string> events{chosen_text(options)};
    if (!begun->forgotten.empty()) events.push_back("forgotten: " + begun->forgotten);
    events.insert(events.end(), plan->changes.begin(), plan->changes.end());
    if (!options.dry_run)
        note_operator(plan->config, "initialised", fmt::format("{}", fmt::join(events, "; ")));
    print_begun(*plan, options, *begun);
    return exit_ok;
}

}  // namespace allot::cli
