// `allot cluster`: for operators of a cluster.

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/harmless.hpp"
#include "cli/commands.hpp"
#include "cli/daemon.hpp"
#include "cli/flags.hpp"
#include "cli/init.hpp"
#include "cli/join.hpp"
#include "cli/table.hpp"
#include "client/status.hpp"
#include "core/parameters.hpp"
#include "daemon/config.hpp"
#include "daemon/settings_text.hpp"

namespace allot::cli {

namespace {

struct Options {
    std::string action;
    std::vector<std::string> words;
    std::string config;
    std::uint32_t above = 0;
    std::string voters;
    bool bootstrap = false;
    bool forget_sticky = false;
    bool dry_run = false;
    bool certified = false;
    bool undo = false;
    bool json = false;
    DaemonFlags daemon;
};

// The register may need some seconds to agree.
constexpr std::chrono::seconds agreed_within{15};

// A flag that the action would ignore is a misunderstanding.
std::optional<std::string> unsuitable_flag(const Options& options) {
    const struct {
        const char* flag;
        bool given;
        std::vector<std::string> actions;
    } flags[]{
        {"--certified", options.certified, {"expel"}},
        {"--undo", options.undo, {"drain"}},
        {"--json", options.json, {"show"}},
        {"--config", !options.config.empty(), {"init", "join"}},
        {"--above", options.above != 0, {"init"}},
        {"--voters", !options.voters.empty(), {"init"}},
        {"--bootstrap", options.bootstrap, {"init"}},
        {"--forget-sticky", options.forget_sticky, {"init"}},
    };
    for (const auto& [flag, given, actions] : flags)
        if (given && std::ranges::find(actions, options.action) == actions.end())
            return fmt::format("cluster {}: {} goes with {}", options.action, flag,
                               fmt::join(actions, " and "));
    const bool takes_words = options.action != "init" && options.action != "show";
    if (!takes_words && !options.words.empty())
        return fmt::format("cluster {}: {}: write nothing after {}", options.action, options.words[0],
                           options.action);
    if (options.dry_run && options.action == "show")
        return "cluster show: --dry-run: it changes nothing anyway";
    return std::nullopt;
}

int run_init(const Options& options) {
    return init_cluster(
        {.config = options.config,
         .above = options.above,
         .voters = options.voters.empty() ? std::vector<std::string>() : split_list(options.voters),
         .bootstrap = options.bootstrap,
         .forget_sticky = options.forget_sticky,
         .dry_run = options.dry_run});
}

// --- Orders to a running daemon.

// The answer; nothing if it is a refusal, which is printed, and `code` is the exit code.
std::optional<std::string> ordered(const Options& options, const session::Order& order, int& code) {
    code = exit_ok;
    const auto daemon = daemon_at(options.daemon, "allot cluster");
    if (!daemon) {
        code = wrong_usage(daemon.error());
        return std::nullopt;
    }
    try {
        const session::OrderAnswer answer = client::give_order(*daemon, order, agreed_within);
        if (answer.done) return answer.text;
        print_error(answer.text);
        code = exit_refused;
    } catch (const client::Failure& failure) {
        code = report(failure, *daemon);
    }
    return std::nullopt;
}

void print_cluster(const boost::json::object& cluster) {
    const auto names = [](const boost::json::value& list) {
        std::vector<std::string> all;
        for (const boost::json::value& one : list.as_array()) all.emplace_back(one.as_string());
        return fmt::format("{}", fmt::join(all, ", "));
    };
    fmt::print("view      {}\n", cluster.at("view").to_number<std::uint64_t>());
    const std::string engine(cluster.at("engine").as_string());
    fmt::print("register  {}\n",
               cluster.contains("voters") ? "kept by " + names(cluster.at("voters")) : "engine " + engine);
    if (cluster.contains("edition"))  // a daemon of an earlier version does not tell it
        fmt::print("edition   {}\n", cluster.at("edition").to_number<std::uint64_t>());
    fmt::print("new hosts admitted by {}\n\n", std::string(cluster.at("admission").as_string()));
    Table founded({"setting", "since the cluster was formed"});
    for (const auto& [name, text] : cluster.at("founded").as_object()) {
        if (text.is_string()) founded.add({std::string(name), std::string(text.as_string())});
        if (!text.is_array()) continue;
        for (const boost::json::value& one : text.as_array())
            founded.add({std::string(name), std::string(one.as_string())});
    }
    fmt::print("{}\n", founded.text());
    Table hosts({"host", "address", "standing", "in the view"});
    for (const boost::json::value& one : cluster.at("hosts").as_array())
        hosts.add({std::string(one.at("name").as_string()), std::string(one.at("address").as_string()),
                   std::string(one.at("standing").as_string()), one.at("member").as_bool() ? "yes" : "no"});
    fmt::print("{}", hosts.text());
    Table table({"semaphore", "permits", "of one request"});
    for (const auto& [name, semaphore] : cluster.at("semaphores").as_object())
        table.add({std::string(name), fmt::format("{}", semaphore.at("permits").to_number<std::uint32_t>()),
                   fmt::format("{}", semaphore.at("max_request").to_number<std::uint32_t>())});
    fmt::print("\n{}", table.text());
}

int run_show(const Options& options) {
    int code = exit_ok;
    const auto text = ordered(options, {.verb = "show", .words = {}}, code);
    if (!text) return code;
    if (options.json)
        fmt::print("{}\n", *text);
    else
        print_cluster(boost::json::parse(*text).as_object());
    return exit_ok;
}

// Fewer permits than are in use take nothing away. A semaphore that goes stays with those who use it.
std::string overuse_text(const std::string& name, std::uint64_t used, std::uint64_t permits, bool dry_run) {
    if (permits == 0)
        return fmt::format("{}: {} of its units {} in use until they are given back; nobody {} another one",
                           name, used, dry_run ? "would stay" : "stay", dry_run ? "would get" : "gets");
    return fmt::format("{}: {} of {} units {} in use; nobody {} one until enough are given back", name, used,
                       permits, dry_run ? "would be" : "are", dry_run ? "would get" : "gets");
}

void print_overuse(const Options& options, const std::vector<std::string>& changes) {
    const auto daemon = daemon_at(options.daemon, "allot cluster");
    if (!daemon) return;
    try {
        for (const session::ResourceStatus& one : client::ask_status(*daemon, agreed_within).resources) {
            const std::string key = one.name + "=";
            const auto change =
                std::ranges::find_if(changes, [&](const std::string& text) { return text.starts_with(key); });
            if (one.kind != "semaphore" || change == changes.end()) continue;
            const std::uint64_t used = session::units_in_use(one);
            const std::uint64_t permits = std::strtoull(change->c_str() + key.size(), nullptr, 10);
            if (used > permits)
                fmt::print("{}\n", overuse_text(harmless(one.name), used, permits, options.dry_run));
        }
    } catch (const client::Failure& failure) {
        print_error(fmt::format("how many units are in use is not known: {}", failure.what()));
    }
}

int run_set(const Options& options, const std::vector<std::string>& changes) {
    if (changes.empty()) return wrong_usage("cluster set: write a semaphore and its permits, as in builds=5");
    if (const auto why = daemon::wrong_changes(changes)) return wrong_usage(*why);
    int code = exit_ok;
    const auto text = ordered(options, {"set", changes, options.dry_run}, code);
    if (!text) return code;
    fmt::print("{}\n", *text);
    print_overuse(options, changes);
    return exit_ok;
}

// The settings that `show` prints, without semaphores.
agreement::Settings settings_in(const boost::json::value& cluster) {
    agreement::Settings settings;
    for (const auto& [name, text] : cluster.at("founded").as_object()) {
        if (text.is_string()) settings.founded.push_back({name, std::string(text.as_string())});
        if (!text.is_array()) continue;
        for (const boost::json::value& one : text.as_array())
            settings.founded.push_back({name, std::string(one.as_string())});
    }
    std::vector<std::string> names;
    for (const boost::json::value& one : cluster.at("hosts").as_array()) {
        names.emplace_back(one.at("name").as_string());
        const bool is_expected = one.at("standing").as_string() == "expected";
        settings.hosts.push_back({names.back(), std::string(one.at("address").as_string()),
                                  is_expected ? agreement::Standing::expected : agreement::Standing::in});
    }
    for (const boost::json::value& one : cluster.at("chosen_voters").as_array()) {
        const auto place = std::ranges::find(names, std::string(one.as_string()));
        settings.voters.emplace_back(static_cast<std::uint32_t>(place - names.begin()));
    }
    settings.asks_operator = cluster.at("admission").as_string() == "operator";
    return settings;
}

// Changes the semaphores of the cluster to those of a file.
int run_apply(const Options& options) {
    if (options.words.size() != 1)
        return wrong_usage("cluster apply: write a file, as in allot cluster apply host.toml");
    const auto config = daemon::load_config(options.words[0]);
    if (!config) return wrong_usage(config.error());
    if (config->semaphores.empty())
        return wrong_usage(fmt::format(
            "{}: write the semaphores that the cluster shall have in [bootstrap.semaphores]; `allot cluster "
            "set NAME=0` removes one",
            options.words[0]));
    int code = exit_ok;
    const auto text = ordered(options, {.verb = "show", .words = {}}, code);
    if (!text) return code;
    std::vector<std::string> changes;
    for (const auto& [name, semaphore] : config->semaphores) {
        changes.push_back(fmt::format("{}={}", name, semaphore.permits));
        changes.push_back(fmt::format("{}.max_request={}", name, semaphore.max_request));
    }
    const boost::json::value cluster = boost::json::parse(*text);
    for (const daemon::Contradiction& one : daemon::contradictions(*config, settings_in(cluster)))
        if (!one.name.starts_with("bootstrap.semaphores."))
            fmt::print("{} is {} in {}; the cluster has {}: {}\n", one.name, one.in_file, options.words[0],
                       one.in_cluster, options.dry_run ? "would not be changed" : "not changed");
    for (const auto& [name, semaphore] : cluster.at("semaphores").as_object())
        if (!config->semaphores.contains(std::string(name))) changes.push_back(std::string(name) + "=0");
    if (!changes.empty()) return run_set(options, changes);
    fmt::print("nothing changes\n");
    return exit_ok;
}

// --- Hosts.

int run_join(const Options& options) {
    if (options.words.size() != 1 || options.config.empty())
        return wrong_usage(
            "cluster join: write the address of a host of the cluster and the configuration of this one, as "
            "in allot cluster join 10.0.0.1:7400 --config host.toml");
    return join_cluster(options.words[0], options.config, options.dry_run);
}

int run_leave(const Options& options) {
    if (!options.words.empty())
        return wrong_usage("cluster leave: the host leaves whose daemon is asked; expel removes another one");
    int code = exit_ok;
    const auto text = ordered(options, {"leave", {}, options.dry_run}, code);
    if (!text) return code;
    fmt::print("{}\n", *text);
    if (!options.dry_run)
        fmt::print("It serves no new requests, and its daemon ends when nothing is held there any more\n");
    return exit_ok;
}

// An order about one host, which any daemon takes.
int run_about_host(const Options& options, const std::string& verb) {
    if (options.words.size() != 1)
        return wrong_usage(fmt::format("cluster {0}: write the name of one host, as in allot cluster {0} h3",
                                       options.action));
    int code = exit_ok;
    const auto text = ordered(options, {verb, options.words, options.dry_run}, code);
    if (text) fmt::print("{}\n", *text);
    return code;
}

int run_voters(const Options& options) {
    if (options.words.size() != 1)
        return wrong_usage(
            "cluster voters: write the hosts that shall keep the register, as in h1,h2,h3, or auto");
    return run_about_host(options, "voters");
}

int run_cluster(const Options& options) {
    const std::map<std::string_view, std::function<int()>> actions{
        {"init", [&] { return run_init(options); }},
        {"show", [&] { return run_show(options); }},
        {"set", [&] { return run_set(options, options.words); }},
        {"apply", [&] { return run_apply(options); }},
        {"join", [&] { return run_join(options); }},
        {"leave", [&] { return run_leave(options); }},
        {"expect", [&] { return run_about_host(options, "expect"); }},
        {"voters", [&] { return run_voters(options); }},
        {"drain", [&] { return run_about_host(options, options.undo ? "undrain" : "drain"); }},
        {"expel", [&] { return run_about_host(options, options.certified ? "expel-certified" : "expel"); }},
    };
    const auto action = actions.find(options.action);
    if (action == actions.end())
        return wrong_usage(
            fmt::format("cluster {}: no such action; write show, set, apply, join, leave, expect, drain, "
                        "expel, voters or init",
                        options.action));
    if (const auto why = unsuitable_flag(options)) return wrong_usage(*why);
    return action->second();
}

}  // namespace

void add_cluster(CommandLine& line) {
    auto options = std::make_shared<Options>();
    Command& command = line.command("cluster", "Look at the settings of a cluster, and change them");
    command
        .option(
            "action", options->action,
            "show: print hosts and settings; set: change settings; apply: take them from a file; join: let "
            "this host join; leave: let it leave; expect: let a host of this name join; drain: let a host "
            "serve no new requests; expel: remove a host for good; voters: choose who keeps the register; "
            "init: make the register, where no program runs")
        .required();
    command.option("words", options->words,
                   "set: NAME=PERMITS, NAME=0, NAME.max_request=UNITS or admission=operator; apply: FILE; "
                   "join: ADDRESS of a host of the cluster; expect, drain, expel: HOST; voters: "
                   "HOST,HOST,HOST or auto");
    command.flag("--dry-run", options->dry_run, "Only say what would change");
    command.flag("--certified", options->certified,
                 "expel: the machine is off, so nothing waits for its programs");
    command.flag("--undo", options->undo, "drain: let it serve again");
    command.flag("--json", options->json, "Print JSON (show)");
    command
        .option("--config", options->config,
                "init: the configuration of one of its hosts (TOML); join: of the host that joins")
        .value("FILE");
    command.option("--above", options->above, "views, and so fences, begin after this number").shown_as("N");
    command
        .option("--voters", options->voters,
                "these alone form the register, as the other voters of the configuration will never come")
        .value("HOST,HOST");
    command.flag("--bootstrap", options->bootstrap,
                 "init: times, seats and modes are read again from [bootstrap] of the file");
    command.flag("--forget-sticky", options->forget_sticky,
                 "init: sticky resources that the former register keeps become free");
    command.footer(
        "Hosts make their register themselves when they are first started, except for one that is alone and "
        "that others shall reach: it needs `init`. That says that no program of an earlier time runs, so "
        "that hosts need not wait for it. A register that was lost begins again above the view that the "
        "hosts name, with all settings that they remember. Nothing is deleted: former files are renamed.\n"
        "Examples:\n"
        "  allot cluster init --config /etc/allot/host.toml\n"
        "  allot cluster init --voters a,b --config /etc/allot/host.toml\n"
        "  allot cluster show\n"
        "  allot cluster set builds=5\n"
        "  allot cluster join 10.0.0.1:7400 --config /etc/allot/host.toml\n"
        "  allot cluster drain h3\n"
        "  allot cluster expel h3 --certified\n"
        "  allot cluster voters h1,h2,h4\n"
        "Run the second one on each host that forms the register, while it is stopped. The others ask a "
        "running daemon, except for join, which a new host does before it is started first. A change holds "
        "on each host as soon as it works in the view that has it. Fewer permits than are in use take "
        "nothing away: nobody gets one until enough are given back. Programs that wait for more than there "
        "are now are refused.\n"
        "Exit code: 0 done; 2 wrong usage; 119 refused; 123 the daemon is unreachable.");
    add_daemon_flags(command, options->daemon);
    command.action([options] { return run_cluster(*options); });
}

}  // namespace allot::cli
