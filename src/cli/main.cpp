// The `allot` command.

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/laboratory.hpp"
#include "version.hpp"

namespace {

using namespace allot;

// `allot run` and `allot up` read the words before `--`; the words after it belong to another program.
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
    const std::vector<std::string> program = program_after_dashes(argc, argv);
    cli::CommandLine line(
        "Grants shared resources to programs on many machines, and checks the protocols that do it.",
        fmt::format("allot {}", version),
        "Example: allot check raymond --sites 3 --permits 1 --requests any");
    cli::add_cert(line);
    cli::add_errata(line);
    cli::add_feasible(line);
    cli::add_figures(line);
    cli::add_guardian(line);
    cli::add_laboratory(line);
    cli::add_log(line);
    cli::add_new(line);
    cli::add_node(line);
    cli::add_cluster(line);
    cli::add_release(line);
    cli::add_run(line, program);
    cli::add_status(line);
    cli::add_up(line, program);
    return cli::run(line, argc, argv);
}
