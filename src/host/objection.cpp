#include "host/objection.hpp"

#include <algorithm>
#include <set>

#include "core/domain.hpp"
#include "core/visit.hpp"

namespace allot::host {

using agreement::Holding;
using agreement::Holdings;
using agreement::Value;

namespace {

// A fence has so many bits for the number of its epoch.
constexpr std::uint32_t last_view = (1u << (64 - bits_within_epoch)) - 1;
// Each grows by one at a time, and none may come to its end.
constexpr std::uint64_t last_version = std::uint64_t{1} << 62;
constexpr std::uint32_t last_counter = 1u << 31;
constexpr std::uint32_t most_units = 1u << 14;
constexpr std::size_t most_kept = 4096;
constexpr std::size_t most_founded = 4096;
constexpr std::size_t longest_text = std::size_t{1} << 16;
constexpr std::uint32_t most_seats_of_semaphore = 1u << 20;

// A host begins a new epoch when half of the numbers of its fences are used up.
constexpr std::uint64_t last_fence = std::uint64_t{3} << (bits_within_epoch - 2);
constexpr std::uint64_t last_stamp = std::uint64_t{1} << 62;

std::string number(std::uint64_t value) {
    return std::to_string(value);
}

// Each function returns the first thing that is wrong.
template <class... Checks>
Objection first_of(const Checks&... checks) {
    Objection why;
    const auto ask = [&](const auto& check) {
        if (!why) why = check();
    };
    (ask(checks), ...);
    return why;
}

Objection unless(bool holds, const char* why) {
    return holds ? std::nullopt : Objection(why);
}

template <class T>
bool is_rising(const T& all, auto projection) {
    return std::ranges::adjacent_find(all, std::ranges::greater_equal(), projection) == all.end();
}

// --- Names.

bool is_name(ResourceId resource) {
    const std::string& name = resource.name();
    return !name.empty() && name.size() <= longest_name;
}

Objection objection_to_names(const std::vector<ResourceId>& names) {
    if (names.empty()) return "a request for nothing";
    if (names.size() > most_names) return "a request for " + number(names.size()) + " locks";
    std::vector<ResourceId> sorted = names;
    std::ranges::sort(sorted);
    if (!is_rising(sorted, std::identity())) return "a request that names a lock twice";
    return unless(std::ranges::all_of(names, is_name), "a lock without a name, or with one that is too long");
}

template <class Message>
Objection objection_to_leaves(const Message& message, std::uint64_t last) {
    Objection why;
    for_each_of<ResourceId>(message, [&](ResourceId resource) {
        if (!why && !is_name(resource)) why = "a lock without a name, or with one that is too long";
    });
    for_each_of<Stamp>(message, [&](Stamp stamp) {
        if (!why && StampAccess::value(stamp) > last) why = "a stamp beyond those of an epoch";
    });
    return why;
}

// --- Reports.

Objection objection_to_birth(const agreement::Birth& birth, std::uint32_t view) {
    if (birth.epoch >= view) return "a request of epoch " + number(birth.epoch) + ", which has not been";
    return unless(birth.rank.count > 0, "a rank that is no fraction");
}

Objection objection_to_fences(const Holding& one, std::uint32_t view) {
    if (one.fences.size() > one.demand.resources.size()) return "more fences than locks";
    if (one.phase != Phase::holding && !one.fences.empty()) return "fences of what it does not hold";
    const bool known =
        std::ranges::all_of(one.fences, [&](Fence fence) { return fence < in_epoch(view, {}); });
    return unless(known, "a fence of an epoch that has not been");
}

Objection objection_to_lock(const Holding& one, std::uint32_t view) {
    if (one.demand.units != 1) return "a lock with several units";
    if (auto why = objection_to_names(one.demand.resources)) return why;
    return objection_to_fences(one, view);
}

Objection objection_to_units(const Holding& one) {
    if (!one.demand.resources.empty()) return "a semaphore with locks";
    if (!one.fences.empty()) return "units with fences";
    return unless(one.demand.units > 0 && one.demand.units <= most_units, "a number of units that cannot be");
}

Objection objection_to(const Config& config, ResourceId kind, const Holdings& holdings, std::uint32_t view) {
    const bool is_lock = kind == ResourceId();
    const std::uint32_t seats = is_lock ? config.locks.most_seats() : most_seats_of_semaphore;
    if (!is_rising(holdings, &Holding::seat)) return "a seat that is named twice";
    for (const Holding& one : holdings) {
        if (one.seat >= seats) return "a seat beyond the last one, " + number(seats - 1);
        if (one.phase != Phase::holding && one.phase != Phase::waiting) return "a request in no phase";
        if (one.birth)
            if (auto why = objection_to_birth(*one.birth, view)) return why;
        if (auto why = is_lock ? objection_to_lock(one, view) : objection_to_units(one)) return why;
    }
    return std::nullopt;
}

// --- Values of the register.

struct ValueCheck {
    const Value& value;
    std::uint32_t hosts;  // that it may name

