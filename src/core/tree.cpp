#include "core/tree.hpp"

#include <algorithm>
#include <limits>

#include "core/parameters.hpp"

namespace allot {

namespace {

constexpr std::string_view list_prefix = "parents:";
constexpr std::uint64_t most_sites = 1'000'000;
constexpr SiteId nobody = std::numeric_limits<std::uint32_t>::max();

// The parents as they are written, each a site or the root's -1.
Result<std::vector<SiteId>> read_parents(std::string_view list) {
    const auto words = split_list(list);
    const std::uint64_t last = std::min<std::uint64_t>(words.size(), most_sites) - 1;
    std::vector<SiteId> parents;
    for (const std::string& word : words) {
        const auto parent = parse_number("tree", word, 0, most_sites);
        if (!parent && word != "-1")
            return Error{"write the parent of each site, and -1 for the root, as in parents:-1,0,0"};
        if (parent && *parent > last)
            return Error{word + " is no site; the sites are 0 to " + std::to_string(last)};
        parents.push_back(parent ? static_cast<SiteId>(*parent) : nobody);
    }
    return parents;
}

// Every path from parent to parent must end at the root. Each site is visited once.
bool leads_to_root(const std::vector<SiteId>& parents) {
    std::vector<SiteId> reached_by(parents.size(), nobody);
    for (SiteId start = 1; start < parents.size(); ++start) {
        SiteId site = start;
        for (; site != Tree::root && reached_by[site] == nobody; site = parents[site])
            reached_by[site] = start;
        if (site != Tree::root && reached_by[site] == start) return false;
    }
    return true;
}

std::optional<std::string> wrong(const Result<std::vector<SiteId>>& parents) {
    if (!parents) return parents.error();
    if (parents->front() != nobody) return "site 0 is the root; write -1 as its parent";
    if (std::count(parents->begin(), parents->end(), nobody) > 1)
        return "only site 0 is a root; write a parent for every other site";
    if (!leads_to_root(*parents)) return "there is a cycle; write parents that lead to site 0";
    return std::nullopt;
}

}  // namespace

Result<Tree> Tree::parse(std::string_view name, std::string_view text) {
    const auto error = [&](const std::string& why) {
        return Error{"--" + std::string(name) + " " + std::string(text) + ": " + why};
    };
    Tree tree;
    tree.shape_ = text;
    tree.arity_ = text == "chain" ? 1 : text == "binary" ? 2 : 0;
    if (text == "star" || tree.arity_ > 0) return tree;
    if (!text.starts_with(list_prefix)) return error("write chain, star, binary or parents:-1,0,0");
    const auto parents = read_parents(text.substr(list_prefix.size()));
    if (const auto why = wrong(parents)) return error(*why);

    tree.parent_ = *parents;
    const auto sites = static_cast<std::uint32_t>(parents->size());
    tree.first_child_.assign(sites + 1, 0);
    for (SiteId site = 1; site < sites; ++site) ++tree.first_child_[(*parents)[site] + 1];
    for (SiteId site = 0; site < sites; ++site) tree.first_child_[site + 1] += tree.first_child_[site];
    tree.children_.resize(sites - 1);
    tree.rank_.resize(sites);
    std::vector<std::uint32_t> placed(sites, 0);
    for (SiteId site = 1; site < sites; ++site) {
        const SiteId parent = (*parents)[site];
        tree.rank_[site] = placed[parent]++;
        tree.children_[tree.first_child_[parent] + tree.rank_[site]] = site;
    }
    return tree;
}

std::optional<std::uint32_t> Tree::listed_sites() const {
    if (parent_.empty()) return std::nullopt;
    return static_cast<std::uint32_t>(parent_.size());
}

std::uint32_t Tree::children(SiteId site, std::uint32_t sites) const {
    if (!parent_.empty()) return first_child_[site + 1] - first_child_[site];
    const std::uint64_t before = std::uint64_t{site} * arity(sites) + 1;
    return before >= sites
               ? 0
               : static_cast<std::uint32_t>(std::min<std::uint64_t>(arity(sites), sites - before));
}

SiteId Tree::child(SiteId site, std::uint32_t rank, std::uint32_t sites) const {
    if (!parent_.empty()) return children_[first_child_[site] + rank];
    return site * arity(sites) + 1 + rank;
}

SiteId Tree::parent(SiteId site, std::uint32_t sites) const {
    return parent_.empty() ? SiteId((site - 1) / arity(sites)) : parent_[site];
}

std::uint32_t Tree::rank(SiteId site, std::uint32_t sites) const {
    return parent_.empty() ? (site - 1) % arity(sites) : rank_[site];
}

SiteId Tree::neighbour(SiteId site, Channel channel, std::uint32_t sites) const {
    if (site == root) return child(site, channel, sites);
    return channel == 0 ? parent(site, sites) : child(site, channel - 1, sites);
}

std::optional<Tree::Channel> Tree::channel(SiteId site, SiteId neighbour, std::uint32_t sites) const {
    if (site != root && neighbour == parent(site, sites)) return 0;
    if (neighbour == root || neighbour >= sites || parent(neighbour, sites) != site) return std::nullopt;
    return rank(neighbour, sites) + (site == root ? 0 : 1);
}

}  // namespace allot
