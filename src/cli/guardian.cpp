// `allot guardian`: the process that stops programs when the lease of their host ends.

#include "guardian/guardian.hpp"

#include <memory>

#include "cli/commands.hpp"
#include "cli/flags.hpp"

namespace allot::cli {

namespace {

struct GuardianFlags {
    std::string folder;
    std::uint32_t grace_ms = 1000;
};

int run_guardian(const GuardianFlags& flags) {
    const guardian::GuardianOptions options{.grace = std::chrono::milliseconds(flags.grace_ms)};
    const auto code = guardian::run_guardian(flags.folder, options);
    if (!code) return wrong_usage(code.error());
    return *code;
}

}  // namespace

void add_guardian(CommandLine& line) {
    auto flags = std::make_shared<GuardianFlags>();
    Command& command =
        line.command("guardian", "Stop programs whose lease has ended; `allot node` starts this by itself");
    command.option("--folder", flags->folder, "The state folder of the daemon").required().value("DIR");
    command.option("--grace", flags->grace_ms, "Time between SIGTERM and SIGKILL, in milliseconds")
        .value("MS");
    command.footer(
        "It survives the daemon, and ends by itself when it is no longer needed.\n"
        "Example: allot guardian --folder /var/lib/allot --grace 1000\n"
        "Exit code: 0 no longer needed; 2 wrong usage, or another guardian runs with this folder.");
    command.action([flags] { return run_guardian(*flags); });
}

}  // namespace allot::cli
