#include "check/trace.hpp"

#include <algorithm>
#include <functional>

namespace allot::check {

namespace {

using walk::ActionKey;
using walk::Input;
using walk::Move;
using walk::Walker;
using walk::World;
using world::InputKind;

class Tracer {
public:
    Tracer(Graph& graph, const Options& options) : graph_(graph), walker_(graph.machine()) {
        starts_ = options.starts;
        if (starts_.empty()) starts_.push_back(graph.machine().initial());
    }

    Trace trace;

    void walk_to(Node node) {
        std::vector<Node> way;
        for (Node at = node; at != 0; at = graph_.parent(at)) way.push_back(at);
        std::reverse(way.begin(), way.end());
        begin(way.front());
        for (std::size_t i = 1; i < way.size(); ++i) step_to(at_node(way[i]), trace.steps);
    }

    using Target = std::function<bool(const World& canonical)>;
    Target at_node(Node node) {
        return [this, node](const World& canonical) { return graph_.is(node, Packed(canonical)); };
    }
    // A step after a canonical world.
    Target at_world(const World& world) {
        const auto forms = walker_.canonical_forms(world);
        return [forms = std::vector(forms.begin(), forms.end())](const World& canonical) {
            return std::ranges::find(forms, canonical) != forms.end();
        };
    }

    // Takes the step that leads to the target; of several, the one with the wanted action.
    void step_to(const Target& target, std::vector<Move>& steps, std::optional<ActionKey> wanted = {},
                 const std::string& property = {}) {
        if (!trace.replayed || take_step(target, steps, wanted, property)) return;
        trace.replayed =
            graph_.machine().setup().fifo() && take_behind_ignored(target, steps, wanted, property);
    }

    const World& here() const { return here_; }
    void close(const World& round) { trace.replayed = trace.replayed && walker_.recurs(round, here_); }

private:
    // Canonical worlds lack messages that their receivers ignore; here they are in the way of others.
    bool take_behind_ignored(const Target& target, std::vector<Move>& steps, std::optional<ActionKey> wanted,
                             const std::string& property) {
        const World before = here_;
        for (const walk::EnvelopeId id : before.flight) {
            std::vector<Move> more = clear_channel_of(id);
            if (!more.empty() && take_step(target, more, wanted, property)) {
                steps.insert(steps.end(), more.begin(), more.end());
                return true;
            }
            here_ = before;
        }
        return false;
    }

    std::vector<Move> clear_channel_of(walk::EnvelopeId some) {
        const std::uint64_t channel = graph_.machine().envelope(some).order;
        std::vector<Move> received;
        for (;;) {
            const auto head = std::ranges::find(here_.flight, channel, [&](walk::EnvelopeId id) {
                return graph_.machine().envelope(id).order;
            });
            if (head == here_.flight.end() || !walker_.is_ignored(here_, *head)) return received;
            received.push_back(reception_of(*head));
            Report ignored;
            here_ = walker_.apply(here_, received.back(), ignored);
        }
    }

    Move reception_of(walk::EnvelopeId id) const {
        return {.site = graph_.machine().envelope(id).to,
                .input = {InputKind::deliver, id, 0},
                .envelope = id,
                .fair = true};
    }

    bool take_step(const Target& target, std::vector<Move>& steps, std::optional<ActionKey> wanted,
                   const std::string& property) {
        std::vector<Move> chosen;
        World after_chosen;
        bool exact = false;
        walker_.for_each_step(here_, [&](const Move& move, const World& after, const Report& report) {
            if (exact || (property.empty() ? !graph_.goes_on(here_, report) : !report.has(property))) return;
            World canonical = after;
            const std::vector<walk::EnvelopeId> prompt = walker_.trail();
            walker_.canonical(canonical);
            if (!target(canonical)) return;
            exact = !wanted || walker_.action(move) == *wanted;
            if (!exact && !chosen.empty()) return;
            chosen = {move};
            for (const auto id : prompt) chosen.push_back(reception_of(id));
            after_chosen = after;
        });
        if (chosen.empty()) return false;
        steps.insert(steps.end(), chosen.begin(), chosen.end());
        here_ = after_chosen;
        return true;
    }

    void begin(Node root) {
        const Target is_root = at_node(root);
        for (const World& start : starts_) {
            World canonical = start;
            walker_.canonical(canonical);
            if (is_root(canonical)) here_ = start;
        }
        trace.start = here_;
    }

    Graph& graph_;
    Walker walker_;
    std::vector<World> starts_;
    World here_;
};

}  // namespace

Trace trace_to(Graph& graph, const Options& options, Node node) {
    Tracer tracer(graph, options);
    tracer.walk_to(node);
    return std::move(tracer.trace);
}

Trace trace_to(Graph& graph, const Options& options, const Finding& finding) {
    Tracer tracer(graph, options);
    tracer.walk_to(finding.node);
    const bool step_is_bad = finding.beyond && finding.property != world::closure.name;
    if (finding.beyond)
        tracer.step_to(tracer.at_world(*finding.beyond), tracer.trace.steps, std::nullopt,
                       step_is_bad ? finding.property : "");
    return std::move(tracer.trace);
}

Trace trace_round(Graph& graph, const Options& options, const Lasso& lasso) {
    Tracer tracer(graph, options);
    tracer.walk_to(lasso.nodes.front());
    const World round = tracer.here();
    for (std::size_t i = 0; i < lasso.actions.size(); ++i) {
        const Node next = lasso.nodes[(i + 1) % lasso.nodes.size()];
        tracer.step_to(tracer.at_node(next), tracer.trace.cycle, lasso.actions[i]);
    }
    tracer.close(round);
    return std::move(tracer.trace);
}

}  // namespace allot::check
