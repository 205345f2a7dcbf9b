// The steps of a node, as edges of the explored graph.
#pragma once

#include "check/graph.hpp"

namespace allot::check {

// One per thread.
class Edges {
public:
    explicit Edges(Graph& graph) : graph_(graph), walker_(graph.machine()) {}

    // f(move, node after); node 0 if the step leads to no explored world.
    template <class F>
    void visit(Node node, F&& f) {
        unpack(graph_.tuple(node), graph_.machine().setup().sites, world_);
        walker_.for_each_step(world_,
                              [&](const walk::Move& move, const walk::World& after, const Report& report) {
                                  if (!graph_.goes_on(world_, report)) return;
                                  for (const walk::World& form : walker_.canonical_forms(after)) {
                                      next_ = &form;
                                      packed_.assign(form);
                                      f(move, graph_.find(packed_));
                                  }
                              });
    }
    // While f runs: the world before the step, and the one after.
    const walk::World& before() const { return world_; }
    const walk::World& after() const { return *next_; }
    walk::ActionKey action(const walk::Move& move) const { return walker_.action(move); }

private:
    Graph& graph_;
    walk::Walker walker_;
    walk::World world_;
    const walk::World* next_ = nullptr;
    Packed packed_;
};

}  // namespace allot::check