    bool is_host(SiteId host) const { return host < hosts; }
    bool are_hosts(const std::vector<Peer>& all) const {
        return all.size() <= hosts &&
               std::ranges::all_of(all, [&](const Peer& one) { return is_host(one.site); });
    }

    Objection numbers() const {
        if (value.view > last_view) return "view " + number(value.view) + ", which is too late";
        if (StampAccess::value(value.version) > last_version) return "a version that is too late";
        return unless(is_host(value.id.host) && is_host(value.parent.host), "a value by a host that is none");
    }
    Objection members() const {
        if (!are_hosts(value.members)) return "a member that is no host";
        if (!is_rising(value.members, &Peer::site)) return "a host that is a member twice";
        // Several incarnations of one host may be certified.
        const bool certified =
            std::ranges::all_of(value.certified, [&](const Peer& one) { return is_host(one.site); });
        return unless(certified && value.certified.size() <= most_kept, "a former member that is no host");
    }
    Objection settings() const {
        if (!value.settings) return std::nullopt;
        const agreement::Settings& all = *value.settings;
        for (const auto& [name, semaphore] : all.semaphores) {
            if (!is_name(name)) return "a semaphore without a name, or with one that is too long";
            if (semaphore.permits > most_units || semaphore.max_request > most_units)
                return "a semaphore with too many permits";
        }
        std::set<std::string_view> names;
        for (const agreement::HostSettings& host : all.hosts)
            if (host.name.empty() || host.name.size() > longest_name || host.address.size() > longest_name ||
                !names.insert(host.name).second)
                return "a list of hosts with a name that cannot be";
        const bool voters = all.voters.size() <= hosts &&
                            std::ranges::all_of(all.voters, [&](SiteId one) { return is_host(one); });
        if (!voters) return "a voter that is no host";
        const bool founded = all.founded.size() <= most_founded &&
                             std::ranges::all_of(all.founded, [](const agreement::Founded& one) {
                                 return one.name.size() + one.text.size() <= longest_text;
                             });
        return unless(founded, "settings that are too long");
    }
    Objection kept() const {
        if (value.kept.size() > most_kept) return "too many requests that are kept";
        const auto id_of = [](const agreement::Kept& one) { return one.ownership.id; };
        if (!is_rising(value.kept, id_of)) return "a request that is kept twice";
        for (const agreement::Kept& one : value.kept)
            if (auto why = objection_to(one)) return why;
        return std::nullopt;
    }
    Objection objection_to(const agreement::Kept& one) const {
        if (!is_host(one.ownership.id.host)) return "a request that is kept for a host that is none";
        if (one.ownership.owner.size() > longest_text) return "an owner with a name that is too long";
        if (one.want.parts() == 0) return "a request for nothing";
        if (!one.want.locks.empty())
            if (auto why = objection_to_names(one.want.locks)) return why;
        if (one.fences.size() != one.want.locks.size() + one.want.permits.size())
            return "a request that is kept with too few fences";
        for (const auto& [name, units] : one.want.permits)
            if (!is_name(name) || units == 0 || units > most_units) return "units that cannot be";
        // Programs that hold it may be told of it after the view in which they got it.
        const bool known = std::ranges::all_of(
            one.fences, [&](Fence fence) { return fence < in_epoch(value.view + 1, {}); });
        return unless(known, "a fence of an epoch that has not been");
    }
};

Objection objection_to(const agreement::Record& record, std::uint32_t hosts) {
    if (record.generation > last_counter) return "a generation that is too late";
    if (record.view > last_view) return "view " + number(record.view) + ", which is too late";
    if (record.voters.size() > hosts) return "more voters than hosts";
    std::set<SiteId> voters;
    for (const agreement::VoterId& voter : record.voters)
        if (voter.host >= hosts || !voters.insert(voter.host).second)
            return "a voter that is no host, or votes twice";
    return std::nullopt;
}

// The hosts that a value may name: its own list, or those that all know.
std::uint32_t hosts_of(const Edge& edge, const Value& value) {
    const bool has_list = value.settings && !value.settings->hosts.empty();
    return has_list ? static_cast<std::uint32_t>(value.settings->hosts.size()) : edge.hosts;
}

// A number belongs to one name for ever.
Objection objection_to_list(const Value& known, const Value& value) {
    if (value.version <= known.version || !value.settings || !known.settings) return std::nullopt;
    const auto& after = value.settings->hosts;
    const auto& before = known.settings->hosts;
    const bool goes_on =
        after.size() >= before.size() &&
        std::equal(before.begin(), before.end(), after.begin(),
                   [](const auto& one, const auto& other) { return one.name == other.name; });
    return unless(goes_on || after.empty(), "a list in which hosts have other numbers");
}

// --- The council.

// A host learns of new ones from a value; a record or a ballot may name them before.
std::uint32_t hosts_to_come(const Edge& edge) {
    const bool may_grow = edge.known.settings && !edge.known.settings->hosts.empty();
    return may_grow || !edge.config.settings.hosts.empty() ? most_hosts : edge.hosts;
}

class CouncilCheck {
public:
    CouncilCheck(const Edge& edge, SiteId from) : edge_(edge), from_(from), hosts_(hosts_to_come(edge)) {}

