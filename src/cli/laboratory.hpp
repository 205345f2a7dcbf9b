// The command line of a program with only a laboratory: for protocols outside of allot
// (docs/adding-a-protocol.md). The program defines registry::protocols().
#pragma once

#include <string>

namespace allot::cli {

class CommandLine;

// Adds check, play, protocols, sim, swarm and view.
void add_laboratory(CommandLine& line);

// Runs one of them and gives the exit code. `name` is the name of the program.
int laboratory_main(int argc, char** argv, const std::string& name);
// The same for any command line. If memory runs out, or a stop is due before there is a report, it says so
// and returns exit_bounded; if standard output cannot be written, it says so and returns exit_no.
int run(CommandLine& line, int argc, char** argv);

}  // namespace allot::cli
