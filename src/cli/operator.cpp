#include "cli/operator.hpp"

#include <limits>
#include <pwd.h>
#include <unistd.h>

#include "cli/commands.hpp"
#include "daemon/epoch.hpp"

namespace allot::cli {

void note_operator(const daemon::Config& config, const std::string& event, const std::string& reason) {
    if (!config.audit.is_on()) return;
    audit::Settings settings = config.audit;
    settings.longest = std::numeric_limits<std::uint64_t>::max();  // the daemon alone begins new files
    const auto log = audit::Log::open(settings);
    if (!log) return print_error("there is no line in the audit log: " + log.error());
    const passwd* user = ::getpwuid(::getuid());
    (*log)->add({.time_ms = daemon::epoch_ms(),
                 .host = config.host,
                 .event = event,
                 .user = user != nullptr ? user->pw_name : std::to_string(::getuid()),
                 .pid = ::getpid(),
                 .reason = reason});
}

}  // namespace allot::cli
