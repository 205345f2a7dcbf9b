#include "daemon/overview.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daemon/epoch.hpp"

namespace allot::daemon {

namespace {

using session::Party;
using session::ResourceStatus;

// A report must fit into a letter, and nobody reads thousands of lines.
constexpr std::size_t most_parties = 500;
constexpr std::size_t most_waiters = 100;

std::uint64_t ago_ms(std::uint64_t since_ms) {
    const std::uint64_t now = epoch_ms();
    return now - std::min(now, since_ms);
}

PartyReport party_of(const Desk::Lease& lease, const std::map<Claim, SpaceView::Seat>& seats,
                     const Desk& desk, const Sessions& sessions) {
    PartyReport report{.party = sessions.party(lease.owner)};
    report.party.since_ms = ago_ms(lease.since_ms);
    report.party.wanted = lease.want.locks;
    for (const session::Permit& permit : lease.want.permits) report.party.wanted.push_back(permit.semaphore);
    for (const session::Held& held : lease.held) report.held.push_back(held);
    // It waits for what it asks for now; the rest comes later.
    const Desk::Part& part = lease.parts.back();
    if (!part.granted && part.space == Desk::locks_space) report.waiting = lease.want.locks;
    if (!part.granted && part.space != Desk::locks_space) report.waiting = {desk.name_of_space(part.space)};
    for (const session::Permit& permit : lease.want.permits) report.units[permit.semaphore] = permit.units;
    if (const auto seat = seats.find(part.claim); seat != seats.end()) {
        report.seated = true;
        report.site = seat->second.site;
    }
    return report;
}

// Who waits for a lock, in the order that its token has; then those of whom it has not heard.
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
    explicit Collector(const Config& config) {
        for (const auto& [name, semaphore] : config.semaphores) {
            ResourceStatus& status = resources_["semaphore " + name];
            status.name = name;
            status.kind = "semaphore";
            status.capacity = semaphore.permits;
        }
        config_ = &config;
    }

    void add(const Report& report) {
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
    }

    // `lost`: hosts that have lost the locks they had, or are lost themselves.
    std::vector<ResourceStatus> finish(const std::vector<std::string>& lost) {
        for (auto& [status, waiters] : waiters_) {
            put_in_order(waiters, status->kind == "lock" ? queues_[status->name] : std::vector<SiteId>{});
            if (waiters.size() > most_waiters)
                status->note = fmt::format("{} more wait", waiters.size() - most_waiters);
            for (auto& [report, party] : waiters)
                if (status->waiters.size() < most_waiters) status->waiters.push_back(std::move(party));
        }
        std::vector<ResourceStatus> all;
        for (auto& [key, status] : resources_) {
            if (status.kind == "lock" && status.place.empty() && !lost.empty())
                status.note = fmt::format("its token is at no host that answers; lost with {}, it seems",
                                          fmt::join(lost, " or "));
            all.push_back(std::move(status));
        }
        return all;
    }

private:
    ResourceStatus& lock(const std::string& name) {
        ResourceStatus& status = resources_["lock " + name];
        status.name = name;
        status.kind = "lock";
        return status;
    }

    ResourceStatus& resource(const PartyReport& one, const std::string& name) {
        return one.units.contains(name) && config_->semaphores.contains(name)
                   ? resources_["semaphore " + name]
                   : lock(name);
    }

    static Party party_for(const PartyReport& one, const std::string& name) {
        Party party = one.party;
        if (const auto units = one.units.find(name); units != one.units.end()) party.units = units->second;
        return party;
    }

    const Config* config_;
    std::map<std::string, ResourceStatus> resources_;  // by kind and name
    std::map<std::string, std::vector<SiteId>> queues_;
    std::map<ResourceStatus*, std::vector<std::pair<const PartyReport*, Party>>> waiters_;
};

}  // namespace

Report report_of(const Config& config, Desk& desk, const Sessions& sessions) {
    Report report;
    report.host.name = config.host;
    report.host.state = "up";
    report.host.sessions = sessions.connected();
    report.host.grants = desk.grants();
    report.locks_lost = !desk.space(0).closed().empty();
    std::map<Claim, SpaceView::Seat> seats;
    for (std::uint32_t number = 0; number < desk.spaces(); ++number) {
        SpaceView view = desk.space(number).view();
        for (const SpaceView::Seat& seat : view.taken) seats[seat.claim] = seat;
        for (SpaceView::Queue& queue : view.tokens)
            report.queues.push_back({std::move(queue.resource), std::move(queue.waiters)});
    }
    auto leases = desk.leases();
    std::ranges::stable_partition(leases, [](const Desk::Lease* lease) { return lease->granted; });
    if (leases.size() > most_parties) leases.resize(most_parties);
    for (const Desk::Lease* lease : leases) report.parties.push_back(party_of(*lease, seats, desk, sessions));
    return report;
}

std::string metrics_page(const Report& report) {
    std::uint64_t holding = 0;
    std::uint64_t waiting = 0;
    for (const PartyReport& one : report.parties) ++(one.waiting.empty() ? holding : waiting);
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
        text += fmt::format("allot_link_up{{host=\"{}\"}} {}\n", link.to, link.state == "up" ? 1 : 0);
    describe("allot_link_sent_total", "counter", "Letters sent to a host.");
    for (const session::LinkView& link : report.host.links)
        text += fmt::format("allot_link_sent_total{{host=\"{}\"}} {}\n", link.to, link.sent);
    return text;
}

session::Status overview(const Config& config, const std::map<net::HostId, Report>& reports,
                         const std::vector<session::HostStatus>& missing) {
    session::Status status{.host = config.host};
    Collector collector(config);
    std::vector<std::string> lost;
    for (const auto& [host, report] : reports) {
        if (report.locks_lost) lost.push_back(report.host.name);
        status.hosts.push_back(report.host);
        collector.add(report);
    }
    for (const session::HostStatus& host : missing) {
        if (host.state == "lost") lost.push_back(host.name);
        status.hosts.push_back(host);
    }
    std::ranges::sort(status.hosts, {}, &session::HostStatus::name);
    status.resources = collector.finish(lost);
    return status;
}

}  // namespace allot::daemon
