// The graph of all worlds of a small instance, as a picture needs it.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "view/run.hpp"

namespace allot::view {

struct GraphNode {
    std::uint32_t depth = 0;  // steps from the start
    bool start = false;
    std::string violated;  // the property; empty if there is none
    std::string detail;
    std::vector<Look> looks;  // by site
    boost::json::array states;
    boost::json::array flight;  // the messages, as text
};

struct GraphEdge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::string step;
    bool fair = false;
};

struct Graph {
    std::string header;
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;
};

// For Graphviz.
std::string graph_dot(const Graph& graph);
// One file for a browser, which lays the graph out by itself.
std::string graph_page(const Graph& graph);

}  // namespace allot::view