    Objection operator()(const agreement::Hello& hello) const {
        if (hello.list.size() > hosts_ ||
            !std::ranges::all_of(hello.list, [&](SiteId one) { return one < hosts_; }))
            return "a voter that is no host";
        if (hello.view > last_view) return "view " + number(hello.view) + ", which is too late";
        return objection_to(hello.record, hosts_);
    }
    Objection operator()(const agreement::WhichRank& question) const { return sender(question.sender); }
    Objection operator()(const agreement::HeardRank& answer) const { return rank(answer.rank); }
    // Only two machines with one name could see that, and links refuse the second.
    Objection operator()(const agreement::Copied&) const { return "a copy of a disk that nobody has met"; }
    template <class M>
    Objection operator()(const agreement::Framed<M>& message) const {
        return first_of([&] { return sender(message.sender); }, [&] { return rank(message.rank); },
                        [&] { return rank(message.heard); },
                        [&] { return content(static_cast<const M&>(message)); });
    }

private:
    Objection sender(const Peer& one) const { return unless(one.site == from_, "a message of another host"); }
    Objection rank(const agreement::VoterRank& one) const {
        if (one.generation > last_counter) return "a generation that is too late";
        return ballot(one.promised);
    }
    Objection ballot(const agreement::Ballot& one) const {
        if (one.counter > last_counter) return "a ballot that is too late";
        return unless(one.host < hosts_, "a ballot of a host that is none");
    }
    // Nobody proposes for another host.
    Objection own(const agreement::Ballot& one) const {
        if (one.host != from_ || one.counter == 0) return "a ballot of another host";
        return ballot(one);
    }
    Objection record(const agreement::Record& one) const { return objection_to(one, hosts_); }
    Objection value(const Value& one) const {
        const bool has_list = one.settings && !one.settings->hosts.empty();
        return objection_to_value(one, has_list ? hosts_of(edge_, one) : hosts_);
    }
    Objection sealed(const Value& one) const {
        if (!one.next || one.next->voters.empty()) return "a generation that is not sealed";
        return value(one);
    }

