#include "view/graph.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

#include "core/reflect.hpp"
#include "view/bundle.hpp"

namespace allot::view {

namespace json = boost::json;

namespace {

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return result + '"';
}

// The properties that some world violates, in the order in which they are found: each has a colour.
std::vector<std::string> violated_properties(const Graph& graph) {
    std::vector<std::string> names;
    for (const GraphNode& node : graph.nodes)
        if (!node.violated.empty() && std::ranges::find(names, node.violated) == names.end())
            names.push_back(node.violated);
    return names;
}

bool some(const GraphNode& node, Look look) {
    return std::ranges::find(node.looks, look) != node.looks.end();
}

std::string colour_of(const GraphNode& node, const std::vector<std::string>& violated) {
    static constexpr std::array colours{"#d55e00", "#cc79a7", "#f0e442", "#009e73"};
    if (!node.violated.empty()) {
        const auto place = std::ranges::find(violated, node.violated) - violated.begin();
        return colours[static_cast<std::size_t>(place) % colours.size()];
    }
    if (some(node, Look::holding)) return "#56b4e9";
    return some(node, Look::waiting) ? "#fbe3ad" : "#ffffff";
}

std::string looks_text(const GraphNode& node) {
    std::string text;
    for (const Look look : node.looks) text += (text.empty() ? "" : " ") + std::string(enum_name(look));
    return text;
}

}  // namespace

std::string graph_dot(const Graph& graph) {
    std::string text = "digraph worlds {\n";
    const auto add = [&](const std::string& line) { text += "  " + line + "\n"; };
    add(fmt::format("label={}; labelloc=t; fontname=Helvetica;", quoted(graph.header)));
    add("node [shape=box, style=\"filled,rounded\", fontname=Helvetica, fontsize=10];");
    add("edge [fontname=Helvetica, fontsize=8, color=\"#555555\"];");
    const auto violated = violated_properties(graph);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const GraphNode& node = graph.nodes[i];
        std::string label = looks_text(node);
        if (!node.violated.empty()) label += ", violates " + node.violated;
        add(fmt::format("{} [label={}, fillcolor=\"{}\"{}{}];", i, quoted(label), colour_of(node, violated),
                        node.start ? ", penwidth=3" : "",
                        node.violated.empty() ? std::string() : ", tooltip=" + quoted(node.detail)));
    }
    for (const GraphEdge& edge : graph.edges)
        add(fmt::format("{} -> {} [label={}{}];", edge.from, edge.to, quoted(edge.step),
                        edge.fair ? "" : ", style=dashed"));
    return text + "}\n";
}

std::string graph_page(const Graph& graph) {
    json::array nodes;
    for (const GraphNode& node : graph.nodes) {
        json::array looks;
        for (const Look look : node.looks) looks.push_back(json::string(enum_name(look)));
        json::object object{
            {"depth", node.depth}, {"looks", looks}, {"states", node.states}, {"flight", node.flight}};
        if (node.start) object["start"] = true;
        if (!node.violated.empty()) object["violated"] = json::array{node.violated, node.detail};
        nodes.push_back(std::move(object));
    }
    json::array edges;
    for (const GraphEdge& edge : graph.edges)
        edges.push_back(json::array{edge.from, edge.to, edge.step, edge.fair});
    return page_with(graph_page_text,
                     json::object{{"header", graph.header}, {"nodes", nodes}, {"edges", edges}});
}

}  // namespace allot::view
