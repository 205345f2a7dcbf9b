// The strongly connected components of a part of the explored graph: Tarjan's algorithm, without recursion.
// The notes of the graph number its nodes; a node without a number is left out.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "base/stop.hpp"
#include "check/edges.hpp"

namespace allot::check {

class Components {
public:
    // Only worlds of one colour are connected; worlds of colour 0 are left out.
    using Colour = std::function<int(const walk::World&)>;
    // Called for a component after all components that it leads to: its nodes, and, for a single node,
    // whether some fair step changes the world there. Returns false to end the search.
    using OnComponent = std::function<bool(const std::vector<Node>& component, bool moves_on)>;

    // The search ends early if `stop` becomes true or a stop of the process is due.
    Components(Graph& graph, std::size_t numbered, Colour colour, const std::atomic<bool>& stop)
        : graph_(graph),
          edges_(graph),
          colour_(std::move(colour)),
          stop_(stop),
          index_(numbered, 0),
          low_(numbered, 0) {}

    void run(const OnComponent& on_component);

    // The number of the node's component, in the order of discovery, from 1; 0: none yet, or left out.
    std::uint32_t component_of(Node node) const {
        const std::uint32_t n = node == 0 ? Graph::no_number : number(node);
        return n != Graph::no_number && index_[n] == finished ? low_[n] : 0;
    }
    // True if the node is in the present component.
    bool inside(Node node) const { return component_of(node) == components_; }
    bool stopped() const { return stop_ || stop::due(); }

private:
    struct Frame {
        Node node;
        std::size_t first_edge;  // first of the edges to follow, on top of pending_
        bool moves_on;           // some fair step changes the world
    };

    std::uint32_t number(Node node) const { return graph_.note(node); }
    int colour(Node node) {
        unpack(graph_.tuple(node), graph_.machine().setup().sites, scratch_);
        return colour_(scratch_);
    }
    bool search_from(Node root, const OnComponent& on_component);
    void enter(Node node);
    bool leave(const Frame& frame, const OnComponent& on_component);

    Graph& graph_;
    Edges edges_;
    Colour colour_;
    const std::atomic<bool>& stop_;
    std::vector<std::uint32_t> index_;
    std::vector<std::uint32_t> low_;  // of a finished node: its component
    std::vector<Frame> frames_;
    std::vector<Node> pending_;
    std::vector<Node> stack_;
    std::uint32_t next_index_ = 1;
    std::uint32_t components_ = 0;
    walk::World scratch_;

    static constexpr std::uint32_t finished = 0xFFFFFFFF;
};

}  // namespace allot::check
