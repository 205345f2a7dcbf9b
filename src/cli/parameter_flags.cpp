#include "cli/parameter_flags.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/ensure.hpp"
#include "registry/registry.hpp"

namespace allot::cli {

namespace {

// A parameter and its text for --help.
struct Explained {
    const char* name;
    const char* meaning;
};
// Also lists parameters that no protocol has yet, so that a wrong value is told apart from a wrong name.
const std::vector<Explained> explained{
    {"sites", "number of sites"},
    {"permits", "permits: the number of sites that may hold at once"},
    {"graph", "the neighbours of each site: path:3, cycle:5, grid:10x10, ..."},
    {"bounds", "bounds on the sites in service in a neighbourhood: 1,4 or 1,* or 0,1;1,2;0,2 (per site)"},
    {"initial", "the sites in service at the start: Ioo (in, out, out), or any safe configuration"},
    {"infeasible", "refuse or allow instances in which some sites can never turn round; default refuse"},
    {"needs",
     "units that sites of a pool ask for: 1/3 for all sites, or 1/3;2;0 per site (0: it never asks)"},
    {"without", "switch a repair off, so that the published defect returns; several with commas, or all"},
    {"with", "switch a repair on that a published protocol lacks; several with commas, or all"},
};
// A flag in place of a value means that the value is missing.
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

// The name of a parameter that is off by default is enough to switch it on.
static void add_setup_flag(Command& command, Parameters& given, const ParameterInfo& parameter) {
    if (parameter.fallback == "off") {
        const auto switch_on = [&given, name = parameter.name] { given[name] = "on"; };
        command.flag("--" + parameter.name, switch_on, parameter.meaning).group("Instance");
    } else {
        add_parameter_flag(command, given, parameter.name,
                           fmt::format("{}; default {}", parameter.meaning, parameter.fallback), "Instance");
    }
}

void add_parameter_flags(Command& command, Parameters& given) {
    std::set<std::string> known;
    for (const ParameterInfo& parameter : world::setup_parameters()) {
        known.insert(parameter.name);
        add_setup_flag(command, given, parameter);
    }
    add_protocol_flags(command, given, std::move(known));
}

// The name of a parameter that is on or off is enough to switch it on.
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
