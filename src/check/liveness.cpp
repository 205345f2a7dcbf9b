#include "check/liveness.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "base/stop.hpp"
#include "check/components.hpp"
#include "check/edges.hpp"
#include "check/watchdog.hpp"

namespace allot::check {

namespace {

using walk::ActionKey;
using walk::Move;
using walk::World;

// The bad worlds: something that must end eventually goes on there.
class Bad {
public:
    explicit Bad(std::optional<SiteId> site) : site_(site) {}

    // Worlds of different colours are not connected; colour 0 is not bad.
    int colour(const walk::Machine& machine, const World& world) const {
        if (!site_) return machine.legal(world) ? 0 : 1;
        const walk::LocalInfo& info = machine.local(world.sites[*site_]);
        return info.pending() ? 1 + static_cast<int>(info.phase) : 0;
    }
    std::optional<SiteId> site() const { return site_; }

private:
    std::optional<SiteId> site_;
};

// Searches for a component of bad worlds in which a fair run can stay.
class ComponentSearch {
public:
    ComponentSearch(Graph& graph, std::size_t numbered, Bad bad, const std::atomic<bool>& stop)
        : graph_(graph),
          edges_(graph),
          bad_(bad),
          components_(
              graph, numbered, [this](const World& world) { return bad_.colour(graph_.machine(), world); },
              stop) {}

    std::optional<Lasso> run() {
        std::optional<Lasso> lasso;
        components_.run([&](const std::vector<Node>& component, bool moves_on) {
            if (component.size() > 1)
                lasso = judge(component);
            else if (!moves_on)
                lasso = Lasso{component, {}, bad_.site()};
            return !lasso;
        });
        // A stop may have cut the way round short.
        return components_.stopped() ? std::nullopt : lasso;
    }

private:
    std::optional<Lasso> judge(const std::vector<Node>& component);
    Lasso way_round(const std::vector<Node>& component);
    bool inside(Node node) const { return components_.inside(node); }

    Graph& graph_;
    Edges edges_;
    Bad bad_;
    Components components_;
};

// A component is unfair if a fair action is possible everywhere in it and never taken inside.
std::optional<Lasso> ComponentSearch::judge(const std::vector<Node>& component) {
    std::set<ActionKey> neglected;
    bool first = true;
    for (const Node node : component) {
        if (components_.stopped()) return std::nullopt;
        std::set<ActionKey> possible;
        std::set<ActionKey> taken;
        edges_.visit(node, [&](const Move& move, Node after) {
            if (!move.fair) return;
            possible.insert(edges_.action(move));
            if (inside(after)) taken.insert(edges_.action(move));
        });
        if (first) neglected = possible;
        first = false;
        std::erase_if(neglected,
                      [&](ActionKey key) { return !possible.contains(key) || taken.contains(key); });
        if (neglected.empty()) return way_round(component);
    }
    return std::nullopt;
}

// A closed walk inside a component that respects every fair action possible at its entry: it takes each
// somewhere, or passes a node where it is not possible.
class ClosedWalk {
public:
    using Inside = std::function<bool(Node)>;

    ClosedWalk(Graph& graph, Inside inside, Node entry, std::optional<SiteId> site)
        : edges_(graph), look_(graph), inside_(std::move(inside)), here_(entry), lasso_{{entry}, {}, site} {
        owed_ = fair_actions(entry);
    }

    Lasso walk() {
        const Node entry = here_;
        while (!owed_.empty() && !stop::due()) attend_to(*owed_.begin());
        if (here_ != entry || lasso_.actions.empty())
            walk_until([&](const Step& step) { return step.to == entry; });
        lasso_.nodes.pop_back();  // the entry again
        return std::move(lasso_);
    }

private:
    struct Step {
        Node from;
        Node to;
        ActionKey action;
        bool fair;
    };

