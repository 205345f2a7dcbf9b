#include "protocols/agreement/fallback.hpp"

namespace allot::agreement {

Users users_of(std::span<const Claim> claims) {
    Users users;
    for (const Claim& claim : claims)
        if (claim.phase == Phase::holding)
            for (const ResourceId resource : claim.demand.resources) users.try_emplace(resource, claim.host);
    return users;
}

}  // namespace allot::agreement
