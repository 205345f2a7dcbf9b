#include "check/components.hpp"

#include <algorithm>

namespace allot::check {

void Components::run(const OnComponent& on_component) {
    bool going_on = true;
    graph_.for_each_node([&](Node node) {
        if (!going_on || stopped() || number(node) == Graph::no_number || index_[number(node)] != 0 ||
            colour(node) == 0)
            return;
        going_on = search_from(node, on_component);
    });
}

void Components::enter(Node node) {
    index_[number(node)] = low_[number(node)] = next_index_++;
    stack_.push_back(node);
    Frame frame{node, pending_.size(), false};
    const int mine = colour(node);
    edges_.visit(node, [&](const walk::Move& move, Node after) {
        if (after == node) return;
        frame.moves_on = frame.moves_on || move.fair;
        if (after != 0 && number(after) != Graph::no_number && colour(after) == mine)
            pending_.push_back(after);
    });
    frames_.push_back(frame);
}

bool Components::search_from(Node root, const OnComponent& on_component) {
    enter(root);
    while (!frames_.empty() && !stopped()) {
        const Frame frame = frames_.back();
        if (pending_.size() > frame.first_edge) {
            const Node next = pending_.back();
            pending_.pop_back();
            const std::uint32_t n = number(next);
            if (index_[n] == 0)
                enter(next);
            else if (index_[n] != finished)
                low_[number(frame.node)] = std::min(low_[number(frame.node)], index_[n]);
            continue;
        }
        frames_.pop_back();
        if (!frames_.empty()) {
            std::uint32_t& above = low_[number(frames_.back().node)];
            above = std::min(above, low_[number(frame.node)]);
        }
        if (!leave(frame, on_component)) return false;
    }
    return true;
}

bool Components::leave(const Frame& frame, const OnComponent& on_component) {
    if (low_[number(frame.node)] != index_[number(frame.node)]) return true;
    const auto first = std::find(stack_.rbegin(), stack_.rend(), frame.node).base() - 1;
    const std::vector<Node> component(first, stack_.end());
    stack_.erase(first, stack_.end());
    ++components_;
    for (const Node node : component) {
        index_[number(node)] = finished;
        low_[number(node)] = components_;
    }
    return on_component(component, frame.moves_on);
}

}  // namespace allot::check
