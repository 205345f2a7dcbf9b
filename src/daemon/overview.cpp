#include "daemon/overview.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/bytes.hpp"
#include "daemon/epoch.hpp"
#include "daemon/excerpt.hpp"

namespace allot::daemon {

namespace {

using session::Party;
using session::ResourceStatus;

// A report must fit into a message (4 MiB), whatever the names: this much for each of its lists.
constexpr std::size_t list_bytes = std::size_t{1} << 20;
constexpr std::size_t most_parties = 500;
// Bytes of a frame besides the status.
constexpr std::size_t frame_head_bytes = 16;
constexpr std::size_t most_places = 200;
constexpr std::size_t most_place_bytes = std::size_t{64} << 10;

// Hosts that have no locks to give out, and why: `lost`, or `unreachable`.
using Absent = std::map<net::HostId, std::string>;
Absent absent_hosts(const Reports& reports, const Missing& missing) {
    Absent absent;
    for (const auto& [host, report] : reports)
        if (report.locks_lost) absent[host] = "lost";
    for (const auto& [host, status] : missing)
        absent[host] = status.state == "lost" || status.incarnation > 0 ? "lost" : "unreachable";
    return absent;
}

bool is_semaphore(const Config& config, const PartyReport& one, const std::string& name) {
    return one.units.contains(name) && config.semaphores.contains(name);
}

std::uint64_t ago_ms(std::uint64_t since_ms) {
    const std::uint64_t now = epoch_ms();
    return now - std::min(now, since_ms);
}

PartyReport party_of(const LeaseBook::Lease& lease, const Position& position, const Sessions& sessions) {
    PartyReport report{.party = sessions.party(lease.owner)};
    report.party.since_ms = ago_ms(lease.since_ms);
    report.party.wanted = lease.want.locks;
    for (const session::Permit& permit : lease.want.permits) report.party.wanted.push_back(permit.semaphore);
    for (const session::Held& held : lease.held) report.held.push_back(held);
    report.waiting = position.waiting;
    for (const session::Permit& permit : lease.want.permits) report.units[permit.semaphore] = permit.units;
    report.seated = position.site.has_value();
    report.site = position.site.value_or(0);
    return report;
}

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
std::vector<const LeaseBook::Lease*> in_order(const LeaseBook& book) {
    auto leases = book.leases();
    std::ranges::stable_sort(leases, [](const LeaseBook::Lease* a, const LeaseBook::Lease* b) {
        return std::pair(!a->granted, a->since_ms) < std::pair(!b->granted, b->since_ms);
    });
    return leases;
}

void list_parties(Report& report, const LeaseBook& book, const Sessions& sessions,
                  const PositionOf& position_of) {
    Room parties;
    Room names;
    Unlisted unlisted;
    for (const LeaseBook::Lease* lease : in_order(book)) {
        PartyReport one = party_of(*lease, position_of(*lease), sessions);
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
            if (trouble.semaphore.empty()) {
                locks_wait_[report.host.name] = trouble.why;
                continue;
            }
            ResourceStatus& status = resources_["semaphore " + trouble.semaphore];
            status.state = trouble.closed ? "closed" : "unreachable";
            status.note = trouble.why;
        }
        for (const Place& place : report.places) {
            if (place.host >= config_->hosts.size()) continue;
            Place& best = places_.try_emplace(place.lock, place).first->second;
            if (place.is_better_than(best)) best = place;
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

    std::vector<ResourceStatus> finish(const Absent& absent) {
        for (const auto& [name, place] : places_) put_in_place(name, place, absent);
        for (const auto& [status, waiters] : waiters_)
            if (status->kind == "lock") look_for_way(*status, waiters, absent);
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

    void put_in_place(const std::string& name, const Place& place, const Absent& absent) {
        const auto status = resources_.find("lock " + name);
        const std::string& there = config_->hosts[place.host].name;
        if (place.here && status != resources_.end()) status->second.place = there;
        const auto gone = absent.find(place.host);
        const bool seen = status != resources_.end() && !status->second.place.empty();
        if (place.here || seen || gone == absent.end()) return;  // it is there, or under way
        ResourceStatus& lost = lock(name);
        lost.place = there;
        lost.state = gone->second;
        lost.note =
            lost.state == "lost" ? "held by a lost host" : fmt::format("at {}, which does not answer", there);
    }

    // A site that does not know where a token is asks its home. Without the home, only sites in the queue of
    // the token, or on the host with it, are served.
    void look_for_way(ResourceStatus& status, const Waiters& waiters, const Absent& absent) {
        const auto& queue = queues_[status.name];
        const auto stranded = [&](const auto& waiter) {
            return waiter.second.host != status.place &&
                   (!waiter.first->seated || std::ranges::find(queue, waiter.first->site) == queue.end());
        };
        const auto waiter = std::ranges::find_if(waiters, stranded);
        if (status.state != "available" || waiter == waiters.end()) return;
        const net::HostId home = home_of(status.name, static_cast<std::uint32_t>(config_->hosts.size()));
        if (const auto begun = locks_wait_.find(waiter->second.host); begun != locks_wait_.end()) {
            status.state = "unreachable";
            status.note = begun->second;
        } else if (const auto gone = absent.find(home); gone != absent.end()) {
            status.state = gone->second;
            status.note = fmt::format("its home {} {}: requests there wait{}", config_->hosts[home].name,
                                      status.state == "lost" ? "is lost" : "does not answer",
                                      status.state == "lost" ? " in vain" : "");
        }
    }

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
    std::map<ResourceStatus*, Waiters> waiters_;
    std::map<std::string, Place> places_;            // by lock: the best that is known
    std::map<std::string, std::string> locks_wait_;  // hosts whose locks are not granted yet, and why
};

}  // namespace

Report report_of(const Config& config, const LeaseBook& book, const Sessions& sessions,
                 const PositionOf& position_of, std::vector<QueueReport> tokens) {
    Report report;
    report.host.name = config.host;
    report.host.state = "up";
    report.host.sessions = sessions.connected();
    report.host.grants = book.grants();
    list_queues(report, std::move(tokens));
    list_parties(report, book, sessions, position_of);
    return report;
}

void add_places(Report& report, const Space& locks, const std::vector<std::string>& asked,
                const std::set<net::HostId>& absent) {
    if (asked.empty() && absent.empty()) return;
    const std::set<std::string_view> wanted(asked.begin(), asked.end());
    const auto astray = [&](const Place& place) { return !place.here && absent.contains(place.host); };
    std::size_t bytes = 0;
    for (Place& place :
         locks.places([&](const Place& one) { return wanted.contains(one.lock) || astray(one); })) {
        bytes += place.lock.size();
        const bool room = report.places.size() < most_places && bytes < most_place_bytes;
        if (asked.empty() ? room : wanted.contains(place.lock))
            report.places.push_back(std::move(place));
        else
            ++report.places_left_out;
    }
}

std::vector<std::string> unclear_locks(const Config& config, const Reports& reports, const Missing& missing) {
    if (absent_hosts(reports, missing).empty()) return {};
    std::vector<std::string> names;
    std::set<std::string_view> seen;
    std::size_t bytes = 0;
    const auto add = [&](const std::string& name) {
        bytes += name.size();
        if (names.size() < most_places && bytes < most_place_bytes && seen.insert(name).second)
            names.push_back(name);
    };
    for (const auto& [host, report] : reports)
        for (const PartyReport& one : report.parties)
            for (const std::string& name : one.waiting)
                if (!is_semaphore(config, one, name)) add(name);
    for (const auto& [host, report] : reports)
        for (const Place& place : report.places) add(place.lock);
    return names;
}

std::string metrics_page(const Report& report, const LeaseBook& book) {
    std::uint64_t holding = 0;
    std::uint64_t waiting = 0;
    for (const LeaseBook::Lease* lease : book.leases()) ++(lease->granted ? holding : waiting);
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
    add("allot_locks_astray", "gauge",
        "Locks that, as far as this host knows, are at a host that is lost or unreachable.",
        report.places.size() + report.places_left_out);
    add("allot_grants_total", "counter", "Requests granted since the start.", report.host.grants);
    describe("allot_link_up", "gauge", "Whether the link to a host is up.");
    for (const session::LinkView& link : report.host.links)
        text += fmt::format("allot_link_up{{host=\"{}\"}} {}\n", link.to, link.state == "up" ? 1 : 0);
    describe("allot_link_sent_total", "counter", "Messages sent to a host.");
    for (const session::LinkView& link : report.host.links)
        text += fmt::format("allot_link_sent_total{{host=\"{}\"}} {}\n", link.to, link.sent);
    return text;
}

session::Status overview(const Config& config, const Reports& reports, const Missing& missing) {
    session::Status status{.host = config.host};
    Collector collector(config);
    std::uint64_t left_out = 0;
    for (const auto& [host, report] : reports) {
        status.hosts.push_back(report.host);
        collector.add(report);
        status.more_resources += report.more_resources;
        left_out = std::max(left_out, report.places_left_out);
    }
    for (const auto& [host, known] : missing) status.hosts.push_back(known);
    std::ranges::sort(status.hosts, {}, &session::HostStatus::name);
    status.resources = collector.finish(absent_hosts(reports, missing));
    if (left_out > 0)
        status.note = fmt::format("{} more locks seem to be at hosts that are lost or unreachable", left_out);
    return excerpt(std::move(status), session::frame_limit - frame_head_bytes);
}

}  // namespace allot::daemon
