#include "daemon/member_report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace allot::daemon {

std::string MemberReport::names_of(const std::vector<SiteId>& hosts) const {
    std::vector<std::string> names;
    for (const SiteId host : hosts) names.push_back(name_of(host));
    return fmt::format("{}", fmt::join(names, " and "));
}

std::string MemberReport::trouble() const {
    const host::Host& host = member_.host();
    if (std::string why = trouble_of_register(); !why.empty()) return why;
    if (!host.has_lease() && host.views().has_seen())
        return "this host has not heard from the register for longer than its lease; nothing is granted here";
    return why_frozen();
}

std::string MemberReport::trouble_of_register() const {
    if (member_.forgotten_view())
        return fmt::format(
            "the register holds view {}, and this host has worked in view {}: it was wiped, or put back from "
            "an earlier time",
            *member_.forgotten_view(), self_.config.least_view);
    if (!self_.config.council) return "";
    const agreement::Council& council = member_.council();
    if (council.is_thrown_away())
        return "the state folder of this host was put back from an earlier time, or copied: it votes no more";
    const auto council_self = host::Member::council_self(self_);
    if (const auto missing = council.unformed(council_self); !missing.empty())
        return fmt::format("the register is formed when all voters have met once; {} is missing: start it",
                           names_of(missing));
    if (member_.host().has_lease()) return "";
    std::vector<SiteId> voters;
    for (const agreement::VoterId& voter : council.inner().record().voters) voters.push_back(voter.host);
    if (!council.awaited().empty())
        return fmt::format("the voter of this host asks {} what it has promised before",
                           names_of(council.awaited()));
    return fmt::format("a majority of the voters ({}) must answer; see which of them can be reached",
                       names_of(voters));
}

std::string MemberReport::why_frozen() const {
    const host::Host& host = member_.host();
    const auto hold_offs = host.hold_offs(host::Member::host_self(self_));
    if (host.views().works() && hold_offs.empty()) return "";
    if (!host.views().has_seen()) return "this host is joining the others";
    if (!hold_offs.empty()) {
        std::vector<SiteId> gone;
        host::Ticks longest = 0;
        for (const auto& [peer, left] : hold_offs) {
            gone.push_back(peer.site);
            longest = std::max(longest, left);
        }
        return fmt::format("{} was removed; what its programs held is free in {} ms, when they have stopped",
                           names_of(gone), longest * tick_.count());
    }
    std::vector<SiteId> missing;
    for (const Peer& member : host.views().newest().members)
        if (!host.views().reports().contains(member.site)) missing.push_back(member.site);
    if (missing.empty())
        return "this host waits until programs that ran before it was started have certainly stopped";
    return fmt::format("view {} needs the report of {}; it is removed if it stays silent",
                       host.views().newest().number, names_of(missing));
}

PositionOf MemberReport::positions() const {
    return [&member = member_, self = host::Member::host_self(self_)](const LeaseBook::Lease& lease) {
        const host::Key key{lease.owner, lease.ticket};
        const host::Host::Request* request = member.host().find(key);
        Position position{.site = member.host().site_of(self, key)};
        if (request == nullptr || request->told) return position;
        const std::uint32_t part = std::min(request->taken, request->want.parts() - 1);
        const ResourceId kind = request->want.kind(part);
        if (kind == ResourceId())
            position.waiting = lease.want.locks;
        else
            position.waiting = {kind.name()};
        return position;
    };
}

std::vector<QueueReport> MemberReport::tokens() const {
    std::vector<QueueReport> tokens;
    member_.host().locks().for_each_queue([&](ResourceId lock, const std::vector<SiteId>& waiters) {
        tokens.push_back({lock.name(), waiters});
    });
    return tokens;
}

}  // namespace allot::daemon
