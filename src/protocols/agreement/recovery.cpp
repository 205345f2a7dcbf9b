#include "protocols/agreement/recovery.hpp"

#include <algorithm>

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

}  // namespace allot::agreement
