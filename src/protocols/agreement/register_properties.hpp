// The properties of the register, for every protocol whose sites have one: `site.protocol.inner()`.
#pragma once

#include <algorithm>
#include <variant>
#include <vector>

#include "core/view.hpp"
#include "protocols/agreement/register.hpp"

namespace allot::agreement {

inline constexpr PropertyName one_value{"one-value",
                                        "each version has one value, and each value one version"};
inline constexpr PropertyName one_chain{"one-chain",
                                        "each value that is returned or chosen changes the one before it"};
inline constexpr PropertyName promise_kept{"promise-kept",
                                           "a voter has accepted no ballot above its promise"};
inline constexpr PropertyName answers_written{
    "answers-written", "a voter has on its disk what it answered: no promise and no acceptance is forgotten"};
inline constexpr PropertyName one_per_ballot{"one-per-ballot",
                                             "voters of one record accept one value in one ballot"};

// The hosts that have accepted what this voter has. A protocol whose machines share a name says so.
template <class P>
std::size_t count_accepted(const View<P>& view, const Voter& voter) {
    std::vector<SiteId> hosts;
    for (SiteId site = 0; site < view.sites.size(); ++site) {
        const Voter& one = view.site(site).protocol.inner().voter();
        SiteId host = site;
        if constexpr (requires { P::host_of(view.config, site); }) host = P::host_of(view.config, site);
        if (one.accepted != voter.accepted || one.record != voter.record) continue;
        if (std::ranges::find(hosts, host) == hosts.end()) hosts.push_back(host);
    }
    return hosts.size();
}

// The values that a majority of a record has accepted in one ballot.
template <class P>
void add_chosen(const View<P>& view, std::vector<const Value*>& values) {
    for (const auto* site : view.sites) {
        const Voter& voter = site->protocol.inner().voter();
        if (voter.record.voters.empty() || voter.accepted.counter == 0) continue;
        if (count_accepted(view, voter) > voter.record.voters.size() / 2) values.push_back(&voter.value);
    }
}

template <class P>
void check_values(const View<P>& view, Report& report) {
    std::vector<const Value*> values;
    for (const auto* site : view.sites) {
        values.push_back(&site->protocol.inner().known());
        if constexpr (requires { site->protocol.known_before(); })
            for (const Value& known : site->protocol.known_before()) values.push_back(&known);
        const Voter& voter = site->protocol.inner().voter();
        if (voter.accepted > voter.promised)
            report.violated(promise_kept.name, "a voter has accepted a ballot above its promise");
    }
    add_chosen(view, values);
    for (const Value* one : values)
        for (const Value* other : values) {
            if (one->version == other->version && one->id != other->id)
                report.violated(one_value.name, "two values have the same version");
            if (one->version != other->version && one->id == other->id)
                report.violated(one_value.name, "a change was made twice");
            if (one->version.next() == other->version && other->parent != one->id)
                report.violated(one_chain.name, "a value does not change the one before it");
        }
}

// An answer in flight tells what a voter has promised or accepted: neither falls while somebody waits for it.
template <class P>
void check_answers(const View<P>& view, Report& report) {
    for (const auto* envelope : view.flight) {
        const auto* promise = std::get_if<Promise>(&envelope->message);
        const auto* accepted = std::get_if<Accepted>(&envelope->message);
        if (promise == nullptr && accepted == nullptr) continue;
        const Register& asker = view.site(envelope->to).protocol.inner();
        const Register& sender = view.site(envelope->from).protocol.inner();
        const Register::Self self{.host = envelope->to, .incarnation = 0, .rules = {}};
        const Voter voter = sender.after_crash(Disk::kept).voter();
        if (voter.record != asker.record() || !asker.heeds(self, sender, 1, envelope->message)) continue;
        if (promise != nullptr ? voter.promised < promise->ballot : voter.accepted < accepted->ballot)
            report.violated(answers_written.name, "a crash would make a voter forget what it has answered");
    }
}

template <class P>
void check_ballots(const View<P>& view, Report& report) {
    for (const auto* one : view.sites)
        for (const auto* other : view.sites) {
            const Voter& left = one->protocol.inner().voter();
            const Voter& right = other->protocol.inner().voter();
            const bool same = left.record == right.record && left.accepted == right.accepted;
            if (same && left.accepted.counter > 0 && left.value != right.value)
                report.violated(one_per_ballot.name, "two values were accepted in one ballot");
        }
}

}  // namespace allot::agreement
