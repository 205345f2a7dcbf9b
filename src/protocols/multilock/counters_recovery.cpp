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

bool wants(const Claim& claim, ResourceId resource) {
    return std::ranges::find(claim.demand.resources, resource) != claim.demand.resources.end();
}

// A mark that is `value`, as the average of equal values.
counters::Mark mark_of(const Claim& claim, std::uint64_t value) {
    const auto count = static_cast<std::uint32_t>(claim.demand.resources.size());
    return {value * count, count};
}

// Those who wait come after the users.
std::span<const Claim> waiting_of(std::span<const Claim> claims) {
    const auto first = std::ranges::find(claims, Phase::waiting, &Claim::phase);
    return claims.subspan(static_cast<std::size_t>(first - claims.begin()));
}

std::map<ResourceId, SiteId> owners_of(std::span<const Claim> claims) {
    std::map<ResourceId, SiteId> owners;
    for (const Claim& claim : claims)
        for (ResourceId resource : claim.demand.resources) owners.try_emplace(resource, claim.host);
    return owners;
}

counters::Token mint(ResourceId resource, SiteId owner, std::span<const Claim> waiting) {
    counters::Token token{.resource = resource, .counter = waiting.size() + first_value + 1};
    for (std::size_t place = 0; place < waiting.size(); ++place) {
        const Claim& claim = waiting[place];
        if (claim.host == owner || !wants(claim, resource)) continue;
        token.queue.push_back({mark_of(claim, place + first_value), claim.host, 1, {}});
        token.past.counted[claim.host] = 1;
    }
    return token;
}

}  // namespace

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
    const std::span<const Claim> waiting = waiting_of(claims);
    Counters site;
    if (ctx.config.improve.contains(Improvement::lamport)) site.clock_ = waiting.size() + first_value + 1;
    for (const auto& [resource, owner] : owners_of(claims)) {
        Branch& branch = site.branches_[resource];
        if (owner == ctx.self)
            branch.token = mint(resource, owner, waiting);
        else
            branch.father = owner;
    }
    const auto mine = std::ranges::find(claims, ctx.self, &Claim::host);
    if (mine == claims.end()) return site;
    const auto users = static_cast<std::ptrdiff_t>(claims.size() - waiting.size());
    site.resume(ctx, *mine, static_cast<std::uint64_t>(mine - claims.begin() - users) + first_value, fx);
    return site;
}

void Counters::forget_distant(const Context& ctx) {
    std::erase_if(branches_, [&](const auto& one) {
        const ResourceId resource = one.first;
        return !one.second.token && !wants(resource) && ctx.config.home(resource) != ctx.self &&
               ctx.config.origin(resource) != ctx.self;
    });
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
