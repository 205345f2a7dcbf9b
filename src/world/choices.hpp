// Parameters that are written as one word and say something about sites, requests or links. `check` and `sim`
// share them, so both read them alike and print_error alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/types.hpp"

namespace allot::world {

// No flag counts more faults than this.
constexpr std::uint32_t most_faults = 1'000'000;

// `0,3,7`, or none.
struct SiteList {
    std::vector<SiteId> sites;

    static Result<SiteList> parse(std::string_view name, std::string_view text);
    std::string text() const;
    bool contains(SiteId site) const;
    bool operator==(const SiteList&) const = default;
};

// `any`, a number, or one of them per site: `2,2,1`.
struct RequestCounts {
    std::vector<std::uint32_t> counts;  // one for all sites, or one per site

    static Result<RequestCounts> parse(std::string_view name, std::string_view text);
    std::string text() const;
    std::uint32_t of(SiteId site) const { return counts.size() == 1 ? counts.front() : counts[site]; }
    // Whether some site asks any number of times.
    bool unbounded() const;
    bool operator==(const RequestCounts&) const = default;
};

// A number, or `any`.
struct Amount {
    std::uint32_t value = 0;

    static constexpr std::uint32_t any_number = 0xFFFFFFFF;

    static Result<Amount> parse(std::string_view name, std::string_view text);
    std::string text() const;
    bool any() const { return value == any_number; }
    bool operator==(const Amount&) const = default;
};

// The site that no detector ever suspects, and that never crashes. `own`: as the protocol needs.
struct AnchorChoice {
    bool own = true;
    std::optional<SiteId> site;

    static Result<AnchorChoice> parse(std::string_view name, std::string_view text);
    std::string text() const;
    bool operator==(const AnchorChoice&) const = default;
};

// `a,b`, or `all`.
struct NameList {
    std::vector<std::string> names;

    static Result<NameList> parse(std::string_view name, std::string_view text);
    std::string text() const;
    // A list without names stands for all.
    bool contains(std::string_view name) const;
    bool operator==(const NameList&) const = default;
};

// `own`: what the protocol needs; fifo narrows. `lossy` links deliver each message any number of times, or
// never.
enum class LinkChoice : std::uint8_t { own, fifo, unordered, lossy };
BOOST_DESCRIBE_ENUM(LinkChoice, own, fifo, unordered, lossy)

// Reads the number of a site.
std::optional<SiteId> parse_site(std::string_view text);

// Each says why a flag does not go with so many sites, if it does not.
std::optional<std::string> site_error(std::string_view flag, std::string_view text, SiteId site,
                                      std::uint32_t sites);
std::optional<std::string> sites_error(std::string_view flag, const SiteList& list, std::uint32_t sites);
std::optional<std::string> anchor_error(const AnchorChoice& anchor, std::uint32_t sites);
std::optional<std::string> requests_error(const RequestCounts& requests, std::uint32_t sites);
// Links that the protocol cannot do with.
std::optional<std::string> links_error(LinkChoice chosen, Links needed);

}  // namespace allot::world
