#include "world/notation.hpp"

#include <algorithm>
#include <map>

#include "core/json.hpp"

namespace allot::world {

namespace {

std::string text(std::uint64_t number) {
    return std::to_string(number);
}

std::string channel_text(const EnvelopeInfo& envelope) {
    return text(envelope.from) + " -> " + text(envelope.to);
}

bool is_number(const std::string& word) {
    return !word.empty() &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// What follows the site in a request. One resource whose name is a number needs the units before it.
std::string demand_text(const Demand& demand) {
    const bool looks_like_units = demand.resources.size() == 1 && is_number(demand.resources.front());
    std::string line;
    if (demand.units != 1 || looks_like_units) line += " " + text(demand.units);
    for (std::size_t i = 0; i < demand.resources.size(); ++i)
        line += (i == 0 ? " " : ",") + demand.resources[i];
    return line;
}

std::string start_text(const Machine& machine, const World& before, SiteId site) {
    const bool first = machine.local(before.sites[site]).standing == Standing::absent;
    return (first ? "join " : "restart ") + text(site);
}

std::string input_text(const Machine& machine, const World& before, const Move& move) {
    const std::string verb(enum_name(move.input.kind));
    std::string line = verb + " " + text(move.site);
    switch (move.input.kind) {
        case InputKind::start:
            return start_text(machine, before, move.site);
        case InputKind::request:
            return line + demand_text(machine.demand(move.input.argument));
        case InputKind::deliver:
            return verb + " " + message_text(machine, before, move.envelope);
        case InputKind::timeout:
            return line + " " + std::string(machine.timer_name(move.input.argument));
        case InputKind::trusted:
        case InputKind::dead:
        case InputKind::suspected:
        case InputKind::unsuspected:
        case InputKind::departed:
        case InputKind::reconnected:
            return line + " " + text(move.input.argument);
        default:
            return line;
    }
}

// The messages of a step that left before the crash: destinations where the first ones left, numbered
// messages where a later one left and an earlier one did not.
std::string sent_text(const Machine& machine, std::span<const EnvelopeId> sent, std::uint32_t mask) {
    std::map<SiteId, std::vector<bool>> left_by_destination;
    for (std::size_t i = 0; i < sent.size(); ++i)
        left_by_destination[machine.envelope(sent[i]).to].push_back(i < 32 && ((mask >> i) & 1u) != 0);
    std::string line;
    for (const auto& [to, left] : left_by_destination) {
        const bool prefix = std::is_sorted(left.begin(), left.end(), std::greater<>());
        for (std::size_t i = 0; i < left.size(); ++i)
            if (left[i]) line += " " + text(to) + (prefix ? "" : "#" + text(i + 1));
    }
    return " sent" + line;
}

}  // namespace

std::string message_text(const Machine& machine, const World& world, EnvelopeId envelope) {
    const EnvelopeInfo& info = machine.envelope(envelope);
    std::string line = channel_text(info) + " " + std::string(machine.kind(envelope));
    if (machine.setup().links == Links::fifo) return line;  // only the oldest message can be meant
    const bool others = std::any_of(world.flight.begin(), world.flight.end(), [&](EnvelopeId other) {
        const EnvelopeInfo& there = machine.envelope(other);
        return other != envelope && there.from == info.from && there.to == info.to &&
               machine.kind(other) == machine.kind(envelope);
    });
    return others ? line + " " + json_text(machine.message(envelope)) : line;
}

std::string line_of(Machine& machine, const World& before, const Move& move) {
    switch (move.kind) {
        case MoveKind::input:
            return input_text(machine, before, move);
        case MoveKind::duplicate:
            return "duplicate " + message_text(machine, before, move.envelope);
        case MoveKind::drop:
            return "drop " + message_text(machine, before, move.envelope);
        case MoveKind::crash:
            return "crash " + text(move.site);
        case MoveKind::crash_inside:
            break;
    }
    const Reaction& reaction = machine.react(before.sites[move.site], move.input);
    return "crash " + text(move.site) + " in " + input_text(machine, before, move) +
           sent_text(machine, reaction.sent, move.sent);
}

namespace {

// Whoever replays without a bound on requests may find steps possible that the bound forbade.
std::string full_header(const Machine& machine) {
    if (machine.header().find(" requests=") != std::string::npos) return machine.header();
    const auto& requests = machine.setup().requests;
    const bool equal =
        std::adjacent_find(requests.begin(), requests.end(), std::not_equal_to<>()) == requests.end();
    std::string list;
    for (std::size_t i = 0; i < (equal ? std::min<std::size_t>(1, requests.size()) : requests.size()); ++i) {
        if (i > 0) list += ",";
        list += requests[i] == unbounded_requests ? "any" : text(requests[i]);
    }
    return machine.header() + " requests=" + list;
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
        lines += "state " + text(site) + " " + json_text(changed) + "\n";
    }
    if (start.flight == usual.flight) return lines;
    if (!usual.flight.empty()) lines += "empty\n";
    for (const EnvelopeId id : start.flight) {
        const boost::json::object message{{machine.kind(id), machine.message(id)}};
        lines += "put " + channel_text(machine.envelope(id)) + " " + json_text(message) + "\n";
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

}  // namespace allot::world
