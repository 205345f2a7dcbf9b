#include "daemon/overview.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/bytes.hpp"
#include "core/harmless_texts.hpp"
#include "daemon/epoch.hpp"
#include "daemon/excerpt.hpp"
#include "daemon/redaction.hpp"
#include "host/objection.hpp"

namespace allot::daemon {

namespace {

using session::Party;
using session::ResourceStatus;

// A report must fit into a message (4 MiB), whatever the names: this much for each of its lists.
constexpr std::size_t list_bytes = std::size_t{1} << 20;
// Bytes of a frame besides the status.
constexpr std::size_t frame_head_bytes = 16;

// Limits a report: lists what fits, and counts the rest.
class Room {
public:
    template <class T>
    bool take(const T& one) {
        const std::size_t bytes = to_bytes(one).size();
        if (bytes > left_) return false;
        left_ -= bytes;
        return true;
    }

private:
    std::size_t left_ = list_bytes;
};

using Unlisted = std::map<std::pair<bool, std::string>, UnlistedReport>;

void count(const PartyReport& one, Unlisted& unlisted) {
    const auto entry = [&](const std::string& name) -> UnlistedReport& {
        const bool semaphore = one.units.contains(name);
        UnlistedReport& report = unlisted[{semaphore, name}];
        report.resource = name;
        report.semaphore = semaphore;
        return report;
    };
    for (const session::Held& held : one.held) {
        UnlistedReport& report = entry(held.name);
        ++report.holders;
        report.units += report.semaphore ? one.units.at(held.name) : 1;
    }
    for (const std::string& name : one.waiting) ++entry(name).waiters;
}

// Holders first, then waiters, the longest first.
void list_parties(Report& report, std::vector<PartyReport> all) {
    std::ranges::stable_sort(all, [](const PartyReport& a, const PartyReport& b) {
        return std::pair(a.held.empty(), b.party.since_ms) < std::pair(b.held.empty(), a.party.since_ms);
    });
    Room parties;
    Room names;
    Unlisted unlisted;
    for (PartyReport& one : all) {
        if (report.parties.size() < most_parties && parties.take(one))
            report.parties.push_back(std::move(one));
        else
            count(one, unlisted);
    }
    for (auto& [key, one] : unlisted) {
        if (names.take(one))
            report.unlisted.push_back(std::move(one));
        else
            ++report.more_resources;
    }
}

// Queues with waiters first.
void list_queues(Report& report, std::vector<QueueReport> queues) {
    Room room;
    std::stable_partition(queues.begin(), queues.end(),
                          [](const QueueReport& queue) { return !queue.waiters.empty(); });
    for (QueueReport& queue : queues) {
        if (room.take(queue))
            report.queues.push_back(std::move(queue));
        else
            ++report.more_resources;
    }
}

// The waiters of a lock in the order of its token; then those that the token does not know.
void put_in_order(std::vector<std::pair<const PartyReport*, Party>>& waiters,
                  const std::vector<SiteId>& queue) {
    const auto rank = [&](const PartyReport& one) {
        if (!one.seated) return queue.size() + 1;
        return static_cast<std::size_t>(std::ranges::find(queue, one.site) - queue.begin());
    };
    std::ranges::stable_sort(waiters, [&](const auto& a, const auto& b) {
        const auto ra = rank(*a.first), rb = rank(*b.first);
        return ra != rb ? ra < rb : a.second.since_ms > b.second.since_ms;
    });
}

class Collector {
public:
    explicit Collector(const agreement::Settings& settings) {
        for (const auto& [id, one] : settings.semaphores) semaphore(id.name()).capacity = one.permits;
    }

