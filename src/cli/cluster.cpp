// `allot cluster`: for operators of a cluster.

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/operator.hpp"
#include "core/parameters.hpp"
#include "daemon/config.hpp"
#include "daemon/council_file.hpp"
#include "daemon/etcd_key.hpp"
#include "daemon/host_folder.hpp"
#include "durable/file_register.hpp"

namespace allot::cli {

namespace {

struct Options {
    std::string action;
    std::string config;
    std::uint32_t above = 0;
    std::string voters;
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
    return register_file.found(above);
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

std::string chosen_text(const Options& options) {
    if (options.voters.empty()) return fmt::format("views begin after {}", options.above);
    return fmt::format("views begin after {}, the register is kept by {}", options.above,
                       fmt::join(split_list(options.voters), " and "));
}

int run_cluster(const Options& options) {
    if (options.action != "init")
        return wrong_usage(fmt::format("cluster {}: no such action; write init", options.action));
    const auto config = daemon::load_config(options.config);
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

}  // namespace

void add_cluster(CommandLine& line) {
    auto options = std::make_shared<Options>();
    Command& command = line.command("cluster", "Make the register of a cluster");
    command.option("action", options->action, "init: make the register, where no program runs").required();
    command.option("--config", options->config, "the configuration of one of its hosts (TOML)")
        .required()
        .value("FILE");
    command.option("--above", options->above, "views, and so fences, begin after this number").shown_as("N");
    command
        .option("--voters", options->voters,
                "these alone form the register, as the other voters of the configuration will never come")
        .value("HOST,HOST");
    command.footer(
        "Hosts make their register themselves when they are first started. `init` says that no program "
        "of an earlier time runs, so that they need not wait for it. A register that was lost begins "
        "again above the view that the hosts name. Nothing is deleted: former files are renamed.\n"
        "Examples:\n"
        "  allot cluster init --config /etc/allot/host.toml\n"
        "  allot cluster init --voters a,b --config /etc/allot/host.toml\n"
        "Run the second one on each host that forms the register, while it is stopped.");
    command.action([options] { return run_cluster(*options); });
}

}  // namespace allot::cli
