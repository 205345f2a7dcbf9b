// The steps of a node, as edges of the explored graph.
#pragma once

#include "check/graph.hpp"

namespace allot::check {

// One per thread.
class Edges {
public:
    explicit Edges(Graph& graph) : graph_(graph), walker_(graph.machine()) {}

    // f(move, node after); 0 where the step leads nowhere that was explored.
    template <class F>
    void visit(Node node, F&& f) {
        unpack(graph_.tuple(node), graph_.machine().setup().sites, world_);
        walker_.for_each_step(world_,
                              [&](const world::Move& move, const world::World& after, const Report& report) {
                                  if (!graph_.goes_on(world_, report)) return;
                                  for (const world::World& form : walker_.canonical_forms(after)) {
                                      next_ = &form;
                                      packed_.assign(form);
                                      f(move, graph_.find(packed_));
                                  }
                              });
    }
    // While f runs: where the step begins, and where it leads.
    const world::World& before() const { return world_; }
    const world::World& after() const { return *next_; }
    world::ActionKey action(const world::Move& move) const { return walker_.action(move); }

private:
    Graph& graph_;
    world::Walker walker_;
    world::World world_;
    const world::World* next_ = nullptr;
    Packed packed_;
};

}  // namespace allot::check