    std::set<ActionKey> fair_actions(Node node) {
        std::set<ActionKey> actions;
        look_.visit(node, [&](const Move& move, Node) {
            if (move.fair) actions.insert(look_.action(move));
        });
        return actions;
    }

    void attend_to(ActionKey wanted) {
        walk_until([&](const Step& step) {
            return (step.fair && step.action == wanted) || !fair_actions(step.to).contains(wanted);
        });
    }

    // Walks the shortest way inside the component whose last step is `enough`.
    template <class Enough>
    void walk_until(Enough&& enough) {
        std::map<Node, Step> came_by;
        std::deque<Node> queue{here_};
        std::optional<Step> last;
        while (!queue.empty() && !last && !stop::due()) {
            const Node node = queue.front();
            queue.pop_front();
            edges_.visit(node, [&](const Move& move, Node after) {
                if (last || !inside_(after)) return;
                const Step step{node, after, edges_.action(move), move.fair};
                if (enough(step))
                    last = step;
                else if (after != here_ && came_by.try_emplace(after, step).second)
                    queue.push_back(after);
            });
        }
        if (!last) return;
        std::vector<Step> way{*last};
        while (way.back().from != here_) way.push_back(came_by.at(way.back().from));
        for (auto step = way.rbegin(); step != way.rend(); ++step) take(*step);
    }

    void take(const Step& step) {
        lasso_.actions.push_back(step.action);
        lasso_.nodes.push_back(step.to);
        owed_.erase(step.action);
        const auto possible = fair_actions(step.to);
        std::erase_if(owed_, [&](ActionKey key) { return !possible.contains(key); });
        here_ = step.to;
    }

    Edges edges_;
    Edges look_;  // looks at a node while edges_ is visiting another
    Inside inside_;
    Node here_;
    Lasso lasso_;
    std::set<ActionKey> owed_;
};

// Begins at the shallowest node, so that the way there is short.
Lasso ComponentSearch::way_round(const std::vector<Node>& component) {
    const Node entry = *std::min_element(component.begin(), component.end(), [&](Node a, Node b) {
        return std::pair(graph_.depth(a), a) < std::pair(graph_.depth(b), b);
    });
    return ClosedWalk(
               graph_, [this](Node node) { return inside(node); }, entry, bad_.site())
        .walk();
}

class Liveness {
public:
    Liveness(Graph& graph, const LivenessTask& task, unsigned threads, const Watchdog& watchdog)
        : graph_(graph), task_(task), threads_(threads), watchdog_(watchdog) {}

    LivenessResult run() {
        if (task_.starvation || task_.convergence) search_components();
        // If every fair run serves every site, every site can be served.
        const bool implied = task_.starvation && !result_.starving && result_.stopped_by.empty();
        if (task_.servable && !implied && result_.stopped_by.empty()) search_unservable();
        return result_;
    }

private:
    void search_components();
    std::size_t number_core();
    bool peel();
    void search_unservable();
    bool may_go_on(std::size_t extra_bytes = 0) {
        if (result_.stopped_by.empty()) result_.stopped_by = watchdog_.reason_to_stop(extra_bytes);
        return result_.stopped_by.empty();
    }
    void tell() {
        if (watchdog_.wants_progress())
            watchdog_.tell({.states = graph_.size(), .bytes = graph_.bytes(), .doing = "liveness"});
    }

