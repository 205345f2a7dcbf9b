// Trees: shapes, lists of parents, and channels that lead back.
#include "core/tree.hpp"

#include <gtest/gtest.h>

namespace allot {
namespace {

Tree tree(std::string_view text) {
    auto parsed = Tree::parse("tree", text);
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error());
    return *parsed;
}

std::vector<SiteId> neighbours(const Tree& tree, SiteId site, std::uint32_t sites) {
    std::vector<SiteId> list;
    for (Tree::Channel channel = 0; channel < tree.degree(site, sites); ++channel)
        list.push_back(tree.neighbour(site, channel, sites));
    return list;
}

using List = std::vector<SiteId>;

TEST(Tree, Has_the_parent_on_channel_0_and_then_the_children) {
    EXPECT_EQ(neighbours(tree("chain"), 0, 3), List{1});
    EXPECT_EQ(neighbours(tree("chain"), 1, 3), List({0, 2}));
    EXPECT_EQ(neighbours(tree("chain"), 2, 3), List{1});
    EXPECT_EQ(neighbours(tree("star"), 0, 4), List({1, 2, 3}));
    EXPECT_EQ(neighbours(tree("star"), 3, 4), List{0});
    EXPECT_EQ(neighbours(tree("binary"), 0, 6), List({1, 2}));
    EXPECT_EQ(neighbours(tree("binary"), 1, 6), List({0, 3, 4}));
    EXPECT_EQ(neighbours(tree("binary"), 2, 6), List({0, 5}));
    EXPECT_EQ(neighbours(tree("parents:-1,2,0,2"), 2, 4), List({0, 1, 3}));
}

TEST(Tree, Of_one_site_has_no_channels) {
    for (const char* shape : {"chain", "star", "binary", "parents:-1"})
        EXPECT_EQ(tree(shape).degree(0, 1), 0u) << shape;
}

// The walk that takes the next channel at every site comes back after it has used each channel once.
TEST(Tree, Is_a_ring_of_all_channels) {
    constexpr std::uint32_t sites = 7;
    for (const char* shape : {"chain", "star", "binary", "parents:-1,0,4,0,1,4,2"}) {
        const Tree shaped = tree(shape);
        SiteId here = Tree::root;
        Tree::Channel departure = 0;
        std::uint32_t hops = 0;
        do {
            const SiteId there = shaped.neighbour(here, departure, sites);
            const auto arrival = shaped.channel(there, here, sites);
            ASSERT_TRUE(arrival) << shape << ": " << there << " does not know " << here;
            EXPECT_EQ(shaped.neighbour(there, *arrival, sites), here);
            departure = (*arrival + 1) % shaped.degree(there, sites);
            here = there;
            ++hops;
        } while (here != Tree::root || departure != 0);
        EXPECT_EQ(hops, 2 * (sites - 1)) << shape;
    }
}

TEST(Tree, Tells_who_is_no_neighbour) {
    EXPECT_FALSE(tree("chain").channel(0, 2, 3));
    EXPECT_FALSE(tree("chain").channel(0, 0, 3));
    EXPECT_FALSE(tree("chain").channel(2, 3, 3));
    EXPECT_FALSE(tree("parents:-1,0,0").channel(1, 2, 3));
}

TEST(Tree, Says_what_is_wrong_with_a_list_of_parents) {
    const auto error = [](std::string_view text) {
        const auto parsed = Tree::parse("tree", text);
        return parsed ? "none" : parsed.error();
    };
    EXPECT_EQ(error("ring"), "--tree ring: write chain, star, binary or parents:-1,0,0");
    EXPECT_EQ(error("parents:-1,2,1"),
              "--tree parents:-1,2,1: there is a cycle; write parents that lead to site 0");
    EXPECT_EQ(error("parents:-1,1"),
              "--tree parents:-1,1: there is a cycle; write parents that lead to site 0");
    EXPECT_EQ(error("parents:-1,-1"),
              "--tree parents:-1,-1: only site 0 is a root; write a parent for every other site");
    EXPECT_EQ(error("parents:1,-1"), "--tree parents:1,-1: site 0 is the root; write -1 as its parent");
    EXPECT_EQ(error("parents:-1,5"), "--tree parents:-1,5: 5 is no site; the sites are 0 to 1");
    EXPECT_EQ(error("parents:"),
              "--tree parents:: write the parent of each site, and -1 for the root, as in parents:-1,0,0");
}

}  // namespace
}  // namespace allot
