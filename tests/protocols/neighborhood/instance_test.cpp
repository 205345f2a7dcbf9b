// What may be written for graphs, bounds and starts, and what is wrong with instances.
#include "protocols/neighborhood/instance.hpp"

#include <gtest/gtest.h>

#include "core/parameters.hpp"

namespace allot::neighborhood {
namespace {

struct Instance : Neighborhood {
    BOOST_DESCRIBE_CLASS(Instance, (Neighborhood), (), (), ())
};

Instance instance(const std::string& graph, const std::string& bounds, const std::string& initial = "any") {
    Parameters given{{"graph", graph}, {"bounds", bounds}, {"initial", initial}};
    auto config = take_config<Instance>(given);
    EXPECT_TRUE(config) << (config ? "" : config.error());
    config->derive();
    return *config;
}

std::string reason(const std::string& graph, const std::string& bounds, const std::string& initial = "any") {
    return instance_error(instance(graph, bounds, initial)).value_or("");
}

TEST(Neighborhood, The_graph_says_how_many_sites_there_are_and_each_belongs_to_its_own_neighbourhood) {
    const Instance path = instance("path:3", "0,1;1,2;0,*");
    EXPECT_EQ(path.sites, 3u);
    EXPECT_EQ(path.closed, (Closed{{0, 1}, {0, 1, 2}, {1, 2}}));
    EXPECT_EQ(path.ranges, (std::vector<Range>{{0, 1}, {1, 2}, {0, 2}}));
    EXPECT_FALSE(instance_error(path));
}

TEST(Neighborhood, A_start_may_be_written_or_found) {
    EXPECT_EQ(instance("path:3", "1,*", "Ioo").starts_in, (Configuration{true, false, false}));
    EXPECT_EQ(instance("path:3", "1,*", "I").starts_in, (Configuration{true, true, true}));
    EXPECT_EQ(instance("path:3", "0,1").starts_in, Configuration(3, false));
    EXPECT_EQ(instance("path:3", "1,*").starts_in, Configuration(3, true));
    for (const Instance& found :
         {instance("complete:5", "1,3"), instance("cycle:60", "1,2"), instance("random:200:6:1", "1,*")})
        EXPECT_FALSE(first_unsafe(found.closed, found.ranges, found.starts_in)) << found.graph.text();
}

TEST(Neighborhood, What_is_wrong_is_said_in_one_line) {
    EXPECT_EQ(reason("path:2", "1,1"),
              "--bounds 1,1: site 0 could never change with at least 1 and at most 1; write a smaller number "
              "first");
    EXPECT_EQ(reason("path:3", "0,3"),
              "--bounds 0,3: site 0 and its neighbours are 2, so no more can be in service; write *, or a "
              "number up to that");
    EXPECT_EQ(reason("path:3", "0,1;0,1"),
              "--bounds 0,1;0,1: these are 2 pairs for 3 sites; write one for all, or one per site");
    EXPECT_EQ(reason("edges:0-1,2-3", "0,1"),
              "--graph edges:0-1,2-3: site 2 cannot be reached from site 0; write a connected graph");
    EXPECT_EQ(reason("path:3", "1,*", "oooo"),
              "--initial oooo: these are 4 letters for 3 sites; write one for all, or one per site");
    EXPECT_EQ(reason("path:3", "1,*", "Ioo"),
              "--initial Ioo: 0 of site 2 and its neighbours are in service; there must be 1 to 2");
}

TEST(Neighborhood, Where_no_start_is_safe_none_is_found) {
    EXPECT_EQ(reason("edges:0-1,0-2,1-2", "2,3;0,1;0,1"),
              "--bounds 2,3;0,1;0,1: no configuration satisfies them at the start; write others");
}

TEST(Neighborhood, What_cannot_be_read_is_told_what_to_write) {
    for (const char* text : {"", "1", "1,", ",1", "1,x", "1,2;", "1,2,3", "-1,2"})
        EXPECT_FALSE(Bounds::parse("bounds", text)) << text;
    for (const char* text : {"", "IO", "I o", "none"}) EXPECT_FALSE(Initial::parse("initial", text)) << text;
}

}  // namespace
}  // namespace allot::neighborhood
