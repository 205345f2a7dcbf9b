// The `allot` command.

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "cli/commands.hpp"
#include "version.hpp"

namespace {

using namespace allot;

// The first word that no flag takes.
std::string unexpected(const CLI::App& app, std::span<char*> arguments) {
    const std::vector<std::string> left = app.remaining(true);
    const auto is_left = [&](const char* word) { return std::ranges::count(left, word) > 0; };
    const auto first = std::ranges::find_if(arguments, is_left);
    return first == arguments.end() ? "" : *first;
}

// CLI11's own messages are good where they name the flag; this adds what to do.
int explain(const CLI::App& app, const CLI::ParseError& error, std::span<char*> arguments) {
    const std::string first_word = arguments.empty() ? "" : arguments.front();
    std::vector<std::string> commands;
    for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
    const bool known = std::find(commands.begin(), commands.end(), first_word) != commands.end();
    if (!known && !first_word.empty() && !first_word.starts_with('-'))
        return cli::wrong_usage(
            fmt::format("{}: no such command; there is {}", first_word, listed(commands)));
    const auto chosen = app.get_subcommands();
    const std::string help =
        chosen.empty() ? "allot --help" : "allot " + chosen.front()->get_name() + " --help";
    std::string what = error.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
        what = unexpected(app, arguments) + ": not expected here";
    if (what.ends_with(" missing"))  // as in "--sites: 1 required  missing"
        what = fmt::format("{}: its value is missing; write one after it", what.substr(0, what.find(':')));
    if (const auto end = what.find('\n'); end != std::string::npos) what.resize(end);
    return cli::wrong_usage(fmt::format("{}; see `{}`", what, help));
}

// A value that is empty is nearly always a variable that was not set; to take it for none would be a trap.
std::string flag_without_value(const CLI::App& app) {
    for (const CLI::App* command : app.get_subcommands())
        for (const CLI::Option* option : command->get_options())
            for (const std::string& value : option->results())
                if (value.empty() && option->get_expected_min() > 0) return option->get_name();
    return "";
}

// `allot run` and `allot up` end at `--`: what follows belongs to another program, down to its own `--`.
std::vector<std::string> program_after_dashes(int& argc, char** argv) {
    if (argc < 2 || (std::string_view(argv[1]) != "run" && std::string_view(argv[1]) != "up")) return {};
    char** const end = argv + argc;
    char** const dashes = std::find(argv, end, std::string_view("--"));
    if (dashes == end) return {};
    argc = static_cast<int>(dashes - argv);
    return {dashes + 1, end};
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "Hands out shared resources to programs on many machines, and checks the protocols that do it.");
    app.name("allot");
    app.set_version_flag("--version", fmt::format("allot {}", version));
    app.require_subcommand(1);
    app.footer("Example: allot check raymond --sites 3 --permits 1 --requests any");

    const std::vector<std::string> program = program_after_dashes(argc, argv);
    cli::Action action;
    cli::add_cert(app, action);
    cli::add_check(app, action);
    cli::add_errata(app, action);
    cli::add_feasible(app, action);
    cli::add_figures(app, action);
    cli::add_node(app, action);
    cli::add_play(app, action);
    cli::add_protocols(app, action);
    cli::add_run(app, action, program);
    cli::add_sim(app, action);
    cli::add_status(app, action);
    cli::add_swarm(app, action);
    cli::add_up(app, action, program);

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& done) {
        return app.exit(done);
    } catch (const CLI::ParseError& error) {
        return explain(app, error, {argv + 1, argv + argc});
    }
    if (const std::string flag = flag_without_value(app); !flag.empty())
        return cli::wrong_usage(
            fmt::format("{} \"\": the value is empty; write one, or leave the flag out", flag));
    try {
        return action();
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "allot: not enough memory for this instance; write fewer sites\n");
        return cli::exit_bounded;
    }
}
