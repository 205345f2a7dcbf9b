#include "protocols/agreement/recovery.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace allot::agreement {

namespace {

bool less(const Rank& a, const Rank& b) {
    __extension__ using Wide = unsigned __int128;
    if (a.stamp != b.stamp) return a.stamp < b.stamp;
    return Wide{a.sum} * b.count < Wide{b.sum} * a.count;
}

bool goes_first(const Claim& a, const Claim& b) {
    if (a.phase != b.phase) return a.phase == Phase::holding;
    return a.birth && (!b.birth || a.birth->before(*b.birth));
}

// For each resource that is in use the largest fence that is claimed, and by whom. Of equal claims the first
// counts.
using Largest = std::map<ResourceId, std::pair<Fence, const Claim*>>;

Fence fence_of(const Claim& claim, std::size_t resource) {
    return resource < claim.fences.size() ? claim.fences[resource] : Fence();
}

Largest largest_fences(const std::vector<Claim>& claims) {
    Largest largest;
    for (const Claim& claim : claims)
        for (std::size_t i = 0; claim.phase == Phase::holding && i < claim.demand.resources.size(); ++i) {
            const std::pair mine{fence_of(claim, i), &claim};
            const auto [place, added] = largest.try_emplace(claim.demand.resources[i], mine);
            if (!added && place->second.first < mine.first) place->second = mine;
        }
    return largest;
}

bool is_refuted(const Claim& claim, const Largest& largest) {
    return claim.phase == Phase::holding && std::ranges::any_of(claim.demand.resources, [&](ResourceId one) {
               return largest.at(one).second != &claim;
           });
}

}  // namespace

bool Birth::before(const Birth& other) const {
    return epoch != other.epoch ? epoch < other.epoch : less(rank, other.rank);
}

bool mentions_application(const Holdings& holdings) {
    return std::ranges::any_of(holdings, [](const Holding& one) { return one.seat == 0; });
}

std::vector<Claim> claims_of(std::span<const Holdings> hosts) {
    std::vector<Claim> claims;
    for (SiteId host = 0; host < hosts.size(); ++host)
        for (const Holding& one : hosts[host]) claims.push_back({one, host});
    std::ranges::stable_sort(claims, goes_first);
    return claims;
}

std::vector<Claim> take_refuted(std::vector<Claim>& claims) {
    const Largest largest = largest_fences(claims);
    std::vector<Claim> refuted;
    std::vector<Claim> rest;
    for (const Claim& claim : claims) (is_refuted(claim, largest) ? refuted : rest).push_back(claim);
    claims = std::move(rest);
    return refuted;
}

}  // namespace allot::agreement
