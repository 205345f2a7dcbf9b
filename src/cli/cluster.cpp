// `allot cluster`: for operators of a cluster.

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "cli/daemon.hpp"
#include "cli/flags.hpp"
#include "cli/join.hpp"
#include "cli/operator.hpp"
#include "cli/table.hpp"
#include "client/status.hpp"
#include "core/parameters.hpp"
#include "daemon/config.hpp"
#include "daemon/council_file.hpp"
#include "daemon/etcd_key.hpp"
#include "daemon/host_folder.hpp"
#include "daemon/roster.hpp"
#include "daemon/settings_text.hpp"
#include "durable/file_register.hpp"

namespace allot::cli {

namespace {

struct Options {
    std::string action;
    std::vector<std::string> words;
    std::string config;
    std::uint32_t above = 0;
    std::string voters;
    bool dry_run = false;
    bool certified = false;
    bool undo = false;
    bool json = false;
    DaemonFlags daemon;
};

// All daemons are stopped, and stay so as long as these locks are kept.
Result<std::vector<Descriptor>> occupy_all(const daemon::Config& config,
                                           const durable::FileRegister& register_file) {
    std::vector<Descriptor> all;
    for (const daemon::Config::Host& host : config.hosts) {
        auto lock = register_file.occupy(host.name);
        if (!lock) return Error{lock.error() + "; stop all hosts first"};
        all.push_back(std::move(*lock));
    }
    return all;
}

// The register may need some seconds to agree.
constexpr std::chrono::seconds agreed_within{15};

constexpr const char* advice =
    "; to begin anew above all views, and only if no program of an earlier time runs, add --above N";

Result<bool> make_file(const daemon::Config& config, std::uint32_t above) {
    const std::string& file = config.agreed.file;
    const durable::FileRegister register_file(file);
    const auto locks = occupy_all(config, register_file);
    if (!locks) return Error{locks.error()};
    const auto before = register_file.exists();
    if (!before && above == 0) return Error{before.error() + advice};
    if (before && *before && above == 0) return Error{file + ": there is a register already" + advice};
    if (!before || *before) {
        const std::string aside = fmt::format("{}.before-{}", file, std::time(nullptr));
        if (std::rename(file.c_str(), aside.c_str()) != 0) return Error{file + ": it cannot be renamed"};
    }
    return register_file.found(above, true, daemon::settings_of(config));
}

// A blank disk proves that no register has formed with this host: all of its voters write before one votes.
Result<bool> is_formed(const daemon::Config& config) {
    boost::asio::io_context loop;
    const auto files = daemon::CouncilFile(loop, config.state, [] {}).read();
    if (!files) return Error{files.error()};
    return *files && ((*files)->papers.stage != agreement::Stage::blank || (*files)->papers.used);
}

// Any two majorities of the file's voters share a host. That host forms with one list only, so no two
// registers form.
std::optional<std::string> wrong_voters(const daemon::Config& config, const std::vector<std::string>& named) {
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

Result<bool> keep_settings(const daemon::Config& config, const daemon::HostFolder& folder) {
    const auto before = folder.settings();
    if (!before || !*before) return true;
    agreement::Settings settings = **before;
    settings.founded = config.founded();
    return folder.note_settings(settings);
}

// This host's part of a register that the hosts keep themselves.
Result<bool> prepare_host(const daemon::Config& config, std::uint32_t above,
                          const std::vector<std::string>& voters) {
    if (!voters.empty())
        if (auto why = wrong_voters(config, voters)) return Error{std::move(*why)};
    daemon::HostFolder folder(config.state);
    const auto before = folder.open();
    if (!before) return Error{before.error()};
    if (above < before->view)
        return Error{
            fmt::format("this host has worked in view {}: write --above {} or more, and the same on "
                        "all voters",
                        before->view, before->view)};
    const auto formed = is_formed(config);
    if (!formed && above == 0) return Error{formed.error() + advice};
    if (above == 0 && *formed)
        return Error{config.state + ": this host has its part of a register already" + advice};
    // The settings stay: the hosts of the cluster are there, which the file may not know.
    if (const auto kept = keep_settings(config, folder); !kept) return kept;
    for (const char* name : {"council", "voters"})
        if (const auto aside = folder.set_aside(name); !aside) return aside;
    if (!voters.empty())
        if (const auto named = folder.name_voters(voters); !named) return named;
    daemon::HostFolder::Memory memory = *before;
    memory.view = above;
    memory.quiet = true;
    return folder.note(memory);
}

// The key of etcd, for all hosts. That other hosts are stopped cannot be seen from here.
Result<bool> make_key(const daemon::Config& config, std::uint32_t above) {
    daemon::HostFolder folder(config.state);
    const auto before = folder.open();
    if (!before) return Error{before.error()};
    if (above < before->view)
        return Error{fmt::format("this host has worked in view {}: write --above {} or more", before->view,
                                 before->view)};
    const auto made = daemon::found_in_etcd(config, above);
    if (!made) return Error{made.error() + (above == 0 ? advice : "")};
    if (!made->empty()) fmt::print("the former content of the key is now under {}\n", *made);
    return true;
}

// With what this host knows from the register, if there was one; but times, seats and modes are read again
// from a file that has them.
Result<daemon::Config> config_to_form(const std::string& path) {
    auto file = daemon::load_config(path);
    if (!file) return file;
    const auto settings = daemon::HostFolder(file->state).settings();
    if (!settings || !*settings || (*settings)->hosts.empty()) {
        if (auto why = file->unlisted()) return Error{fmt::format("{}: {}", path, *why)};
        return file;
    }
    auto config = daemon::with_agreed(*file, **settings);
    if (!config || !file->has_bootstrap) return config;
    return daemon::with_founded(std::move(*config), file->founded());
}

std::string chosen_text(const Options& options) {
    if (options.voters.empty()) return fmt::format("views begin after {}", options.above);
    return fmt::format("views begin after {}, the register is kept by {}", options.above,
                       fmt::join(split_list(options.voters), " and "));
}

int run_init(const Options& options) {
    if (options.config.empty())
        return wrong_usage("cluster init: write the configuration of this host, as in --config host.toml");
    const auto config = config_to_form(options.config);
    if (!config) return wrong_usage(config.error());
    using Engine = daemon::Register::Engine;
    const Engine engine = config->agreed.engine;
    if (engine != Engine::hosts && !options.voters.empty())
        return wrong_usage(
            fmt::format("--voters: {}; leave it out, or write engine = \"hosts\"",
                        engine == Engine::file ? "all hosts share one file" : "etcd keeps the register"));
    const std::vector<std::string> voters =
        options.voters.empty() ? std::vector<std::string>() : split_list(options.voters);
    const auto made = engine == Engine::file   ? make_file(*config, options.above)
                      : engine == Engine::etcd ? make_key(*config, options.above)
                                               : prepare_host(*config, options.above, voters);
    if (!made) return wrong_usage(made.error());
    const std::string chosen = chosen_text(options);
    note_operator(*config, "initialised", chosen);
    if (engine == Engine::hosts)
        fmt::print("host {} is ready: {}. Do the same on all {}, then start them\n", config->host, chosen,
                   voters.empty() ? "voters" : "other hosts that will run");
    else
        fmt::print("{} is ready: {}\n",
                   engine == Engine::file ? config->agreed.file : "etcd key " + config->agreed.key, chosen);
    return exit_ok;
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

int run_set(const Options& options, const std::vector<std::string>& changes) {
    if (changes.empty()) return wrong_usage("cluster set: write a semaphore and its permits, as in builds=5");
    int code = exit_ok;
    const auto text = ordered(options, {"set", changes, options.dry_run}, code);
    if (text) fmt::print("{}\n", *text);
    return code;
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
            "in "
            "allot cluster join 10.0.0.1:7400 --config host.toml");
    return join_cluster(options.words[0], options.config);
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
    if (options.action == "init") return run_init(options);
    if (options.action == "show") return run_show(options);
    if (options.action == "set") return run_set(options, options.words);
    if (options.action == "apply") return run_apply(options);
    if (options.action == "join") return run_join(options);
    if (options.action == "leave") return run_leave(options);
    if (options.action == "expect") return run_about_host(options, "expect");
    if (options.action == "voters") return run_voters(options);
    if (options.action == "drain") return run_about_host(options, options.undo ? "undrain" : "drain");
    if (options.action == "expel")
        return run_about_host(options, options.certified ? "expel-certified" : "expel");
    return wrong_usage(
        fmt::format("cluster {}: no such action; write show, set, apply, join, leave, expect, drain, expel, "
                    "voters or init",
                    options.action));
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
            "init: make the register, where no "
            "program runs")
        .required();
    command.option("words", options->words,
                   "set: NAME=PERMITS, NAME=0, NAME.max_request=UNITS or cluster.admission=operator; apply: "
                   "FILE; join: ADDRESS of a host of the cluster; expect, drain, expel: HOST; voters: "
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
    command.footer(
        "Hosts make their register themselves when they are first started, except for one that is alone and "
        "that others shall reach: it needs `init`. That says that no program of an earlier time runs, so "
        "that hosts need not wait for it. A register that was lost begins "
        "again above the view that the hosts name, with times, seats and modes as [bootstrap] of the file "
        "has "
        "them now. Nothing is deleted: former files are renamed.\n"
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
        "on each host as soon as it works in the view that has it. Fewer "
        "permits than "
        "are in use take nothing away: nobody gets one until enough are given back. Programs that wait for "
        "more than there are now are refused.\n"
        "Exit code: 0 done; 2 wrong usage; 119 refused; 123 the daemon is unreachable.");
    add_daemon_flags(command, options->daemon);
    command.action([options] { return run_cluster(*options); });
}

}  // namespace allot::cli
