// allot log: shows what the audit log of a host says.

#include "audit/log.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/harmless.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "core/parameters.hpp"
#include "daemon/config.hpp"

namespace allot::cli {

namespace {

struct LogFlags {
    std::string file;
    std::string config;
    std::string resource;
    std::string user;
    std::string event;
    std::string since;
    std::string last;
    bool json = false;
};

// The log, and the host that it is about.
struct Source {
    audit::Settings settings;
    std::string host;
};

Result<Source> source_of(const LogFlags& flags) {
    if (!flags.file.empty() && !flags.config.empty())
        return Error{fmt::format("{} and --config {}: write one of them", flags.file, flags.config)};
    if (!flags.file.empty()) return Source{{.file = flags.file}, ""};
    if (flags.config.empty())
        return Error{
            "log: no log is named; write its FILE, or --config FILE of the host, as in `allot log "
            "--config /etc/allot/host.toml`"};
    const auto config = daemon::load_config(flags.config);
    if (!config) return Error{config.error()};
    if (!config->audit.is_on())
        return Error{
            fmt::format("{}: this host has no audit log; write [audit] with file = \"...\" or journal = true",
                        flags.config)};
    return Source{config->audit, config->host};
}

class Selection {
public:
    static Result<Selection> of(const LogFlags& flags) {
        if (!flags.event.empty() && std::ranges::find(audit::events, flags.event) == std::end(audit::events))
            return Error{fmt::format("--event {}: there is {}", flags.event, fmt::join(audit::events, ", "))};
        Selection selection(flags);
        if (flags.since.empty()) return selection;
        const auto age = parse_seconds("since", flags.since);
        if (!age)
            return Error{fmt::format("--since {}: write how long ago, as in 90s, 30m or 1h", flags.since)};
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        const auto first = std::chrono::duration<double>(now).count() - *age;
        selection.from_ms_ = first <= 0 ? 0 : static_cast<std::uint64_t>(first * 1000);
        return selection;
    }

    bool has(const audit::Entry& entry) const {
        const auto names = [&](const session::Held& one) { return one.name == flags_.resource; };
        return entry.time_ms >= from_ms_ && (flags_.event.empty() || entry.event == flags_.event) &&
               (flags_.user.empty() || entry.user == flags_.user) &&
               (flags_.resource.empty() || std::ranges::any_of(entry.resources, names));
    }

private:
    explicit Selection(const LogFlags& flags) : flags_(flags) {}

    const LogFlags& flags_;
    std::uint64_t from_ms_ = 0;
};

std::string resources_text(const audit::Entry& entry) {
    std::vector<std::string> all;
    for (const session::Held& one : entry.resources)
        all.push_back(one.fence == 0 ? one.name : fmt::format("{} ({})", one.name, one.fence));
    return fmt::format("{}", fmt::join(all, ", "));
}

std::string who(const audit::Entry& entry) {
    if (entry.user.empty()) return "";
    return entry.pid == 0 ? entry.user : fmt::format("{} {}", entry.user, entry.pid);
}

std::string remark(const audit::Entry& entry) {
    const std::string after = entry.after_ms == 0 ? "" : fmt::format("after {} ms", entry.after_ms);
    return after + (after.empty() || entry.reason.empty() ? "" : ": ") + entry.reason;
}

void print(const std::deque<audit::Entry>& entries, bool json) {
    if (json) {
        for (const audit::Entry& entry : entries) fmt::print("{}", audit::line_of(entry));
        return;
    }
    if (entries.empty()) return fmt::print("No line of the log matches.\n");
    Table table({"time", "host", "event", "resources (fence)", "program", "remark"});
    for (const audit::Entry& entry : entries)
        table.add({audit::time_text(entry.time_ms), harmless(entry.host), harmless(entry.event),
                   harmless(resources_text(entry)), harmless(who(entry)), harmless(remark(entry))});
    fmt::print("{}", table.lines(columns_of(STDOUT_FILENO), {"remark"}));
}

int run_log(const LogFlags& flags) {
    const auto source = source_of(flags);
    if (!source) return wrong_usage(source.error());
    const auto selection = Selection::of(flags);
    if (!selection) return wrong_usage(selection.error());
    constexpr std::uint64_t most = 1'000'000'000;
    const auto last = flags.last.empty() ? Result(most) : parse_number("last", flags.last, 1, most);
    if (!last) return wrong_usage(last.error());
    std::deque<audit::Entry> entries;
    const auto read = audit::read_log(source->settings, source->host, [&](const audit::Entry& entry) {
        if (selection->has(entry)) entries.push_back(entry);
        if (entries.size() > *last) entries.pop_front();
        return true;
    });
    if (!read) return wrong_usage(read.error());
    print(entries, flags.json);
    return exit_ok;
}

}  // namespace

void add_log(CommandLine& line) {
    auto flags = std::make_shared<LogFlags>();
    Command& command =
        line.command("log", "Show the audit log of a host: grants, releases, losses and so on");
    command.footer(
        "Examples:\n"
        "  allot log /var/log/allot/audit.log --resource db --since 1h\n"
        "  allot log --config /etc/allot/host.toml --event lost\n"
        "Exit code: 0 shown; 2 wrong usage, or the log cannot be read.");
    command.option("file", flags->file, "The audit log; files that it became before are read as well");
    command
        .option("--config", flags->config,
                "The configuration of the host, which names its log or the journal")
        .value("FILE");
    command.option("--resource", flags->resource, "Only lines about this lock or semaphore").value("NAME");
    command.option("--user", flags->user, "Only lines about programs of this user").value("NAME");
    command.option("--event", flags->event, "Only granted, released, lost, refused and so on").value("EVENT");
    command.option("--since", flags->since, "Only lines that are no older than this, as in 1h").value("TIME");
    command.option("--last", flags->last, "Only so many lines, the newest").shown_as("N");
    command.flag("--json", flags->json, "For programs: the lines as they are");
    command.action([flags] { return run_log(*flags); });
}

}  // namespace allot::cli
