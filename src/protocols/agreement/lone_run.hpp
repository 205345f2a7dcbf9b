// A lone run: one proposer and some voters exchange messages without delay, and nobody else takes a step.
// With a majority of the voters it must end within two ballots of each generation that it meets, because the
// first refusal names the ballot to beat. The checker computes it in every world, on copies of the registers.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "protocols/agreement/register.hpp"

namespace allot::agreement {

struct LoneHost {
    Register state;
    std::uint32_t incarnation = 0;
};

// The value that is returned to the proposer; nothing if so many ballots are not enough. A proposer without
// an operation under way reads. Hosts that are not in `live` answer nothing.
std::optional<Value> lone_run(std::vector<LoneHost> hosts, SiteId proposer, std::span<const SiteId> live,
                              const Rules& rules, std::uint32_t ballots);

// Every majority of the voters of the record, among those hosts that are live.
std::vector<std::vector<SiteId>> majorities(const Record& record, std::span<const SiteId> live);

}  // namespace allot::agreement
