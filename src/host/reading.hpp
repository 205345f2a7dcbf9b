// The part of the status that rules let a user read.
#pragma once

#include <optional>
#include <vector>

#include "host/limits.hpp"

namespace allot::host {

// By the rules with these places; nothing if none of them says it. The one counts that allows most.
inline std::optional<Reading> reading_of(const std::vector<Allowance>& rules,
                                         const std::vector<std::uint32_t>& places) {
    std::optional<Reading> most;
    for (const std::uint32_t place : places) {
        const Allowance& rule = rules[place];
        const auto said = rule.read || !rule.operate ? rule.read : std::optional(Reading::all);
        if (said && (!most || *said > *most)) most = said;
    }
    return most;
}

}  // namespace allot::host
