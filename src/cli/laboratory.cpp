#include "cli/laboratory.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <iostream>
#include <new>
#include <system_error>
#include <unistd.h>

#include "base/stop.hpp"
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
    add_view(line);
}

int laboratory_main(int argc, char** argv, const std::string& name) {
    CommandLine line("Checks, simulates and plays the protocol " + name + ".",
                     fmt::format("{}, with allot {}", name, version),
                     fmt::format("Example: {} check {}", name, name));
    add_laboratory(line);
    return run(line, argc, argv);
}

namespace {

// A file must not become standard output because that is closed. The root directory can neither be read nor
// written, so whatever is closed stays unusable.
void occupy_closed_streams() {
    int number = -1;
    do number = ::open("/", O_RDONLY | O_DIRECTORY);
    while (number >= 0 && number <= STDERR_FILENO);
    if (number >= 0) ::close(number);
}

// The exit code, if everything that was printed has arrived.
int once_printed(int code) {
    errno = 0;
    std::cout.flush();
    std::fflush(stdout);
    if (std::cout && std::ferror(stdout) == 0) return code;
    return failed(std::string("standard output: ") + std::strerror(errno != 0 ? errno : EIO));
}

}  // namespace

int run(CommandLine& line, int argc, char** argv) {
    occupy_closed_streams();
    std::signal(SIGXFSZ, SIG_IGN);  // a write beyond `ulimit -f` fails, as on a full disk
    try {
        return once_printed(line.run(argc, argv));
    } catch (const std::system_error& failure) {  // fmt::print throws it
        return failed(std::ferror(stdout) != 0 ? "standard output: " + failure.code().message()
                                               : failure.what());
    } catch (const std::bad_alloc&) {
        fmt::print(stderr,
                   "{}: this machine has not enough memory for this instance; write a smaller one, or less "
                   "--memory where the command has it\n",
                   program_name());
        return exit_bounded;
    } catch (const stop::Due&) {
        stop::reporting();
        fmt::print(stderr, "{}: bounded: {} before there was anything to report\n", program_name(),
                   stop::reason());
        return exit_bounded;
    }
}

}  // namespace allot::cli
