// `allot node`: the daemon of one host.

#include "daemon/node.hpp"

#include <memory>

#include "base/log.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "daemon/shell.hpp"

namespace allot::cli {

namespace {

struct Options {
    std::string config;
    bool fresh = false;
    bool verbose = false;
};

int run_node(const Options& options) {
    const auto config = daemon::load_config(options.config);
    if (!config) return wrong_usage(config.error());
    if (options.verbose) set_log_level(LogLevel::debug);
    const bool agrees = config->agreed.engine != daemon::Register::Engine::none;
    const auto code = agrees ? daemon::run_shell(*config) : daemon::run_node(*config, options.fresh);
    if (!code) return wrong_usage(code.error());
    return *code;
}

}  // namespace

void add_node(CommandLine& line) {
    auto options = std::make_shared<Options>();
    Command& command = line.command("node", "Run the daemon of one host");
    command.option("--config", options->config, "the configuration of this host (TOML)")
        .required()
        .value("FILE");
    command.flag("--fresh", options->fresh,
                 "discard the saved state; only while all hosts of the cluster are stopped");
    command.flag("--verbose", options->verbose, "log more");
    command.footer(
        "SIGTERM stops the daemon in order: it saves its state, and the next start resumes it.\n"
        "Example: allot node --config /etc/allot/host.toml");
    command.action([options] { return run_node(*options); });
}

}  // namespace allot::cli
