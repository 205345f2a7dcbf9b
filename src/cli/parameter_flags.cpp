#include "cli/parameter_flags.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/ensure.hpp"
#include "registry/registry.hpp"

namespace allot::cli {

namespace {

// What a parameter means, for --help.
struct Explained {
    const char* name;
    const char* meaning;
};
// Parameters that no protocol has yet are known, so that a wrong value is told apart from a wrong name.
const std::vector<Explained> explained{
    {"sites", "how many sites"},
    {"permits", "how many may hold at once"},
    {"graph", "who is whose neighbour: path:3, cycle:5, grid:10x10, ..."},
    {"bounds",
     "least and most in service of a site and its neighbours: 1,4 or 1,* or 0,1;1,2;0,2 (per site)"},
    {"initial", "who is in service at the start: Ioo (in, out, out), or any safe configuration"},
    {"infeasible", "refuse or allow instances in which some sites can never turn round; default refuse"},
    {"without", "switch a repair off: the published defect is back; several with commas, or all"},
    {"with", "switch a repair on that a published protocol lacks; several with commas, or all"},
};
const std::vector<Explained> surroundings{
    {"requests", "requests per site: a number, 2,2,1 (one per site) or any (unbounded); default 1"},
    {"founders", "sites from this one on join later; default all are there"},
    {"crashes", "how many sites may crash, between steps or inside one; default 0"},
    {"restarts", "how many crashed sites may come back; default 0"},
    {"leaves", "how many sites may leave in order; default 0"},
    {"duplicate", "how many messages may be delivered twice; default 0"},
    {"lose", "how many messages may get lost, or any; default 0"},
    {"lies", "how often a detector may report a live site dead; default 0"},
    {"trust",
     "dense: everybody trusts everybody at once; sparse: late or never; anchor: only the anchor does"},
    {"anchor", "the site that nobody ever suspects and that never crashes, or none"},
    {"links", "fifo or unordered; default what the protocol needs"},
    {"ranks", "on: rename stamps to small ones; default on where requests are unbounded"},
    {"normalise",
     "off: keep messages and names as they are, where the protocol knows what makes no difference"},
    {"backlog", "a timer fires only while every channel holds fewer messages than this; default 0: always"},
    {"copies",
     "a timer fires only while fewer messages that it replaces are in flight; default 1 where a protocol "
     "names "
     "them"},
    {"campers", "these sites need never let go of what they hold, as in 0,2; default none"},
    {"property", "judge only this one; may be repeated"},
};
const std::vector<Explained> switches{
    {"cancel", "waiting requests may be withdrawn at any time"},
    {"starts", "who may not ask yet counts as waiting: every start must end"},
    {"full", "take no prompt message at once: explore every order of deliveries"},
};

// A flag where a value should be means that the value was forgotten.
std::string value_or_flag(const std::string& value) {
    return value.starts_with("--") ? "its value is missing, " + value + " follows; write one after it" : "";
}

}  // namespace

Argument add_parameter_flag(Command& command, Parameters& given, const std::string& name,
                            const std::string& meaning, const std::string& group) {
    const auto collect = [&given, name](const std::string& value) {
        std::string& text = given[name];
        text += (text.empty() ? "" : ",") + value;
    };
    return command.list("--" + name, collect, meaning).group(group).check(value_or_flag);
}

Argument add_explained_flag(Command& command, Parameters& given, std::string_view name) {
    const auto known = std::ranges::find(explained, name, &Explained::name);
    ensure(known != explained.end(), "add_explained_flag: this parameter has no explanation");
    return add_parameter_flag(command, given, known->name, known->meaning, "Instance");
}

void add_parameter_flags(Command& command, Parameters& given) {
    std::set<std::string> known;
    for (const auto& [name, meaning] : surroundings) {
        known.insert(name);
        add_parameter_flag(command, given, name, meaning, "Instance");
    }
    for (const auto& [name, meaning] : switches) {
        known.insert(name);
        const auto switch_on = [&given, key = std::string(name)] { given[key] = "on"; };
        command.flag(std::string("--") + name, switch_on, meaning).group("Instance");
    }
    add_protocol_flags(command, given, std::move(known));
}

// A parameter that is on or off may be switched on by its name alone.
static void add_protocol_flag(Command& command, Parameters& given, const world::Entry& entry,
                              const ParameterInfo& parameter) {
    const bool is_switch = parameter.fallback == "on" || parameter.fallback == "off";
    const auto collect = [&given, is_switch, key = parameter.name](const std::string& value) {
        given[key] = is_switch && value.empty() ? "on" : value;
    };
    const Argument flag = command.option("--" + parameter.name, collect,
                                         fmt::format("of {}; default {}", entry.name, parameter.fallback));
    flag.group("Instance").check(value_or_flag);
    if (is_switch) flag.value_optional();
}

void add_protocol_flags(Command& command, Parameters& given, std::set<std::string> known) {
    for (const auto& [name, meaning] : explained)
        if (known.insert(name).second) add_parameter_flag(command, given, name, meaning, "Instance");
    for (const world::Entry& entry : registry::protocols())
        for (const ParameterInfo& parameter : entry.parameters)
            if (known.insert(parameter.name).second) add_protocol_flag(command, given, entry, parameter);
}

}  // namespace allot::cli
