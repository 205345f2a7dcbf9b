#include "world/choices.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "core/parameters.hpp"
#include "core/view.hpp"

namespace allot::world {

std::optional<SiteId> parse_site(std::string_view text) {
    constexpr std::uint64_t greatest = std::numeric_limits<std::uint32_t>::max() - 1;
    const auto number = parse_number("", text, 0, greatest);
    if (!number) return std::nullopt;
    return static_cast<SiteId>(*number);
}

Result<SiteList> SiteList::parse(std::string_view name, std::string_view text) {
    SiteList list;
    if (text == "none") return list;
    for (const std::string& word : split_list(text)) {
        const auto site = parse_site(word);
        if (!site) return Error{fmt::format("--{} {}: write sites, as in 0,3,7", name, text)};
        if (list.contains(*site))
            return Error{fmt::format("--{} {}: {} is there twice; write it once", name, text, *site)};
        list.sites.push_back(*site);
    }
    return list;
}

std::string SiteList::text() const {
    return sites.empty() ? "none" : fmt::format("{}", fmt::join(sites, ","));
}

bool SiteList::contains(SiteId site) const {
    return std::ranges::find(sites, site) != sites.end();
}

Result<RequestCounts> RequestCounts::parse(std::string_view name, std::string_view text) {
    RequestCounts requests;
    for (const std::string& word : split_list(text)) {
        const auto number = parse_number(name, word, 0, unbounded_requests - 1);
        if (word != "any" && !number)
            return Error{fmt::format("--{} {}: write a number, any, or one of them per site, as in 2,2,1",
                                     name, text)};
        requests.counts.push_back(word == "any" ? unbounded_requests : static_cast<std::uint32_t>(*number));
    }
    return requests;
}

std::string RequestCounts::text() const {
    std::vector<std::string> words;
    for (const std::uint32_t count : counts)
        words.push_back(count == unbounded_requests ? "any" : std::to_string(count));
    return fmt::format("{}", fmt::join(words, ","));
}

bool RequestCounts::unbounded() const {
    return std::ranges::find(counts, unbounded_requests) != counts.end();
}

Result<Amount> Amount::parse(std::string_view name, std::string_view text) {
    if (text == "any") return Amount{any_number};
    const auto number = parse_number(name, text, 0, most_faults);
    if (!number) return Error{number.error() + ", or any"};
    return Amount{static_cast<std::uint32_t>(*number)};
}

std::string Amount::text() const {
    return any() ? "any" : std::to_string(value);
}

Result<AnchorChoice> AnchorChoice::parse(std::string_view name, std::string_view text) {
    if (text == "own") return AnchorChoice{};
    if (text == "none") return AnchorChoice{false, std::nullopt};
    if (const auto site = parse_site(text)) return AnchorChoice{false, *site};
    return Error{fmt::format("--{} {}: write a site, none, or own (as the protocol needs)", name, text)};
}

std::string AnchorChoice::text() const {
    if (own) return "own";
    return site ? std::to_string(*site) : "none";
}

Result<NameList> NameList::parse(std::string_view name, std::string_view text) {
    if (text == "all") return NameList{};
    if (auto error = list_error(name, text)) return Error{std::move(*error)};
    return NameList{split_list(text)};
}

std::string NameList::text() const {
    return names.empty() ? "all" : fmt::format("{}", fmt::join(names, ","));
}

bool NameList::contains(std::string_view name) const {
    return names.empty() || std::ranges::find(names, name) != names.end();
}

std::optional<std::string> site_error(std::string_view flag, std::string_view text, SiteId site,
                                      std::uint32_t sites) {
    if (site < sites) return std::nullopt;
    return fmt::format("--{} {}: the sites are 0 to {}", flag, text, sites - 1);
}

std::optional<std::string> sites_error(std::string_view flag, const SiteList& list, std::uint32_t sites) {
    for (const SiteId site : list.sites)
        if (auto error = site_error(flag, list.text(), site, sites)) return error;
    return std::nullopt;
}

std::optional<std::string> anchor_error(const AnchorChoice& anchor, std::uint32_t sites) {
    if (!anchor.site) return std::nullopt;
    return site_error("anchor", anchor.text(), *anchor.site, sites);
}

std::optional<std::string> requests_error(const RequestCounts& requests, std::uint32_t sites) {
    const std::size_t count = requests.counts.size();
    if (count == 1 || count == sites) return std::nullopt;
    return fmt::format("--requests {}: these are {} numbers for {} sites; write one for all, or one per site",
                       requests.text(), count, sites);
}

std::optional<std::string> links_error(LinkChoice chosen, Links needed) {
    if (needed != Links::fifo || chosen == LinkChoice::own || chosen == LinkChoice::fifo) return std::nullopt;
    return "--links " + std::string(enum_name(chosen)) +
           ": this protocol needs fifo links; leave the flag out";
}

}  // namespace allot::world
