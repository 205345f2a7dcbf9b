#include "check/state_graph.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "base/stop.hpp"
#include "walk/notation.hpp"
#include "walk/walker.hpp"
#include "world/properties.hpp"

namespace allot::check {

namespace {

using walk::Move;
using walk::World;

// The machine keeps worlds as tuples of ids, so these can be compared.
struct Before {
    bool operator()(const World& a, const World& b) const {
        return std::tie(a.ledger, a.sites, a.flight) < std::tie(b.ledger, b.sites, b.flight);
    }
};

class Painter {
public:
    Painter(walk::Machine& machine, std::size_t most) : machine_(machine), walker_(machine), most_(most) {}

    std::optional<StateGraph> paint(const std::vector<World>& starts) {
        for (World start : starts) {
            walker_.canonical(start);
            const std::uint32_t node = node_of(start, 0);
            graph_.nodes[node].start = true;
        }
        for (std::uint32_t next = 0; next < graph_.nodes.size(); ++next) {
            stop::poll();
            if (graph_.nodes.size() > most_) return std::nullopt;
            if (graph_.nodes[next].violated.empty()) expand(next);
        }
        return std::move(graph_);
    }

private:
    std::uint32_t node_of(const World& world, std::uint32_t depth) {
        const auto [place, is_new] =
            known_.try_emplace(world, static_cast<std::uint32_t>(graph_.nodes.size()));
        if (!is_new) return place->second;
        StateNode node{.world = world, .depth = depth};
        Report report;
        machine_.check_state(world, report);
        note(node, report);
        graph_.nodes.push_back(std::move(node));
        return place->second;
    }

    static void note(StateNode& node, const Report& report) {
        if (report.clean() || !node.violated.empty()) return;
        node.violated = report.property();
        node.detail = report.detail();
    }

    void expand(std::uint32_t from) {
        const World here = graph_.nodes[from].world;
        const std::uint32_t depth = graph_.nodes[from].depth + 1;
        bool progress = false;
        walker_.for_each_step(here, [&](const Move& move, const World& after, const Report& report) {
            std::string step = walk::line_of(machine_, here, move);
            if (!walker_.trail().empty())
                step += " and " + std::to_string(walker_.trail().size()) + " prompt messages";
            for (const World& form : walker_.canonical_forms(after)) {
                const std::uint32_t to = node_of(form, depth);
                progress = progress || (move.fair && to != from);
                note(graph_.nodes[to], report);
                if (to != from || !report.clean()) graph_.edges.push_back({from, to, step, move.fair});
            }
        });
        if (!progress) judge_end(from);
    }

    // Nothing more will happen here.
    void judge_end(std::uint32_t at) {
        if (!machine_.setup().judges(world::deadlock.name)) return;
        StateNode& node = graph_.nodes[at];
        for (const walk::LocalId id : node.world.sites) {
            if (!machine_.local(id).pending()) continue;
            node.violated = world::deadlock.name;
            node.detail =
                "site " + std::to_string(machine_.local(id).site) + " waits, and nothing more will happen";
            return;
        }
    }

    walk::Machine& machine_;
    walk::Walker walker_;
    const std::size_t most_;
    StateGraph graph_;
    std::map<World, std::uint32_t, Before> known_;
};

}  // namespace

std::optional<StateGraph> state_graph(walk::Machine& machine, const std::vector<World>& starts,
                                      std::size_t most) {
    return Painter(machine, most).paint(starts.empty() ? std::vector{machine.initial()} : starts);
}

}  // namespace allot::check
