#include "cli/laboratory.hpp"

#include <fmt/format.h>
#include <new>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "version.hpp"

namespace allot::cli {

void add_laboratory(CommandLine& line) {
    add_check(line);
    add_play(line);
    add_protocols(line);
    add_sim(line);
    add_swarm(line);
}

int laboratory_main(int argc, char** argv, const std::string& name) {
    CommandLine line("Checks, simulates and plays the protocol " + name + ".",
                     fmt::format("{}, with allot {}", name, version),
                     fmt::format("Example: {} check {}", name, name));
    add_laboratory(line);
    return run(line, argc, argv);
}

int run(CommandLine& line, int argc, char** argv) {
    try {
        return line.run(argc, argv);
    } catch (const std::bad_alloc&) {
        fmt::print(stderr,
                   "{}: this machine has not enough memory for this instance; write a smaller one, or less "
                   "--memory where the command has it\n",
                   program_name());
        return exit_bounded;
    }
}

}  // namespace allot::cli
