// `allot cluster`: for operators of a cluster.

#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "daemon/config.hpp"
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

Result<bool> init(const daemon::Config& config, std::uint32_t above) {
    const std::string& file = config.agreed.file;
    if (config.agreed.engine != daemon::Register::Engine::file)
        return Error{
            "the hosts make their register themselves when they are started for the first time: start them"};
    const durable::FileRegister register_file(file);
    const auto locks = occupy_all(config, register_file);
    if (!locks) return Error{locks.error()};
    const auto before = register_file.exists();
    if (!before) return Error{before.error()};
    if (*before && above == 0)
        return Error{
            fmt::format("{}: there is a register already; to begin anew above its views, and only "
                        "if no program of an earlier time runs, add --above N",
                        file)};
    if (*before) {
        const std::string aside = fmt::format("{}.before-{}", file, std::time(nullptr));
        if (std::rename(file.c_str(), aside.c_str()) != 0) return Error{file + ": cannot be set aside"};
        fmt::print("the former register is {} now\n", aside);
    }
    return register_file.found(above);
}

int run_cluster(const Options& options) {
    if (options.action != "init")
        return wrong_usage(fmt::format("cluster {}: no such action; write init", options.action));
    const auto config = daemon::load_config(options.config);
    if (!config) return wrong_usage(config.error());
    if (const auto made = init(*config, options.above); !made) return wrong_usage(made.error());
    fmt::print("{} is ready: views begin after {}\n", config->agreed.file, options.above);
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
        "With engine = \"file\" the first start need not wait then for programs of an earlier time.\n"
        "A register that was lost begins above the view that the hosts name. Nothing is deleted:\n"
        "a former register is set aside.\n"
        "Example: allot cluster init --config /etc/allot/host.toml");
    command.action([options] { return run_cluster(*options); });
}

}  // namespace allot::cli
