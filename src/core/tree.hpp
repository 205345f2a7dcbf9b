// An oriented tree with site 0 as its root. Written `chain`, `star`, `binary`, or as a list of parents,
// `parents:-1,0,0`, in which only the root has none.
//
// A site numbers its channels from 0: a site that is not the root has its parent on channel 0, then come the
// children in the order of their numbers. All questions are answered in constant time: the first three shapes
// are heaps, in which every site has so many children and arithmetic is enough.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/types.hpp"

namespace allot {

class Tree {
public:
    static constexpr SiteId root = 0;
    using Channel = std::uint32_t;

    static Result<Tree> parse(std::string_view name, std::string_view text);
    const std::string& text() const { return shape_; }

    // The number of sites that a list of parents is for; the other shapes fit any.
    std::optional<std::uint32_t> listed_sites() const;

    // In a tree with this number of sites.
    std::uint32_t children(SiteId site, std::uint32_t sites) const;
    std::uint32_t degree(SiteId site, std::uint32_t sites) const {
        return children(site, sites) + (site == root ? 0 : 1);
    }
    SiteId neighbour(SiteId site, Channel channel, std::uint32_t sites) const;
    // Nothing where the two are no neighbours.
    std::optional<Channel> channel(SiteId site, SiteId neighbour, std::uint32_t sites) const;
    SiteId parent(SiteId site, std::uint32_t sites) const;  // not of the root

    bool operator==(const Tree&) const = default;

private:
    std::uint32_t arity(std::uint32_t sites) const { return arity_ == 0 ? sites : arity_; }
    SiteId child(SiteId site, std::uint32_t rank, std::uint32_t sites) const;
    std::uint32_t rank(SiteId site, std::uint32_t sites) const;  // among its parent's children

    std::string shape_ = "binary";
    std::uint32_t arity_ = 2;  // 0: the root has all others as children
    // Of a list only: each site's parent and rank, and the children of all sites one after the other.
    std::vector<SiteId> parent_;
    std::vector<std::uint32_t> rank_;
    std::vector<std::uint32_t> first_child_;
    std::vector<SiteId> children_;

    BOOST_DESCRIBE_CLASS(Tree, (), (), (), (shape_))
};

}  // namespace allot
