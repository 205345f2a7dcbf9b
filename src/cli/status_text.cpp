#include "cli/status_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "base/harmless.hpp"
#include "cli/table.hpp"

namespace allot::cli {

namespace {

using session::HostStatus;
using session::LinkView;
using session::Party;
using session::ResourceStatus;
using session::Status;

// Notes and what else is said once. One trouble often stops a host and all its resources.
class Notes {
public:
    explicit Notes(std::size_t columns) : columns_(columns) {}

    std::string once(const std::string& note) {
        if (note.empty()) return "";
        return said_.insert(note).second ? harmless(note) : "as above";
    }
    std::string paragraph(const std::string& text) const {
        return (columns_ == 0 ? text : wrapped(text, columns_)) + "\n";
    }

private:
    std::size_t columns_;
    std::set<std::string> said_;
};

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

// The program of somebody else may be hidden.
std::string name_of(const Party& party) {
    if (party.user.empty()) return fmt::format("a program of host {}", harmless(party.host));
    const std::string where =
        party.pid == 0 ? harmless(party.host) : fmt::format("{}:{}", harmless(party.host), party.pid);
    return fmt::format("{} ({})", where, shortened(harmless(party.command), 40));
}

std::string link_text(const LinkView& link) {
    const std::string problem = link.problem.empty() ? "" : fmt::format(" ({})", harmless(link.problem));
    return fmt::format("{} {}{}", harmless(link.to), link.state, problem);
}

// In the middle of an upgrade it matters which host has the next version.
bool editions_differ(const Status& status) {
    std::set<Edition> editions;
    for (const HostStatus& host : status.hosts)
        if (host.edition != 0) editions.insert(host.edition);
    return editions.size() > 1;
}

std::string hosts_text(const Status& status, std::size_t columns, Notes& notes) {
    const bool upgrades = editions_differ(status);
    std::vector<std::string> titles{"host", "state", "sessions", "grants", "links"};
    if (upgrades) titles.insert(titles.begin() + 1, "knows edition");
    Table table(std::move(titles));
    for (const HostStatus& host : status.hosts) {
        std::vector<std::string> links;
        for (const LinkView& link : host.links) links.push_back(link_text(link));
        const bool unknown = host.state == "unknown";
        std::vector<std::string> row{harmless(host.name) + (host.name == status.host ? " (here)" : ""),
                                     host.state, unknown ? "?" : std::to_string(host.sessions),
                                     unknown ? "?" : with_commas(host.grants),
                                     fmt::format("{}", fmt::join(links, ", "))};
        if (upgrades) row.insert(row.begin() + 1, host.edition == 0 ? "?" : std::to_string(host.edition));
        table.add(std::move(row));
    }
    std::string remarks;
    for (const HostStatus& host : status.hosts)
        if (!host.note.empty())
            remarks += notes.paragraph(fmt::format("{}: {}", harmless(host.name), notes.once(host.note)));
    return table.lines(columns, {"links"}) + (remarks.empty() ? "" : "\n" + remarks);
}

void add_party(Table& table, const ResourceStatus& resource, const std::string& role, const Party& party) {
    std::vector<std::string> wanted;
    for (const std::string& name : party.wanted) wanted.push_back(harmless(name));
    table.add({harmless(resource.name), role, harmless(party.host), process_of(party), harmless(party.user),
               age(party.since_ms), std::to_string(party.units),
               party.fence == 0 ? "" : std::to_string(party.fence), fmt::format("{}", fmt::join(wanted, ",")),
               harmless(party.command)});
}

std::string resources_text(const Status& status, std::size_t columns, Notes& notes) {
    Table table({"resource", "kind", "in use", "waiting", "at", "note"});
    for (const ResourceStatus& resource : status.resources) {
        const std::uint64_t used = units_in_use(resource);
        const std::uint64_t waiting = resource.waiters.size() + resource.more_waiters;
        // Programs wait for a lock without a token: somebody may hold it at a host that does not answer.
        const bool nowhere = resource.kind == "lock" && resource.place.empty() && waiting > 0;
        const bool unknown = used == 0 && (nowhere || resource.state != "available");
        table.add({harmless(resource.name), resource.kind,
                   fmt::format("{} of {}", unknown ? "?" : std::to_string(used), resource.capacity),
                   std::to_string(waiting), harmless(resource.place), notes.once(resource.note)});
    }
    // A note goes on in further lines, and is never shortened: "as above" refers to it.
    return columns == 0 ? table.lines() : table.text(0, columns);
}

std::string kind_of_holder(const Party& holder) {
    if (holder.gone) return holder.away ? "kept, away" : "kept, sticky";
    if (holder.sticky) return "holds, sticky";
    return holder.fenced ? "holds, fenced" : "holds";
}

std::string parties_text(const Status& status, std::size_t columns) {
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
    return any ? "\n" + table.lines(columns, {"asked for", "command"}) : "";
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
    return fmt::format("it is kept for {}, who gives it back with `allot release {}`",
                       holder.user.empty() ? "somebody else" : harmless(holder.user),
                       harmless(resource.name));
}

// A waiter waits for the holders and for the waiters before it.
std::string waits_text(const Status& status, Notes& notes) {
    std::string text;
    for (const ResourceStatus& resource : status.resources) {
        std::vector<std::string> before;
        for (const Party& holder : resource.holders) before.push_back(held_by(resource, holder));
        if (resource.state != "available")
            before.push_back(fmt::format("{}{}", notes.once(resource.note),
                                         resource.place.empty() ? "" : ", " + harmless(resource.place)));
        for (const Party& waiter : resource.waiters) {
            if (!before.empty())
                text += notes.paragraph(fmt::format("{} waits for {}: {}", name_of(waiter),
                                                    harmless(resource.name), fmt::join(before, "; ")));
            before.assign(1, fmt::format("{}, which is before it", name_of(waiter)));
        }
    }
    return text.empty() ? "" : "\nWaiting programs:\n" + text;
}

}  // namespace

std::string status_text(const Status& status, std::size_t columns) {
    Notes notes(columns);
    std::string text = hosts_text(status, columns, notes);
    if (status.resources.empty()) return text + "\nNo program holds or waits.\n";
    text += "\n" + resources_text(status, columns, notes);
    if (!status.note.empty()) text += "\n" + notes.paragraph(harmless(status.note));
    return text + parties_text(status, columns) + more_text(status) + waits_text(status, notes);
}

}  // namespace allot::cli
