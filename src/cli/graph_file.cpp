#include "cli/graph_file.hpp"

#include <fmt/format.h>

#include "check/state_graph.hpp"
#include "cli/table.hpp"
#include "core/json.hpp"
#include "view/graph.hpp"
#include "walk/machine.hpp"

namespace allot::cli {

namespace {

// More worlds than this make no picture that says anything.
constexpr std::size_t most_worlds = 1'000;

view::Look look_of(const walk::LocalInfo& site) {
    const std::string_view name = !site.up()     ? enum_name(site.standing)
                                  : site.revoked ? "revoked"
                                                 : enum_name(site.phase);
    return enum_from<view::Look>(name).value_or(view::Look::idle);
}

view::GraphNode drawn(const walk::Machine& machine, const check::StateNode& node) {
    view::GraphNode result{
        .depth = node.depth, .start = node.start, .violated = node.violated, .detail = node.detail};
    for (const walk::LocalId id : node.world.sites) {
        const walk::LocalInfo& site = machine.local(id);
        result.looks.push_back(look_of(site));
        result.states.push_back(site.up() ? machine.state(id) : boost::json::value());
    }
    for (const walk::EnvelopeId id : node.world.flight) {
        const walk::EnvelopeInfo& envelope = machine.envelope(id);
        result.flight.push_back(boost::json::string(fmt::format(
            "{} -> {} {} {}", envelope.from, envelope.to, machine.kind(id), json_text(machine.message(id)))));
    }
    return result;
}

}  // namespace

Result<std::string> graph_file(const world::Entry& entry, const Parameters& parameters,
                               const std::string& path) {
    const bool page = path.ends_with(".html");
    if (!page && !path.ends_with(".dot"))
        return Error{fmt::format("--worlds {}: write a name that ends with .html or .dot", path)};
    auto machine = walk::make_machine(entry, parameters);
    if (!machine) return Error{machine.error()};
    const auto worlds = check::state_graph(**machine, {}, most_worlds);
    if (!worlds)
        return Error{fmt::format(
            "--worlds {}: there are more than {} worlds, too many to look at; write a smaller instance, with "
            "fewer sites, requests or faults",
            path, with_commas(most_worlds))};
    view::Graph graph{.header = (*machine)->header()};
    for (const check::StateNode& node : worlds->nodes) graph.nodes.push_back(drawn(**machine, node));
    for (const check::StateEdge& edge : worlds->edges)
        graph.edges.push_back({edge.from, edge.to, edge.step, edge.fair});
    return page ? view::graph_page(graph) : view::graph_dot(graph);
}

}  // namespace allot::cli
