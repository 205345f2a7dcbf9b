// `allot cluster`: for operators of a cluster.

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "daemon/config.hpp"
#include "daemon/host_folder.hpp"
#include "durable/file_register.hpp"

namespace allot::cli {

namespace {

struct Options {
    std::string action;
    std::string config;
    std::uint32_t above = 0;
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

// This host's part of a register that the hosts keep themselves.
Result<bool> prepare_host(const daemon::Config& config, std::uint32_t above) {
    daemon::HostFolder folder(config.state);
    const auto before = folder.open();
    if (!before) return Error{before.error()};
    if (above < before->view)
        return Error{
            fmt::format("this host has worked in view {}: write --above {} or more, and the same on "
                        "all voters",
                        before->view, before->view)};
    if (above == 0 && std::filesystem::exists(config.state + "/council"))
        return Error{config.state + ": this host has its part of a register already" + advice};
    if (const auto aside = folder.set_aside("council"); !aside) return aside;
    daemon::HostFolder::Memory memory = *before;
    memory.view = above;
    memory.quiet = true;
    return folder.note(memory);
}

int run_cluster(const Options& options) {
    if (options.action != "init")
        return wrong_usage(fmt::format("cluster {}: no such action; write init", options.action));
    const auto config = daemon::load_config(options.config);
    if (!config) return wrong_usage(config.error());
    const bool in_file = config->agreed.engine == daemon::Register::Engine::file;
    const auto made = in_file ? make_file(*config, options.above) : prepare_host(*config, options.above);
    if (!made) return wrong_usage(made.error());
    if (in_file)
        fmt::print("{} is ready: views begin after {}\n", config->agreed.file, options.above);
    else
        fmt::print("host {} is ready: views begin after {}. Do the same on all voters, then start them\n",
                   config->host, options.above);
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
    command.footer(
        "Hosts make their register themselves when they are first started. `init` says that no program\n"
        "of an earlier time runs, so that they need not wait for it. A register that was lost begins\n"
        "anew above the view that the hosts name. Nothing is deleted: former files are renamed.\n"
        "Example: allot cluster init --config /etc/allot/host.toml");
    command.action([options] { return run_cluster(*options); });
}

}  // namespace allot::cli
