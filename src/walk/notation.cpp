#include "walk/notation.hpp"

#include <algorithm>

#include "core/json.hpp"
#include "world/lines.hpp"

namespace allot::walk {

using namespace world;

namespace {

Envelope ends_of(const EnvelopeInfo& info) {
    return {info.from, info.to};
}

// A line about a message, with its content where another message of that kind could be meant.
std::string line_about(std::string_view verb, const Machine& machine, const World& world,
                       EnvelopeId envelope) {
    const EnvelopeInfo& info = machine.envelope(envelope);
    const bool ambiguous = std::any_of(world.flight.begin(), world.flight.end(), [&](EnvelopeId other) {
        const EnvelopeInfo& there = machine.envelope(other);
        return other != envelope && there.from == info.from && there.to == info.to &&
               machine.kind(other) == machine.kind(envelope);
    });
    // On FIFO links only the oldest message can be meant.
    if (machine.setup().fifo() || !ambiguous)
        return message_line(verb, ends_of(info), machine.kind(envelope));
    return message_line(verb, ends_of(info), machine.kind(envelope), machine.message(envelope));
}

std::string input_line(const Machine& machine, const World& before, const Move& move) {
    const InputKind kind = move.input.kind;
    switch (kind) {
        case InputKind::start:
            return start_line(move.site, machine.local(before.sites[move.site]).standing == Standing::absent);
        case InputKind::request:
            return request_line(move.site, machine.demand(move.input.argument));
        case InputKind::deliver:
            return line_about("deliver", machine, before, move.envelope);
        case InputKind::timeout:
            return timeout_line(move.site, machine.timer_name(move.input.argument));
        case InputKind::claim:
            return claim_line(move.site, machine.demand(move.input.argument),
                              static_cast<world::Proof>(move.input.incarnation));
        case InputKind::see:
            return see_line(move.site, machine.view(move.input.argument).number);
        default:
            return detection_of(kind) ? detection_line(kind, move.site, move.input.argument)
                                      : site_line(kind, move.site);
    }
}

}  // namespace

std::string line_of(Machine& machine, const World& before, const Move& move) {
    switch (move.kind) {
        case MoveKind::input:
            return input_line(machine, before, move);
        case MoveKind::duplicate:
            return line_about("duplicate", machine, before, move.envelope);
        case MoveKind::drop:
            return line_about("drop", machine, before, move.envelope);
        case MoveKind::crash:
            return crash_line(move.site, machine.facts().durable, static_cast<Disk>(move.input.argument));
        case MoveKind::cut:
            return channel_line("cut", move.site, move.input.argument);
        case MoveKind::heal:
            return channel_line("heal", move.site, move.input.argument);
        case MoveKind::tick:
            return tick_line(move.site, machine.setup().skew == 0);
        case MoveKind::agree:
            return view_line(static_cast<ViewChange>(move.input.argument), move.site);
        case MoveKind::crash_inside:
            break;
    }
    const Reaction& reaction = machine.react(before.sites[move.site], move.input);
    std::vector<SiteId> destinations;
    std::vector<bool> left;
    for (std::size_t i = 0; i < reaction.sent.size(); ++i) {
        destinations.push_back(machine.envelope(reaction.sent[i]).to);
        left.push_back(i < 32 && ((move.sent >> i) & 1u) != 0);
    }
    return crash_inside_line(move.site, input_line(machine, before, move), destinations, left);
}

namespace {

// A replay without the bound on requests would allow steps that the bound forbade.
std::string full_header(const Machine& machine) {
    if (machine.header().find(" requests=") != std::string::npos) return machine.header();
    return machine.header() + " requests=" + machine.setup().requests.text();
}

// The members of `whole` that differ from `usual`.
boost::json::object difference(const boost::json::value& whole, const boost::json::value& usual) {
    boost::json::object changed;
    for (const auto& member : whole.as_object()) {
        const auto* before = usual.as_object().if_contains(member.key());
        if (before == nullptr || *before != member.value()) changed.emplace(member.key(), member.value());
    }
    return changed;
}

std::string start_lines(Machine& machine, const World& start) {
    const World usual = machine.initial();
    std::string lines;
    for (SiteId site = 0; site < start.sites.size(); ++site) {
        if (start.sites[site] == usual.sites[site]) continue;
        const auto changed = difference(machine.state(start.sites[site]), machine.state(usual.sites[site]));
        lines += state_line(site, changed) + "\n";
    }
    if (start.flight == usual.flight) return lines;
    if (!usual.flight.empty()) lines += "empty\n";
    for (const EnvelopeId id : start.flight) {
        const boost::json::object message{{machine.kind(id), machine.message(id)}};
        lines += put_line(ends_of(machine.envelope(id)), message) + "\n";
    }
    return lines;
}

}  // namespace

std::string scenario_text(Machine& machine, const World& start, std::span<const Move> steps,
                          std::span<const Move> cycle, const std::vector<std::string>& comments,
                          const std::vector<std::string>& expectations) {
    std::string lines;
    for (const std::string& comment : comments) lines += "# " + comment + "\n";
    lines += full_header(machine) + "\n" + start_lines(machine, start);

    Walker walker(machine);
    World here = start;
    const auto write = [&](const Move& move) {
        lines += line_of(machine, here, move) + "\n";
        Report report;
        here = walker.apply(here, move, report);
    };
    for (const Move& move : steps) write(move);
    if (!cycle.empty()) lines += "loop\n";
    for (const Move& move : cycle) write(move);
    for (const std::string& expectation : expectations) lines += expectation + "\n";
    return lines;
}

}  // namespace allot::walk