    Objection content(const agreement::Prepare& one) const {
        return first_of([&] { return record(one.record); }, [&] { return own(one.ballot); });
    }
    Objection content(const agreement::Accept& one) const {
        return first_of([&] { return record(one.record); }, [&] { return own(one.ballot); },
                        [&] { return value(one.value); });
    }
    Objection content(const agreement::Read& one) const { return record(one.record); }
    Objection content(const agreement::Promise& one) const {
        return first_of([&] { return ballot(one.ballot); }, [&] { return ballot(one.accepted); },
                        [&] { return value(one.value); });
    }
    Objection content(const agreement::Accepted& one) const { return ballot(one.ballot); }
    Objection content(const agreement::Nack& one) const {
        if (one.counter > last_counter) return "a ballot that is too late";
        return ballot(one.ballot);
    }
    Objection content(const agreement::ReadAnswer& one) const {
        return first_of([&] { return ballot(one.accepted); }, [&] { return value(one.value); });
    }
    Objection content(const agreement::Moved& one) const { return sealed(one.sealed); }
    Objection content(const agreement::NotYet& one) const { return record(one.record); }
    Objection content(const agreement::Format& one) const {
        if (one.record.voters.empty()) return "a generation without voters";
        return first_of([&] { return record(one.record); }, [&] { return value(one.value); });
    }

public:
    static Objection objection_to_value(const Value& value, std::uint32_t hosts) {
        const ValueCheck check{value, hosts};
        return first_of([&] { return check.numbers(); }, [&] { return check.members(); },
                        [&] { return check.settings(); }, [&] { return check.kept(); },
                        [&] { return value.next ? objection_to(*value.next, most_hosts) : std::nullopt; },
                        [&] { return unless(hosts <= most_hosts, "too many hosts"); });
    }

private:
    const Edge& edge_;
    const SiteId from_;
    const std::uint32_t hosts_;
};

}  // namespace

// A report to a view that this host has not seen yet is judged by its content alone: Views counts it only if
// the sender turns out to be a member.
Objection objection(const Edge& edge, SiteId from, const HostReport& report) {
    if (edge.views.is_void(report)) return std::nullopt;
    if (report.view > last_view) return "view " + number(report.view) + ", which is too late";
    if (!edge.views.is_early(report)) {
        if (!edge.views.is_awaited(from)) return "a report to a view of which the sender is no member";
        const auto known = edge.views.reports().find(from);
        if (known != edge.views.reports().end() && known->second != report)
            return "a second report to one view";
    }
    for (const auto& [kind, holdings] : report.part.kinds) {
        if (kind != ResourceId() && !is_name(kind)) return "a semaphore with a name that is too long";
        if (auto why = objection_to(edge.config, kind, holdings, report.view)) return why;
    }
    return std::nullopt;
}

Objection objection(const Edge& edge, SiteId, const Alive& alive) {
    if (alive.misses.size() > most_hosts) return "more hosts than there are";
    const std::uint32_t hosts = hosts_to_come(edge);
    return unless(std::ranges::all_of(alive.misses, [&](SiteId one) { return one < hosts; }),
                  "a host that is none");
}

Objection objection(const Edge& edge, SiteId, const Learn& learn) {
    return objection(edge, learn.value);
}

Objection objection(const Edge& edge, SiteId from, const agreement::CouncilMessage& message) {
    return std::visit(CouncilCheck(edge, from), message);
}

Objection objection(const Edge& edge, const Value& value) {
    if (auto why = CouncilCheck::objection_to_value(value, hosts_of(edge, value))) return why;
    return objection_to_list(edge.known, value);
}

Objection objection_to_content(const Locks::Message& message) {
    if (auto why = objection_to_leaves(message, last_stamp)) return why;
    const auto* arrival = std::get_if<Counters::Tokens>(&message.message);
    if (arrival == nullptr) return std::nullopt;
    return unless(std::ranges::all_of(arrival->tokens,
                                      [](const counters::Token& token) {
                                          return StampAccess::value(token.fence) <= last_fence;
                                      }),
                  "a fence beyond those of an epoch");
}

// The stamps of one permit become fences, which have the place of the host as well.
Objection objection_to_content(const Semaphore::Message& message, std::uint32_t permits) {
    return objection_to_leaves(message, permits == 1 ? last_fence >> 8 : last_stamp);
}

}  // namespace allot::host
