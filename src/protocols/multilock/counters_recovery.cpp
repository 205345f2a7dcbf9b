// The recovery of `counters` (specs: views, section 4): every token is made again, at the site that uses the
// resource, else at the first that waits for it, with a queue of all others that wait. Nothing has to be
// found out about the tokens of the old epoch, and no message is sent.
#include <algorithm>

#include "protocols/multilock/counters.hpp"

namespace allot {

using agreement::Claim;
using counters::Improvement;

namespace {

// The values of an epoch begin here: the invariants want room below them.
constexpr std::uint64_t first_value = 2;

// A mark that is `value`, as the average of equal values.
counters::Mark mark_of(const Claim& claim, std::uint64_t value) {
    const auto count = static_cast<std::uint32_t>(claim.demand.resources.size());
    return {value * count, count};
}

counters::Token mint(ResourceId resource, const counters::Estate& estate,
                     const counters::Estate::Heirs& heirs) {
    const std::span<const Claim> waiting = estate.waiting();
    counters::Token token{.resource = resource, .counter = waiting.size() + first_value + 1};
    for (const std::size_t place : heirs.waiting) {
        const Claim& claim = waiting[place];
        token.queue.push_back({mark_of(claim, place + first_value), claim.host, 1, {}});
        token.past.counted[claim.host] = 1;
    }
    return token;
}

}  // namespace

counters::Estate::Estate(std::span<const Claim> all) : claims(all) {
    const auto first = std::ranges::find(claims, Phase::waiting, &Claim::phase);
    users = static_cast<std::size_t>(first - claims.begin());
    for (std::size_t place = 0; place < claims.size(); ++place) {
        const Claim& claim = claims[place];
        places.try_emplace(claim.host, place);
        for (const ResourceId resource : claim.demand.resources) {
            Heirs& heirs = resources.try_emplace(resource, Heirs{claim.host, {}}).first->second;
            if (place >= users && heirs.owner != claim.host) heirs.waiting.push_back(place - users);
        }
    }
}

Counters::Config Counters::among(const Config& config, std::uint32_t sites, std::uint32_t) {
    Config fewer = config;
    fewer.sites = sites;
    fewer.homes = std::min(config.homes, sites);
    return fewer;
}

agreement::Holdings Counters::holdings(const Context& ctx) const {
    if (state_ == State::idle) return {};
    agreement::Holding mine{.phase = phase(), .demand = {1, wanted_}};
    if (state_ == State::waiting) {
        const Mark mark = myself(ctx).mark;
        mine.birth = agreement::Birth{ctx.incarnation, {.sum = mark.sum, .count = mark.count}};
    }
    return {mine};
}

Counters Counters::rebuild(const Context& ctx, const agreement::Before<Counters>&,
                           std::span<const Claim> claims, Effects& fx) {
    const counters::Estate estate(claims);
    std::vector<ResourceId> all;
    for (const auto& [resource, heirs] : estate.resources) all.push_back(resource);
    return rebuild(ctx, estate, all, fx);
}

Counters Counters::rebuild(const Context& ctx, const counters::Estate& estate,
                           std::span<const ResourceId> known, Effects& fx) {
    Counters site;
    if (ctx.config.improve.contains(Improvement::lamport))
        site.clock_ = estate.waiting().size() + first_value + 1;
    for (const ResourceId resource : known) {
        const auto [place, added] = site.branches_.try_emplace(resource);
        if (!added) continue;
        const counters::Estate::Heirs& heirs = estate.resources.at(resource);
        if (heirs.owner == ctx.self)
            place->second.token = mint(resource, estate, heirs);
        else
            place->second.father = heirs.owner;
    }
    const auto mine = estate.places.find(ctx.self);
    if (mine == estate.places.end()) return site;
    site.resume(ctx, estate.claims[mine->second], mine->second - estate.users + first_value, fx);
    return site;
}

std::size_t Counters::weight() const {
    std::size_t entries = branches_.size();
    for (const auto& [resource, branch] : branches_) {
        const counters::Past& past = branch.token ? branch.token->past : branch.past;
        entries += past.counted.size() + past.served.size() + branch.pending.size();
    }
    return entries;
}

// Goes on with the request of the old epoch; if it waits, its mark is `value`.
void Counters::resume(const Context& ctx, const Claim& mine, std::uint64_t value, Effects& fx) {
    number_ = 1;
    wanted_ = mine.demand.resources;
    if (mine.phase == Phase::holding) {
        state_ = State::holding;
        return;
    }
    state_ = State::waiting;
    sum_ = mark_of(mine, value).sum;
    if (!missing().empty()) return;
    Step step{ctx, fx};
    enter(step);
}

}  // namespace allot
