// `allot node`: the daemon of one host.

#include <fmt/format.h>
#include <memory>

#include "base/log.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/operator.hpp"
#include "daemon/migration.hpp"
#include "daemon/shell.hpp"

namespace allot::cli {

namespace {

struct Options {
    std::string config;
    std::string migrated;
    bool fresh = false;
    bool verbose = false;
};

int migrate(const std::string& path) {
    std::string copy;
    const auto migration = daemon::migrate_file(path, copy);
    if (!migration) return wrong_usage(migration.error());
    for (const std::string& change : migration->changes) fmt::print("{}\n", change);
    if (migration->changes.empty()) {
        fmt::print("{}: nothing to change\n", path);
        return exit_ok;
    }
    fmt::print("{} is the former file\n", copy);
    if (const auto config = daemon::parse_config(migration->text, path))
        note_operator(*config, "migrated", fmt::format("{}: {} changes", path, migration->changes.size()));
    return exit_ok;
}

int run_node(const Options& options) {
    if (options.fresh)
        return wrong_usage("--fresh is gone: a killed host loses nothing. See `allot cluster --help`");
    if (!options.migrated.empty()) return migrate(options.migrated);
    if (options.config.empty())
        return wrong_usage(
            "node: no configuration; write --config FILE, as in `allot node --config /etc/allot/host.toml`");
    const auto read = [&] {
        auto config = daemon::load_config(options.config);
        if (config && options.verbose) config->log_level = LogLevel::debug;
        return config;
    };
    auto config = read();
    if (!config) return wrong_usage(config.error());
    const auto code = daemon::run_shell(std::move(*config), read);
    if (!code) return wrong_usage(code.error());
    return *code;
}

}  // namespace

void add_node(CommandLine& line) {
    auto options = std::make_shared<Options>();
    Command& command = line.command("node", "Run the daemon of one host");
    const Argument config =
        command.option("--config", options->config, "the configuration of this host (TOML)").value("FILE");
    command
        .option("--migrate", options->migrated,
                "rewrite a configuration of an earlier version, and keep the former file beside it")
        .value("FILE")
        .excludes(config);
    command.flag("--fresh", options->fresh, "").aside();
    command.flag("--verbose", options->verbose, "log more");
    command.footer(
        "SIGTERM stops the daemon in order: without holders the host leaves, and nobody waits for it; "
        "with holders the next start goes on with them. At SIGHUP it reads the configuration again, and "
        "takes over what needs no restart; the log says what.\n"
        "Examples:\n"
        "  allot node --config /etc/allot/host.toml\n"
        "  allot node --migrate /etc/allot/host.toml");
    command.action([options] { return run_node(*options); });
}

}  // namespace allot::cli
