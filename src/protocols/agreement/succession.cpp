#include "protocols/agreement/succession.hpp"

#include <algorithm>

namespace allot::agreement {

namespace {

class Election {
public:
    explicit Election(const Electorate& all) : all_(all) {}

    // As few changes as possible: voters stay as long as they may. But with an even number of voters the
    // register survives no more losses than with one voter less.
    std::vector<SiteId> chosen() const {
        if (!all_.settings.voters.empty()) return wanted_by_operator();
        if (all_.settings.hosts.empty()) return {};
        std::vector<SiteId> chosen;
        for (const VoterId& voter : all_.record.voters)
            if (may_vote(voter.host)) chosen.push_back(voter.host);
        const std::size_t wanted = usual_voters(electable());
        const std::size_t kept = chosen.size();
        for (SiteId host = 0; host < all_.settings.hosts.size() && chosen.size() < wanted; ++host)
            if (can_be_formatted(host) && std::ranges::find(chosen, host) == chosen.end())
                chosen.push_back(host);
        if (chosen.size() > kept && chosen.size() % 2 == 0) chosen.pop_back();
        while (chosen.size() > wanted) chosen.erase(least_needed(chosen));
        const bool is_smaller = chosen.size() < all_.record.voters.size();
        if (is_smaller && !chosen.empty() && chosen.size() % 2 == 0) chosen.erase(least_needed(chosen));
        std::ranges::sort(chosen);
        return chosen;
    }

    // The disk that a host has now.
    VoterId voter_on(SiteId host) const {
        const auto disk = all_.disks.find(host);
        if (disk != all_.disks.end() && is_heard(host)) return {host, disk->second};
        const auto before = std::ranges::find(all_.record.voters, host, &VoterId::host);
        return before == all_.record.voters.end() ? VoterId{host, 0} : *before;
    }

    bool is_heard(SiteId host) const { return std::ranges::find(all_.heard, host) != all_.heard.end(); }

private:
    bool may_vote(SiteId host) const { return all_.settings.may_vote(host) && host != all_.departing; }
    bool can_be_formatted(SiteId host) const {
        return may_vote(host) && is_heard(host) && all_.disks.contains(host);
    }
    std::size_t electable() const {
        std::size_t count = 0;
        for (SiteId host = 0; host < all_.settings.hosts.size(); ++host) count += may_vote(host);
        return count;
    }
    // Nobody is replaced who was chosen: all of them, or none.
    std::vector<SiteId> wanted_by_operator() const {
        std::vector<SiteId> wanted = all_.settings.voters;
        std::ranges::sort(wanted);
        for (const SiteId host : wanted) {
            const bool votes =
                std::ranges::find(all_.record.voters, host, &VoterId::host) != all_.record.voters.end();
            if (!may_vote(host) || (!votes && !can_be_formatted(host))) return {};
        }
        return wanted;
    }
    // The last one that does not answer, or else the last one.
    std::vector<SiteId>::iterator least_needed(std::vector<SiteId>& chosen) const {
        std::ranges::sort(chosen);
        for (auto one = chosen.end(); one != chosen.begin();)
            if (!is_heard(*--one)) return one;
        return chosen.end() - 1;
    }

    const Electorate& all_;
};

}  // namespace

std::uint32_t usual_voters(std::size_t hosts) {
    return hosts < 3 ? 1 : hosts < 5 ? 3 : 5;
}

std::vector<VoterId> next_voters(const Electorate& all) {
    const Election election(all);
    std::vector<VoterId> next;
    std::size_t heard = 0;
    for (const SiteId host : election.chosen()) {
        next.push_back(election.voter_on(host));
        heard += election.is_heard(host);
    }
    if (2 * heard <= next.size()) return {};  // they could decide nothing
    std::vector<VoterId> now = all.record.voters;
    std::ranges::sort(now);
    return next == now ? std::vector<VoterId>() : next;
}

}  // namespace allot::agreement