    void add(const Report& report) {
        for (const TroubleReport& trouble : report.troubles) {
            if (trouble.semaphore.empty()) {
                locks_wait_[report.host.name] = trouble.why;
                continue;
            }
            ResourceStatus& status = semaphore(trouble.semaphore);
            status.state = "unreachable";
            status.note = trouble.why;
        }
        for (const QueueReport& queue : report.queues) {
            queues_[queue.resource] = queue.waiters;
            lock(queue.resource).place = report.host.name;
        }
        for (const PartyReport& one : report.parties) {
            for (const session::Held& held : one.held) {
                ResourceStatus& status = resource(one, held.name);
                Party party = party_for(one, held.name);
                party.fence = held.fence;
                if (status.kind == "lock") status.place = report.host.name;
                status.holders.push_back(std::move(party));
            }
            for (const std::string& name : one.waiting)
                waiters_[&resource(one, name)].push_back({&one, party_for(one, name)});
        }
        for (const UnlistedReport& one : report.unlisted) {
            ResourceStatus& status = resource(one.semaphore, one.resource);
            status.more_holders += one.holders;
            status.more_units += one.units;
            status.more_waiters += one.waiters;
        }
    }

    std::vector<ResourceStatus> finish(const Missing& missing) {
        for (const auto& [status, waiters] : waiters_) {
            if (status->kind != "lock") continue;
            search(*status, missing);
            explain(*status, waiters);
        }
        for (auto& [status, waiters] : waiters_) {
            put_in_order(waiters, status->kind == "lock" ? queues_[status->name] : std::vector<SiteId>{});
            for (auto& [report, party] : waiters) status->waiters.push_back(std::move(party));
        }
        std::vector<ResourceStatus> all;
        for (auto& [key, status] : resources_) all.push_back(std::move(status));
        return all;
    }

private:
    using Waiters = std::vector<std::pair<const PartyReport*, Party>>;

    // Programs wait for a lock, and its token is nowhere: it is on its way, or at a host that does not
    // answer; or it is free at one that does, and the way to it leads through one that does not.
    static void search(ResourceStatus& status, const Missing& missing) {
        std::vector<std::string> silent;
        for (const auto& [host, known] : missing)
            if (known.state != "removed") silent.push_back(known.name);
        if (!status.place.empty() || status.more_holders > 0 || silent.empty()) return;
        status.state = "unknown";
        status.note = fmt::format(
            "no program of a host that answers has it; a request that went to {} goes on when that host "
            "answers, or when a view without it is complete",
            fmt::join(silent, " or "));
    }

    void explain(ResourceStatus& status, const Waiters& waiters) const {
        for (const auto& [report, party] : waiters) {
            const auto trouble = locks_wait_.find(party.host);
            if (trouble == locks_wait_.end()) continue;
            status.state = "unreachable";
            status.note = trouble->second;
        }
    }

    ResourceStatus& lock(const std::string& name) {
        ResourceStatus& status = resources_["lock " + name];
        status.name = name;
        status.kind = "lock";
        return status;
    }

    // Programs may still use one that is gone from the settings; then it has no units.
    ResourceStatus& semaphore(const std::string& name) {
        const auto [place, fresh] = resources_.try_emplace("semaphore " + name);
        ResourceStatus& status = place->second;
        if (!fresh) return status;
        status.name = name;
        status.kind = "semaphore";
        status.capacity = 0;
        return status;
    }

    ResourceStatus& resource(bool is_semaphore, const std::string& name) {
        return is_semaphore ? semaphore(name) : lock(name);
    }

    ResourceStatus& resource(const PartyReport& one, const std::string& name) {
        return resource(one.units.contains(name), name);
    }

    static Party party_for(const PartyReport& one, const std::string& name) {
        Party party = one.party;
        if (const auto units = one.units.find(name); units != one.units.end()) party.units = units->second;
        return party;
    }

