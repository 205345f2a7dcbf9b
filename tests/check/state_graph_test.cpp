// The graph of all worlds, as `check --graph` draws it.
#include "check/state_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "check/checker.hpp"
#include "cli/graph_file.hpp"
#include "registry/registry.hpp"

namespace allot::check {
namespace {

using testing::HasSubstr;

std::unique_ptr<walk::Machine> machine(std::string_view name, const Parameters& parameters) {
    auto made = walk::make_machine(*registry::protocol(name), parameters);
    if (!made) throw std::runtime_error(made.error());
    return std::move(*made);
}

// The checker and the graph walk the same worlds, in the same number of steps.
TEST(StateGraph, Has_the_worlds_that_the_checker_counts) {
    const std::vector<std::pair<const char*, Parameters>> instances{
        {"raymond", {{"sites", "2"}, {"permits", "1"}, {"requests", "any"}}},
        {"raymond", {{"sites", "3"}, {"permits", "2"}}},
        {"permits", {{"sites", "2"}, {"permits", "1"}, {"start-up", "off"}}},
        {"counters", {{"sites", "2"}, {"resources", "2"}}},
        {"naimi-trehel", {{"sites", "2"}}},
    };
    for (const auto& [name, parameters] : instances) {
        const auto checked = check(*machine(name, parameters), Options{});
        ASSERT_EQ(checked.verdict, Verdict::holds) << name;
        const auto graph = state_graph(*machine(name, parameters), {}, 100'000);
        ASSERT_TRUE(graph) << name;
        EXPECT_EQ(graph->nodes.size(), checked.states) << name;
        std::uint32_t depth = 0;
        for (const StateNode& node : graph->nodes) {
            EXPECT_EQ(node.violated, "") << name;
            depth = std::max(depth, node.depth);
        }
        EXPECT_EQ(depth, checked.depth) << name;
    }
}

TEST(StateGraph, Marks_the_worlds_that_violate_a_property) {
    const Parameters parameters{{"sites", "2"}, {"permits", "1"}, {"crashes", "1"}};
    const auto checked = check(*machine("raymond", parameters), Options{});
    ASSERT_EQ(checked.violations.size(), 1u);
    const auto graph = state_graph(*machine("raymond", parameters), {}, 10'000);
    ASSERT_TRUE(graph);
    std::uint32_t shortest = 1000;
    for (const StateNode& node : graph->nodes)
        if (node.violated == checked.violations[0].property) shortest = std::min(shortest, node.depth);
    EXPECT_EQ(shortest, checked.violations[0].steps.size());
}

TEST(StateGraph, Every_world_but_the_start_has_a_step_from_the_layer_above) {
    const auto graph = state_graph(*machine("raymond", {{"sites", "2"}, {"permits", "1"}}), {}, 1'000);
    ASSERT_TRUE(graph);
    std::set<std::uint32_t> reached;
    for (const StateEdge& edge : graph->edges)
        if (graph->nodes[edge.to].depth == graph->nodes[edge.from].depth + 1) reached.insert(edge.to);
    EXPECT_EQ(reached.size(), graph->nodes.size() - 1);
    EXPECT_TRUE(graph->nodes[0].start);
    EXPECT_EQ(graph->edges[0].step, "request 0");
    EXPECT_FALSE(state_graph(*machine("raymond", {{"sites", "2"}, {"permits", "1"}}), {}, 3));
}

TEST(GraphFile, Is_a_page_or_for_Graphviz) {
    const Parameters parameters{{"sites", "2"}, {"permits", "1"}, {"crashes", "1"}};
    const auto dot = cli::graph_file(*registry::protocol("raymond"), parameters, "g.dot");
    ASSERT_TRUE(dot) << dot.error();
    EXPECT_THAT(*dot, HasSubstr("digraph worlds {\n"));
    EXPECT_THAT(*dot, HasSubstr("violates deadlock\", fillcolor=\"#d55e00\""));
    EXPECT_THAT(*dot, HasSubstr("[label=\"crash 0\", style=dashed]"));
    const auto page = cli::graph_file(*registry::protocol("raymond"), parameters, "g.html");
    ASSERT_TRUE(page);
    EXPECT_THAT(*page, HasSubstr("\"violated\":[\"deadlock\",\"site 0 waits"));
    EXPECT_EQ(cli::graph_file(*registry::protocol("raymond"), parameters, "g.png").error(),
              "--worlds g.png: write a name that ends with .html or .dot");
    EXPECT_EQ(
        cli::graph_file(*registry::protocol("raymond"), {{"sites", "4"}, {"crashes", "2"}}, "g.dot").error(),
        "--worlds g.dot: there are more than 1,000 worlds, too many to look at; write a smaller instance, "
        "with fewer sites, requests or faults");
}

}  // namespace
}  // namespace allot::check
