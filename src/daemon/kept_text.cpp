#include "daemon/kept_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "base/harmless.hpp"

namespace allot::daemon {

std::string kept_text(const agreement::Value& value) {
    constexpr std::size_t most_named = 3;
    std::vector<std::string> all;
    for (const agreement::Kept& kept : value.kept) {
        if (kept.returned) continue;
        const auto add = [&](ResourceId resource) {
            all.push_back(harmless(fmt::format("{} of {}", resource.name(), kept.ownership.owner)));
        };
        for (const ResourceId lock : kept.want.locks) add(lock);
        for (const auto& [semaphore, units] : kept.want.permits) add(semaphore);
    }
    if (all.size() <= most_named) return fmt::format("{}", fmt::join(all, ", "));
    const std::size_t others = all.size() - most_named;
    all.resize(most_named);
    return fmt::format("{} and {} more", fmt::join(all, ", "), others);
}

std::string kept_refusal(const agreement::Value& value) {
    const std::string kept = kept_text(value);
    if (kept.empty()) return "";
    return fmt::format(
        "the register keeps what is sticky: {}; start the hosts again and give it back first, by `allot "
        "release NAME` on the host of its owner, or write --forget-sticky",
        kept);
}

}  // namespace allot::daemon
