#include "host/hearing.hpp"

#include <algorithm>

namespace allot::host {

void Hearing::told(SiteId host, const std::vector<SiteId>& misses) {
    if (misses.empty())
        misses_.erase(host);
    else
        misses_[host] = misses;
}

void Hearing::ended(SiteId host, bool has_ended) {
    if (has_ended)
        ended_.insert(host);
    else
        ended_.erase(host);
}

Ticks Hearing::patience(const Here& here, SiteId host) const {
    return ended_.contains(host) ? std::max(here.silence, here.return_within) : here.silence;
}

bool Hearing::misses(const Here& here, SiteId host) const {
    const auto silence = silences_.find(host);
    return here.silence > 0 && silence != silences_.end() && silence->second >= patience(here, host);
}

std::vector<SiteId> Hearing::missed(const Here& here) const {
    std::vector<SiteId> all;
    for (const Peer& member : here.members)
        if (member.site != here.self && misses(here, member.site)) all.push_back(member.site);
    return all;
}

bool Hearing::is_missed_by(SiteId host, SiteId other) const {
    const auto said = misses_.find(other);
    return said != misses_.end() && std::ranges::find(said->second, host) != said->second.end();
}

// --- Time.

void Hearing::tick(const Here& here, std::uint32_t hosts, bool late) {
    const Ticks longest = std::max(here.silence, here.return_within);
    for (SiteId host = 0; host < hosts; ++host)
        if (host != here.self) silences_[host] = late ? 0 : std::min(silences_[host] + 1, longest);
    // A host that is gone may hear others again by now.
    for (auto said = misses_.begin(); said != misses_.end();)
        said = misses(here, said->first) ? misses_.erase(said) : said + 1;
    const auto before = std::exchange(quarrels_, {});
    if (late) return;
    for (const Peer& accused : here.members) {
        if (accused.site == here.self || misses(here, accused.site)) continue;
        for (const Peer& accuser : here.members) {
            const Pair pair{accuser.site, accused.site};
            if (!is_missed_by(pair.second, pair.first)) continue;
            const auto known = before.find(pair);
            quarrels_[pair] = known == before.end() ? 1 : std::min(known->second + 1, here.quarrel());
        }
    }
}

Ticks Hearing::due_in(const Here& here, Ticks most) const {
    for (const auto& [host, silence] : silences_)
        if (const Ticks limit = patience(here, host); silence < limit) most = std::min(most, limit - silence);
    for (const auto& [pair, ticks] : quarrels_)
        if (ticks < here.quarrel()) most = std::min(most, here.quarrel() - ticks);
    return most;
}

// --- Judgements.

// Members that this host hears, beside that one, and that miss it or not.
std::size_t Hearing::witnesses(const Here& here, SiteId member, bool missing) const {
    return static_cast<std::size_t>(std::ranges::count_if(here.members, [&](const Peer& other) {
        const bool is_witness = other.site != here.self && other.site != member && !misses(here, other.site);
        return is_witness && is_missed_by(member, other.site) == missing;
    }));
}

bool Hearing::is_dead(const Here& here, SiteId member) const {
    if (!misses(here, member)) return false;
    const std::size_t hearing = witnesses(here, member, false);
    return !here.confirm || hearing == 0 || witnesses(here, member, true) > hearing;
}

// Members that it misses, or that miss it.
std::size_t Hearing::troubles(const Here& here, SiteId member) const {
    return static_cast<std::size_t>(std::ranges::count_if(here.members, [&](const Peer& other) {
        return is_missed_by(other.site, member) || is_missed_by(member, other.site);
    }));
}

bool Hearing::loses_quarrel(const Here& here, SiteId member) const {
    return std::ranges::any_of(quarrels_, [&](const auto& quarrel) {
        const auto& [pair, ticks] = quarrel;
        if (ticks < here.quarrel() || (pair.first != member && pair.second != member)) return false;
        const SiteId other = pair.first == member ? pair.second : pair.first;
        const auto rank = [&](SiteId one) { return std::pair(troubles(here, one), one); };
        return rank(member) > rank(other);
    });
}

bool Hearing::would_quarrel(const Here& here) const {
    return std::ranges::any_of(here.members, [&](const Peer& member) {
        return member.site != here.self && misses(here, member.site) &&
               witnesses(here, member.site, false) > 0;
    });
}

}  // namespace allot::host