    Graph& graph_;
    LivenessTask task_;
    unsigned threads_;
    const Watchdog& watchdog_;
    LivenessResult result_;
};

// Repeatedly removes the nodes without incoming edges: the notes count incoming edges. The remaining nodes
// are reachable from a cycle.
bool Liveness::peel() {
    Edges edges(graph_);
    std::vector<Node> ready;
    graph_.for_each_node([&](Node node) {
        if (graph_.note(node) == 0) ready.push_back(node);
    });
    std::size_t peeled = 0;
    while (!ready.empty()) {
        const Node node = ready.back();
        ready.pop_back();
        if (++peeled % 65536 == 0) tell();
        if ((stop::due() || peeled % 65536 == 0) && !may_go_on()) return false;
        edges.visit(node, [&](const Move&, Node after) {
            if (after != 0 && after != node && --graph_.note(after) == 0) ready.push_back(after);
        });
    }
    return true;
}

// Numbers the nodes that were not peeled; the notes then hold numbers.
std::size_t Liveness::number_core() {
    std::uint32_t count = 0;
    graph_.for_each_node(
        [&](Node node) { graph_.note(node) = graph_.note(node) == 0 ? Graph::no_number : count++; });
    return count;
}

void Liveness::search_components() {
    // Only cycles matter if it is known that no run ends badly.
    const bool only_cycles = task_.no_deadlock && !task_.convergence;
    if (only_cycles && !peel()) return;
    const std::size_t numbered = only_cycles ? number_core() : graph_.number_all();
    if (numbered == 0) return;

    std::vector<Bad> tasks;
    if (task_.convergence) tasks.emplace_back(std::nullopt);
    if (task_.starvation)
        for (SiteId site = 0; site < graph_.machine().setup().sites; ++site) tasks.emplace_back(site);
    if (!may_go_on(numbered * 16 * std::min<std::size_t>(threads_, tasks.size()))) return;

    std::vector<std::optional<Lasso>> found(tasks.size());
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> stop = false;
    std::atomic<unsigned> running = threads_;
    std::vector<std::jthread> pool;
    for (unsigned i = 0; i < threads_; ++i)
        pool.emplace_back([&] {
            for (std::size_t mine = next++; mine < tasks.size() && !stop; mine = next++)
                found[mine] = ComponentSearch(graph_, numbered, tasks[mine], stop).run();
            --running;
        });
    while (running > 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        tell();
        if (!may_go_on()) stop = true;
    }
    pool.clear();
    // A search ends early as soon as a stop is due, perhaps after the last look.
    if (!may_go_on()) return;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (!found[i]) continue;
        auto& place = tasks[i].site() ? result_.starving : result_.diverging;
        if (!place) place = found[i];
    }
}

// Computes backwards, to a fixed point, which sites fair steps can still serve.
void Liveness::search_unservable() {
    const std::size_t count = graph_.number_all();
    const walk::Machine& machine = graph_.machine();
    const std::size_t sites = machine.setup().sites;
    std::vector<Node> order;
    order.reserve(count);
    graph_.for_each_node([&](Node node) { order.push_back(node); });
    std::vector<bool> served(count * sites);
    for (const Node node : order) {
        const World world = graph_.world(node);
        for (SiteId site = 0; site < sites; ++site)
            served[graph_.note(node) * sites + site] = !machine.local(world.sites[site]).pending();
    }
    Edges edges(graph_);
    for (bool changed = true; changed && may_go_on();) {
        changed = false;
        for (auto node = order.rbegin(); node != order.rend() && !stop::due(); ++node)
            edges.visit(*node, [&](const Move& move, Node after) {
                if (!move.fair || after == 0) return;
                for (SiteId site = 0; site < sites; ++site) {
                    const std::size_t here = graph_.note(*node) * sites + site;
                    if (!served[here] && served[graph_.note(after) * sites + site])
                        served[here] = changed = true;
                }
            });
        tell();
    }
    if (!may_go_on()) return;
    std::size_t shallowest = count + 1;
    for (const Node node : order)
        for (SiteId site = 0; site < sites; ++site)
            if (!served[graph_.note(node) * sites + site] && graph_.depth(node) < shallowest) {
                shallowest = graph_.depth(node);
                result_.unservable = {node, site};
            }
}

}  // namespace

LivenessResult judge_liveness(Graph& graph, const LivenessTask& task, unsigned threads,
                              const Watchdog& watchdog) {
    return Liveness(graph, task, threads, watchdog).run();
}

}  // namespace allot::check
