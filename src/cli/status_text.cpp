#include "cli/status_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/harmless.hpp"
#include "cli/table.hpp"

namespace allot::cli {

namespace {

using session::HostStatus;
using session::LinkView;
using session::Party;
using session::ResourceStatus;
using session::Status;

std::string shortened(const std::string& text, std::size_t width) {
    const std::string shown = harmless(text);
    return shown.size() <= width ? shown : shown.substr(0, width - 3) + "...";
}

std::string age(std::uint64_t age_ms) {
    const auto seconds = age_ms / 1000;
    if (seconds < 1) return fmt::format("{}ms", age_ms);
    if (seconds < 60) return fmt::format("{}.{}s", seconds, age_ms % 1000 / 100);
    if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
    if (seconds < 86400) return fmt::format("{}h{:02}m", seconds / 3600, seconds % 3600 / 60);
    return fmt::format("{}d{:02}h", seconds / 86400, seconds % 86400 / 3600);
}

std::string process_of(const Party& party) {
    return party.pid == 0 ? "-" : std::to_string(party.pid);
}

std::string name_of(const Party& party) {
    const std::string where =
        party.pid == 0 ? harmless(party.host) : fmt::format("{}:{}", harmless(party.host), party.pid);
    return fmt::format("{} ({})", where, shortened(party.command, 40));
}

std::string link_text(const LinkView& link) {
    const std::string problem = link.problem.empty() ? "" : fmt::format(" ({})", harmless(link.problem));
    return fmt::format("{} {}{}", harmless(link.to), link.state, problem);
}

std::string hosts_text(const Status& status) {
    Table table({"host", "state", "sessions", "grants", "links"});
    for (const HostStatus& host : status.hosts) {
        std::vector<std::string> links;
        for (const LinkView& link : host.links) links.push_back(link_text(link));
        const bool unknown = host.state == "unknown";
        table.add({harmless(host.name) + (host.name == status.host ? " (here)" : ""), host.state,
                   unknown ? "?" : std::to_string(host.sessions), unknown ? "?" : with_commas(host.grants),
                   fmt::format("{}", fmt::join(links, ", "))});
    }
    std::string notes;
    for (const HostStatus& host : status.hosts)
        if (!host.note.empty()) notes += fmt::format("{}: {}\n", harmless(host.name), harmless(host.note));
    return table.lines() + (notes.empty() ? "" : "\n" + notes);
}

void add_party(Table& table, const ResourceStatus& resource, const std::string& role, const Party& party) {
    std::vector<std::string> wanted;
    for (const std::string& name : party.wanted) wanted.push_back(harmless(name));
    table.add({harmless(resource.name), role, harmless(party.host), process_of(party), harmless(party.user),
               age(party.since_ms), std::to_string(party.units),
               party.fence == 0 ? "" : std::to_string(party.fence), fmt::format("{}", fmt::join(wanted, ",")),
               shortened(party.command, 60)});
}

std::string resources_text(const Status& status) {
    Table table({"resource", "kind", "in use", "waiting", "at", "note"});
    for (const ResourceStatus& resource : status.resources) {
        std::uint64_t used = resource.more_units;
        for (const Party& holder : resource.holders) used += holder.units;
        const bool gone = !resource.place.empty() && resource.state != "available" && used == 0;
        table.add({harmless(resource.name), resource.kind,
                   fmt::format("{} of {}", gone ? "?" : std::to_string(used), resource.capacity),
                   std::to_string(resource.waiters.size() + resource.more_waiters), harmless(resource.place),
                   harmless(resource.note)});
    }
    return table.lines();
}

std::string kind_of_holder(const Party& holder) {
    if (holder.gone) return holder.away ? "kept, away" : "kept, sticky";
    if (holder.sticky) return "holds, sticky";
    return holder.fenced ? "holds, fenced" : "holds";
}

std::string parties_text(const Status& status) {
    Table table(
        {"resource", "who", "host", "pid", "user", "since", "units", "fence", "asked for", "command"});
    bool any = false;
    for (const ResourceStatus& resource : status.resources) {
        any = any || !resource.holders.empty() || !resource.waiters.empty();
        for (const Party& holder : resource.holders)
            add_party(table, resource, kind_of_holder(holder), holder);
        std::size_t place = 0;
        for (const Party& waiter : resource.waiters)
            add_party(table, resource, fmt::format("waits #{}", ++place), waiter);
    }
    return any ? "\n" + table.lines() : "";
}

// The programs and resources that are not listed.
std::string more_text(const Status& status) {
    std::string text;
    for (const ResourceStatus& resource : status.resources) {
        const std::string name = harmless(resource.name);
        if (resource.more_holders > 0)
            text += fmt::format("{} more hold {}.\n", with_commas(resource.more_holders), name);
        if (resource.more_waiters > 0)
            text += fmt::format("{} more wait for {}.\n", with_commas(resource.more_waiters), name);
    }
    if (status.more_resources > 0)
        text += fmt::format("{} more resources are not shown.\n", with_commas(status.more_resources));
    return text.empty() ? "" : "\n" + text;
}

std::string held_by(const ResourceStatus& resource, const Party& holder) {
    if (!holder.gone) return fmt::format("{}, which holds it", name_of(holder));
    return fmt::format("it is kept for {}, who gives it back with `allot release {}`", harmless(holder.user),
                       harmless(resource.name));
}

// A waiter waits for the holders and for the waiters before it.
std::string waits_text(const Status& status) {
    std::string text;
    for (const ResourceStatus& resource : status.resources) {
        std::vector<std::string> before;
        for (const Party& holder : resource.holders) before.push_back(held_by(resource, holder));
        if (resource.state != "available")
            before.push_back(fmt::format("{}{}", harmless(resource.note),
                                         resource.place.empty() ? "" : ", " + harmless(resource.place)));
        for (const Party& waiter : resource.waiters) {
            if (!before.empty())
                text += fmt::format("{} waits for {}: {}\n", name_of(waiter), harmless(resource.name),
                                    fmt::join(before, "; "));
            before.assign(1, fmt::format("{}, which is before it", name_of(waiter)));
        }
    }
    return text.empty() ? "" : "\nWaiting programs:\n" + text;
}

}  // namespace

std::string status_text(const Status& status) {
    std::string text = hosts_text(status);
    if (status.resources.empty()) return text + "\nNo program holds or waits.\n";
    const std::string note = status.note.empty() ? "" : fmt::format("\n{}\n", harmless(status.note));
    return text + "\n" + resources_text(status) + note + parties_text(status) + more_text(status) +
           waits_text(status);
}

}  // namespace allot::cli
