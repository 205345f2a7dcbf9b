// `allot node`: the daemon of one host.

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
    if (options.fresh)
        return wrong_usage("--fresh is gone: a killed host loses nothing. See `allot cluster --help`");
    const auto config = daemon::load_config(options.config);
    if (!config) return wrong_usage(config.error());
    if (options.verbose) set_log_level(LogLevel::debug);
    const auto code = daemon::run_shell(*config);
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
    command.flag("--fresh", options->fresh, "").aside();
    command.flag("--verbose", options->verbose, "log more");
    command.footer(
        "SIGTERM stops the daemon in order: without holders the host leaves, and nobody waits for it;\n"
        "with holders the next start goes on with them.\n"
        "Example: allot node --config /etc/allot/host.toml");
    command.action([options] { return run_node(*options); });
}

}  // namespace allot::cli