    std::map<std::string, ResourceStatus> resources_;  // by kind and name
    std::map<std::string, std::vector<SiteId>> queues_;
    std::map<ResourceStatus*, Waiters> waiters_;
    std::map<std::string, std::string> locks_wait_;  // hosts whose locks are not granted yet, and why
};

}  // namespace

std::optional<std::string> objection(std::string_view sender, const ReportAnswer& answer) {
    const Report& report = answer.report;
    if (report.host.name != sender) return "a report of another host";
    if (report.parties.size() > most_parties) return "a report of more programs than fit into one";
    return std::nullopt;
}

std::optional<std::string> objection(const Evict& evict) {
    const bool is_long = evict.lock.size() > host::longest_name || evict.why.size() > session::frame_limit;
    return is_long ? std::optional<std::string>("an order that is too long") : std::nullopt;
}

Report report_of(const Config& config, std::vector<PartyReport> parties, std::vector<QueueReport> tokens) {
    Report report;
    report.host.name = config.host;
    report.host.state = "up";
    list_queues(report, std::move(tokens));
    list_parties(report, std::move(parties));
    return report;
}

namespace {

// As Prometheus reads the value of a label.
std::string label_text(const std::string& text) {
    std::string quoted;
    for (const char letter : harmless(text)) {
        if (letter == '\\' || letter == '"') quoted += '\\';
        quoted += letter;
    }
    return quoted;
}

// The other hosts may have other patterns, or an earlier version that lets any text pass.
void protect(session::Status& status, const Config& config) {
    const auto redact = [&](std::vector<Party>& parties) {
        for (Party& party : parties) party.command = redacted(party.command, config.redact);
    };
    for (ResourceStatus& resource : status.resources) {
        redact(resource.holders);
        redact(resource.waiters);
    }
    make_harmless(status);
}

}  // namespace

std::string metrics_page(const Report& report, const host::Host& host,
                         const std::optional<net::TlsCondition>& certificates,
                         const std::map<std::string, std::uint64_t>& shunned) {
    std::uint64_t holding = 0;
    std::uint64_t waiting = 0;
    for (const auto& request : host.requests())
        if (request) ++(request->told ? holding : waiting);
    std::string text;
    const auto describe = [&](const char* name, const char* type, const char* help) {
        text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
    };
    const auto add = [&](const char* name, const char* type, const char* help, std::uint64_t value) {
        describe(name, type, help);
        text += fmt::format("{} {}\n", name, value);
    };
    add("allot_sessions", "gauge", "Programs that are connected.", report.host.sessions);
    add("allot_leases_held", "gauge", "Requests of programs of this host that are granted.", holding);
    add("allot_leases_waiting", "gauge", "Requests of programs of this host that wait.", waiting);
    add("allot_grants_total", "counter", "Requests granted since the start.", report.host.grants);
    describe("allot_link_up", "gauge", "Whether the link to a host is up.");
    for (const session::LinkView& link : report.host.links)
        text +=
            fmt::format("allot_link_up{{host=\"{}\"}} {}\n", label_text(link.to), link.state == "up" ? 1 : 0);
    describe("allot_link_sent_total", "counter", "Messages sent to a host.");
    for (const session::LinkView& link : report.host.links)
        text += fmt::format("allot_link_sent_total{{host=\"{}\"}} {}\n", label_text(link.to), link.sent);
    const auto add_end = [&](const char* name, const char* help, std::chrono::system_clock::time_point end) {
        const auto since_1970 = std::chrono::duration_cast<std::chrono::seconds>(end.time_since_epoch());
        add(name, "gauge", help, static_cast<std::uint64_t>(since_1970.count()));
    };
    if (certificates)
        add_end("allot_certificate_expires_timestamp_seconds", "The end of this host's certificate.",
                certificates->expires);
    if (certificates && certificates->list_expires)
        add_end("allot_revocation_list_expires_timestamp_seconds", "The end of the revocation list.",
                *certificates->list_expires);
    describe("allot_link_shunned_total", "counter",
             "Links closed because the host sent a message that cannot be right.");
    for (const auto& [name, count] : shunned)
        text += fmt::format("allot_link_shunned_total{{host=\"{}\"}} {}\n", label_text(name), count);
    add("allot_hosts_erring", "gauge", "Hosts that misbehave, or claimed what another one uses.",
        host.erring().size());
    return text;
}

session::Status overview(const Config& config, const agreement::Settings& settings, const Reports& reports,
                         const Missing& missing) {
    session::Status status{.host = config.host};
    Collector collector(settings);
    for (const auto& [host, report] : reports) {
        status.hosts.push_back(report.host);
        collector.add(report);
        status.more_resources += report.more_resources;
    }
    for (const auto& [host, known] : missing) status.hosts.push_back(known);
    std::ranges::sort(status.hosts, {}, &session::HostStatus::name);
    status.resources = collector.finish(missing);
    protect(status, config);
    return excerpt(std::move(status), session::frame_limit - frame_head_bytes);
}

}  // namespace allot::daemon
