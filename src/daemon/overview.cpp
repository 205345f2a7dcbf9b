#include "daemon/overview.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/bytes.hpp"
#include "daemon/epoch.hpp"
#include "daemon/excerpt.hpp"

namespace allot::daemon {

namespace {

using session::Party;
using session::ResourceStatus;

// A report must fit into a letter (4 MiB), whatever names there are: so much for each of its lists.
constexpr std::size_t list_bytes = std::size_t{1} << 20;
constexpr std::size_t most_parties = 500;
// What a status shares its frame with.
constexpr std::size_t frame_head_bytes = 16;

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

// Of a report: what still fits is listed, and the rest is counted.
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

// Those who hold, then those who wait, the longest first.
std::vector<const Desk::Lease*> in_order(const Desk& desk) {
    auto leases = desk.leases();
    std::ranges::stable_sort(leases, [](const Desk::Lease* a, const Desk::Lease* b) {
        return std::pair(!a->granted, a->since_ms) < std::pair(!b->granted, b->since_ms);
    });
    return leases;
}

void list_parties(Report& report, const Desk& desk, const Sessions& sessions,
                  const std::map<Claim, SpaceView::Seat>& seats) {
    Room parties;
    Room names;
    Unlisted unlisted;
    for (const Desk::Lease* lease : in_order(desk)) {
        PartyReport one = party_of(*lease, seats, desk, sessions);
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

// Those that somebody waits for first.
void list_queues(Report& report, std::vector<SpaceView::Queue> queues) {
    Room room;
    std::stable_partition(queues.begin(), queues.end(),
                          [](const SpaceView::Queue& queue) { return !queue.waiters.empty(); });
    for (SpaceView::Queue& queue : queues) {
        QueueReport one{std::move(queue.resource), std::move(queue.waiters)};
        if (room.take(one))
            report.queues.push_back(std::move(one));
        else
            ++report.more_resources;
    }
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
        for (const TroubleReport& trouble : report.troubles) {
            ResourceStatus& status = resources_["semaphore " + trouble.semaphore];
            status.state = trouble.closed ? "closed" : "unreachable";
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

    // `lost`: hosts that have lost the locks they had, or are lost themselves.
    std::vector<ResourceStatus> finish(const std::vector<std::string>& lost) {
        for (auto& [status, waiters] : waiters_) {
            put_in_order(waiters, status->kind == "lock" ? queues_[status->name] : std::vector<SiteId>{});
            for (auto& [report, party] : waiters) status->waiters.push_back(std::move(party));
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

    ResourceStatus& resource(bool semaphore, const std::string& name) {
        return semaphore && config_->semaphores.contains(name) ? resources_["semaphore " + name] : lock(name);
    }

    ResourceStatus& resource(const PartyReport& one, const std::string& name) {
        return resource(one.units.contains(name), name);
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
        if (number == Desk::locks_space) list_queues(report, std::move(view.tokens));
    }
    list_parties(report, desk, sessions, seats);
    return report;
}

std::string metrics_page(const Report& report, const Desk& desk) {
    std::uint64_t holding = 0;
    std::uint64_t waiting = 0;
    for (const Desk::Lease* lease : desk.leases()) ++(lease->granted ? holding : waiting);
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
        status.more_resources += report.more_resources;
    }
    for (const session::HostStatus& host : missing) {
        if (host.state == "lost") lost.push_back(host.name);
        status.hosts.push_back(host);
    }
    std::ranges::sort(status.hosts, {}, &session::HostStatus::name);
    status.resources = collector.finish(lost);
    return excerpt(std::move(status), session::frame_limit - frame_head_bytes);
}

}  // namespace allot::daemon
