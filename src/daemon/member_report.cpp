#include "daemon/member_report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daemon/member_config.hpp"

namespace allot::daemon {

namespace {

// Others may have left the cluster, or have expelled this host, while it did not hear from them.
constexpr const char* way_back =
    "If the cluster has changed meanwhile: `allot cluster join ADDRESS --config FILE`, with the address of "
    "any of "
    "its hosts";

}  // namespace

std::string HostNames::text() const {
    return fmt::format("{}", fmt::join(names_, " and "));
}

HostNames MemberReport::names_of(const std::vector<SiteId>& hosts) const {
    std::set<std::string> names;
    for (const SiteId host : hosts) names.insert(name_of(host));
    return HostNames(std::move(names));
}

// With addresses, for people who must look there.
HostNames MemberReport::places_of(const std::vector<SiteId>& hosts) const {
    std::set<std::string> places;
    for (const SiteId host : hosts)
        places.insert(is_known(host)
                          ? fmt::format("{} ({})", name_of(host), config_.address_of(config_.hosts[host]))
                          : name_of(host));
    return HostNames(std::move(places));
}

std::string MemberReport::trouble() const {
    const host::Host& host = member_.host();
    if (std::string why = why_closed(); !why.empty()) return why;
    if (std::string why = trouble_of_register(); !why.empty()) return why;
    if (!host.has_lease() && host.views().has_seen())
        return "this host has not heard from the register for longer than its lease; nothing is granted here";
    if (std::string why = why_frozen(); !why.empty()) return why;
    if (std::string why = who_is_missed(); !why.empty()) return why;
    return who_errs();
}

// A member may have what programs here wait for.
std::string MemberReport::who_is_missed() const {
    const auto& requests = member_.host().requests();
    if (std::ranges::none_of(requests, [](const auto& one) { return one && !one->told; })) return "";
    std::vector<SiteId> missed;
    for (const Peer& member : member_.host().views().members())
        if (member.site != self_.host && !is_linked_(member.site)) missed.push_back(member.site);
    if (missed.empty()) return "";
    const HostNames names = places_of(missed);
    return fmt::format(
        "there is no link to {}; programs here wait, perhaps for what {} {}, until {} back or removed",
        names.text(), names.agree("it", "they"), names.agree("has", "have"),
        names.agree("it is", "they are"));
}

std::string MemberReport::why_closed() const {
    const agreement::Settings& settings = member_.host().settings();
    if (settings.lets_serve(self_.host)) return "";
    const std::string name = name_of(self_.host);
    if (member_.must_stay(self_))
        return fmt::format(
            "this host shall leave the cluster, but no other one can keep the register: start one of them, "
            "or "
            "let it stay with `allot cluster drain {} --undo`",
            name);
    const bool leaves =
        !settings.admits(self_.host) || settings.hosts[self_.host].standing != agreement::Standing::drained;
    if (leaves && !member_.host().has_lease()) return "";  // it may be out already
    if (leaves) return "this host leaves the cluster when nothing is held here any more";
    return fmt::format("an operator drains this host; `allot cluster drain {} --undo` lets it serve again",
                       name);
}

// A message that cannot be right is worse than a claim that a crash may explain.
std::string MemberReport::who_errs() const {
    std::vector<SiteId> liars;
    std::vector<SiteId> misbehaving;
    for (const auto& [host, misdeed] : member_.host().erring())
        (misdeed == host::Misdeed::claim ? liars : misbehaving).push_back(host.site);
    if (!misbehaving.empty()) {
        const HostNames names = names_of(misbehaving);
        return fmt::format(
            "{} {}: {} sent a message that cannot be right (see the log), and the link to {} was closed; see "
            "that all hosts run one version of allot, and that nobody else acts as {}",
            names.text(), names.agree("misbehaves", "misbehave"), names.agree("it", "they"),
            names.agree("it", "them"), names.agree("it", "them"));
    }
    if (liars.empty()) return "";
    const HostNames names = names_of(liars);
    return fmt::format(
        "{} claimed a lock that another host uses with a larger fence, and lost it; look how two "
        "came to use it (`allot log`), and start {} again",
        names.text(), names.agree("it", "them"));
}

// A voter that starts again asks the others which of its votes they remember.
std::string MemberReport::awaits_memories(const HostNames& names) {
    return fmt::format(
        "this host votes again when {} {} said what it voted before; see that {} can be reached. {}",
        names.text(), names.agree("has", "have"), names.agree("it", "they"), way_back);
}

std::string MemberReport::trouble_of_register() const {
    if (member_.forgotten_view())
        return fmt::format(
            "the register holds view {}, and this host has worked in view {}: it was wiped, or put back from "
            "an earlier time; put back the newest one, or stop all hosts and their programs, and begin again "
            "with `allot cluster init --above {}`",
            *member_.forgotten_view(), self_.config.least_view, self_.config.least_view);
    if (!self_.config.council) return "";
    const agreement::Council& council = member_.council();
    if (council.is_thrown_away())
        return "the state folder of this host was put back from an earlier time, or copied, or another host "
               "has its part of an earlier register: this one votes no more";
    const auto council_self = member_.council_self(self_);
    if (council.awaits_operator(council_self))
        return "the state folder of this host is empty; `allot cluster init --config FILE` says that it is "
               "the "
               "first host of a cluster, and `allot cluster join ADDRESS --config FILE` brings it to one";
    if (const auto missing = council.unformed(council_self); !missing.empty()) {
        const HostNames names = places_of(missing);
        return fmt::format("the register is formed when all voters have met once; {} {} missing: start {}",
                           names.text(), names.agree("is", "are"), names.agree("it", "them"));
    }
    if (member_.host().has_lease()) return "";
    if (!council.awaited().empty()) return awaits_memories(places_of(council.awaited()));
    return awaits_majority();
}

std::string MemberReport::awaits_majority() const {
    std::vector<SiteId> voters;
    std::vector<SiteId> unlinked;
    for (const agreement::VoterId& voter : member_.council().inner().record().voters) {
        voters.push_back(voter.host);
        if (voter.host == self_.host) continue;
        if (!is_known(voter.host) || !is_linked_(voter.host)) unlinked.push_back(voter.host);
    }
    const std::string rule =
        fmt::format("a majority of the voters ({}) must answer", names_of(voters).text());
    const HostNames places = places_of(unlinked);
    if (unlinked.empty()) return rule + "; see whether they can write to their state folders";
    return fmt::format("{}; there is no link to {}: start {}, or see that {} can be reached. {}", rule,
                       places.text(), places.agree("it", "them"), places.agree("it", "they"), way_back);
}

std::string MemberReport::why_frozen() const {
    const host::Host& host = member_.host();
    const auto hold_offs = host.hold_offs(host::Member::host_self(self_));
    if (host.views().works() && hold_offs.empty()) return "";
    if (!host.views().has_seen()) return "this host is joining the others";
    if (!hold_offs.empty()) {
        std::set<std::string> gone;  // of one host, several incarnations
        host::Ticks longest = 0;
        for (const auto& [peer, left] : hold_offs) {
            gone.insert(name_of(peer.site));
            longest = std::max(longest, left);
        }
        const HostNames names(std::move(gone));
        return fmt::format("{} {} removed; what {} programs held is free in {} ms, when they have stopped",
                           names.text(), names.agree("was", "were"), names.agree("its", "their"),
                           longest * tick.count());
    }
    std::vector<SiteId> missing;
    for (const Peer& member : host.views().newest().members)
        if (!host.views().reports().contains(member.site)) missing.push_back(member.site);
    if (missing.empty())
        return "this host waits until programs that ran before it was started have certainly stopped";
    const HostNames names = names_of(missing);
    return fmt::format("view {} needs the report of {}; {} removed if {} silent",
                       host.views().newest().number, names.text(), names.agree("it is", "they are"),
                       names.agree("it stays", "they stay"));
}

Report MemberReport::report() const {
    std::vector<PartyReport> parties;
    for (const auto& request : member_.host().requests())
        if (request) parties.push_back(party(*request));
    for (const agreement::Kept& kept : member_.host().unheld(host::Member::host_self(self_)))
        parties.push_back(kept_party(kept));
    return report_of(config_, std::move(parties), tokens());
}

// An owner that keeps something without a program of this host.
PartyReport MemberReport::kept_party(const agreement::Kept& kept) const {
    const agreement::Ownership& ownership = kept.ownership;
    const SiteId host = ownership.id.host;
    PartyReport report;
    report.party = {.host = name_of(host), .user = ownership.owner, .sticky = true, .gone = true};
    report.party.away = host != self_.host;
    report.party.since_ms = self_.now_ms - std::min(self_.now_ms, ownership.since_ms);
    report.held =
        host::Sessions::held_by({.want = kept.want, .fences = kept.fences, .ownership = ownership}, {});
    for (const session::Held& one : report.held) report.party.wanted.push_back(one.name);
    for (const auto& [semaphore, units] : kept.want.permits) report.units[semaphore.name()] = units;
    return report;
}

PartyReport MemberReport::party(const host::Request& request) const {
    if (request.is_of_host()) return kept_party({*request.ownership, request.want, request.fences});
    const host::Session& session = *member_.sessions().find(request.key.session);
    const host::Open& open = session.open.at(request.key.ticket);
    const auto site = member_.host().site_of(host::Member::host_self(self_), request.key);
    PartyReport report{.seated = site.has_value(), .site = site.value_or(0)};
    report.party = {.host = config_.host,
                    .pid = session.caller.process.pid,
                    .user = host::identity_of(session.caller),
                    .command = session.command};
    report.party.since_ms = self_.now_ms - std::min(self_.now_ms, open.since_ms);
    for (const ResourceId lock : request.want.locks) report.party.wanted.push_back(lock.name());
    for (const auto& [semaphore, units] : request.want.permits) {
        report.party.wanted.push_back(semaphore.name());
        report.units[semaphore.name()] = units;
    }
    if (request.told) {
        report.held = host::Sessions::held_by(request, open);
        report.party.fenced = host::Sessions::is_fenced(session, request);
        report.party.sticky = request.ownership.has_value();
        return report;
    }
    const ResourceId kind = request.want.kind(std::min(request.taken, request.want.parts() - 1));
    if (kind == ResourceId())
        for (const ResourceId lock : request.want.locks) report.waiting.push_back(lock.name());
    else
        report.waiting = {kind.name()};
    return report;
}

std::vector<QueueReport> MemberReport::tokens() const {
    std::vector<QueueReport> tokens;
    member_.host().locks().for_each_queue([&](ResourceId lock, const std::vector<SiteId>& waiters) {
        tokens.push_back({lock.name(), waiters});
    });
    return tokens;
}

}  // namespace allot::daemon
